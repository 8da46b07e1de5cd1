/**
 * Converts drafts to a file: chooses the keys of apps and tests, names secrets, and loads the file. Replaces or omits
 * drafts until the file is valid and accepted by its source.
 */
import { allTargetsOf } from '../core/model/phase.ts';
import type { DeclaredApp } from '../core/model/app.ts';
import { appKey } from '../core/model/ids.ts';
import { filesOfBody } from '../core/model/request-body.ts';
import { filesOfTarget } from '../core/model/load-test.ts';
import type { BodyFile, PayloadFile } from '../core/model/payload-file.ts';
import type { DesiredState } from '../core/model/state.ts';
import { problem, type Problem } from '../core/problem.ts';
import { fail, ok, type Result } from '../core/result.ts';
import {
  nameSecrets,
  type AppDraft,
  type Draft,
  type DraftContent,
  type Drafts,
  type SourceEntry,
} from './import-draft.ts';
import { groupedEntries } from './group-entries.ts';
import { SecretNames, UniqueNames, appKeyOf } from './import-names.ts';
import { loadConfig } from './load-config.ts';
import { DEFAULT_WAIT_MS } from './lower-app.ts';
import {
  membersOf,
  printConfig,
  type PrintableApp,
  type PrintableEntries,
  type PrintableMember,
  type PrintableTest,
  type PrintableValue,
} from './yaml-printer.ts';

export interface SettlementOptions {
  readonly project: string;
  readonly environment: string | null;
  /** Settings of the service; null for the embedded service. */
  readonly service: readonly PrintableMember[] | null;
  /**
   * State declared by the current file, which provides keys, verification settings and references to secrets; null
   * without a file.
   */
  readonly declared: DesiredState | null;
  readonly selects: (key: string) => boolean;
  readonly comments: readonly string[];
}

export interface OmittedEntry extends SourceEntry {
  readonly reason: string;
}

export interface SettledApp {
  readonly draft: AppDraft;
  readonly printed: PrintableApp;
}

export interface SettledTest<Origin> {
  readonly key: string;
  readonly draft: Draft<Origin>;
}

export interface SettledDrafts<Origin> {
  readonly apps: readonly SettledApp[];
  readonly tests: readonly SettledTest<Origin>[];
  readonly omitted: readonly OmittedEntry[];
}

/** Change of an app or a test, which is omitted if there is no replacement. */
export type Revision<Origin> =
  | { readonly app: SettledApp; readonly reason: string }
  | {
      readonly test: SettledTest<Origin>;
      readonly reason: string;
      readonly replacement: Draft<Origin> | null;
    };

export interface SettledFile<Origin> extends SettledDrafts<Origin> {
  readonly text: string;
  readonly secrets: readonly string[];
  readonly desired: DesiredState;
}

/**
 * @param review - Compares the loaded file with the source; returns no revisions if the source accepts the file.
 * @returns The file, or problems that do not belong to a single entry, such as a file that is too large.
 */
export function settleDrafts<Origin>(
  drafts: Drafts<Origin>,
  options: SettlementOptions,
  review: (desired: DesiredState, settled: SettledDrafts<Origin>) => readonly Revision<Origin>[],
): Result<SettledFile<Origin>> {
  let settled: SettledDrafts<Origin> = {
    apps: placeApps(drafts.apps, options),
    ...placeTests(drafts.tests, options),
  };
  for (;;) {
    const written = writeFile(settled, options);
    const loaded = readBack(written.text, options);
    const revisions = loaded.ok
      ? review(loaded.value, settled)
      : revisionsOfProblems(settled, written.text, loaded.problems);
    if (revisions.length > 0) settled = revise(settled, revisions);
    else if (loaded.ok) return ok({ ...written, ...settled, desired: loaded.value });
    else return fail(unusableImport(loaded.problems));
  }
}

// --- keys

function placeApps(drafts: readonly AppDraft[], { declared }: SettlementOptions): readonly SettledApp[] {
  const known = declared?.apps ?? [];
  const names = new UniqueNames(
    known.map((app) => app.key),
    '-',
  );
  return drafts.map((draft) => {
    const { host } = draft;
    const existing = known.find((one) => one.host === host);
    const printed: PrintableApp = {
      key: existing?.key ?? appKey(names.take(appKeyOf(host))),
      host,
      verification: existing === undefined ? null : verificationOf(existing),
    };
    return { draft, printed };
  });
}

function verificationOf({ method, publish, wait }: DeclaredApp): PrintableApp['verification'] {
  if (method === 'http' && publish.kind === 'manual' && wait === DEFAULT_WAIT_MS) return null;
  return membersOf<PrintableValue>({
    method: method === 'http' ? undefined : method,
    directory: publish.kind === 'directory' ? publish.directory : undefined,
    command: publish.kind === 'command' ? publish.command : undefined,
    manual: publish.kind === 'manual' ? true : undefined,
    wait: wait === DEFAULT_WAIT_MS ? undefined : { duration: wait },
  });
}

function placeTests<Origin>(
  drafts: readonly Draft<Origin>[],
  { selects }: SettlementOptions,
): Pick<SettledDrafts<Origin>, 'tests' | 'omitted'> {
  const names = new UniqueNames(
    drafts.filter(({ keepsKey }) => keepsKey).map(({ key }) => key),
    '-',
  );
  const placed = drafts
    .map((draft) => ({ draft, key: draft.keepsKey ? draft.key : names.take(draft.key) }))
    .filter(({ key }) => selects(key));
  return {
    tests: placed.filter(({ draft }) => draft.obstacle === null),
    omitted: placed.flatMap((test) =>
      test.draft.obstacle === null ? [] : omissionsOf(test, test.draft.obstacle),
    ),
  };
}

function omissionsOf<Origin>({ key, draft }: SettledTest<Origin>, reason: string): readonly OmittedEntry[] {
  const { id, name, earlier } = draft;
  return [
    { id, name, reason },
    ...earlier.map((one) => ({ ...one, reason: `an earlier version of the test "${key}"` })),
  ];
}

// --- file

function writeFile<Origin>(
  settled: SettledDrafts<Origin>,
  { project, environment, service, comments }: SettlementOptions,
): Pick<SettledFile<Origin>, 'text' | 'secrets'> {
  const secrets = new SecretNames();
  const tests = settled.tests.map(({ key, draft }): PrintableTest => {
    const content = draft.describe(key);
    const nameOf = ({ kind, identity }: { readonly kind: string; readonly identity: string }) =>
      secrets.nameOf(key, kind, identity);
    const blocksOf = (urls: DraftContent['urls']) =>
      urls.map((url) => ({ comments: [], fields: nameSecrets(url, nameOf) }));
    return {
      key,
      comments: content.comments,
      fields: [
        ...nameSecrets(content.fields, nameOf),
        ...content.phases.map(({ name, fields, urls, groups }) => ({
          name,
          value: [
            ...nameSecrets(fields, nameOf),
            ...requestsOf(blocksOf(urls), { flows: null, groups, onStart: null }),
          ],
        })),
        ...requestsOf(blocksOf(content.urls), content),
      ],
    };
  });
  const lines = [...comments];
  if (secrets.all.length > 0) lines.push('', ...SECRETS_COMMENT);
  lines.push(...secrets.all.map((name) => `  ${name}`));
  if (settled.omitted.length > 0) lines.push('', 'Omitted:');
  lines.push(...settled.omitted.map(({ id, name, reason }) => `  ${id} "${name}": ${reason}`));
  const apps = settled.apps.map(({ printed }) => printed);
  return {
    text: printConfig({ comments: lines, project, environment, service, apps, tests }),
    secrets: secrets.all,
  };
}

/** Returns the requests as `urls`, or as the `urls` of their flows, with their groups. */
function requestsOf(
  requests: PrintableEntries['blocks'],
  { flows, groups, onStart }: Pick<DraftContent, 'flows' | 'groups' | 'onStart'>,
): readonly PrintableMember[] {
  const urlsOf = (first: number, end: number): PrintableMember => ({
    name: 'urls',
    value: { blocks: groupedEntries(requests, groups ?? [], { first, end }) },
  });
  const start = onStart ?? 0;
  const ofStart: PrintableMember[] = start === 0 ? [] : [{ name: 'on_start', value: [urlsOf(0, start)] }];
  if (flows === null) return [...ofStart, urlsOf(start, requests.length)];
  let end = start;
  const members = flows.map(({ name, weight, urls, values, fields }): PrintableMember => {
    const first = end;
    end += urls;
    const own = membersOf<PrintableValue>({ weight, values: values?.map((one) => ({ ...one })) });
    return { name, value: [...own, urlsOf(first, end), ...fields] };
  });
  return [...ofStart, { name: 'flows', value: members }];
}

const SECRETS_COMMENT: readonly string[] = [
  'Values that may be secret are not in this file. Set these environment variables before you run the tests,',
  'or replace ${secret:NAME} with the value if it is not secret:',
];

const IMPORTED_FILE_LABEL = 'the imported file';

function readBack(text: string, { environment, declared }: SettlementOptions): Result<DesiredState> {
  const targets = (declared?.tests ?? []).flatMap(({ spec }) => allTargetsOf(spec));
  const isAt = (path: string) => (file: PayloadFile | BodyFile) => file.declared?.path === path;
  const refuse = () => {
    throw new Error('Bug: the imported file contains a reference to another file');
  };
  const loaded = loadConfig({
    file: { path: IMPORTED_FILE_LABEL, text, directory: '/' },
    environment,
    vars: new Map(),
    env: {},
    readFile: refuse,
    readRows: (path, options) => {
      const known = targets.flatMap(({ payloadFile }) => payloadFile ?? []).find(isAt(path));
      const file = known && { ...known, ...(options === undefined ? {} : { options }) };
      return file === undefined ? { reason: 'is not declared' } : { file, listRows: () => null };
    },
    readBodyFile: (path) => {
      const file = targets.flatMap(({ body }) => filesOfBody(body)).find(isAt(path));
      return file === undefined ? { reason: 'is not declared' } : { file };
    },
    realPath: refuse,
  });
  return loaded.ok ? ok(loaded.value.desired, loaded.warnings) : loaded;
}

/** Returns the paths of the files that the tests upload, by the SHA-256 of their content. */
export function declaredFilePaths(declared: DesiredState | null): ReadonlyMap<string, string> {
  const files = (declared?.tests ?? []).flatMap(({ spec }) => allTargetsOf(spec).flatMap(filesOfTarget));
  return new Map(files.flatMap(({ sha256, declared: file }) => (file === null ? [] : [[sha256, file.path]])));
}

// --- revisions

function revise<Origin>(
  { apps, tests, omitted }: SettledDrafts<Origin>,
  revisions: readonly Revision<Origin>[],
): SettledDrafts<Origin> {
  const rejected = new Set(revisions.map((revision) => ('app' in revision ? revision.app : revision.test)));
  const replacements = new Map(
    revisions.flatMap((revision) => ('app' in revision ? [] : [[revision.test, revision.replacement]])),
  );
  return {
    apps: apps.filter((app) => !rejected.has(app)),
    tests: tests.flatMap((test) => {
      const draft = replacements.get(test) ?? null;
      return draft !== null ? [{ ...test, draft }] : rejected.has(test) ? [] : [test];
    }),
    omitted: [
      ...omitted,
      ...revisions.flatMap((revision): readonly OmittedEntry[] => {
        const { reason } = revision;
        if ('app' in revision) {
          const { id, host } = revision.app.draft;
          return [{ id, name: host, reason }];
        }
        return revision.replacement === null ? omissionsOf(revision.test, reason) : [];
      }),
    ],
  };
}

/** Returns revisions for the entries with errors; empty if an error does not refer to an entry. */
function revisionsOfProblems<Origin>(
  { apps, tests }: SettledDrafts<Origin>,
  text: string,
  problems: readonly Problem[],
): readonly Revision<Origin>[] {
  const entries = entriesByLine(text);
  const reasons = new Map<string, string>();
  for (const { severity, source, message } of problems) {
    if (severity !== 'error') continue;
    const entry = source === null ? undefined : entries[source.line - 1];
    if (typeof entry !== 'string') return [];
    if (!reasons.has(entry)) reasons.set(entry, message);
  }
  return [
    ...apps.flatMap((app) => {
      const reason = reasons.get(`apps ${app.printed.key}`);
      return reason === undefined ? [] : [{ app, reason }];
    }),
    ...tests.flatMap((test) => {
      const reason = reasons.get(`tests ${test.key}`);
      return reason === undefined ? [] : [{ test, reason, replacement: test.draft.fallback }];
    }),
  ];
}

/**
 * Returns the entry on each line, such as `tests home`; null for lines outside all entries. Relies on the indentation
 * that `printConfig` uses.
 */
function entriesByLine(text: string): readonly (string | null)[] {
  let section = '';
  let entry: string | null = null;
  return text.split('\n').map((line) => {
    const [, top] = /^([a-z_]+):/.exec(line) ?? [];
    if (top !== undefined) {
      section = top;
      entry = null;
    }
    const [, quote, key] = /^ {2}(["']?)([A-Za-z0-9_.-]+)\1:/.exec(line) ?? [];
    if (quote !== undefined && key !== undefined) entry = `${section} ${key}`;
    return entry;
  });
}

function unusableImport(problems: readonly Problem[]): Problem[] {
  const tooLarge = problems.some(({ code }) => code === 'LT_CONFIG_UNREADABLE');
  if (!tooLarge) return problems.filter(({ severity }) => severity === 'error');
  return [
    problem('LT_CONFIG_UNREADABLE', 'the imported file would be larger than 1 MiB or too complex', {
      hint: 'select tests with --only or --exclude',
    }),
  ];
}

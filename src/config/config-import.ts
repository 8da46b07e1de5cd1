/**
 * From what a service holds to a file that declares it.
 *
 * Shape:  a draft is written, read back as any file is, and planned with: an entry that its mark does not
 *         recognise is pinned by `id:`, and what the file cannot say is left out with the reason. So the text that
 *         comes out loads, and a plan of it has no changes, whatever the service lists.
 * Source: docs/internals/reconciler.md, section 2.
 */
import type { Sha256 } from '../core/canonical.ts';
import { createAppFinder, findObservedApp, type DeclaredApp, type ObservedApp } from '../core/model/app.ts';
import { appKey, type AppId, type TestId } from '../core/model/ids.ts';
import type { ObservedTest } from '../core/model/load-test.ts';
import type { PayloadFile } from '../core/model/payload-file.ts';
import { authorityOf } from '../core/model/url.ts';
import type { DesiredState, ObservedState } from '../core/model/state.ts';
import { problem, type Problem } from '../core/problem.ts';
import { digestsOf, parseUnlistedDigests } from '../core/reconcile/digests.ts';
import { readMarker, type Marker } from '../core/reconcile/ownership-marker.ts';
import { matchTests, type Match } from '../core/reconcile/match.ts';
import { fail, ok, type Result } from '../core/result.ts';
import { SecretNames, UniqueNames, appKeyOf, isKey, keyOf, withoutSecrets } from './import-names.ts';
import { VARIABLES_UNLISTED, printTest, type ImportedTest } from './import-entry.ts';
import { loadConfig } from './load-config.ts';
import { DEFAULT_WAIT_MS } from './lower-app.ts';
import { printConfig, type PrintableApp, type PrintableService } from './yaml-printer.ts';

export interface ImportInput {
  /** With the marks put back that a service is known to drop. */
  readonly observed: ObservedState;
  /** Tests whose mark the service did not keep: only their id tells them apart. */
  readonly unmarked: readonly TestId[];
  readonly project: string;
  readonly environment: string | null;
  /** Null: the embedded service. */
  readonly service: PrintableService | null;
  /** What the current file declares: keys and verification of its apps, and references to secrets. */
  readonly declared: DesiredState | null;
  /** Which keys of tests are wanted. */
  readonly selects: (key: string) => boolean;
  /** Lines at the top of the file. */
  readonly comments: readonly string[];
  readonly sha256: Sha256;
}

export interface OmittedEntry {
  readonly id: AppId | TestId;
  /** What people call it: a name or a host. */
  readonly name: string;
  readonly reason: string;
}

export interface DroppedTest {
  readonly test: ObservedTest;
  readonly key: string;
  /** Whether the file has another test of its key. */
  readonly earlier: boolean;
}

export interface ImportedFile {
  readonly text: string;
  readonly apps: readonly string[];
  readonly tests: readonly ImportedTest[];
  readonly omitted: readonly OmittedEntry[];
  /** Tests of the project that the file does not stand for: a plan of it stops those that run or wait. */
  readonly dropped: readonly DroppedTest[];
  /** Environment variables to set. */
  readonly secrets: readonly string[];
}

/** Errors: problems of what no single entry is to blame for, such as a file that would be too large. */
export function importConfig(input: ImportInput): Result<ImportedFile> {
  let draft = createDraft(input);
  for (;;) {
    const written = writeDraft(draft, input);
    const loaded = readBack(written.text, input);
    const next = loaded.ok
      ? reviseByPlan(draft, loaded.value, input)
      : reviseByProblems(draft, written.text, loaded.problems);
    if (next === null) return fail(loaded.ok ? [] : unusableImport(loaded.problems));
    if (next === draft && loaded.ok) {
      const { tests, omitted } = draft;
      const dropped = findDroppedTests(loaded.value, input);
      return ok({ ...written, apps: draft.apps.map(({ app }) => app.host), tests, omitted, dropped });
    }
    draft = next;
  }
}

interface ImportDraft {
  readonly apps: readonly { readonly app: ObservedApp; readonly printed: PrintableApp }[];
  readonly tests: readonly ImportedTest[];
  readonly omitted: readonly OmittedEntry[];
}

function createDraft(input: ImportInput): ImportDraft {
  const apps = importApps(input);
  const { tests, omitted } = importTests(input);
  return { apps, tests, omitted };
}

function importApps({ observed, declared }: ImportInput): ImportDraft['apps'] {
  const known = declared?.apps ?? [];
  const names = new UniqueNames(
    known.map((app) => app.key),
    '-',
  );
  return observed.apps.flatMap((app) => {
    if (findObservedApp(observed.apps, app) !== app) return [];
    const before = known.find((one) => one.host === app.host);
    const printed: PrintableApp = {
      key: before?.key ?? appKey(names.take(appKeyOf(app.host))),
      host: before?.host ?? app.host,
      verification: before === undefined ? null : verificationOf(before),
    };
    return [{ app, printed }];
  });
}

function verificationOf({ method, publish, wait }: DeclaredApp): PrintableApp['verification'] {
  if (method === 'http' && publish.kind === 'manual' && wait === DEFAULT_WAIT_MS) return null;
  return {
    method: method === 'http' ? null : method,
    publish,
    wait: wait === DEFAULT_WAIT_MS ? null : wait,
  };
}

interface ImportCandidate {
  readonly test: ObservedTest;
  readonly marker: Marker | null;
  readonly belongsToProject: boolean;
}

function importTests(input: ImportInput): Pick<ImportDraft, 'tests' | 'omitted'> {
  const candidates = input.observed.tests.map((test): ImportCandidate => {
    const reading = readMarker(test.notes);
    const marker = reading.kind === 'mark' ? reading.marker : null;
    const ours =
      marker !== null && marker.project === input.project && marker.environment === input.environment;
    return { test, marker, belongsToProject: ours && isKey(marker.key) };
  });
  const own = new Map<string, ObservedTest[]>();
  for (const { test, marker, belongsToProject } of candidates) {
    if (marker !== null && belongsToProject) own.set(marker.key, [...(own.get(marker.key) ?? []), test]);
  }
  const names = new UniqueNames(own.keys(), '-');
  const omitted: OmittedEntry[] = [];
  const tests = candidates.flatMap(({ test, marker, belongsToProject }): ImportedTest[] => {
    const ownOnes = belongsToProject && marker !== null ? (own.get(marker.key) ?? []) : [test];
    if (ownOnes.at(-1) !== test) return [];
    const key = belongsToProject && marker !== null ? marker.key : names.take(preferredKey(test, marker));
    if (!input.selects(key)) return [];
    const pinReason = belongsToProject
      ? input.unmarked.includes(test.id)
        ? 'the service does not keep its mark'
        : null
      : marker === null
        ? 'it has no mark'
        : `its mark is from the project "${marker.project}"${marker.environment === null ? '' : `, environment "${marker.environment}"`}`;
    const entry = { key, test, marker, pinReason, earlier: ownOnes.slice(0, -1) };
    const reason = inexpressibleReason(test, input);
    if (reason === null) return [entry];
    omitted.push(...omittedEntry(entry, reason));
    return [];
  });
  return { tests, omitted };
}

/** Why no file can say it; null: one can. */
function inexpressibleReason(test: ObservedTest, { declared }: ImportInput): string | null {
  if (typeof test.testType !== 'string') return `its test_type "${test.testType.unrecognised}" is unknown`;
  const known = declaredPayloadPaths(declared);
  const unknown = test.targets().some(({ payloadFile: rows }) => rows !== null && !known.has(rows.sha256));
  return unknown
    ? 'its payload file is on the service alone; declare the test with the file beside it'
    : null;
}

/** The payload files of the current file, by what they hold. */
function declaredPayloadPaths(declared: DesiredState | null): ReadonlyMap<string, PayloadFile> {
  const files = (declared?.tests ?? []).flatMap(({ spec }) =>
    spec.targets.flatMap(({ payloadFile }) => (payloadFile === null ? [] : [payloadFile])),
  );
  return new Map(files.map((file) => [file.sha256, file]));
}

function preferredKey(test: ObservedTest, marker: Marker | null): string {
  if (marker !== null && isKey(marker.key)) return marker.key;
  const url = test.targets()[0]?.url ?? '';
  return keyOf(withoutSecrets(test.name ?? url), keyOf(authorityOf(url) ?? '', 'test'));
}

function omittedTest(test: ObservedTest, reason: string): OmittedEntry {
  return { id: test.id, name: withoutSecrets(test.name ?? test.targets()[0]?.url ?? ''), reason };
}

/** With it go the earlier ones of its key. */
function omittedEntry({ key, test, earlier }: ImportedTest, reason: string): OmittedEntry[] {
  const others = earlier.map((one) => omittedTest(one, `an earlier version of "${key}"`));
  return [omittedTest(test, reason), ...others];
}

function writeDraft(draft: ImportDraft, input: ImportInput): Pick<ImportedFile, 'text' | 'secrets'> {
  const secrets = new SecretNames();
  const rows = declaredPayloadPaths(input.declared);
  const declared = new Map(input.declared?.tests.map((test) => [String(test.key), test]));
  const tests = draft.tests.map((test) =>
    printTest(test, {
      ...{ secrets, declared: declared.get(test.key) ?? null, sha256: input.sha256 },
      payloadPathOf: (sha256) => rows.get(sha256)?.declared?.path ?? null,
    }),
  );
  const comments = [...input.comments];
  if (secrets.all.length > 0) comments.push('', ...SECRETS_COMMENT);
  comments.push(...secrets.all.map((name) => `  ${name}`));
  if (draft.omitted.length > 0) comments.push('', 'Left out:');
  comments.push(...draft.omitted.map(({ id, name, reason }) => `  ${id} "${name}": ${reason}`));
  const { project, environment, service } = input;
  const apps = draft.apps.map(({ printed }) => printed);
  return {
    text: printConfig({ comments, project, environment, service, apps, tests }),
    secrets: secrets.all,
  };
}

/** Above the names of the variables. */
const SECRETS_COMMENT: readonly string[] = [
  'Values that may be secret were not written. Set these environment variables before running it,',
  'or write what is not secret in place of ${secret:NAME}:',
];

const IMPORTED_FILE_LABEL = 'the imported file';

function readBack(
  text: string,
  { environment, declared }: Pick<ImportInput, 'environment' | 'declared'>,
): Result<DesiredState> {
  const rows = [...declaredPayloadPaths(declared).values()];
  const none = () => {
    throw new Error('Bug: an imported file names no other file');
  };
  const loaded = loadConfig({
    file: { path: IMPORTED_FILE_LABEL, text, directory: '/' },
    environment,
    vars: new Map(),
    env: {},
    readFile: none,
    readRows: (path) => {
      const file = rows.find(({ declared: found }) => found?.path === path);
      return file === undefined ? { reason: 'is not declared' } : { file };
    },
    realPath: none,
  });
  return loaded.ok ? ok(loaded.value.desired, loaded.warnings) : loaded;
}

/** The same draft where nothing is left to do: every entry is found, and needs nothing. */
function reviseByPlan(draft: ImportDraft, desired: DesiredState, input: ImportInput): ImportDraft {
  const { matches } = matchTests(desired, input.observed, input.sha256);
  const byKey = new Map(matches.map((match) => [String(match.declared.key), match]));
  const leftOut: OmittedEntry[] = [];
  const tests = draft.tests.flatMap((entry): ImportedTest[] => {
    const match = byKey.get(entry.key);
    if (match === undefined || match.found.kind === 'present') return [entry];
    if (entry.pinReason === null) return [{ ...entry, pinReason: pinReason(match, entry, input) }];
    const fields = match.found.kind === 'other' ? match.found.changes.map(({ field }) => field) : [];
    leftOut.push(...omittedEntry(entry, `the file cannot express its ${fields.join(', ')}`));
    return [];
  });
  const appOf = createAppFinder(desired.apps);
  const used = new Set(desired.tests.flatMap(({ spec }) => spec.targets.map(({ url }) => appOf(url)?.host)));
  const apps = draft.apps.filter(({ app, printed }) => {
    const there = desired.apps.some((one) => one.key === printed.key && one.host === app.host);
    const idle = app.status === 'unverified' && !used.has(printed.host);
    if (there && !idle) return true;
    const reason = there
      ? 'it is not verified, and no test uses it'
      : 'its spelling would change in the file';
    leftOut.push({ id: app.id, name: app.host, reason });
    return false;
  });
  const same = leftOut.length === 0 && tests.every((entry, index) => entry === draft.tests[index]);
  return same ? draft : { apps, tests, omitted: [...draft.omitted, ...leftOut] };
}

function findDroppedTests(desired: DesiredState, input: ImportInput): DroppedTest[] {
  const { matches, orphaned } = matchTests(desired, input.observed, input.sha256);
  return [
    ...matches.flatMap(({ declared, superseded }) =>
      superseded.map(({ test }) => ({ test, key: declared.key, earlier: true })),
    ),
    ...orphaned.map(({ test, marker }) => ({ test, key: marker.key, earlier: false })),
  ];
}

function pinReason(match: Match, { marker }: ImportedTest, { sha256 }: ImportInput): string {
  const wanted = parseUnlistedDigests(digestsOf(match.declared.spec, sha256).unlisted);
  const before = marker === null ? null : parseUnlistedDigests(marker.unlisted);
  return before !== null && wanted?.variables !== before.variables
    ? VARIABLES_UNLISTED
    : 'its fields do not match its mark';
}

/** Adopts the entries that problems point at, or leaves them out. Null: some problem points at none. */
function reviseByProblems(
  draft: ImportDraft,
  text: string,
  problems: readonly Problem[],
): ImportDraft | null {
  const places = entriesByLine(text);
  const reasons = new Map<string, string>();
  for (const { severity, source, message } of problems) {
    if (severity !== 'error') continue;
    const place = source === null ? undefined : places[source.line - 1];
    if (typeof place !== 'string') return null;
    if (!reasons.has(place)) reasons.set(place, message);
  }
  const leftOut: OmittedEntry[] = [];
  const apps = draft.apps.filter(({ app, printed }) => {
    const reason = reasons.get(`apps ${printed.key}`);
    if (reason !== undefined) leftOut.push({ id: app.id, name: app.host, reason });
    return reason === undefined;
  });
  const tests = draft.tests.flatMap((entry): ImportedTest[] => {
    const reason = reasons.get(`tests ${entry.key}`);
    if (reason === undefined) return [entry];
    // Variables may be missing in a test that is there already.
    if (entry.pinReason === null) return [{ ...entry, pinReason: VARIABLES_UNLISTED }];
    leftOut.push(...omittedEntry(entry, reason));
    return [];
  });
  return reasons.size === 0 ? null : { apps, tests, omitted: [...draft.omitted, ...leftOut] };
}

/** For each line the entry that it belongs to, such as `tests home`. Relies on how `printConfig` indents. */
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
    problem('LT_CONFIG_UNREADABLE', 'the imported file would be larger than 1 MiB', {
      hint: 'select tests with --only or --exclude',
    }),
  ];
}

/**
 * Import: creates a configuration file from the tests and apps of a service.
 * @remarks The import writes a draft, loads it like any file, and plans with it. A test that its ownership
 * marker does not identify is adopted with `id:`; an entry that the file cannot express is omitted with a
 * reason. The result always loads, and its plan has no changes.
 * @see docs/internals/reconciler.md, section 2.
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
import { performSteps } from '../core/steps.ts';
import { SecretNames, UniqueNames, appKeyOf, isKey, keyOf, withoutSecrets } from './import-names.ts';
import { VARIABLES_UNLISTED, printTest, type ImportedTest } from './import-entry.ts';
import { loadConfig } from './load-config.ts';
import { DEFAULT_WAIT_MS } from './lower-app.ts';
import { printConfig, type PrintableApp, type PrintableService } from './yaml-printer.ts';

export interface ImportInput {
  /** State of the service, including markers that the service is known to drop. */
  readonly observed: ObservedState;
  /** Tests whose marker the service did not store; only their id identifies them. */
  readonly unmarked: readonly TestId[];
  readonly project: string;
  readonly environment: string | null;
  /** Null for the embedded service. */
  readonly service: PrintableService | null;
  /** State declared by the current file: keys and verification of apps, and references to secrets. */
  readonly declared: DesiredState | null;
  /** Reports whether a test key is selected. */
  readonly selects: (key: string) => boolean;
  /** Comment lines at the top of the file. */
  readonly comments: readonly string[];
  readonly sha256: Sha256;
}

export interface OmittedEntry {
  readonly id: AppId | TestId;
  /** Name or host for messages. */
  readonly name: string;
  readonly reason: string;
}

export interface DroppedTest {
  readonly test: ObservedTest;
  readonly key: string;
  /** True if the file contains a newer test with the same key. */
  readonly earlier: boolean;
}

export interface ImportedFile {
  readonly text: string;
  readonly apps: readonly string[];
  readonly tests: readonly ImportedTest[];
  readonly omitted: readonly OmittedEntry[];
  /**
   * Tests of the project that the file does not contain; a plan of the file stops those that are running or
   * scheduled.
   */
  readonly dropped: readonly DroppedTest[];
  /** Environment variables that must be set. */
  readonly secrets: readonly string[];
}

/**
 * Imports the state of a service.
 * @returns The file, or the problems that no single entry causes, such as a file that is too large.
 */
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
    const existing = known.find((one) => one.host === app.host);
    const printed: PrintableApp = {
      key: existing?.key ?? appKey(names.take(appKeyOf(app.host))),
      host: existing?.host ?? app.host,
      verification: existing === undefined ? null : verificationOf(existing),
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
    const marker = reading.kind === 'marker' ? reading.marker : null;
    const hasProject =
      marker !== null && marker.project === input.project && marker.environment === input.environment;
    return { test, marker, belongsToProject: hasProject && isKey(marker.key) };
  });
  const own = new Map<string, ObservedTest[]>();
  for (const { test, marker, belongsToProject } of candidates) {
    if (marker !== null && belongsToProject) own.set(marker.key, [...(own.get(marker.key) ?? []), test]);
  }
  const names = new UniqueNames(own.keys(), '-');
  const omitted: OmittedEntry[] = [];
  const tests = candidates.flatMap(({ test, marker, belongsToProject }): ImportedTest[] => {
    const versions = belongsToProject && marker !== null ? (own.get(marker.key) ?? []) : [test];
    if (versions.at(-1) !== test) return [];
    const key = belongsToProject && marker !== null ? marker.key : names.take(preferredKey(test, marker));
    if (!input.selects(key)) return [];
    const pinReason = belongsToProject
      ? input.unmarked.includes(test.id)
        ? 'the service does not store its ownership marker'
        : null
      : marker === null
        ? 'it has no ownership marker'
        : `its ownership marker belongs to the project "${marker.project}"${marker.environment === null ? '' : `, environment "${marker.environment}"`}`;
    const entry = { key, test, marker, pinReason, earlier: versions.slice(0, -1) };
    const reason = inexpressibleReason(test, input);
    if (reason === null) return [entry];
    omitted.push(...omittedEntry(entry, reason));
    return [];
  });
  return { tests, omitted };
}

/** Returns the reason why the file cannot express a test; null if it can. */
function inexpressibleReason(test: ObservedTest, { declared }: ImportInput): string | null {
  if (typeof test.testType !== 'string')
    return `its test_type "${test.testType.unrecognized}" is not supported`;
  const known = declaredPayloadPaths(declared);
  const isUnknown = test.targets().some(({ payloadFile: rows }) => rows !== null && !known.has(rows.sha256));
  return isUnknown
    ? 'its payload file exists only on the service; declare the test and store the file next to the configuration'
    : null;
}

/** Returns the payload files of the current configuration by the SHA-256 of their content. */
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

/** Returns the omitted test and all earlier tests with the same key. */
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
      secrets,
      declared: declared.get(test.key) ?? null,
      sha256: input.sha256,
      payloadPathOf: (sha256) => rows.get(sha256)?.declared?.path ?? null,
    }),
  );
  const comments = [...input.comments];
  if (secrets.all.length > 0) comments.push('', ...SECRETS_COMMENT);
  comments.push(...secrets.all.map((name) => `  ${name}`));
  if (draft.omitted.length > 0) comments.push('', 'Omitted:');
  comments.push(...draft.omitted.map(({ id, name, reason }) => `  ${id} "${name}": ${reason}`));
  const { project, environment, service } = input;
  const apps = draft.apps.map(({ printed }) => printed);
  return {
    text: printConfig({ comments, project, environment, service, apps, tests }),
    secrets: secrets.all,
  };
}

/** Comment above the names of the environment variables. */
const SECRETS_COMMENT: readonly string[] = [
  'Values that may be secret are not in this file. Set these environment variables before you run the tests,',
  'or replace ${secret:NAME} by the value if it is not secret:',
];

const IMPORTED_FILE_LABEL = 'the imported file';

function readBack(
  text: string,
  { environment, declared }: Pick<ImportInput, 'environment' | 'declared'>,
): Result<DesiredState> {
  const rows = [...declaredPayloadPaths(declared).values()];
  const refuse = () => {
    throw new Error('Bug: an imported file refers to another file');
  };
  const loaded = loadConfig({
    file: { path: IMPORTED_FILE_LABEL, text, directory: '/' },
    environment,
    vars: new Map(),
    env: {},
    readFile: refuse,
    readRows: (path) => {
      const file = rows.find(({ declared: found }) => found?.path === path);
      return file === undefined ? { reason: 'is not declared' } : { file };
    },
    realPath: refuse,
  });
  return loaded.ok ? ok(loaded.value.desired, loaded.warnings) : loaded;
}

/** Revises a draft by its plan. Returns the same draft if every entry matches without changes. */
function reviseByPlan(draft: ImportDraft, desired: DesiredState, input: ImportInput): ImportDraft {
  const { matches } = performSteps(matchTests(desired, input.observed, input.sha256));
  const byKey = new Map(matches.map((match) => [String(match.declared.key), match]));
  const omitted: OmittedEntry[] = [];
  const tests = draft.tests.flatMap((entry): ImportedTest[] => {
    const match = byKey.get(entry.key);
    if (match === undefined || match.found.kind === 'present') return [entry];
    if (entry.pinReason === null) return [{ ...entry, pinReason: pinReason(match, entry, input) }];
    const fields = match.found.kind === 'other' ? match.found.changes.map(({ field }) => field) : [];
    omitted.push(...omittedEntry(entry, `the file cannot express its ${fields.join(', ')}`));
    return [];
  });
  const appOf = createAppFinder(desired.apps);
  const used = new Set(desired.tests.flatMap(({ spec }) => spec.targets.map(({ url }) => appOf(url)?.host)));
  const apps = draft.apps.filter(({ app, printed }) => {
    const isDeclared = desired.apps.some((one) => one.key === printed.key && one.host === app.host);
    const idle = app.status === 'unverified' && !used.has(printed.host);
    if (isDeclared && !idle) return true;
    const reason = isDeclared
      ? 'it is not verified, and no test uses it'
      : 'the file would normalize its host to a different spelling';
    omitted.push({ id: app.id, name: app.host, reason });
    return false;
  });
  const isFinal = omitted.length === 0 && tests.every((entry, index) => entry === draft.tests[index]);
  return isFinal ? draft : { apps, tests, omitted: [...draft.omitted, ...omitted] };
}

function findDroppedTests(desired: DesiredState, input: ImportInput): DroppedTest[] {
  const { matches, orphaned } = performSteps(matchTests(desired, input.observed, input.sha256));
  return [
    ...matches.flatMap(({ declared, superseded }) =>
      superseded.map(({ test }) => ({ test, key: declared.key, earlier: true })),
    ),
    ...orphaned.map(({ test, marker }) => ({ test, key: marker.key, earlier: false })),
  ];
}

function pinReason(match: Match, { marker }: ImportedTest, { sha256 }: ImportInput): string {
  const declared = parseUnlistedDigests(digestsOf(match.declared.spec, sha256).unlisted);
  const stored = marker === null ? null : parseUnlistedDigests(marker.unlisted);
  return stored !== null && declared?.variables !== stored.variables
    ? VARIABLES_UNLISTED
    : 'its fields do not match its ownership marker';
}

/** Adopts or omits the entries that problems refer to; null if a problem refers to no entry. */
function reviseByProblems(
  draft: ImportDraft,
  text: string,
  problems: readonly Problem[],
): ImportDraft | null {
  const entries = entriesByLine(text);
  const reasons = new Map<string, string>();
  for (const { severity, source, message } of problems) {
    if (severity !== 'error') continue;
    const entry = source === null ? undefined : entries[source.line - 1];
    if (typeof entry !== 'string') return null;
    if (!reasons.has(entry)) reasons.set(entry, message);
  }
  const omitted: OmittedEntry[] = [];
  const apps = draft.apps.filter(({ app, printed }) => {
    const reason = reasons.get(`apps ${printed.key}`);
    if (reason !== undefined) omitted.push({ id: app.id, name: app.host, reason });
    return reason === undefined;
  });
  const tests = draft.tests.flatMap((entry): ImportedTest[] => {
    const reason = reasons.get(`tests ${entry.key}`);
    if (reason === undefined) return [entry];
    // An adopted test may lack its variables.
    if (entry.pinReason === null) return [{ ...entry, pinReason: VARIABLES_UNLISTED }];
    omitted.push(...omittedEntry(entry, reason));
    return [];
  });
  return reasons.size === 0 ? null : { apps, tests, omitted: [...draft.omitted, ...omitted] };
}

/** Returns the entry of each line, such as `tests home`. Depends on the indentation of `printConfig`. */
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

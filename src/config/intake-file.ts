/**
 * Conversion of an intake to a configuration file. The file is loaded like any other file. Parts that are not valid
 * are removed and become losses, so that the result is always a valid file.
 */
import { DEFAULT_LOAD } from '../core/intake/default-load.ts';
import {
  notesOf,
  type Intake,
  type IntakeFlow,
  type IntakeNote,
  type IntakeRequest,
  type SourcePosition,
} from '../core/intake/intake.ts';
import { literalStart } from '../core/intake/intake-text.ts';
import { OWN_LIMITS } from '../core/model/capabilities.ts';
import { readUrl, withoutImpliedPort } from '../core/model/url.ts';
import { problem, ProblemError, type Problem } from '../core/problem.ts';
import { createPathLookup } from './config-tree.ts';
import type { UploadReaders } from './included-files.ts';
import { appKeyOf, keyOf, UniqueNames } from './import-names.ts';
import { loadMembers, thresholdMembers } from './intake-load.ts';
import { requestMembers } from './intake-request.ts';
import { createLoadContext, evaluateConfig, readConfig } from './load-config.ts';
import {
  printConfig,
  type PrintableApp,
  type PrintableEntry,
  type PrintableMember,
  type PrintableTest,
} from './yaml-printer.ts';

export interface IntakeFileOptions extends UploadReaders {
  readonly project: string;
  /** Preferred key of the test. */
  readonly testKey: string;
  /** Keys of tests that the test must not have. */
  readonly takenTestKeys: readonly string[];
  /** Apps of the file that receives the test. */
  readonly declaredApps: readonly { readonly key: string; readonly host: string }[];
  /** Path of the source for comments. */
  readonly sourcePath: string;
  /** Comment lines at the top of the file. */
  readonly comments: readonly string[];
  /** Converts the path of a file from a path relative to the source to one relative to the new file. */
  readonly relocate: (path: string) => string;
}

export interface IntakeFile {
  readonly text: string;
  readonly apps: readonly PrintableApp[];
  readonly tests: readonly PrintableTest[];
  /** Number of requests of all tests. */
  readonly requests: number;
  readonly notes: readonly IntakeNote[];
}

/** A test during the conversion. */
interface DraftTest {
  readonly key: string;
  readonly notes: readonly IntakeNote[];
  readonly fields: readonly PrintableMember[];
  readonly steps: readonly DraftStep[];
}

interface DraftStep {
  readonly host: string | null;
  readonly at: SourcePosition;
  readonly notes: readonly IntakeNote[];
  readonly fields: readonly PrintableMember[];
}

/**
 * Converts an intake without secrets.
 * @throws ProblemError if no request can be converted.
 */
export function writeIntakeFile(intake: Intake, options: IntakeFileOptions): IntakeFile {
  const allApps = appsOf(intake, options);
  let tests = draftTests(intake, options);
  for (;;) {
    const printed = tests.map((test) => printableTest(test, options));
    const hosts = new Set(tests.flatMap(({ steps }) => steps.map(({ host }) => host)));
    const apps = allApps.filter(({ host }) => hosts.has(host));
    const text = printFile(apps, printed, options);
    const failures = failuresOf(text, options);
    if (failures.length === 0) {
      return {
        text,
        apps: apps.filter(({ host }) => options.declaredApps.every((app) => app.host !== host)),
        tests: printed,
        requests: tests.reduce((sum, { steps }) => sum + steps.length, 0),
        notes: sortedNotes(tests),
      };
    }
    const revised = revise(tests, failures);
    if (revised === null) throw new ProblemError(unusableSource(failures));
    tests = revised;
  }
}

function sortedNotes(tests: readonly DraftTest[]): readonly IntakeNote[] {
  const notes = tests.flatMap((test) => [...test.notes, ...test.steps.flatMap((step) => step.notes)]);
  return notesOf({ flows: [], notes });
}

// --- drafts

function appsOf(intake: Intake, { declaredApps }: IntakeFileOptions): readonly PrintableApp[] {
  const hosts = new Set(intake.flows.flatMap(({ requests }) => requests.map(hostOf)));
  const names = new UniqueNames(
    declaredApps.map(({ key }) => key),
    '-',
  );
  return [...hosts]
    .filter((host) => host !== null)
    .map((host): PrintableApp => {
      const declared = declaredApps.find((app) => app.host === host);
      return { key: declared?.key ?? names.take(appKeyOf(host)), host, verification: null };
    });
}

/** Returns the host of a request as the host of an app; null if its URL is not valid. */
function hostOf({ url }: IntakeRequest): string | null {
  const read = readUrl(literalStart(url));
  return read === null ? null : withoutImpliedPort(read.authority);
}

function draftTests(intake: Intake, options: IntakeFileOptions): readonly DraftTest[] {
  const names = new UniqueNames(options.takenTestKeys, '-');
  const several = intake.flows.length > 1;
  return intake.flows.map((flow, index) => {
    const preferred = several
      ? `${options.testKey}-${keyOf(flow.name, `flow-${index + 1}`)}`
      : options.testKey;
    const share = { weight: flow.weight, total: intake.flows.reduce((sum, { weight }) => sum + weight, 0) };
    const load = loadMembers(intake.load ?? DEFAULT_LOAD, share, flow.at);
    const { steps, notes } = draftSteps(flow, options);
    return {
      key: names.take(preferred),
      notes: [...(index === 0 ? intake.notes : []), ...flow.notes, ...load.notes, ...notes],
      fields: [
        ...load.members,
        ...(intake.timeout === null ? [] : [{ name: 'timeout', value: { duration: intake.timeout } }]),
        ...(intake.tlsVerify ? [] : [{ name: 'tls_verify', value: false }]),
        ...thresholdMembers(intake.thresholds),
        ...(several ? [{ name: 'parallel', value: true }] : []),
      ],
      steps,
    };
  });
}

function draftSteps(
  flow: IntakeFlow,
  { relocate }: IntakeFileOptions,
): {
  readonly steps: readonly DraftStep[];
  readonly notes: readonly IntakeNote[];
} {
  const names = new UniqueNames([], ' ');
  const max = OWN_LIMITS.targets;
  const steps = flow.requests.slice(0, max).map((request): DraftStep => {
    const named = {
      ...request,
      name: request.name === null ? null : names.take(request.name.slice(0, 60)),
      rows: request.rows === null ? null : relocate(request.rows),
    };
    const { members, notes } = requestMembers(named);
    return { host: hostOf(request), at: request.at, notes: [...request.notes, ...notes], fields: members };
  });
  const first = flow.requests[max];
  if (first === undefined) return { steps, notes: [] };
  const message = `the flow has ${flow.requests.length} requests, and a test at most ${max}; the requests from here on are missing`;
  return { steps, notes: [{ kind: 'loss', at: first.at, message }] };
}

// --- text

function printFile(
  apps: readonly PrintableApp[],
  tests: readonly PrintableTest[],
  { project, comments }: IntakeFileOptions,
): string {
  return printConfig({ comments, project, environment: null, service: null, apps, tests });
}

function printableTest({ key, notes, fields, steps }: DraftTest, options: IntakeFileOptions): PrintableTest {
  const blocks = steps.map((step): PrintableEntry => ({
    comments: commentsOf(step.notes, options),
    fields: step.fields,
  }));
  return {
    key,
    comments: commentsOf(notes, options),
    fields: [...fields, { name: 'urls', value: { blocks } }],
  };
}

function commentsOf(notes: readonly IntakeNote[], { sourcePath }: IntakeFileOptions): readonly string[] {
  return notes.map(({ kind, at, message }) => {
    const label = kind === 'loss' ? 'Not converted' : 'Changed';
    return `${label}: ${message} (${sourcePath}:${at.line}:${at.column})`;
  });
}

// --- check with the loader

interface Failure {
  /** Path of the invalid value in the file. */
  readonly path: readonly string[];
  readonly problem: Problem;
}

const FILE_LABEL = 'the converted file';

function failuresOf(text: string, { readRows, readBodyFile }: IntakeFileOptions): readonly Failure[] {
  const refuse = () => {
    throw new Error('Bug: a converted file refers to a file');
  };
  const file = { path: FILE_LABEL, text, directory: '/' };
  const read = readConfig(file);
  const { root } = read;
  if (root === null) return read.syntaxProblems.map((found) => ({ path: [], problem: found }));
  const context = createLoadContext({
    file,
    environment: null,
    vars: new Map(),
    env: {},
    readFile: refuse,
    readRows,
    readBodyFile,
    realPath: refuse,
  });
  const { problems } = evaluateConfig({ ...read, root }, context, {
    environment: null,
    unsetSeverity: 'error',
  });
  const pathOf = createPathLookup(root, read.locate);
  return problems
    .filter(({ severity }) => severity === 'error')
    .map((found) => ({ path: found.source === null ? [] : pathOf(found.source), problem: found }));
}

/** Fields of a request that can be removed without changing the request itself. */
const OPTIONAL_REQUEST_FIELDS = ['expect', 'delay', 'name', 'variables', 'payload_file', 'thresholds'];

/** Fields of a test that can be removed without changing its load. */
const OPTIONAL_TEST_FIELDS = ['timeout', 'tls_verify', 'parallel'];

/** Removes the invalid parts. Returns null if one of them cannot be removed, or if no request remains. */
function revise(tests: readonly DraftTest[], failures: readonly Failure[]): readonly DraftTest[] | null {
  let revised: readonly DraftTest[] | null = tests;
  const removed = new Set<string>();
  for (const failure of failures) {
    const unit: readonly string[] | null = removableUnit(failure.path);
    if (unit === null) return null;
    const id = JSON.stringify(unit);
    // A request may have several problems; the first one explains its removal.
    if (removed.has(id)) continue;
    removed.add(id);
    revised = revised.map((test) =>
      test.key === unit[1] ? withoutUnit(test, unit.slice(2), failure) : test,
    );
  }
  const cleaned = revised
    .map((test) => ({ ...test, steps: test.steps.filter((step) => step.fields.length > 0) }))
    .filter(({ steps }) => steps.length > 0);
  return cleaned.length === 0 ? null : cleaned;
}

function removableUnit(path: readonly string[]): readonly string[] | null {
  const [section, , list, index, field = '', member] = path;
  if (section !== 'tests' || list === undefined) return null;
  if (list === 'urls' && index !== undefined) {
    if (field === 'headers' && member !== undefined) return path.slice(0, 6);
    return OPTIONAL_REQUEST_FIELDS.includes(field) ? path.slice(0, 5) : path.slice(0, 4);
  }
  if (list === 'thresholds') return path.slice(0, 4);
  if (OPTIONAL_TEST_FIELDS.includes(list)) return path.slice(0, 3);
  return ['test_type', 'initial', 'total', 'duration', 'stages'].includes(list)
    ? [...path.slice(0, 2), 'load']
    : null;
}

function withoutUnit(test: DraftTest, unit: readonly string[], { problem: { message } }: Failure): DraftTest {
  const [list = '', index, ...rest] = unit;
  const lossAt = (at: SourcePosition, what: string): IntakeNote => ({
    kind: 'loss',
    at,
    message: `${what}, because ${message}`,
  });
  if (list !== 'urls') {
    const at = test.notes[0]?.at ?? test.steps[0]?.at ?? START;
    const fields = list === 'load' ? withDefaultLoad(test.fields) : withoutMember(test.fields, unit);
    return { ...test, fields, notes: [...test.notes, lossAt(at, unit.join('.'))] };
  }
  const position = Number(index);
  const step = test.steps[position];
  if (step === undefined) throw new Error('Bug: a problem in a request that does not exist');
  if (rest.length > 0) {
    const changed = {
      ...step,
      fields: withoutMember(step.fields, rest),
      notes: [...step.notes, lossAt(step.at, rest.join('.'))],
    };
    return { ...test, steps: test.steps.with(position, changed) };
  }
  // An empty step marks a removal, so that the indexes of the other failures stay valid.
  const notes = [...test.notes, ...step.notes, lossAt(step.at, 'the request')];
  return { ...test, notes, steps: test.steps.with(position, { ...step, notes: [], fields: [] }) };
}

const START: SourcePosition = { line: 1, column: 1 };

function withDefaultLoad(fields: readonly PrintableMember[]): readonly PrintableMember[] {
  const names = ['test_type', 'initial', 'total', 'duration', 'stages'];
  const share = { weight: 1, total: 1 };
  return [
    ...loadMembers(DEFAULT_LOAD, share, START).members,
    ...fields.filter(({ name }) => !names.includes(name)),
  ];
}

/** Removes a member. A map that becomes empty is removed too. */
function withoutMember(
  members: readonly PrintableMember[],
  [name, ...rest]: readonly string[],
): readonly PrintableMember[] {
  return members.flatMap((member) => {
    if (member.name !== name) return [member];
    if (rest.length === 0 || !isMembers(member.value)) return [];
    const value = withoutMember(member.value, rest);
    return value.length === 0 ? [] : [{ name, value }];
  });
}

function isMembers(value: PrintableMember['value']): value is readonly PrintableMember[] {
  return Array.isArray(value);
}

function unusableSource(failures: readonly Failure[]): Problem {
  const [first] = failures;
  const reason = first === undefined ? '' : `: ${first.problem.message}`;
  return problem('LT_IMPORT_SOURCE', `no request of the source can be converted${reason}`);
}

/** Converts an intake to a configuration file and loads the file to find invalid parts. */
import { DEFAULT_LOAD } from '../core/intake/default-load.ts';
import {
  allFlowsOf,
  sortedNotes,
  type Intake,
  type IntakeBody,
  type IntakeFlow,
  type IntakeGroup,
  type IntakeNote,
  type IntakeRequest,
  type SourcePosition,
  START,
} from '../core/intake/intake.ts';
import { literalOf, literalStart } from '../core/intake/intake-text.ts';
import { MAX_FLOWS, MAX_WEIGHT } from '../core/model/flow.ts';
import { endOf, groupsAround } from '../core/model/group.ts';
import type { PhaseName } from '../core/model/phase.ts';
import { OWN_LIMITS } from '../core/model/capabilities.ts';
import { readUrl, withoutImpliedPort } from '../core/model/url.ts';
import { problem, ProblemError, type Problem } from '../core/problem.ts';
import { createPathLookup } from './config-tree.ts';
import { REQUEST_LISTS } from './defaults.ts';
import type { FileAccess, UploadReaders } from './included-files.ts';
import { groupedEntries } from './group-entries.ts';
import { appKeyOf, keyOf, UniqueNames } from './import-names.ts';
import { connectionMembers, connectionSettings, loadMembers, thresholdMembers } from './intake-load.ts';
import { printPlainText, requestMembers } from './intake-request.ts';
import { createLoadContext, evaluateConfig, readConfig } from './load-config.ts';
import {
  membersOf,
  printConfig,
  type PrintableApp,
  type PrintableEntries,
  type PrintableEntry,
  type PrintableMember,
  type PrintableTest,
  type PrintableValue,
} from './yaml-printer.ts';

export interface IntakeFileOptions extends UploadReaders, FileAccess {
  readonly directory: string;
  readonly project: string;
  readonly testKey: string;
  /** Apps that are already declared in the file to which the test is added. */
  readonly declaredApps: readonly { readonly key: string; readonly host: string }[];
  /** Path of the source for comments. */
  readonly sourcePath: string;
  readonly comments: readonly string[];
  /** Converts a path relative to the source to a path relative to the new file. */
  readonly relocate: (path: string) => string;
}

export interface IntakeFile {
  readonly text: string;
  readonly apps: readonly PrintableApp[];
  readonly test: PrintableTest;
  readonly requests: number;
  readonly notes: readonly IntakeNote[];
}

interface DraftTest {
  readonly notes: readonly IntakeNote[];
  readonly fields: readonly PrintableMember[];
  readonly flows: readonly DraftFlow[];
}

type OnceField = PhaseName | 'on_start';

interface DraftFlow {
  /** Field that contains the requests of the flow if they are sent once; null for a flow of the load. */
  readonly phase: OnceField | null;
  readonly key: string;
  readonly at: SourcePosition;
  readonly weight: number;
  /** Values that every iteration of the flow starts with; empty if they are fields of the test. */
  readonly values: readonly PrintableMember[];
  readonly notes: readonly IntakeNote[];
  readonly steps: readonly DraftStep[];
  readonly groups: readonly IntakeGroup[];
}

interface DraftStep {
  readonly host: string | null;
  readonly at: SourcePosition;
  readonly notes: readonly IntakeNote[];
  /** Fields of the request; empty if the request was removed. */
  readonly fields: readonly PrintableMember[];
}

/**
 * @param intake - An intake whose secrets were replaced with references.
 * @throws ProblemError if no request can be converted.
 */
export function writeIntakeFile(intake: Intake, options: IntakeFileOptions): IntakeFile {
  const allApps = appsOf(intake, options);
  let draft = draftTest(intake, options);
  for (;;) {
    const test = printableTest(draft, options);
    const steps = draft.flows.flatMap((flow) => flow.steps);
    const hosts = new Set(steps.map(({ host }) => host));
    const apps = allApps.filter(({ host }) => hosts.has(host));
    const text = printFile(apps, test, options);
    const failures = failuresOf(text, options);
    if (failures.length === 0) {
      return {
        text,
        apps: apps.filter(({ host }) => options.declaredApps.every((app) => app.host !== host)),
        test,
        requests: steps.length,
        notes: notesOfDraft(draft),
      };
    }
    const revised = revise(draft, failures);
    if (revised === null) throw new ProblemError(unusableSource(failures));
    draft = revised;
  }
}

function notesOfDraft({ notes, flows }: DraftTest): readonly IntakeNote[] {
  const inFlows = flows.flatMap((flow) => [...flow.notes, ...flow.steps.flatMap((step) => step.notes)]);
  return sortedNotes([...notes, ...inFlows]);
}

// --- drafts

function appsOf(intake: Intake, { declaredApps }: IntakeFileOptions): readonly PrintableApp[] {
  const hosts = new Set(allFlowsOf(intake).flatMap(({ requests }) => requests.map(hostOf)));
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

/** Returns the host of a request in the form of `DeclaredApp.host`; null if the URL is invalid. */
function hostOf({ url }: IntakeRequest): string | null {
  const read = readUrl(literalStart(url));
  return read === null ? null : withoutImpliedPort(read.authority);
}

function draftTest(intake: Intake, options: IntakeFileOptions): DraftTest {
  const [first] = intake.flows;
  const intakeLoad = intake.load ?? DEFAULT_LOAD;
  const load = loadMembers(intakeLoad, first?.at ?? START);
  const thresholds = thresholdMembers(intake.thresholds);
  const values = commonValues(intake.flows);
  const closes = intake.flows.every(({ requests }) => requests.every(closesConnection));
  const state: DraftState = {
    options,
    keys: new UniqueNames([], '-'),
    names: new UniqueNames([], ' '),
    left: OWN_LIMITS.targets,
    reportsClosing: !closes,
    keepsValues: values === null,
    weightFactor: weightFactorOf(intake.flows.map(({ weight }) => weight)),
  };
  const { setup, onStart, teardown } = intake;
  const flows = intake.flows
    .slice(0, MAX_FLOWS)
    .map((flow, index) => draftFlow(flow, { state, phase: null, index }));
  const other = intake.flows[MAX_FLOWS];
  return {
    notes: [
      ...intake.notes,
      ...load.notes,
      ...thresholds.notes,
      ...(other === undefined
        ? []
        : [
            lossAt(
              other.at,
              `a test has at most ${MAX_FLOWS} flows; this flow and all later ones are omitted`,
            ),
          ]),
    ],
    fields: [
      ...load.members,
      ...valuesMember(values ?? []),
      ...membersOf<PrintableValue>({
        timeout: intake.timeout === null ? undefined : { duration: intake.timeout },
      }),
      ...connectionMembers(intakeLoad, { ...intake, keepAlive: intake.keepAlive !== false && !closes }),
      ...connectionSettings(relocatedConnection(intake, options)),
      ...(intake.tlsVerify ? [] : [{ name: 'tls_verify', value: false }]),
      ...thresholds.members,
    ],
    flows: [
      ...(setup ? [draftFlow(setup, { state, phase: 'setup', index: 0 })] : []),
      ...(onStart ? [draftFlow(onStart, { state, phase: 'on_start', index: 0 })] : []),
      ...flows,
      ...(teardown ? [draftFlow(teardown, { state, phase: 'teardown', index: 0 })] : []),
    ].filter(({ steps }) => steps.length > 0),
  };
}

/** Returns the values of all flows; null if two flows have different values with the same name. */
function commonValues(flows: readonly IntakeFlow[]): readonly PrintableMember[] | null {
  const all = flows.flatMap(valuesOf);
  const common = new Map(all.map((member) => [member.name, member]));
  return all.every(({ name, value }) => common.get(name)?.value.template === value.template)
    ? [...common.values()]
    : null;
}

/** Returns the values of a flow; the last value of a name applies. */
function valuesOf({ values }: IntakeFlow) {
  const texts = new Map(values.map(({ name, value }) => [name, printPlainText(value)]));
  return Array.from(texts, ([name, value]) => ({ name, value }));
}

function valuesMember(values: readonly PrintableMember[]): readonly PrintableMember[] {
  return values.length === 0 ? [] : [{ name: 'values', value: values }];
}

function closesConnection({ headers }: IntakeRequest): boolean {
  return headers.some(
    ({ name, value }) =>
      name.toLowerCase() === 'connection' && /^close$/i.test(literalOf(value)?.trim() ?? ''),
  );
}

interface DraftState {
  readonly options: IntakeFileOptions;
  readonly keys: UniqueNames;
  readonly names: UniqueNames;
  /** Number of requests that the test may still have. */
  left: number;
  /** True if notes report requests that close their connection. */
  readonly reportsClosing: boolean;
  /** True if the values are fields of their flows; false if they are fields of the test. */
  readonly keepsValues: boolean;
  /** Number that all weights are multiplied by, so that they become integers. */
  readonly weightFactor: number;
}

const MAX_WEIGHT_FACTOR = 1000;

/** Returns the smallest factor that makes all weights integers; if there is none, the largest allowed factor. */
function weightFactorOf(weights: readonly number[]): number {
  const limit = Math.max(1, Math.min(MAX_WEIGHT_FACTOR, Math.floor(MAX_WEIGHT / Math.max(...weights))));
  const factors = Array.from({ length: limit }, (_, index) => index + 1);
  return factors.find((factor) => weights.every((weight) => isWhole(weight * factor))) ?? limit;
}

function isWhole(weight: number): boolean {
  return Math.abs(weight - Math.round(weight)) < 1e-6;
}

function draftFlow(
  flow: IntakeFlow,
  {
    state,
    phase,
    index,
  }: { readonly state: DraftState; readonly phase: OnceField | null; readonly index: number },
): DraftFlow {
  const { steps, notes } = draftSteps(flow, state);
  state.left -= steps.length;
  const exact = flow.weight * state.weightFactor;
  const weight = Math.min(MAX_WEIGHT, Math.max(1, Math.round(exact)));
  const rounded = lossAt(
    flow.at,
    `the weight ${flow.weight} of the flow is changed to ${weight / state.weightFactor}, the nearest valid weight`,
  );
  return {
    phase,
    key: phase ?? state.keys.take(keyOf(flow.name, `flow-${index + 1}`)),
    at: flow.at,
    weight,
    values: state.keepsValues && phase === null ? valuesOf(flow) : [],
    notes: [...flow.notes, ...notes, ...(isWhole(exact) && weight === Math.round(exact) ? [] : [rounded])],
    steps,
    groups: keptGroups(flow.groups ?? [], (step) => step < steps.length),
  };
}

/** Returns the groups of the remaining requests, with their new indexes. */
function keptGroups(
  groups: readonly IntakeGroup[],
  isKept: (step: number) => boolean,
): readonly IntakeGroup[] {
  const countOf = (first: number, end: number) =>
    Array.from({ length: end - first }, (_, index) => first + index).filter(isKept).length;
  return groups
    .map((group) => ({ ...group, first: countOf(0, group.first), count: countOf(group.first, endOf(group)) }))
    .filter(({ count }) => count > 0);
}

function lossAt(at: SourcePosition, message: string): IntakeNote {
  return { kind: 'loss', at, message };
}

function draftSteps(
  flow: IntakeFlow,
  { options, names, left, reportsClosing }: DraftState,
): { readonly steps: readonly DraftStep[]; readonly notes: readonly IntakeNote[] } {
  const steps = flow.requests.slice(0, left).map((request): DraftStep => {
    const { members, notes } = requestMembers({
      ...request,
      name: request.name === null ? null : names.take(request.name.slice(0, 60)),
      rows: request.rows && { ...request.rows, file: options.relocate(request.rows.file) },
      body: request.body && relocatedBody(request.body, options),
    });
    const closing =
      reportsClosing && closesConnection(request)
        ? [
            lossAt(
              request.at,
              '"Connection: close" is omitted; the test keeps the connection open after the request',
            ),
          ]
        : [];
    return {
      host: hostOf(request),
      at: request.at,
      notes: [...request.notes, ...notes, ...closing],
      fields: members,
    };
  });
  const first = flow.requests[left];
  if (first === undefined) return { steps, notes: [] };
  const message = `a test has at most ${OWN_LIMITS.targets} requests; the remaining requests of the flow are omitted`;
  return { steps, notes: [lossAt(first.at, message)] };
}

function relocatedBody(body: IntakeBody, { relocate }: IntakeFileOptions): IntakeBody {
  if (body.kind !== 'multipart') return body;
  const parts = body.parts.map((part) =>
    'file' in part.content ? { ...part, content: { file: relocate(part.content.file) } } : part,
  );
  return { kind: 'multipart', parts };
}

function relocatedConnection(
  { connection }: Intake,
  { relocate }: IntakeFileOptions,
): Pick<Intake, 'connection'> {
  if (connection === undefined || connection === null) return {};
  const files = (['cert', 'key', 'ca'] as const).flatMap((name) => {
    const path = connection[name];
    return path === undefined ? [] : [[name, relocate(path)] as const];
  });
  return { connection: { ...connection, ...Object.fromEntries(files) } };
}

// --- text

function printFile(
  apps: readonly PrintableApp[],
  test: PrintableTest,
  { project, comments }: IntakeFileOptions,
): string {
  return printConfig({ comments, project, environment: null, service: null, apps, tests: [test] });
}

function printableTest({ notes, fields, flows }: DraftTest, options: IntakeFileOptions): PrintableTest {
  const urlsOf = ({ steps, groups }: DraftFlow): PrintableMember => {
    const blocks = steps.map((step): PrintableEntry => ({
      comments: commentsOf(step.notes, options),
      fields: step.fields,
    }));
    return {
      name: 'urls',
      value: { blocks: groupedEntries(blocks, groups, { first: 0, end: blocks.length }) },
    };
  };
  const phaseMembers = (name: OnceField): readonly PrintableMember[] =>
    flows
      .filter(({ phase }) => phase === name)
      .map((flow) => ({ name, comments: commentsOf(flow.notes, options), value: [urlsOf(flow)] }));
  const ofLoad = flows.filter(({ phase }) => phase === null);
  const [only, ...others] = ofLoad;
  const isOne = only !== undefined && others.length === 0;
  const members = ofLoad.map((flow): PrintableMember => ({
    name: flow.key,
    comments: commentsOf(flow.notes, options),
    value: [
      ...(flow.weight === 1 ? [] : [{ name: 'weight', value: flow.weight }]),
      ...valuesMember(flow.values),
      urlsOf(flow),
    ],
  }));
  return {
    key: options.testKey,
    comments: commentsOf([...notes, ...(isOne ? only.notes : [])], options),
    fields: [
      ...fields,
      ...phaseMembers('setup'),
      ...phaseMembers('on_start'),
      ...(isOne ? [...valuesMember(only.values), urlsOf(only)] : [{ name: 'flows', value: members }]),
      ...phaseMembers('teardown'),
    ],
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
  readonly path: readonly string[];
  readonly problem: Problem;
}

const FILE_LABEL = 'the converted file';

function failuresOf(
  text: string,
  { directory, readRows, readBodyFile, readFile, realPath }: IntakeFileOptions,
): readonly Failure[] {
  const file = { path: FILE_LABEL, text, directory };
  const read = readConfig(file);
  const { root } = read;
  if (root === null) return read.syntaxProblems.map((found) => ({ path: [], problem: found }));
  const context = createLoadContext({
    file,
    environment: null,
    vars: new Map(),
    env: {},
    readFile,
    readRows,
    readBodyFile,
    realPath,
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

/** Fields without which a request can still be sent. */
const OPTIONAL_REQUEST_FIELDS = ['expect', 'delay', 'name', 'variables', 'payload_file', 'thresholds'];

const OPTIONAL_TEST_FIELDS = ['keep_alive', 'connections', 'timeout', 'tls_verify'];

const LOAD_FIELDS = [
  'test_type',
  'initial',
  'total',
  'duration',
  'stages',
  'iterations',
  'iterations_per_client',
];

type Unit =
  | { readonly kind: 'load' }
  | { readonly kind: 'field'; readonly path: readonly string[] }
  | { readonly kind: 'group'; readonly flow: number; readonly group: number }
  | {
      readonly kind: 'request';
      readonly flow: number;
      readonly step: number;
      readonly path: readonly string[];
    };

/** Removes the invalid parts. Returns null if an invalid part cannot be removed, or if no request remains. */
function revise(test: DraftTest, failures: readonly Failure[]): DraftTest | null {
  let revised = test;
  const removed = new Set<string>();
  for (const failure of failures) {
    const unit = removableUnit(test, failure.path);
    if (unit === null) return null;
    const id = JSON.stringify(unit);
    // If a part has several problems, the first problem is the reason for its removal.
    if (removed.has(id)) continue;
    removed.add(id);
    revised = withoutUnit(revised, unit, failure.problem.message);
  }
  const flows = revised.flows.map((flow) => ({
    ...flow,
    steps: flow.steps.filter(isKept),
    groups: keptGroups(
      flow.groups.filter(({ count }) => count > 0),
      (step) => flow.steps[step] !== undefined && isKept(flow.steps[step]),
    ),
  }));
  const used = flows.filter(({ steps }) => steps.length > 0);
  if (used.every(({ phase }) => phase !== null)) return null;
  const empty = flows.filter(({ steps }) => steps.length === 0);
  return {
    ...revised,
    notes: [...revised.notes, ...empty.flatMap(({ notes }) => notes)],
    flows: used,
  };
}

function isKept({ fields }: DraftStep): boolean {
  return fields.length > 0;
}

function removableUnit(test: DraftTest, path: readonly string[]): Unit | null {
  const [section, , field = '', name = ''] = path;
  if (section !== 'tests') return null;
  if (field === 'thresholds') return { kind: 'field', path: path.slice(2, 4) };
  if (field === 'connection') return { kind: 'field', path: path.slice(2, name === 'resolve' ? 5 : 4) };
  if (OPTIONAL_TEST_FIELDS.includes(field)) return { kind: 'field', path: [field] };
  if (LOAD_FIELDS.includes(field)) return { kind: 'load' };
  const inFlow = field === 'flows' && path[4] === 'urls';
  const isPhase = ['setup', 'on_start', 'teardown'].includes(field) && name === 'urls';
  if (field !== 'urls' && !inFlow && !isPhase) return null;
  const flow = test.flows.findIndex(({ key, phase }) =>
    isPhase ? phase === field : phase === null && (!inFlow || key === name),
  );
  const found = test.flows[flow];
  const place = found === undefined ? null : placeInFlow(found, path.slice(inFlow ? 5 : isPhase ? 4 : 3));
  if (place === null) return null;
  if ('group' in place) return { kind: 'group', flow, group: place.group };
  const [member = ''] = place.rest;
  const optional = OPTIONAL_REQUEST_FIELDS.includes(member)
    ? [member]
    : member === 'headers' && place.rest.length > 1
      ? place.rest.slice(0, 2)
      : [];
  return { kind: 'request', flow, step: place.step, path: optional };
}

/** Returns the request, or the group, at a path below the `urls` of a flow; null if there is none. */
function placeInFlow(
  { steps, groups }: DraftFlow,
  path: readonly string[],
): { readonly step: number; readonly rest: readonly string[] } | { readonly group: number } | null {
  const indexes = steps.map((_, index): PrintableEntry => ({
    comments: [],
    fields: [{ name: 'step', value: index }],
  }));
  let entries: PrintableEntries['blocks'] = groupedEntries(indexes, groups, { first: 0, end: steps.length });
  for (let depth = 0; ; depth++) {
    const [index = '', member, ...rest] = path.slice(2 * depth);
    const entry = entries[Number(index)];
    if (index === '' || entry === undefined) return null;
    const [field] = entry.fields;
    if (field?.name === 'step')
      return { step: Number(field.value), rest: member === undefined ? [] : [member, ...rest] };
    const inner = entry.fields.find(({ name }) => isRequestList(name))?.value;
    if (typeof inner !== 'object' || inner === null || !('blocks' in inner)) return null;
    entries = inner.blocks;
    if (isRequestList(member) && rest.length > 0) continue;
    const group = groupsAround(groups, firstStepIn(entries))[depth];
    return group === undefined ? null : { group };
  }
}

function isRequestList(name: string | undefined): boolean {
  return REQUEST_LISTS.some((list) => list === name);
}

function firstStepIn([entry]: PrintableEntries['blocks']): number {
  const value = entry?.fields.at(-1)?.value;
  if (typeof value === 'object' && value !== null && 'blocks' in value) return firstStepIn(value.blocks);
  return Number(value);
}

function withoutUnit(test: DraftTest, unit: Unit, reason: string): DraftTest {
  const loss = (at: SourcePosition, what: string) => lossAt(at, `${what}: ${reason}`);
  if (unit.kind === 'group') {
    const flow = test.flows[unit.flow];
    const group = flow?.groups[unit.group];
    if (flow === undefined || group === undefined)
      throw new Error('Bug: a problem is in a group that does not exist');
    const notes = [
      ...flow.notes,
      loss(group.at, 'the repetition, condition or parallel execution of the requests is omitted'),
    ];
    // A removed group remains in the list without requests, so that the indexes in other failures stay valid.
    const groups = flow.groups.with(unit.group, { ...group, count: 0 });
    return { ...test, flows: test.flows.with(unit.flow, { ...flow, notes, groups }) };
  }
  if (unit.kind !== 'request') {
    const at = test.flows[0]?.at ?? START;
    const what =
      unit.kind === 'load'
        ? 'the default load is used instead of the load of the source'
        : `"${unit.path.join('.')}" is omitted`;
    const fields =
      unit.kind === 'load' ? withDefaultLoad(test.fields) : withoutMember(test.fields, unit.path);
    return { ...test, fields, notes: [...test.notes, loss(at, what)] };
  }
  const flow = test.flows[unit.flow];
  const step = flow?.steps[unit.step];
  if (flow === undefined || step === undefined)
    throw new Error('Bug: a problem is in a request that does not exist');
  const isRemoved = unit.path.length === 0;
  const what = isRemoved ? 'the request is omitted' : `"${unit.path.join('.')}" is omitted`;
  // Likewise, a removed request remains without fields.
  const changed: DraftStep = isRemoved
    ? { ...step, fields: [], notes: [] }
    : {
        ...step,
        fields: withoutMember(step.fields, unit.path),
        notes: [...step.notes, loss(step.at, what)],
      };
  const notes = isRemoved ? [...flow.notes, loss(step.at, what)] : flow.notes;
  return {
    ...test,
    flows: test.flows.with(unit.flow, { ...flow, notes, steps: flow.steps.with(unit.step, changed) }),
  };
}

function withDefaultLoad(fields: readonly PrintableMember[]): readonly PrintableMember[] {
  return [
    ...loadMembers(DEFAULT_LOAD, START).members,
    ...fields.filter(({ name }) => !LOAD_FIELDS.includes(name)),
  ];
}

/** Removes the member at a path, and maps that become empty. */
function withoutMember(
  members: readonly PrintableMember[],
  [name, ...rest]: readonly string[],
): readonly PrintableMember[] {
  return members.flatMap((member) => {
    if (member.name !== name) return [member];
    if (rest.length === 0 || !isMembers(member.value)) return [];
    const value = withoutMember(member.value, rest);
    return value.length === 0 ? [] : [{ ...member, value }];
  });
}

function isMembers(value: PrintableMember['value']): value is readonly PrintableMember[] {
  return Array.isArray(value);
}

function unusableSource(failures: readonly Failure[]): Problem {
  const [first] = failures;
  const reason = first === undefined ? '' : `: ${first.problem.message}`;
  return problem('LT_IMPORT_SOURCE', `the source cannot be converted${reason}`);
}

/** Lowering of one load test: quantities, strings and thresholds. */
import { parseInstant } from '../core/instant.ts';
import { extentOf, type Stage } from '../core/model/ramps.ts';
import { testId, testKey } from '../core/model/ids.ts';
import { abortRulesOf, canStillBeMet } from '../core/model/abort-rule.ts';
import type { Capabilities } from '../core/model/capabilities.ts';
import { counted, withCommas } from '../core/counted.ts';
import {
  paceOf,
  type DeclaredTest,
  type LoadTestSpec,
  type TargetSpec,
  type TestType,
} from '../core/model/load-test.ts';
import { countWarmupClients, isOpenModel } from '../core/model/pace.ts';
import { declaredIterations, requestsOf } from '../core/model/peak-load.ts';
import type { FieldPath, LocateField } from '../core/field-reference.ts';
import { allTargetsOf, pathInPhase, type Phase, type PhaseName } from '../core/model/phase.ts';
import { faultOfBody, type Fault } from '../core/model/rules/fault.ts';
import { faultsOfTest } from '../core/model/test-rules.ts';
import { checkCertificates } from '../certificate/certificate.ts';
import { readPattern } from '../pattern/pattern.ts';
import {
  kindOf,
  requestMetricOf,
  parseThreshold,
  requiredSamples,
  shareOf,
  timeWithin,
  constantVerdictOf,
  labelsOf,
  subjectText,
  type Metric,
  type Threshold,
  type UrlGroup,
} from '../core/model/threshold.ts';
import { parseAllowed, type RegressionThreshold } from '../core/model/regression.ts';
import { urlLabels } from '../core/model/url-label.ts';
import { TEST_FIELDS } from '../core/model/test-fields.ts';
import { withoutUndefined } from '../core/present-fields.ts';
import { pointerOf } from '../core/pointer.ts';
import { problem } from '../core/problem.ts';
import { quote } from '../core/quote.ts';
import { formatDuration, milliseconds, seconds } from '../core/units.ts';
import { MAX_SUGGESTIONS, nearestKey } from '../schema/nearest-key.ts';
import type { TreeLocations } from './config-tree.ts';
import {
  addUnusedSettings,
  connectionPointer,
  lowerConnection,
  mergeConnections,
  type AppConnection,
} from './lower-connection.ts';
import {
  checkUrlsConflict,
  flowPointer,
  lowerFlows,
  lowerGroups,
  lowerOnStart,
  phaseEntriesOf,
  requestEntriesOf,
  pointerInFile,
  urlEntriesOf,
  variableOrigins,
  type RequestEntries,
} from './lower-requests.ts';
import type {
  RegressionEntry,
  StageEntry,
  TestEntry,
  ThresholdOptionsEntry,
  ThresholdsEntry,
  UrlGroupEntry,
} from './generated/config-file.ts';
import { lowerPayloadFile, lowerPlainTexts, lowerTarget, type KnownHosts } from './lower-target.ts';
import {
  fieldOf,
  hasControl,
  lowerDuration,
  lowerFlag,
  lowerInteger,
  lowerNumber,
  addError,
  addWarning,
  type LoweringContext,
  type NumberBounds,
} from './quantities.ts';

const NO_REQUESTS: RequestEntries = { urls: [], groups: [] };

export interface TestContext {
  /** Hosts of the declared apps; null if an app is invalid. */
  readonly hosts: KnownHosts | null;
  readonly capabilities: Capabilities;
  readonly testKeys: ReadonlySet<string>;
  readonly environment: string | null;
  readonly appConnections: readonly AppConnection[];
  /** Reported problems of connections, by location and message. */
  readonly reportedConnections: Set<string>;
}

const SECONDS = { bare: 's', unit: 's', min: 1000 } as const;

export function lowerTest(
  to: LoweringContext,
  key: string,
  entry: TestEntry,
  context: TestContext,
): DeclaredTest {
  const at = pointerOf(['tests', key]);
  const isComplete = to.isComplete(at) && to.isComplete('/service');
  if (to.isComplete(at)) {
    checkRequired(to, key, entry, context);
    checkUrlsConflict(to, entry, at);
    checkInitial(to, entry, at);
    checkStagesConflicts(to, entry, at);
  }
  const compression = lowerFlag(to, fieldOf(entry, 'compression', at)) ?? false;
  const setupEntries = phaseEntriesOf(entry, 'setup', at);
  const lowerUrls = (requests: RequestEntries, before = setupEntries) => {
    const origins = variableOrigins(requests, before);
    const lowered = requests.urls.map((url, index) =>
      lowerTarget(to, url.entry, url.pointer, {
        hosts: context.hosts,
        origin: origins[index] ?? null,
        compression,
        onFailure: url.onFailure ?? null,
      }),
    );
    const faults = lowered.flatMap(({ fault }, index) => (fault === null ? [] : [faultOfBody(index, fault)]));
    return { targets: lowered.map(({ target }) => target), faults };
  };
  const { targets, faults } = lowerUrls(requestEntriesOf(entry, at));
  const bodyFaults = [...faults];
  const lowerPhase = (name: PhaseName): Phase<TargetSpec> | null => {
    if (entry[name] === undefined) return null;
    checkPhase(to, name, entry, at);
    const requests = phaseEntriesOf(entry, name, at);
    const lowered = lowerUrls(requests, name === 'setup' ? NO_REQUESTS : setupEntries);
    const rows = name === 'setup' ? (entry.setup?.rows ?? null) : null;
    const [first, ...others] = lowered.targets;
    const targets =
      rows === null || first === undefined
        ? lowered.targets
        : [{ ...first, payloadFile: lowerPayloadFile(to, rows, `${at}/setup/rows`) }, ...others];
    bodyFaults.push(...lowered.faults.map((fault) => ({ ...fault, path: pathInPhase(name, fault.path) })));
    const groups = lowerGroups(to, requests);
    const refresh =
      name === 'setup' && entry.setup !== undefined
        ? lowerDuration(to, fieldOf(entry.setup, 'refresh', `${at}/setup`), SECONDS)
        : null;
    return withoutUndefined({ targets, groups: groups ?? undefined, refresh: refresh ?? undefined });
  };
  const phases = { setup: lowerPhase('setup'), teardown: lowerPhase('teardown') };
  const own = entry.connection && lowerConnection(to, entry.connection, `${at}/connection`);
  const allTargets = allTargetsOf({ targets, ...phases });
  const connection = mergeConnections(own ?? null, context.appConnections, {
    targets: allTargets,
    hosts: context.hosts ?? new Set(),
  });
  if (isComplete && own !== undefined) {
    const urls = allTargets.map(({ url }) => url);
    addUnusedSettings(to, own, connection, urls);
  }
  const groups = lowerUrlGroups(to, entry, at);
  const thresholds = [
    ...lowerThresholds(to, entry.thresholds ?? {}, `${at}/thresholds`),
    ...lowerUrlThresholds(to, entry, at),
    ...lowerFlowThresholds(to, entry, at),
    ...groups.flatMap((group) => group.thresholds),
  ];
  const abortRules = abortRulesOf(thresholds);
  const spec: LoadTestSpec = { ...lowerSpec(to, entry, at, targets), ...phases, abortRules, connection };
  // The variables of an adopted test are unknown, because lists may omit them.
  const { capabilities } = context;
  const adoptedCapabilities: Capabilities = { ...capabilities, undefinedVariables: 'unknown' };
  const usedCapabilities = entry.id === undefined ? capabilities : adoptedCapabilities;
  if (isComplete) {
    const found = faultsOfTest(spec, usedCapabilities, { readPattern, checkCertificates });
    addFaults(to, [...bodyFaults, ...found], { ...context, at, entry });
  }
  if (isComplete && targets.length > 0) {
    warnOfFewSamples(to, key, spec, thresholds);
    warnOfLateAborts(to, key, spec, thresholds);
  }
  return {
    key: testKey(key),
    spec,
    thresholds,
    regression: {
      thresholds: lowerRegression(to, entry.regression ?? {}, `${at}/regression`, spec.testType),
      baseline: null,
    },
    urlNames: lowerUrlNames(to, entry, at),
    ...(groups.length === 0 ? {} : { urlGroups: groups.map(({ name, urls }) => ({ name, urls })) }),
    needs: lowerNeeds(to, entry, { at, key, known: context.testKeys }),
    parallel: lowerFlag(to, fieldOf(entry, 'parallel', at)) ?? false,
    adopt: entry.id === undefined ? null : testId(entry.id),
    source: to.locations.key(at),
  };
}

const REQUIRED_EXAMPLES = { test_type: 'cycling', duration: '1m', urls: '[https://…/]' } as const;

function checkRequired(
  to: LoweringContext,
  key: string,
  entry: TestEntry,
  { environment, testKeys }: TestContext,
): void {
  const source = to.locations.key(pointerOf(['tests', key]));
  // A misspelled key in an environment adds a test that lacks the fields of the intended one.
  const isPartial = environment !== null && entry.urls === undefined && entry.flows === undefined;
  const meant = isPartial
    ? nearestKey(
        key,
        [...testKeys].filter((one) => one !== key),
      )
    : null;
  if (meant !== null) {
    addError(to, 'LT_CONFIG_SHAPE', `the test "${key}" has no "urls"; did you mean "${meant}"?`, source);
    return;
  }
  for (const name of ['test_type', 'duration', 'urls'] as const) {
    const instead = ({ duration: 'stages', urls: 'flows', test_type: null } as const)[name];
    if (entry[name] !== undefined || (instead !== null && entry[instead] !== undefined)) continue;
    const message = `the test "${key}" has no "${name}"; set it in the test or under "defaults", such as "${name}: ${REQUIRED_EXAMPLES[name]}"`;
    addError(to, 'LT_CONFIG_SHAPE', message, source);
  }
}

/** Rejects `initial` if the field has no effect, because the user probably intended a different load. */
function checkInitial(to: LoweringContext, entry: TestEntry, at: string): void {
  if (entry.stages !== undefined) return;
  if (entry.initial === undefined || entry.test_type === undefined || entry.test_type === 'cycling') return;
  const isStaged = entry.test_type === 'per-second';
  const message = isStaged
    ? '"initial" has no effect on a per-second test without "stages"; remove "initial", or write "stages" instead of "total" and "duration"'
    : `"initial" has no effect on a ${entry.test_type} test; remove it, or set "test_type: cycling"`;
  addError(to, 'LT_CONFIG_VALUE', message, to.locations.key(`${at}/initial`));
}

function checkStagesConflicts(to: LoweringContext, entry: TestEntry, at: string): void {
  if (entry.stages === undefined) return;
  for (const name of ['total', 'duration'] as const) {
    if (entry[name] === undefined) continue;
    const message = `"${name}" and "stages" cannot be combined, because the stages determine the ${name}; remove one of the two fields`;
    addError(to, 'LT_CONFIG_VALUE', message, to.locations.key(`${at}/${name}`));
  }
}

interface TestPlace {
  readonly at: string;
  readonly appConnections: readonly AppConnection[];
}

function addFaults(
  to: LoweringContext,
  faults: readonly Fault[],
  { entry, ...place }: TestPlace & Pick<TestContext, 'reportedConnections'> & { readonly entry: TestEntry },
): void {
  const locate = fieldLocatorOf(to.locations, entry, place);
  for (const fault of faults) {
    const { path, severity, code, message: text } = fault;
    if (path[0] === TEST_FIELDS.connection.name) {
      // A setting that applies to several hosts or tests has one location, so its problem is reported once.
      const { line, column } = locate(fault);
      const key = `${line}:${column} ${text}`;
      if (place.reportedConnections.has(key)) continue;
      place.reportedConnections.add(key);
    }
    const message = hasJsonBody(entry, path) ? text.replaceAll('"raw_post_body"', '"json"') : text;
    to.problems.push(problem(code, message, { severity, source: locate(fault) }));
  }
}

export function fieldLocatorOf(
  locations: TreeLocations,
  entry: TestEntry,
  { at, appConnections }: TestPlace,
): LocateField {
  return ({ path, about }) => {
    if (path[0] === TEST_FIELDS.connection.name) {
      const pointer = connectionPointer(entry.connection, appConnections, { path, at });
      return about === 'key' ? locations.key(pointer) : locations.value(pointer);
    }
    const isBody = hasJsonBody(entry, path) && path[2] === 'raw_post_body';
    const pointer = at + pointerInFile(entry, isBody ? [...path.slice(0, 2), 'json'] : path);
    return about === 'key' ? locations.key(pointer) : locations.value(pointer);
  };
}

/** Reports whether a field belongs to a URL with `json`, which the test rules call `raw_post_body`. */
function hasJsonBody(entry: TestEntry, path: FieldPath): boolean {
  const [name] = path;
  if (name === 'setup' || name === 'teardown') {
    const at = path[2];
    return typeof at === 'number' && phaseEntriesOf(entry, name, '').urls[at]?.entry.json !== undefined;
  }
  const [list, index] = path;
  if (list !== 'urls' || typeof index !== 'number') return false;
  return urlEntriesOf(entry, '')[index]?.entry.json !== undefined;
}

/** Reports the fields of a phase that have no effect, and a phase without requests. */
function checkPhase(to: LoweringContext, name: PhaseName, entry: TestEntry, at: string): void {
  const pointer = `${at}/${name}`;
  if (entry[name]?.urls === undefined && to.isComplete(pointer)) {
    const message = `"${name}" has no "urls"; set them, such as "urls: [https://…/]"`;
    addError(to, 'LT_CONFIG_SHAPE', message, to.locations.key(pointer));
  }
  for (const { entry: url, pointer: urlPointer } of phaseEntriesOf(entry, name, at).urls) {
    if (name === 'setup' && url.payload_file !== undefined) {
      const message = '"payload_file" is not allowed in "setup"; write "rows" next to the "urls" of "setup"';
      addError(to, 'LT_CONFIG_VALUE', message, to.locations.key(`${urlPointer}/payload_file`));
    }
    if (url.thresholds === undefined) continue;
    const message = `"thresholds" have no effect in "${name}", because the metrics do not include its requests; remove "thresholds"`;
    addError(to, 'LT_CONFIG_VALUE', message, to.locations.key(`${urlPointer}/thresholds`));
  }
}

function lowerSpec(
  to: LoweringContext,
  entry: TestEntry,
  at: string,
  targets: readonly TargetSpec[],
): Omit<LoadTestSpec, PhaseName | 'abortRules' | 'connection'> {
  const initial = lowerNumber(to, fieldOf(entry, 'initial', at), { min: 0, max: Number.MAX_SAFE_INTEGER });
  const requests = requestEntriesOf(entry, at);
  const onStart = lowerOnStart(to, entry, at);
  // Excludes the groups in `on_start`, because `lowerOnStart` reports them.
  const groups = requests.groups.filter(({ first }) => first >= (onStart ?? 0));
  const stages = entry.stages?.map((stage, index) => lowerStage(to, stage, `${at}/stages/${index}`)) ?? null;
  const extent = stages === null ? null : extentOf(initial ?? 0, stages);
  const duration = extent?.lasts ?? lowerDuration(to, fieldOf(entry, 'duration', at), SECONDS);
  const warmup = lowerDuration(to, fieldOf(entry, 'warmup', at), SECONDS);
  return {
    name: lowerName(to, entry, at),
    testType: entry.test_type ?? 'cycling',
    initial,
    total: extent?.highest ?? lowerNumber(to, fieldOf(entry, 'total', at), totalBoundsOf(entry)),
    duration: duration ?? seconds(1),
    stages,
    // A warm-up cannot be checked if the duration is unknown.
    warmup: duration === null ? null : warmup,
    values: entry.values === undefined ? null : lowerPlainTexts(to, entry.values, `${at}/values`),
    connections: lowerNumber(to, fieldOf(entry, 'connections', at), { min: 1, max: Number.MAX_SAFE_INTEGER }),
    iterations: lowerNumber(to, fieldOf(entry, 'iterations', at), { min: 1, max: 1_000_000_000 }),
    iterationsPerClient: lowerNumber(to, fieldOf(entry, 'iterations_per_client', at), {
      min: 1,
      max: 1_000_000_000,
    }),
    pace: lowerDuration(to, fieldOf(entry, 'pace', at), { bare: 'ms', unit: 'ms', min: 1 }),
    arrivals: entry.arrivals ?? null,
    keepAlive: lowerFlag(to, fieldOf(entry, 'keep_alive', at)),
    timeout: lowerDuration(to, fieldOf(entry, 'timeout', at), { bare: 'ms', unit: 'ms', min: 1 }),
    errorThreshold: lowerNumber(to, fieldOf(entry, 'error_threshold', at), { min: 0, max: 100 }),
    callback: entry.callback ?? null,
    callbackEmail: entry.callback_email ?? null,
    scheduledAt: lowerSchedule(to, entry, at),
    notes: lowerNotes(to, entry, at),
    targets,
    flows: lowerFlows(to, entry, at),
    groups: lowerGroups(to, { ...requests, groups }),
    onStart,
    tlsVerify: lowerFlag(to, fieldOf(entry, 'tls_verify', at)),
  };
}

function totalBoundsOf({ test_type: type }: TestEntry): NumberBounds {
  return { min: type === 'per-second' ? 1 / 1000 : 1, max: Number.MAX_SAFE_INTEGER };
}

function lowerStage(to: LoweringContext, entry: StageEntry, at: string): Stage {
  return {
    duration: lowerDuration(to, fieldOf(entry, 'for', at), { bare: 's', unit: 's', min: 0 }) ?? seconds(1),
    to: lowerNumber(to, fieldOf(entry, 'to', at), { min: 0, max: Number.MAX_SAFE_INTEGER }) ?? 0,
  };
}

function lowerName(to: LoweringContext, entry: TestEntry, at: string): string | null {
  if (entry.name === undefined || entry.name === '') return null;
  if (hasControl(entry.name)) {
    addError(
      to,
      'LT_CONFIG_VALUE',
      `${quote(entry.name)} contains a line break or control character; write "name" as one line without control characters`,
      `${at}/name`,
    );
  }
  return entry.name;
}

/** The notes must not contain an ownership marker, because the service stores one as the last line. */
function lowerNotes(to: LoweringContext, entry: TestEntry, at: string): string | null {
  if (entry.notes === undefined) return null;
  const notes = entry.notes.replaceAll('\r\n', '\n').trimEnd();
  if (/(?:^|\s)\[loadtests /.test(notes)) {
    addError(
      to,
      'LT_CONFIG_VALUE',
      '"[loadtests " is reserved for the ownership marker in the notes; rephrase this text',
      `${at}/notes`,
    );
  }
  if (hasControl(notes.replaceAll('\n', ''))) {
    addError(
      to,
      'LT_CONFIG_VALUE',
      '"notes" contains a control character other than a line break; remove it',
      `${at}/notes`,
    );
  }
  return notes === '' ? null : notes;
}

function lowerSchedule(to: LoweringContext, entry: TestEntry, at: string): number | null {
  if (entry.scheduled_at === undefined) return null;
  const pointer = `${at}/scheduled_at`;
  const instant = parseInstant(entry.scheduled_at);
  if (instant === null) {
    const forms = '"2026-12-24 03:00:00" in UTC, or "2026-12-24T03:00:00+01:00"';
    return addError(
      to,
      'LT_CONFIG_VALUE',
      `${quote(entry.scheduled_at)} is not a valid date and time; write ${forms}`,
      pointer,
    );
  }
  if (instant % 1000 !== 0) {
    return addError(
      to,
      'LT_CONFIG_VALUE',
      `${quote(entry.scheduled_at)} has a fraction of a second; write whole seconds`,
      pointer,
    );
  }
  return instant;
}

const THRESHOLD_EXAMPLES = { rate: '< 1%', time: '< 300ms', count: '>= 1000' } as const;
const COMPARISON_EXAMPLES: Readonly<Record<string, string>> = {
  success_rate: '> 99%',
  error: '<= 0',
  timeout_error: '<= 0',
  network_error: '<= 0',
};
const UNITS = { rate: 'a percentage', time: 'a time in ms or s', count: 'a number without a unit' } as const;

function lowerThresholds(to: LoweringContext, entry: ThresholdsEntry, at: string): Threshold[] {
  return Object.entries(entry).flatMap(([name, value]: [string, string | ThresholdOptionsEntry]) => {
    // The shape check accepts only names of metrics.
    const metric = name as Metric;
    const options: Partial<ThresholdOptionsEntry> = typeof value === 'string' ? { limit: value } : value;
    const { limit } = options;
    if (limit === undefined) return [];
    const pointer = at + pointerOf(typeof value === 'string' ? [name] : [name, 'limit']);
    const threshold = parseThreshold(metric, limit, to.locations.value(pointer));
    warnOfPercentile(to, metric, pointer);
    const kind = kindOf(metric) ?? 'time';
    const ofShare = timeWithin(metric) === null ? undefined : '>= 90%';
    const example = ofShare ?? COMPARISON_EXAMPLES[metric] ?? THRESHOLD_EXAMPLES[kind];
    if (threshold !== null) {
      warnOfConstantThreshold(to, threshold, { kind, example, pointer });
      const place = at + pointerOf([name]);
      return [
        {
          ...threshold,
          ...lowerMinSamples(to, options, metric, place),
          ...lowerAbortAfter(to, options, threshold, place),
        },
      ];
    }
    const suggestion = suggestThreshold(metric, limit, { kind, example });
    const advice =
      suggestion === null
        ? `write <, <=, > or >= and ${UNITS[kind]}, such as "${example}"`
        : `write "${suggestion}"`;
    const message = `${quote(limit)} is not a valid threshold for "${metric}"; ${advice}`;
    addError(to, 'LT_CONFIG_VALUE', message, pointer);
    return [];
  });
}

function lowerMinSamples(
  to: LoweringContext,
  options: Partial<ThresholdOptionsEntry>,
  metric: Metric,
  at: string,
): Pick<Threshold, 'minSamples'> {
  if (options.min_samples !== undefined && shareOf(metric) === null && timeWithin(metric) === null) {
    const message = `"min_samples" applies only to percentiles and "within_…" thresholds; remove it from "${metric}"`;
    addError(to, 'LT_CONFIG_VALUE', message, to.locations.key(`${at}/min_samples`));
    return {};
  }
  const minSamples = lowerInteger(to, fieldOf(options, 'min_samples', at), {
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
  });
  return minSamples === null ? {} : { minSamples };
}

function lowerAbortAfter(
  to: LoweringContext,
  options: Partial<ThresholdOptionsEntry>,
  threshold: Threshold,
  at: string,
): Pick<Threshold, 'abortAfter'> {
  if (options.abort_after === undefined) return {};
  if (canStillBeMet(threshold)) {
    const message = `"abort_after" has no effect on "${threshold.metric} ${threshold.limit}", because later requests can still meet this threshold; remove "abort_after"`;
    addError(to, 'LT_CONFIG_VALUE', message, to.locations.key(`${at}/abort_after`));
    return {};
  }
  const abortAfter = lowerDuration(to, fieldOf(options, 'abort_after', at), {
    bare: 's',
    unit: 's',
    min: 0,
  });
  return abortAfter === null ? {} : { abortAfter };
}

function warnOfLateAborts(
  to: LoweringContext,
  key: string,
  spec: LoadTestSpec,
  thresholds: readonly Threshold[],
): void {
  const measured = spec.duration - (spec.warmup ?? 0);
  for (const threshold of thresholds) {
    const { abortAfter, source } = threshold;
    if (abortAfter === undefined || abortAfter < measured) continue;
    const time = `${formatDuration(milliseconds(measured))}${spec.warmup === null ? '' : ' after the warm-up'}`;
    const message = `"abort_after" of ${subjectText(labelsOf(threshold))} has no effect in "${key}", because the load ends ${spec.warmup === null ? 'after ' : ''}${time}; set a shorter "abort_after"`;
    addWarning(to, message, source);
  }
}

function warnOfFewSamples(
  to: LoweringContext,
  key: string,
  spec: LoadTestSpec,
  thresholds: readonly Threshold[],
): void {
  const pace = paceOf(spec);
  // In the closed model, the number of iterations in the warm-up is unknown.
  const first = isOpenModel(pace) ? countWarmupClients(pace) : 0;
  for (const threshold of thresholds) {
    const required = requiredSamples(threshold);
    const isOfIterations = requestMetricOf(threshold.metric) !== null;
    const samples = (isOfIterations ? declaredIterations : requestsOf)(pace, threshold, first);
    if (required === null || samples === null || samples >= required) continue;
    const subject = subjectText(labelsOf(threshold));
    const [does, needed] = isOfIterations
      ? [counted(samples, 'iteration'), 'iterations']
      : [counted(samples, 'request'), 'responses'];
    const advice =
      threshold.minSamples === undefined
        ? `increase the load, use a lower ${timeWithin(threshold.metric) === null ? 'percentile' : 'percentage'}, or set "min_samples"`
        : 'increase the load, or reduce "min_samples"';
    const message = `${subject} cannot pass in "${key}": the declared load generates ${does}${first > 0 ? ' after the warm-up' : ''}, and at least ${withCommas(required)} ${needed} are needed; ${advice}`;
    addWarning(to, message, threshold.source);
  }
}

/** Upper bound of a regression threshold in %: about 100 times the baseline. */
const MAX_REGRESSION = 10_000;

function lowerRegression(
  to: LoweringContext,
  entry: RegressionEntry,
  at: string,
  testType: TestType,
): RegressionThreshold[] {
  return Object.entries(entry).flatMap(([name, limit]: [string, string]) => {
    const metric = name as Metric;
    const pointer = at + pointerOf([name]);
    const isRate = metric === 'requests_per_second';
    if (isRate && testType !== 'cycling') {
      const message = `the declared load of a ${testType} test determines "${metric}"; remove this threshold, or set "test_type: cycling"`;
      addError(to, 'LT_CONFIG_VALUE', message, to.locations.key(pointer));
      return [];
    }
    const allowed = parseAllowed(limit);
    const max = isRate ? 100 : MAX_REGRESSION;
    if (allowed !== null && allowed > 0 && 100 * allowed < max) {
      return [{ metric, allowed, limit: limit.trim(), source: to.locations.value(pointer) }];
    }
    const range = `a percentage above 0% and below ${max}%`;
    const example = /^\s*\d+(?:\.\d+)?\s*$/.test(limit) ? `${limit.trim()}%` : isRate ? '5%' : '10%';
    const message = `${quote(limit)} is not a valid regression threshold for "${metric}"; write ${range}, such as "${example}"`;
    addError(to, 'LT_CONFIG_VALUE', message, pointer);
    return [];
  });
}

const COMPARISON_OPERATORS = { rate: '%', time: 'ms', count: '' } as const;

/** Warns about a threshold whose verdict is always the same, such as `< 101%` or `< 0ms`. */
function warnOfConstantThreshold(
  to: LoweringContext,
  threshold: Threshold,
  about: {
    readonly kind: keyof typeof COMPARISON_OPERATORS;
    readonly example: string;
    readonly pointer: string;
  },
): void {
  const verdict = constantVerdictOf(threshold);
  if (verdict === null) return;
  const { kind, example, pointer } = about;
  const { metric, limit, operator } = threshold;
  // With a limit above the maximum, ">" always fails and "<" always passes.
  const meetsTop = operator.startsWith('>') === (verdict === 'fail');
  const end = meetsTop ? 'at most 100%' : `at least 0${COMPARISON_OPERATORS[kind]}`;
  const nearest = kind === 'time' ? example : meetsTop ? '>= 100%' : `<= 0${COMPARISON_OPERATORS[kind]}`;
  const [effect, advice] =
    verdict === 'pass'
      ? ['always passes', `write a threshold that can fail, such as "${example}", or remove it`]
      : ['always fails', `write "${nearest}"`];
  addWarning(to, `${quote(limit)} ${effect}, because "${metric}" is always ${end}; ${advice}`, pointer);
}

/**
 * Adds the missing operator or unit to a threshold. Returns null for other text, and for a number below 1 without a
 * unit, which may be a fraction or a number of seconds.
 */
function suggestThreshold(
  metric: Metric,
  limit: string,
  { kind, example }: { readonly kind: keyof typeof COMPARISON_OPERATORS; readonly example: string },
): string | null {
  const match = /^\s*([<>]=?|)\s*(\d+(?:\.\d+)?)\s*(%|ms|s|)\s*$/.exec(limit);
  const [, operator = '', number = '', unit = ''] = match ?? [];
  if (unit === '' && Number(number) < 1) return null;
  const usualOperator = example.split(' ', 1)[0] ?? '';
  const suggestion = `${operator || usualOperator} ${number}${unit || COMPARISON_OPERATORS[kind]}`;
  return parseThreshold(metric, suggestion, null) === null ? null : suggestion;
}

/** Warns about percentiles below 10: `p9` is probably an incomplete `p90` or `p99`. */
function warnOfPercentile(to: LoweringContext, metric: Metric, pointer: string): void {
  const [, ofIterations = '', percent] = /^(iteration_)?p(\d)$/.exec(metric) ?? [];
  if (percent === undefined) return;
  const all = ofIterations === '' ? 'requests' : 'iterations';
  const message = `only ${percent}% of the ${all} are faster than "${metric}"; write "${metric}0" if you mean ${percent}0%`;
  addWarning(to, message, to.locations.key(pointer));
}

function lowerUrlThresholds(to: LoweringContext, entry: TestEntry, at: string): Threshold[] {
  const urls = urlEntriesOf(entry, at);
  const labels = urlLabels(
    urls.map(({ entry: { name = null, request_type: method = null, url = '' } }) => ({ name, method, url })),
  );
  return urls.flatMap(({ entry: { thresholds = {} }, pointer }, index) => {
    const url = { index, label: labels[index] ?? '' };
    return lowerRequestThresholds(to, thresholds, pointer).map((limit) => ({ ...limit, url }));
  });
}

function lowerRequestThresholds(to: LoweringContext, entry: ThresholdsEntry, at: string): Threshold[] {
  const limits = lowerThresholds(to, entry, `${at}/thresholds`);
  for (const { metric } of limits) {
    if (requestMetricOf(metric) === null) continue;
    const message = `"${metric}" is available only for tests and flows; move it to the "thresholds" of the test or flow`;
    addError(to, 'LT_CONFIG_VALUE', message, to.locations.key(at + pointerOf(['thresholds', metric])));
  }
  return limits;
}

function lowerFlowThresholds(to: LoweringContext, entry: TestEntry, at: string): Threshold[] {
  return Object.entries(entry.flows ?? {}).flatMap(([label, { thresholds = {} }], index) => {
    const limits = lowerThresholds(to, thresholds, `${flowPointer(at, label)}/thresholds`);
    return limits.map((limit) => ({ ...limit, flow: { index, label } }));
  });
}

function lowerUrlGroups(
  to: LoweringContext,
  entry: TestEntry,
  at: string,
): readonly (UrlGroup & { readonly thresholds: readonly Threshold[] })[] {
  const names = urlEntriesOf(entry, at).map(({ entry: { name } }) => name);
  const known = new Set(names.filter((name) => name !== undefined));
  return Object.entries(entry.groups ?? {}).map(([name, group]: [string, Partial<UrlGroupEntry>]) => {
    const { thresholds = {} } = group;
    const members: readonly string[] = group.urls ?? [];
    const pointer = `${at}/groups${pointerOf([name])}`;
    members.forEach((member, index) => {
      const place = `${pointer}/urls/${index}`;
      if (members.indexOf(member) < index)
        addError(to, 'LT_CONFIG_VALUE', `${quote(member)} is listed twice; remove one entry`, place);
      if (known.has(member)) return;
      const nearest = nearestKey(member, known);
      const advice = nearest === null ? `add "name: ${member}" to a URL` : `did you mean "${nearest}"?`;
      const message = `no URL in this test has the name ${quote(member)}; ${advice}`;
      addError(to, 'LT_CONFIG_REFERENCE', message, place);
    });
    const urls = names.flatMap((one, index) => (one !== undefined && members.includes(one) ? [index] : []));
    const part = { label: name, urls };
    const limits = lowerRequestThresholds(to, thresholds, pointer).map((one) => ({ ...one, group: part }));
    // The samples of a group are unknown if the name of a URL is invalid.
    return { name, urls, thresholds: members.every((member) => known.has(member)) ? limits : [] };
  });
}

const MAX_URL_NAME_LENGTH = 60;

function lowerUrlNames(to: LoweringContext, entry: TestEntry, at: string): DeclaredTest['urlNames'] {
  const urls = urlEntriesOf(entry, at);
  const seen = new Set<string>();
  urls.forEach(({ entry: { name }, pointer }) => {
    if (name === undefined) return;
    const addNameError = (message: string) => addError(to, 'LT_CONFIG_VALUE', message, `${pointer}/name`);
    if (name.trim() === '') addNameError('"name" is empty; write at least one character');
    else if (name.length > MAX_URL_NAME_LENGTH || hasControl(name))
      addNameError(
        `${quote(name)} is not a valid name; "name" must be a single line of at most ${MAX_URL_NAME_LENGTH} characters`,
      );
    else if (seen.has(name))
      addNameError(`two URLs in this test have the name ${quote(name)}; rename one of them`);
    seen.add(name);
  });
  return seen.size === 0 ? [] : urls.map(({ entry: { name = null } }) => name);
}

function lowerNeeds(
  to: LoweringContext,
  entry: TestEntry,
  test: { at: string; key: string; known: ReadonlySet<string> },
): DeclaredTest['needs'] {
  const needs = entry.needs ?? [];
  const seen = new Set<string>();
  needs.forEach((name, index) => {
    const pointer = `${test.at}/needs/${index}`;
    if (seen.has(name)) {
      addError(to, 'LT_CONFIG_VALUE', `${quote(name)} is listed twice in "needs"; remove one entry`, pointer);
      return;
    }
    seen.add(name);
    if (test.known.has(name)) return;
    const nearest = to.problems.length < MAX_SUGGESTIONS ? nearestKey(name, test.known) : null;
    const advice = nearest === null ? 'write the key of another test' : `did you mean "${nearest}"?`;
    addError(
      to,
      'LT_CONFIG_REFERENCE',
      `"${test.key}" needs ${quote(name)}, which is not a test in this file; ${advice}`,
      pointer,
    );
  });
  return needs.map(testKey);
}

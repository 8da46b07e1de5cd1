/** One load test: quantities, texts and thresholds. */
import { parseInstant } from '../core/instant.ts';
import { extentOf, type Stage } from '../core/load/ramps.ts';
import { testId, testKey, type TestId } from '../core/model/ids.ts';
import type { Capabilities } from '../core/model/capabilities.ts';
import type { DeclaredTest, LoadTestSpec, TargetSpec, TestType } from '../core/model/load-test.ts';
import { faultsOfTest, type FieldPath } from '../core/model/test-rules.ts';
import { readPattern } from '../pattern/pattern.ts';
import {
  kindOf,
  parseThreshold,
  constantVerdictOf,
  type Metric,
  type Threshold,
} from '../core/model/threshold.ts';
import { parseAllowed, type RegressionThreshold } from '../core/model/regression.ts';
import { urlLabels } from '../core/model/url-label.ts';
import { pointerOf } from '../core/pointer.ts';
import { problem } from '../core/problem.ts';
import { seconds } from '../core/units.ts';
import { MAX_SUGGESTIONS, nearestKey } from '../schema/nearest-key.ts';
import type {
  RegressionEntry,
  StageEntry,
  TestEntry,
  ThresholdsEntry,
  UrlEntry,
} from './generated/config-file.ts';
import { lowerTarget, type KnownHosts } from './lower-target.ts';
import {
  fieldOf,
  hasControl,
  lowerDuration,
  lowerFlag,
  lowerNumber,
  lowerWhole,
  quote,
  addError,
  addWarning,
  type LoweringContext,
} from './quantities.ts';

export interface TestContext {
  /** Null: not all are known. */
  readonly hosts: KnownHosts | null;
  /** Of the service that the tests are for. */
  readonly capabilities: Capabilities;
  readonly testKeys: ReadonlySet<string>;
}

export function lowerTest(
  to: LoweringContext,
  key: string,
  entry: TestEntry,
  around: TestContext,
): DeclaredTest {
  const at = pointerOf(['tests', key]);
  // Rules also tie it to the service.
  const isWhole = to.isComplete(at) && to.isComplete('/service');
  if (to.isComplete(at)) {
    checkNeeded(to, key, entry);
    checkInitial(to, entry, at);
    checkStagesConflicts(to, entry, at);
  }
  const targets = (entry.urls ?? []).map((url, index) =>
    lowerTarget(to, toUrlEntry(url), `${at}/urls/${index}`, around.hosts),
  );
  const spec = lowerSpec(to, entry, at, targets);
  // The service has an adopted test already, and no list shows its variables.
  const { capabilities } = around;
  const there: Capabilities = { ...capabilities, undefinedVariables: 'unknown' };
  if (isWhole) checkRules(to, spec, { at, entry }, entry.id === undefined ? capabilities : there);
  return {
    key: testKey(key),
    spec,
    thresholds: [
      ...lowerThresholds(to, entry.thresholds ?? {}, `${at}/thresholds`),
      ...lowerUrlThresholds(to, entry, at),
    ],
    regression: {
      thresholds: lowerRegression(to, entry.regression ?? {}, `${at}/regression`, spec.testType),
      baseline: null,
    },
    urlNames: lowerUrlNames(to, entry, at),
    needs: lowerNeeds(to, entry, { at, key, known: around.testKeys }),
    parallel: lowerFlag(to, fieldOf(entry, 'parallel', at)) ?? false,
    adopt: lowerId(entry),
    source: to.locations.key(at),
  };
}

const QUANTITY_EXAMPLES = { test_type: 'cycling', duration: '1m', urls: '[https://…/]' } as const;

function checkNeeded(to: LoweringContext, key: string, entry: TestEntry): void {
  for (const name of ['test_type', 'duration', 'urls'] as const) {
    if (entry[name] !== undefined || (name === 'duration' && entry.stages !== undefined)) continue;
    const message = `the test "${key}" has no "${name}"; set it here or below "defaults", such as "${name}: ${QUANTITY_EXAMPLES[name]}"`;
    addError(to, 'LT_CONFIG_SHAPE', message, to.locations.key(pointerOf(['tests', key])));
  }
}

/** A service ignores it there, so whoever writes it means another load than the one that is made. */
function checkInitial(to: LoweringContext, entry: TestEntry, at: string): void {
  if (entry.stages !== undefined) return;
  if (entry.initial === undefined || entry.test_type === undefined || entry.test_type === 'cycling') return;
  const message = '"initial" is for cycling tests only; remove it, or set "test_type: cycling"';
  addError(to, 'LT_CONFIG_VALUE', message, to.locations.key(`${at}/initial`));
}

/** Stages say both. */
function checkStagesConflicts(to: LoweringContext, entry: TestEntry, at: string): void {
  if (entry.stages === undefined) return;
  for (const name of ['total', 'duration'] as const) {
    if (entry[name] === undefined) continue;
    const message = `"${name}" and "stages" cannot be combined: the stages say it; remove one of them`;
    addError(to, 'LT_CONFIG_VALUE', message, to.locations.key(`${at}/${name}`));
  }
}

/** The defaults have made a map of every URL; the type cannot say so. */
function toUrlEntry(url: string | UrlEntry): UrlEntry {
  return typeof url === 'string' ? { url } : url;
}

/** What makes a test right is core's to say; here faults get their places. */
function checkRules(
  to: LoweringContext,
  spec: LoadTestSpec,
  { at, entry }: { readonly at: string; readonly entry: TestEntry },
  abilities: Capabilities,
): void {
  for (const { path, about, severity, code, message: said } of faultsOfTest(spec, abilities, readPattern)) {
    const inJson = hasJsonBody(entry, path);
    const pointer =
      at + pointerOf(inJson && path[2] === 'raw_post_body' ? [...path.slice(0, 2), 'json'] : path);
    const message = inJson ? said.replaceAll('"raw_post_body"', '"json"') : said;
    const source = about === 'key' ? to.locations.key(pointer) : to.locations.value(pointer);
    to.problems.push(problem(code, message, { severity, source }));
  }
}

/** The rules know a body only as a text. */
function hasJsonBody(entry: TestEntry, [list, index]: FieldPath): boolean {
  const url = list === 'urls' && typeof index === 'number' ? entry.urls?.[index] : undefined;
  return url !== undefined && toUrlEntry(url).json !== undefined;
}

function lowerSpec(to: LoweringContext, entry: TestEntry, at: string, targets: TargetSpec[]): LoadTestSpec {
  const initial = lowerWhole(to, fieldOf(entry, 'initial', at), { min: 0 });
  const stages = entry.stages?.map((stage, index) => lowerStage(to, stage, `${at}/stages/${index}`)) ?? null;
  const extent = stages === null ? null : extentOf(initial ?? 0, stages);
  const duration =
    extent?.lasts ?? lowerDuration(to, fieldOf(entry, 'duration', at), { bare: 's', unit: 's', min: 1000 });
  const warmup = lowerDuration(to, fieldOf(entry, 'warmup', at), { bare: 's', unit: 's', min: 1000 });
  return {
    name: lowerName(to, entry, at),
    testType: entry.test_type ?? 'cycling',
    initial,
    total: extent?.highest ?? lowerWhole(to, fieldOf(entry, 'total', at), { min: 1 }),
    duration: duration ?? seconds(1),
    stages,
    // Of a duration that is not known nothing can be said about it.
    warmup: duration === null ? null : warmup,
    timeout: lowerDuration(to, fieldOf(entry, 'timeout', at), { bare: 'ms', unit: 'ms', min: 1 }),
    errorThreshold: lowerNumber(to, fieldOf(entry, 'error_threshold', at), { min: 0, max: 100 }),
    callback: entry.callback ?? null,
    callbackEmail: entry.callback_email ?? null,
    scheduledAt: lowerSchedule(to, entry, at),
    notes: lowerNotes(to, entry, at),
    targets,
    tlsVerify: lowerFlag(to, fieldOf(entry, 'tls_verify', at)),
  };
}

function lowerStage(to: LoweringContext, entry: StageEntry, at: string): Stage {
  return {
    duration: lowerDuration(to, fieldOf(entry, 'for', at), { bare: 's', unit: 's', min: 0 }) ?? seconds(1),
    to: lowerWhole(to, fieldOf(entry, 'to', at), { min: 0 }) ?? 0,
  };
}

function lowerName(to: LoweringContext, entry: TestEntry, at: string): string | null {
  if (entry.name === undefined || entry.name === '') return null;
  if (hasControl(entry.name)) {
    addError(
      to,
      'LT_CONFIG_VALUE',
      `${quote(entry.name)} contains a line break or control character; "name" must be a single line`,
      `${at}/name`,
    );
  }
  return entry.name;
}

/** Our mark is the last line of the notes on the service, so notes may not look like one. */
function lowerNotes(to: LoweringContext, entry: TestEntry, at: string): string | null {
  if (entry.notes === undefined) return null;
  const notes = entry.notes.replaceAll('\r\n', '\n').trimEnd();
  if (/(?:^|\s)\[loadtests /.test(notes)) {
    addError(
      to,
      'LT_CONFIG_VALUE',
      '"[loadtests " begins the mark that this program keeps in the notes; write it differently',
      `${at}/notes`,
    );
  }
  if (hasControl(notes.replaceAll('\n', ''))) {
    addError(
      to,
      'LT_CONFIG_VALUE',
      '"notes" hold a control character; they may hold text and line breaks',
      `${at}/notes`,
    );
  }
  return notes === '' ? null : notes;
}

function lowerSchedule(to: LoweringContext, entry: TestEntry, at: string): number | null {
  if (entry.scheduled_at === undefined) return null;
  const place = `${at}/scheduled_at`;
  const instant = parseInstant(entry.scheduled_at);
  if (instant === null) {
    const forms = '"2026-12-24 03:00:00" in UTC, or "2026-12-24T03:00:00+01:00"';
    return addError(
      to,
      'LT_CONFIG_VALUE',
      `${quote(entry.scheduled_at)} is not a valid date and time; write ${forms}`,
      place,
    );
  }
  if (instant % 1000 !== 0) {
    return addError(
      to,
      'LT_CONFIG_VALUE',
      `${quote(entry.scheduled_at)} has a fraction of a second; the API carries whole seconds`,
      place,
    );
  }
  return instant;
}

const THRESHOLD_EXAMPLES = { rate: '< 1%', time: '< 300ms', count: '>= 1000' } as const;
/** Of what a run should have more of than others of its kind, or less. */
const COMPARISON_EXAMPLES: Readonly<Record<string, string>> = {
  success_rate: '> 99%',
  error: '<= 0',
  timeout_error: '<= 0',
  network_error: '<= 0',
};
const UNITS = { rate: 'a percentage', time: 'a time in ms or s', count: 'a number without a unit' } as const;

function lowerThresholds(to: LoweringContext, entry: ThresholdsEntry, at: string): Threshold[] {
  return Object.entries(entry).flatMap(([name, limit]: [string, string]) => {
    // The shape check has let in metrics only.
    const metric = name as Metric;
    const place = at + pointerOf([name]);
    const threshold = parseThreshold(metric, limit, to.locations.value(place));
    warnOfPercentile(to, metric, place);
    const kind = kindOf(metric) ?? 'time';
    const example = COMPARISON_EXAMPLES[metric] ?? THRESHOLD_EXAMPLES[kind];
    if (threshold !== null) {
      warnOfConstantThreshold(to, threshold, { kind, example, place });
      return [threshold];
    }
    const meant = suggestThreshold(metric, limit, { kind, example });
    const advice =
      meant === null
        ? `it takes <, <=, > or >= and ${UNITS[kind]}, such as "${example}"`
        : `write "${meant}"`;
    const message = `${quote(limit)} is not a valid limit for "${metric}"; ${advice}`;
    addError(to, 'LT_CONFIG_VALUE', message, place);
    return [];
  });
}

/** Nobody means that a run may take more than a hundred times as long. */
const MAX_REGRESSION = 10_000;

function lowerRegression(
  to: LoweringContext,
  entry: RegressionEntry,
  at: string,
  testType: TestType,
): RegressionThreshold[] {
  return Object.entries(entry).flatMap(([name, limit]: [string, string]) => {
    // The shape check has let in metrics only.
    const metric = name as Metric;
    const place = at + pointerOf([name]);
    const isRate = metric === 'requests_per_second';
    if (isRate && testType !== 'cycling') {
      const message = `the rate of a ${testType} test follows from its load, whatever the target does; remove "${metric}", or set "test_type: cycling"`;
      addError(to, 'LT_CONFIG_VALUE', message, to.locations.key(place));
      return [];
    }
    const allowed = parseAllowed(limit);
    const most = isRate ? 100 : MAX_REGRESSION;
    if (allowed !== null && allowed > 0 && 100 * allowed < most) {
      return [{ metric, allowed, limit: limit.trim(), source: to.locations.value(place) }];
    }
    const range = `a percentage above 0% and below ${most}%`;
    const meant = /^\s*\d+(?:\.\d+)?\s*$/.test(limit) ? `${limit.trim()}%` : isRate ? '5%' : '10%';
    const message = `${quote(limit)} is not a valid worsening of "${metric}"; write ${range}, such as "${meant}"`;
    addError(to, 'LT_CONFIG_VALUE', message, place);
    return [];
  });
}

const COMPARISON_OPERATORS = { rate: '%', time: 'ms', count: '' } as const;

/** A limit whose verdict is the same whatever happens is a slip: `< 101%`, `> 100%`, `< 0ms`. */
function warnOfConstantThreshold(
  to: LoweringContext,
  threshold: Threshold,
  about: {
    readonly kind: keyof typeof COMPARISON_OPERATORS;
    readonly example: string;
    readonly place: string;
  },
): void {
  const verdict = constantVerdictOf(threshold);
  if (verdict === null) return;
  const { kind, example, place } = about;
  const { metric, limit, operator } = threshold;
  // Above its greatest value nothing holds, and below it everything does.
  const meetsTop = operator.startsWith('>') === (verdict === 'fail');
  const end = meetsTop ? 'at most 100%' : `at least 0${COMPARISON_OPERATORS[kind]}`;
  const nearest = kind === 'time' ? example : meetsTop ? '>= 100%' : `<= 0${COMPARISON_OPERATORS[kind]}`;
  const [what, advice] =
    verdict === 'pass'
      ? ['never fails', `write a limit that can fail, such as "${example}", or remove it`]
      : ['never holds', `write "${nearest}"`];
  addWarning(to, `${quote(limit)} ${what}: "${metric}" is ${end}; ${advice}`, place);
}

/**
 * A limit that lacks its operator or its unit, written whole; null for any other text, and for a bare number below 1,
 * which may be a share or a number of seconds.
 */
function suggestThreshold(
  metric: Metric,
  limit: string,
  { kind, example }: { readonly kind: keyof typeof COMPARISON_OPERATORS; readonly example: string },
): string | null {
  const parts = /^\s*([<>]=?|)\s*(\d+(?:\.\d+)?)\s*(%|ms|s|)\s*$/.exec(limit);
  const [, operator = '', number = '', unit = ''] = parts ?? [];
  if (unit === '' && Number(number) < 1) return null;
  const usual = example.split(' ', 1)[0] ?? '';
  const meant = `${operator || usual} ${number}${unit || COMPARISON_OPERATORS[kind]}`;
  return parseThreshold(metric, meant, null) === null ? null : meant;
}

/** `p9` is most likely a `p90` or `p99` that is not finished. */
function warnOfPercentile(to: LoweringContext, metric: Metric, place: string): void {
  if (!/^p\d$/.test(metric)) return;
  const message = `"${metric}" is the time that only ${metric.slice(1)}% of the requests stay within; write "${metric}0" if that is meant`;
  const source = to.locations.key(place);
  to.problems.push(problem('LT_CONFIG_VALUE', message, { severity: 'warning', source }));
}

function lowerUrlThresholds(to: LoweringContext, entry: TestEntry, at: string): Threshold[] {
  const urls = (entry.urls ?? []).map(toUrlEntry);
  const labels = urlLabels(
    urls.map(({ name = null, request_type: method = null, url = '' }) => ({ name, method, url })),
  );
  return urls.flatMap(({ thresholds = {} }, index) => {
    const url = { index, label: labels[index] ?? '' };
    const limits = lowerThresholds(to, thresholds, `${at}/urls/${index}/thresholds`);
    return limits.map((limit) => ({ ...limit, url }));
  });
}

const MAX_URL_NAME_LENGTH = 60;

function lowerUrlNames(to: LoweringContext, entry: TestEntry, at: string): DeclaredTest['urlNames'] {
  const names = (entry.urls ?? []).map((url) => toUrlEntry(url).name ?? null);
  const seen = new Set<string>();
  names.forEach((name, index) => {
    if (name === null) return;
    const wrong = (message: string) => addError(to, 'LT_CONFIG_VALUE', message, `${at}/urls/${index}/name`);
    if (name.trim() === '') wrong('"name" is empty; it needs at least one character');
    else if (name.length > MAX_URL_NAME_LENGTH || hasControl(name))
      wrong(
        `${quote(name)} is not a valid name; "name" must be a single line of at most ${MAX_URL_NAME_LENGTH} characters`,
      );
    else if (seen.has(name)) wrong(`${quote(name)} is the name of two URLs of this test; names must differ`);
    seen.add(name);
  });
  return seen.size === 0 ? [] : names;
}

function lowerNeeds(
  to: LoweringContext,
  entry: TestEntry,
  own: { at: string; key: string; known: ReadonlySet<string> },
): DeclaredTest['needs'] {
  const needs = entry.needs ?? [];
  const seen = new Set<string>();
  needs.forEach((name, index) => {
    const place = `${own.at}/needs/${index}`;
    if (seen.has(name)) addError(to, 'LT_CONFIG_VALUE', `${quote(name)} is duplicated in "needs"`, place);
    seen.add(name);
    if (own.known.has(name)) return;
    const nearest = to.problems.length < MAX_SUGGESTIONS ? nearestKey(name, own.known) : null;
    const advice = nearest === null ? 'name a key below "tests"' : `did you mean "${nearest}"?`;
    addError(
      to,
      'LT_CONFIG_REFERENCE',
      `"${own.key}" needs ${quote(name)}, which is not a test of this file; ${advice}`,
      place,
    );
  });
  return needs.map(testKey);
}

function lowerId(entry: TestEntry): TestId | null {
  return entry.id === undefined ? null : testId(entry.id);
}

/** One load test: quantities, texts and thresholds. */
import { parseInstant } from '../core/instant.ts';
import { extentOf, type Stage } from '../core/load/ramps.ts';
import { testId, testKey, type TestId } from '../core/model/ids.ts';
import type { Abilities } from '../core/model/abilities.ts';
import type { DeclaredTest, LoadTestSpec, TargetSpec, TestType } from '../core/model/load-test.ts';
import { faultsOfTest, type FieldPath } from '../core/model/test-rules.ts';
import { readPattern } from '../pattern/pattern.ts';
import {
  kindOf,
  parseThreshold,
  verdictOnAll,
  type Metric,
  type Threshold,
} from '../core/model/threshold.ts';
import { parseAllowed, type RegressionLimit } from '../core/model/regression.ts';
import { urlLabels } from '../core/model/url-label.ts';
import { pointerOf } from '../core/pointer.ts';
import { problem } from '../core/problem.ts';
import { seconds } from '../core/units.ts';
import { MOST_ADVICE, nearestKey } from '../schema/nearest.ts';
import type {
  RegressionEntry,
  StageEntry,
  TestEntry,
  ThresholdsEntry,
  UrlEntry,
} from './generated/config-file.ts';
import { lowerTarget, type Hosts } from './lower-target.ts';
import {
  fieldOf,
  hasControl,
  lowerDuration,
  lowerFlag,
  lowerNumber,
  lowerWhole,
  quote,
  report,
  warn,
  type Lowering,
} from './quantities.ts';

export interface TestSurroundings {
  /** Null: not all are known. */
  readonly hosts: Hosts | null;
  /** Of the service that the tests are for. */
  readonly abilities: Abilities;
  readonly testKeys: ReadonlySet<string>;
}

export function lowerTest(
  to: Lowering,
  key: string,
  entry: TestEntry,
  around: TestSurroundings,
): DeclaredTest {
  const at = pointerOf(['tests', key]);
  // Rules also tie it to the service.
  const isWhole = to.isWhole(at) && to.isWhole('/service');
  if (to.isWhole(at)) {
    checkNeeded(to, key, entry);
    checkInitial(to, entry, at);
    checkBesideStages(to, entry, at);
  }
  const targets = (entry.urls ?? []).map((url, index) =>
    lowerTarget(to, asEntry(url), `${at}/urls/${index}`, around.hosts),
  );
  const spec = lowerSpec(to, entry, at, targets);
  // The service has an adopted test already, and no list shows its variables.
  const { abilities } = around;
  const there: Abilities = { ...abilities, undefinedVariables: 'unknown' };
  if (isWhole) checkRules(to, spec, { at, entry }, entry.id === undefined ? abilities : there);
  return {
    key: testKey(key),
    spec,
    thresholds: [
      ...lowerThresholds(to, entry.thresholds ?? {}, `${at}/thresholds`),
      ...lowerUrlThresholds(to, entry, at),
    ],
    regression: {
      limits: lowerRegression(to, entry.regression ?? {}, `${at}/regression`, spec.testType),
      baseline: null,
    },
    urlNames: lowerUrlNames(to, entry, at),
    needs: lowerNeeds(to, entry, { at, key, known: around.testKeys }),
    parallel: lowerFlag(to, fieldOf(entry, 'parallel', at)) ?? false,
    adopt: lowerId(entry),
    source: to.places.key(at),
  };
}

const EXAMPLES = { test_type: 'cycling', duration: '1m', urls: '[https://…/]' } as const;

function checkNeeded(to: Lowering, key: string, entry: TestEntry): void {
  for (const name of ['test_type', 'duration', 'urls'] as const) {
    if (entry[name] !== undefined || (name === 'duration' && entry.stages !== undefined)) continue;
    const message = `the test "${key}" has no "${name}"; set it here or below "defaults", such as "${name}: ${EXAMPLES[name]}"`;
    report(to, 'LT_CONFIG_SHAPE', message, to.places.key(pointerOf(['tests', key])));
  }
}

/** A service ignores it there, so whoever writes it means another load than the one that is made. */
function checkInitial(to: Lowering, entry: TestEntry, at: string): void {
  if (entry.stages !== undefined) return;
  if (entry.initial === undefined || entry.test_type === undefined || entry.test_type === 'cycling') return;
  const message = '"initial" is for cycling tests only; remove it, or set "test_type: cycling"';
  report(to, 'LT_CONFIG_VALUE', message, to.places.key(`${at}/initial`));
}

/** Stages say both. */
function checkBesideStages(to: Lowering, entry: TestEntry, at: string): void {
  if (entry.stages === undefined) return;
  for (const name of ['total', 'duration'] as const) {
    if (entry[name] === undefined) continue;
    const message = `"${name}" and "stages" cannot be combined: the stages say it; remove one of them`;
    report(to, 'LT_CONFIG_VALUE', message, to.places.key(`${at}/${name}`));
  }
}

/** The defaults have made a map of every URL; the type cannot say so. */
function asEntry(url: string | UrlEntry): UrlEntry {
  return typeof url === 'string' ? { url } : url;
}

/** What makes a test right is core's to say; here faults get their places. */
function checkRules(
  to: Lowering,
  spec: LoadTestSpec,
  { at, entry }: { readonly at: string; readonly entry: TestEntry },
  abilities: Abilities,
): void {
  for (const { path, about, severity, code, message: said } of faultsOfTest(spec, abilities, readPattern)) {
    const inJson = saysJson(entry, path);
    const pointer =
      at + pointerOf(inJson && path[2] === 'raw_post_body' ? [...path.slice(0, 2), 'json'] : path);
    const message = inJson ? said.replaceAll('"raw_post_body"', '"json"') : said;
    const source = about === 'key' ? to.places.key(pointer) : to.places.value(pointer);
    to.problems.push(problem(code, message, { severity, source }));
  }
}

/** The rules know a body only as a text. */
function saysJson(entry: TestEntry, [list, index]: FieldPath): boolean {
  const url = list === 'urls' && typeof index === 'number' ? entry.urls?.[index] : undefined;
  return url !== undefined && asEntry(url).json !== undefined;
}

function lowerSpec(to: Lowering, entry: TestEntry, at: string, targets: TargetSpec[]): LoadTestSpec {
  const initial = lowerWhole(to, fieldOf(entry, 'initial', at), { least: 0 });
  const stages = entry.stages?.map((stage, index) => lowerStage(to, stage, `${at}/stages/${index}`)) ?? null;
  const extent = stages === null ? null : extentOf(initial ?? 0, stages);
  const duration =
    extent?.lasts ??
    lowerDuration(to, fieldOf(entry, 'duration', at), { bare: 's', whole: 's', least: 1000 });
  const warmup = lowerDuration(to, fieldOf(entry, 'warmup', at), { bare: 's', whole: 's', least: 1000 });
  return {
    name: lowerName(to, entry, at),
    testType: entry.test_type ?? 'cycling',
    initial,
    total: extent?.highest ?? lowerWhole(to, fieldOf(entry, 'total', at), { least: 1 }),
    duration: duration ?? seconds(1),
    stages,
    // Of a duration that is not known nothing can be said about it.
    warmup: duration === null ? null : warmup,
    timeout: lowerDuration(to, fieldOf(entry, 'timeout', at), { bare: 'ms', whole: 'ms', least: 1 }),
    errorThreshold: lowerNumber(to, fieldOf(entry, 'error_threshold', at), { least: 0, most: 100 }),
    callback: entry.callback ?? null,
    callbackEmail: entry.callback_email ?? null,
    scheduledAt: lowerSchedule(to, entry, at),
    notes: lowerNotes(to, entry, at),
    targets,
    tlsVerify: lowerFlag(to, fieldOf(entry, 'tls_verify', at)),
  };
}

function lowerStage(to: Lowering, entry: StageEntry, at: string): Stage {
  return {
    lasts: lowerDuration(to, fieldOf(entry, 'for', at), { bare: 's', whole: 's', least: 0 }) ?? seconds(1),
    to: lowerWhole(to, fieldOf(entry, 'to', at), { least: 0 }) ?? 0,
  };
}

function lowerName(to: Lowering, entry: TestEntry, at: string): string | null {
  if (entry.name === undefined || entry.name === '') return null;
  if (hasControl(entry.name)) {
    report(
      to,
      'LT_CONFIG_VALUE',
      `${quote(entry.name)} contains a line break or control character; "name" must be a single line`,
      `${at}/name`,
    );
  }
  return entry.name;
}

/** Our mark is the last line of the notes on the service, so notes may not look like one. */
function lowerNotes(to: Lowering, entry: TestEntry, at: string): string | null {
  if (entry.notes === undefined) return null;
  const notes = entry.notes.replaceAll('\r\n', '\n').trimEnd();
  if (/(?:^|\s)\[loadtests /.test(notes)) {
    report(
      to,
      'LT_CONFIG_VALUE',
      '"[loadtests " begins the mark that this program keeps in the notes; write it differently',
      `${at}/notes`,
    );
  }
  if (hasControl(notes.replaceAll('\n', ''))) {
    report(
      to,
      'LT_CONFIG_VALUE',
      '"notes" hold a control character; they may hold text and line breaks',
      `${at}/notes`,
    );
  }
  return notes === '' ? null : notes;
}

function lowerSchedule(to: Lowering, entry: TestEntry, at: string): number | null {
  if (entry.scheduled_at === undefined) return null;
  const place = `${at}/scheduled_at`;
  const instant = parseInstant(entry.scheduled_at);
  if (instant === null) {
    const forms = '"2026-12-24 03:00:00" in UTC, or "2026-12-24T03:00:00+01:00"';
    return report(
      to,
      'LT_CONFIG_VALUE',
      `${quote(entry.scheduled_at)} is not a valid date and time; write ${forms}`,
      place,
    );
  }
  if (instant % 1000 !== 0) {
    return report(
      to,
      'LT_CONFIG_VALUE',
      `${quote(entry.scheduled_at)} has a fraction of a second; the API carries whole seconds`,
      place,
    );
  }
  return instant;
}

const LIMIT_EXAMPLES = { rate: '< 1%', time: '< 300ms', count: '>= 1000' } as const;
/** Of what a run should have more of than others of its kind, or less. */
const OTHER_EXAMPLES: Readonly<Record<string, string>> = {
  success_rate: '> 99%',
  error: '<= 0',
  timeout_error: '<= 0',
  network_error: '<= 0',
};
const UNITS = { rate: 'a percentage', time: 'a time in ms or s', count: 'a number without a unit' } as const;

function lowerThresholds(to: Lowering, entry: ThresholdsEntry, at: string): Threshold[] {
  return Object.entries(entry).flatMap(([name, limit]: [string, string]) => {
    // The shape check has let in metrics only.
    const metric = name as Metric;
    const place = at + pointerOf([name]);
    const threshold = parseThreshold(metric, limit, to.places.value(place));
    warnOfPercentile(to, metric, place);
    const kind = kindOf(metric) ?? 'time';
    const example = OTHER_EXAMPLES[metric] ?? LIMIT_EXAMPLES[kind];
    if (threshold !== null) {
      warnOfPointless(to, threshold, { kind, example, place });
      return [threshold];
    }
    const meant = meantLimit(metric, limit, { kind, example });
    const advice =
      meant === null
        ? `it takes <, <=, > or >= and ${UNITS[kind]}, such as "${example}"`
        : `write "${meant}"`;
    const message = `${quote(limit)} is not a valid limit for "${metric}"; ${advice}`;
    report(to, 'LT_CONFIG_VALUE', message, place);
    return [];
  });
}

/** Nobody means that a run may take more than a hundred times as long. */
const MOST_ALLOWED = 10_000;

function lowerRegression(
  to: Lowering,
  entry: RegressionEntry,
  at: string,
  testType: TestType,
): RegressionLimit[] {
  return Object.entries(entry).flatMap(([name, limit]: [string, string]) => {
    // The shape check has let in metrics only.
    const metric = name as Metric;
    const place = at + pointerOf([name]);
    const isRate = metric === 'requests_per_second';
    if (isRate && testType !== 'cycling') {
      const message = `the rate of a ${testType} test follows from its load, whatever the target does; remove "${metric}", or set "test_type: cycling"`;
      report(to, 'LT_CONFIG_VALUE', message, to.places.key(place));
      return [];
    }
    const allowed = parseAllowed(limit);
    const most = isRate ? 100 : MOST_ALLOWED;
    if (allowed !== null && allowed > 0 && 100 * allowed < most) {
      return [{ metric, allowed, limit: limit.trim(), source: to.places.value(place) }];
    }
    const range = `a percentage above 0% and below ${most}%`;
    const meant = /^\s*\d+(?:\.\d+)?\s*$/.test(limit) ? `${limit.trim()}%` : isRate ? '5%' : '10%';
    const message = `${quote(limit)} is not a valid worsening of "${metric}"; write ${range}, such as "${meant}"`;
    report(to, 'LT_CONFIG_VALUE', message, place);
    return [];
  });
}

const SIGNS = { rate: '%', time: 'ms', count: '' } as const;

/** A limit whose verdict is the same whatever happens is a slip: `< 101%`, `> 100%`, `< 0ms`. */
function warnOfPointless(
  to: Lowering,
  threshold: Threshold,
  about: { readonly kind: keyof typeof SIGNS; readonly example: string; readonly place: string },
): void {
  const verdict = verdictOnAll(threshold);
  if (verdict === null) return;
  const { kind, example, place } = about;
  const { metric, limit, operator } = threshold;
  // Above its greatest value nothing holds, and below it everything does.
  const meetsTop = operator.startsWith('>') === (verdict === 'fail');
  const end = meetsTop ? 'at most 100%' : `at least 0${SIGNS[kind]}`;
  const nearest = kind === 'time' ? example : meetsTop ? '>= 100%' : `<= 0${SIGNS[kind]}`;
  const [what, advice] =
    verdict === 'pass'
      ? ['never fails', `write a limit that can fail, such as "${example}", or remove it`]
      : ['never holds', `write "${nearest}"`];
  warn(to, `${quote(limit)} ${what}: "${metric}" is ${end}; ${advice}`, place);
}

/**
 * A limit that lacks its operator or its unit, written whole; null for any other text, and for a bare number below 1,
 * which may be a share or a number of seconds.
 */
function meantLimit(
  metric: Metric,
  limit: string,
  { kind, example }: { readonly kind: keyof typeof SIGNS; readonly example: string },
): string | null {
  const parts = /^\s*([<>]=?|)\s*(\d+(?:\.\d+)?)\s*(%|ms|s|)\s*$/.exec(limit);
  const [, operator = '', number = '', unit = ''] = parts ?? [];
  if (unit === '' && Number(number) < 1) return null;
  const usual = example.split(' ', 1)[0] ?? '';
  const meant = `${operator || usual} ${number}${unit || SIGNS[kind]}`;
  return parseThreshold(metric, meant, null) === null ? null : meant;
}

/** `p9` is most likely a `p90` or `p99` that is not finished. */
function warnOfPercentile(to: Lowering, metric: Metric, place: string): void {
  if (!/^p\d$/.test(metric)) return;
  const message = `"${metric}" is the time that only ${metric.slice(1)}% of the requests stay within; write "${metric}0" if that is meant`;
  const source = to.places.key(place);
  to.problems.push(problem('LT_CONFIG_VALUE', message, { severity: 'warning', source }));
}

function lowerUrlThresholds(to: Lowering, entry: TestEntry, at: string): Threshold[] {
  const urls = (entry.urls ?? []).map(asEntry);
  const labels = urlLabels(
    urls.map(({ name = null, request_type: method = null, url = '' }) => ({ name, method, url })),
  );
  return urls.flatMap(({ thresholds = {} }, index) => {
    const url = { index, label: labels[index] ?? '' };
    const limits = lowerThresholds(to, thresholds, `${at}/urls/${index}/thresholds`);
    return limits.map((limit) => ({ ...limit, url }));
  });
}

const LONGEST_URL_NAME = 60;

function lowerUrlNames(to: Lowering, entry: TestEntry, at: string): DeclaredTest['urlNames'] {
  const names = (entry.urls ?? []).map((url) => asEntry(url).name ?? null);
  const seen = new Set<string>();
  names.forEach((name, index) => {
    if (name === null) return;
    const wrong = (message: string) => report(to, 'LT_CONFIG_VALUE', message, `${at}/urls/${index}/name`);
    if (name.trim() === '') wrong('"name" is empty; it needs at least one character');
    else if (name.length > LONGEST_URL_NAME || hasControl(name))
      wrong(
        `${quote(name)} is not a valid name; "name" must be a single line of at most ${LONGEST_URL_NAME} characters`,
      );
    else if (seen.has(name)) wrong(`${quote(name)} is the name of two URLs of this test; names must differ`);
    seen.add(name);
  });
  return seen.size === 0 ? [] : names;
}

function lowerNeeds(
  to: Lowering,
  entry: TestEntry,
  own: { at: string; key: string; known: ReadonlySet<string> },
): DeclaredTest['needs'] {
  const needs = entry.needs ?? [];
  const seen = new Set<string>();
  needs.forEach((name, index) => {
    const place = `${own.at}/needs/${index}`;
    if (seen.has(name)) report(to, 'LT_CONFIG_VALUE', `${quote(name)} is duplicated in "needs"`, place);
    seen.add(name);
    if (own.known.has(name)) return;
    const nearest = to.problems.length < MOST_ADVICE ? nearestKey(name, own.known) : null;
    const advice = nearest === null ? 'name a key below "tests"' : `did you mean "${nearest}"?`;
    report(
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

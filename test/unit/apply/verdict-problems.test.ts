/** Problems of verdicts: their texts, hints and locations. */
import { describe, expect, it } from 'vitest';
import {
  evaluateWithoutResults,
  markAsStopped,
  problemsOfVerdict,
  skipEvaluation,
  type EvaluableTest,
} from '../../../src/apply/runs/evaluation.ts';
import type { Baseline } from '../../../src/core/model/baseline.ts';
import { testKey } from '../../../src/core/model/ids.ts';
import type { BaselineState } from '../../../src/core/model/regression.ts';
import type { EvaluatedThreshold, RunVerdict } from '../../../src/core/model/run-verdict.ts';
import { parseThreshold, type Threshold } from '../../../src/core/model/threshold.ts';
import type { SourceRange } from '../../../src/core/source-location.ts';
import { createPastRun, createResult, STALL_FREE } from '../../support/past-run.ts';

const sourceAt = (line: number): SourceRange => ({
  ...{ file: 'loadtests.yaml', line, column: 1, length: 4, lineText: '' },
});

function limit(line: number, parts: Partial<Threshold> = {}, text = '< 300ms'): Threshold {
  const threshold = parseThreshold('p95', text, sourceAt(line));
  if (threshold === null) throw new Error('Bug: the threshold is invalid');
  return { ...threshold, ...parts };
}

const REGRESSION = { metric: 'p95', allowed: 0.1, limit: '10%', source: sourceAt(20) } as const;

function declare(changes: Partial<EvaluableTest> = {}, baseline: BaselineState | null = null): EvaluableTest {
  return {
    key: testKey('home'),
    thresholds: [],
    regression: { thresholds: [REGRESSION], baseline },
    source: sourceAt(1),
    urlNames: [],
    ...changes,
  };
}

const P95: EvaluatedThreshold = { metric: 'p95', limit: '< 300ms', value: 400, verdict: 'fail' };
const WORSE: EvaluatedThreshold = { ...P95, limit: 'at most 10% worse than the baseline' };
const inconclusive = (threshold: EvaluatedThreshold, reason: string): EvaluatedThreshold => ({
  ...threshold,
  verdict: 'inconclusive',
  reason,
});
const UNCERTAIN = inconclusive({ ...P95, bounds: { low: 200, high: 400 } }, 'between 200 ms and 400 ms');
const SHORTAGE = inconclusive({ ...P95, url: 'pay' }, '400 ms from 20 responses (at least 100 are needed)');
const UNCOMPARED = inconclusive(WORSE, 'not compared: there was no baseline');

function problemsOf(verdict: Partial<RunVerdict>, test = declare(), hint?: string) {
  const record = createPastRun(400, { machine: { ...STALL_FREE, threadReason: 'asked' } }).record;
  return problemsOfVerdict(
    test,
    { verdict: 'inconclusive', thresholds: [], reason: null, ...verdict },
    hint === undefined ? { record } : { record, hint },
  );
}

const LESS_LOAD = 'reduce the load, or use a load generator with more cores or fewer other processes';
const LONGER =
  'run the test longer or with more load, use a lower percentile, or set "min_samples" to a lower number';
const RECORD_BASELINE =
  'run "loadtests baseline home" after runs with good results, and commit the baseline file';
const MISSING: BaselineState = { kind: 'missing', path: 'home.json' };

describe('problems of inconclusive verdicts', () => {
  const VERDICTS: readonly (readonly [
    name: string,
    text: string,
    hint: string | null,
    verdict: Partial<RunVerdict>,
    baseline: BaselineState | null,
  ])[] = [
    [
      'a missing result',
      'the result is missing',
      null,
      { reason: 'the result is missing', thresholds: [P95] },
      null,
    ],
    [
      'an uncertain p95',
      'p95 < 300ms is undecided, because the value is between 200 ms and 400 ms',
      LESS_LOAD,
      { reason: 'a note', thresholds: [UNCERTAIN] },
      null,
    ],
    [
      'too few responses',
      'p95 of "pay" < 300ms is undecided, because the value is 400 ms from 20 responses (at least 100 are needed)',
      LONGER,
      { thresholds: [SHORTAGE] },
      MISSING,
    ],
    [
      'a regression threshold without a baseline state',
      'p95 is not compared: there was no baseline',
      null,
      { thresholds: [UNCOMPARED] },
      null,
    ],
    [
      'a missing baseline',
      'p95 is not compared: there was no baseline',
      RECORD_BASELINE,
      { thresholds: [UNCOMPARED] },
      MISSING,
    ],
    [
      'a stale baseline',
      'p95 is not compared: there was no baseline',
      RECORD_BASELINE,
      { thresholds: [UNCOMPARED] },
      { kind: 'stale', path: 'home.json' },
    ],
    [
      'a baseline without runs',
      'p95 is not compared: there was no baseline',
      null,
      { thresholds: [UNCOMPARED] },
      { kind: 'read', path: 'home.json', baseline: { runs: [] } as unknown as Baseline },
    ],
    [
      'an uncertain p95 and too few responses',
      'p95 < 300ms is undecided, because the value is between 200 ms and 400 ms; p95 of "pay" < 300ms is undecided, because the value is 400 ms from 20 responses (at least 100 are needed)',
      LESS_LOAD,
      { thresholds: [UNCERTAIN, { ...P95, verdict: 'pass' }, SHORTAGE] },
      null,
    ],
    [
      'clients that never started',
      'the load generator did not deliver the declared load: 5 of 10 clients never started',
      LESS_LOAD,
      { reason: 'the load generator did not deliver the declared load: 5 of 10 clients never started' },
      MISSING,
    ],
    [
      'a run that ended early because of the load generator',
      'the run ended early, because the load generator did not deliver the declared load',
      null,
      { reason: 'the run ended early, because the load generator did not deliver the declared load' },
      null,
    ],
  ];

  it.each(VERDICTS.map((row) => [row[2] === null ? 'no hint' : 'a hint', ...row] as const))(
    'the problem of an inconclusive verdict has %s for %s',
    (_hint, _name, text, hint, verdict, baseline) => {
      const message = `"home" has no verdict: ${text}`;
      expect(problemsOf(verdict, declare({}, baseline))).toEqual([
        { code: 'LT_RUN_INCONCLUSIVE', severity: 'error', message, hint, source: sourceAt(1) },
      ]);
    },
  );

  it('a hint that the caller passes replaces the default hint for an inconclusive verdict', () => {
    expect(problemsOf({ thresholds: [UNCERTAIN] }, declare(), 'run it again')).toMatchObject([
      { hint: 'run it again' },
    ]);
  });

  it('the hint of an inconclusive verdict suggests different machines if the load generator runs on the same machine as the target', () => {
    const machine = { ...STALL_FREE, threadReason: 'target' as const, threadLoads: [{ mean: 1, max: 1 }] };
    const { record } = createPastRun(400, { machine });
    const verdict: RunVerdict = { verdict: 'inconclusive', thresholds: [UNCERTAIN], reason: null };
    const hints = [record, null].map(
      (one) => problemsOfVerdict(declare(), verdict, { record: one })[0]?.hint,
    );
    expect(hints).toEqual([
      'reduce the load, or run the load generator and the target on different machines',
      LESS_LOAD,
    ]);
  });
});

describe('problems of failures', () => {
  it('a failure without a failed threshold is reported with its reason and the location of the test', () => {
    expect(problemsOf({ verdict: 'fail', thresholds: [UNCERTAIN], reason: 'the setup failed' })).toEqual([
      {
        code: 'LT_RUN_THRESHOLD',
        severity: 'error',
        message: '"home" failed: the setup failed',
        hint: null,
        source: sourceAt(1),
      },
    ]);
  });

  it('each failed threshold is reported with its own location, or with the location of the test if the threshold is not declared', () => {
    const part = (label: string) => ({ index: 0, label });
    const thresholds = [
      limit(2, {}, '< 200ms'),
      limit(3, { url: part('pay') }),
      limit(4, { url: null, flow: part('buy') }),
      limit(5, { group: { label: 'read', urls: [0] } }),
      limit(6),
    ];
    const failed = [
      P95,
      { ...P95, url: 'pay' },
      { ...P95, flow: 'buy' },
      { ...P95, group: 'read' },
      { ...P95, limit: '< 200ms' },
      WORSE,
      { ...P95, url: 'unknown' },
    ];
    const passed: readonly EvaluatedThreshold[] = [{ ...P95, url: 'home', verdict: 'pass' }, UNCERTAIN];
    const found = problemsOf(
      { verdict: 'fail', thresholds: [...passed, ...failed] },
      declare({ thresholds }),
    );
    expect(found.map(({ message, source }) => [source?.line, message])).toEqual([
      [6, '"home": p95 is 400 ms, which does not meet < 300ms'],
      [3, '"home": p95 of "pay" is 400 ms, which does not meet < 300ms'],
      [4, '"home": p95 of the flow "buy" is 400 ms, which does not meet < 300ms'],
      [5, '"home": p95 of the group "read" is 400 ms, which does not meet < 300ms'],
      [2, '"home": p95 is 400 ms, which does not meet < 200ms'],
      [20, '"home": p95 is 400 ms, which does not meet at most 10% worse than the baseline'],
      [1, '"home": p95 of "unknown" is 400 ms, which does not meet < 300ms'],
    ]);
    expect(new Set(found.map(({ code, severity }) => `${severity} ${code}`))).toEqual(
      new Set(['error LT_RUN_THRESHOLD']),
    );
  });
});

it.each(['pass', 'none'] as const)(
  'problemsOfVerdict returns no problems for the verdict "%s"',
  (verdict) => {
    expect(problemsOf({ verdict, thresholds: [P95, UNCERTAIN], reason: 'a note' })).toEqual([]);
  },
);

describe('evaluations without a result', () => {
  const verdict = { verdict: 'none', thresholds: [], reason: 'the service does not provide results' };
  const plain = declare({ regression: { thresholds: [], baseline: null } });

  it.each([
    [true, 'error'],
    [false, 'warning'],
  ])(
    'with requireVerdict %s, thresholds on a service without results cause a problem with the severity "%s"',
    (required, severity) => {
      expect(evaluateWithoutResults(declare(), required)).toEqual({
        verdict,
        problems: [
          {
            code: 'LT_PLAN_NO_RESULTS',
            severity,
            message: 'the thresholds of "home" cannot be evaluated: the service does not provide results',
            hint: null,
            source: sourceAt(1),
          },
        ],
      });
    },
  );

  it('a test without thresholds is not reported as a problem on a service without results', () => {
    expect(evaluateWithoutResults(plain, true)).toEqual({ verdict, problems: [] });
  });

  it('a run that is not evaluated has the verdict "inconclusive", or "none" if its test has no thresholds', () => {
    const thresholds = [limit(2), limit(3, {}, '< 1ms')];
    const skipped = skipEvaluation(declare({ ...plain, thresholds }), createPastRun(60), 'it ended early');
    expect(skipped).toMatchObject({ verdict: 'inconclusive', reason: 'it ended early' });
    expect(skipped.thresholds.map(({ value, verdict: one }) => [value, one])).toEqual([
      [60, 'inconclusive'],
      [60, 'inconclusive'],
    ]);
    expect(skipEvaluation(plain, null, 'it ended early')).toEqual({
      verdict: 'none',
      thresholds: [],
      reason: 'it ended early',
    });
  });
});

describe('results of stopped runs', () => {
  it.each<[before: string | null | undefined, after: string]>([
    [undefined, 'stopped'],
    [null, 'stopped'],
    ['error_threshold', 'error_threshold'],
  ])('for a result with the abort reason %j, markAsStopped returns the reason "%s"', (abortReason, after) => {
    const result = createResult({ abortReason });
    expect(markAsStopped(result)).toEqual({ ...result, record: { ...result.record, abortReason: after } });
  });

  it('markAsStopped returns null for a missing result', () => {
    expect(markAsStopped(null)).toBeNull();
  });
});

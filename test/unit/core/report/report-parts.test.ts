/** Functions that several reporters share. */
import { describe, expect, test } from 'vitest';
import { Histogram } from '../../../../src/core/load/histogram.ts';
import type { PhaseName } from '../../../../src/core/model/phase.ts';
import { createReport, withLocations, withRecords } from '../../../../src/core/report/command-report.ts';
import type {
  PastRun,
  Report,
  Run,
  Source,
  TestLoad,
} from '../../../../src/core/report/generated/documents.ts';
import { originText, sourceUrl } from '../../../../src/core/report/origin-text.ts';
import { namedPercentiles, percentileCurve } from '../../../../src/core/report/percentile-curve.ts';
import {
  generatorSummary,
  nameOfProject,
  reportedTestsOf,
  secondsOf,
  selectEvaluatedRuns,
  toReportedRun,
  type ReportedTest,
} from '../../../../src/core/report/reported-tests.ts';
import { timelineCsv } from '../../../../src/core/report/timeline-csv.ts';
import { workerLines, workerRows } from '../../../../src/core/report/worker-text.ts';
import { phaseFailureText } from '../../../../src/core/run-record/failure-text.ts';
import { readRunRecord } from '../../../../src/core/run-record/read-record.ts';
import { separateRunningResult } from '../../../../src/core/run-record/run-result.ts';
import { timeoutBound } from '../../../../src/core/run-record/timeout-bound.ts';
import { createResult } from '../../../support/past-run.ts';
import { sampleAction, sampleApplyReport, sampleRun } from '../../../support/sample-report.ts';

const past = (state: 'ended' | 'running', result: object | null = {}): PastRun =>
  ({ result_id: 'r', state, verdict: 'none', reason: null, thresholds: [], metrics: null, result }) as never; // other members are not read

const LOAD = { seconds: 3 } as TestLoad; // other members are not read

function resultsReport(tests: readonly object[]): Report {
  return { command: 'results', tests } as never; // other members are not read
}

describe('the tests of a report', () => {
  test('a report of past runs has one test per address, with its runs in order and no action', () => {
    const source = { file: 'a.yaml', line: 2 };
    const report = resultsReport([
      { address: 'test.a', results: [past('running'), past('ended')], load: LOAD, source },
      { address: 'test.b.c', results: null },
    ]);
    expect(reportedTestsOf(report)).toEqual([
      {
        key: 'a',
        action: null,
        runs: [past('running'), past('ended')].map(toReportedRun),
        load: LOAD,
        source,
      },
      { key: 'b.c', action: null, runs: [], load: null, source: {} },
    ]);
  });

  test('the report of an apply lists the tests with actions other than stops, followed by the tests that only have runs', () => {
    const base = sampleApplyReport({});
    const run = (address: string): Run => ({ ...sampleRun('x'), address });
    const { load: __, source: ___, ...bare } = run('test.run');
    const report = {
      ...base,
      actions: [
        { ...sampleAction('a', 3), address: 'app.shop' },
        sampleAction('a', 3),
        sampleAction('gone', 4, { verb: 'stop' }),
        sampleAction('b', 5, { load: null }),
      ],
      runs: [run('test.b'), bare, run('test.b')],
    } as Report;
    const tests = reportedTestsOf(report);
    expect(tests.map(({ key, action, runs }) => [key, action?.address ?? null, runs.length])).toEqual([
      ['a', 'test.a', 0],
      ['b', 'test.b', 2],
      ['run', null, 1],
    ]);
    expect(tests[0]).toMatchObject({ load: sampleAction('a', 3).load, source: sampleAction('a', 3).source });
    expect(tests[1]).toMatchObject({
      load: run('x').load ?? null,
      source: run('x').source ?? sampleAction('b', 5).source,
    });
    expect(tests[2]).toMatchObject({ load: null, source: {} });
  });

  test('in a report on several projects, the key of a test begins with the name or file of its project', () => {
    const one = { ...resultsReport([{ address: 'test.a', results: [] }]), project: 'shop' } as Report;
    const other = resultsReport([{ address: 'test.a', results: [] }]);
    const report = {
      command: 'results',
      projects: [
        { file: 'a.yaml', report: one },
        { file: 'b.yaml', report: other },
      ],
    } as never as Report; // other members are not read
    expect(reportedTestsOf(report).map(({ key }) => key)).toEqual(['shop/a', 'b.yaml/a']);
    expect(nameOfProject({ file: 'b.yaml', report: { ...other, project: null } as Report })).toBe('b.yaml');
  });

  test('a report of a failed command has no tests', () => {
    expect(reportedTestsOf(createReport('plan', { exitCode: 2, problems: [], body: null }))).toEqual([]);
  });

  test('the command "results" evaluates the latest completed run, or the newest run if no run is completed, and "apply" evaluates all runs', () => {
    const runsOf = (...states: ('ended' | 'running')[]) => states.map((state) => toReportedRun(past(state)));
    const evaluated = (command: string, runs: ReportedTest['runs']) =>
      selectEvaluatedRuns({ runs } as ReportedTest, { command } as Report).map((run) => runs.indexOf(run));
    expect(evaluated('results', runsOf('running', 'ended', 'ended'))).toEqual([1]);
    expect(evaluated('results', runsOf('running', 'running'))).toEqual([0]);
    expect(evaluated('results', [])).toEqual([]);
    expect(evaluated('apply', runsOf('running', 'ended', 'ended'))).toEqual([0, 1, 2]);
  });

  test.each([
    [{ elapsed_ms: 2500, timeline: [{ second: 9 }] }, 2.5],
    [{ elapsed_ms: 0 }, 0],
    [{ timeline: [{ second: 1 }, { second: 7, span: 2 }] }, 9],
    [{ timeline: [] }, null],
    [{}, null],
  ])('for a run with the record %j, secondsOf returns %j', (record, seconds) => {
    expect(secondsOf(toReportedRun(past('ended', record)))).toBe(seconds);
  });

  test.each([
    [{ generator: { version: '1.2', threads: 4 } }, 'loadtests 1.2, 4 threads'],
    [{ generator: { version: '1.2', threads: 1 } }, 'loadtests 1.2, 1 thread'],
    [{ generator: { version: '1.2' } }, 'loadtests 1.2'],
    [{ generator: { threads: 4 } }, null],
    [{}, null],
  ])('for a run with the record %j, generatorSummary returns %j', (record, text) => {
    expect(generatorSummary(toReportedRun(past('ended', record)))).toBe(text);
  });
});

describe('the envelope of a report', () => {
  test('a report contains its command, exit code and problems with their documentation', () => {
    const source = { file: 'a.yaml', line: 2, column: 3, length: 1, lineText: 'x' };
    const base = { code: 'LT_IMPORT_SOURCE', severity: 'error', message: 'm', hint: 'h' } as const;
    const report = createReport('plan', {
      exitCode: 2,
      problems: [
        { ...base, source },
        { ...base, source: null, example: ['a: 1', 'b: 2'] },
      ] as never, // complete enough
      body: null,
      origin: { created_at: '2026-11-23T09:41:12Z' },
    });
    const common = {
      code: 'LT_IMPORT_SOURCE',
      severity: 'error',
      message: 'm',
      docs: 'docs/reference/problem-codes.md#lt_import_source',
    };
    expect(report).toEqual({
      format_version: 1,
      command: 'plan',
      exit_code: 2,
      problems: [
        { ...common, file: 'a.yaml', line: 2, column: 3, hint: 'h' },
        { ...common, file: null, line: null, column: null, hint: 'for example:\n  a: 1\n  b: 2' },
      ],
      origin: { created_at: '2026-11-23T09:41:12Z' },
    });
    expect(createReport('plan', { exitCode: 0, problems: [], body: null, origin: null })).not.toHaveProperty(
      'origin',
    );
  });

  test('withRecords replaces the records of runs with the complete records of the same ID, in all projects', () => {
    const runs = [
      { result_id: 'r1', result: { a: 1 } },
      { result_id: 'r2', result: { b: 1 } },
      { result_id: null, result: null },
    ];
    const report = { command: 'apply', runs } as never as Report; // other members are not read
    const complete = new Map([['r1', { whole: true }]]) as never;
    const expected = {
      command: 'apply',
      runs: [{ result_id: 'r1', result: { whole: true } }, runs[1], runs[2]],
    };
    expect(withRecords(report, complete)).toEqual(expected);
    expect(withRecords({ command: 'apply', projects: [{ file: 'a', report }] } as never, complete)).toEqual({
      command: 'apply',
      projects: [{ file: 'a', report: expected }],
    });
    expect(withRecords(report, new Map())).toBe(report);
    const failed = createReport('plan', { exitCode: 2, problems: [], body: null });
    expect(withRecords(failed, complete)).toBe(failed);
  });

  test('withLocations renames only the files of source locations outside of records', () => {
    const place = (file: unknown) => ({ file, line: 1 });
    const report = (file: string) => ({
      list: [place(file), null, 'a'],
      other: { file: 'a' },
      number: place(3),
      deep: { ...place(file), result: place('a') },
      result: place('a'),
    });
    expect(withLocations(report('a') as never, (file) => `../${file}`)).toEqual(report('../a'));
  });
});

describe('the origin of a document', () => {
  const BASE = 'https://git.example/b/';

  test.each<[source: Source, base: string | undefined, url: string | null]>([
    [{ file: 'a/b.yaml', line: 7 }, BASE, 'https://git.example/b/a/b.yaml#L7'],
    [{ file: 'a.yaml' }, BASE, 'https://git.example/b/a.yaml'],
    [
      { file: "a (1)!'*~/é\ud800.yaml" },
      'http://git.example/',
      'http://git.example/a%20%281%29%21%27%2A%7E/%C3%A9%EF%BF%BD.yaml',
    ],
    [{ line: 7 }, BASE, null],
    [{ file: '/a.yaml' }, BASE, null],
    [{ file: '../a.yaml' }, BASE, null],
    [{ file: '<stdin>' }, BASE, null],
    [{ file: 'a' }, undefined, null],
    ...[
      'ftp://a/',
      'xhttps://a/',
      'https://',
      'https://a/ ',
      'https://a/(',
      'https://a/)',
      'https://a/<',
    ].map((base): [Source, string, null] => [{ file: 'a' }, base, null]),
    [{ file: 'a' }, 'https://a/>', null],
    [{ file: 'a' }, 'https://a/"', null],
  ])('for the source %j and the repository URL %s, sourceUrl returns %j', (source, base, url) => {
    const origin = { created_at: '', ...(base === undefined ? {} : { files_url: base }) };
    expect(sourceUrl(origin, source)).toBe(url);
  });

  test('sourceUrl returns null for a report without an origin', () => {
    expect(sourceUrl(undefined, { file: 'a' })).toBeNull();
  });

  test.each([
    [
      { commit: '3f2c1ab99', created_at: '2026-11-23T09:41:12Z' },
      'plan',
      'Plan of commit 3f2c1ab, created 2026-11-23 09:41:12 UTC.',
    ],
    [{ commit: '3f2c1ab99', created_at: 'x' }, 'apply', 'Report of commit 3f2c1ab.'],
    [{ created_at: '2026-11-23T09:41:12Z' }, 'apply', 'Report, created 2026-11-23 09:41:12 UTC.'],
  ])('for the origin %j and the command %s, originText returns "%s"', (origin, command, text) => {
    expect(originText(origin as never, command)).toBe(text);
  });
});

describe('percentiles', () => {
  const storedOf = (count: number) => {
    const times = Histogram.createTotal();
    for (let index = 1; index <= count; index++) times.record(index * 1000);
    return times.toStored() ?? { min: 0, max: 0, sum: 0, counts: [] };
  };

  test.each([
    [1, ['min', 'max']],
    [2, ['min', 'p50', 'max']],
    [9, ['min', 'p50', 'p75', 'max']],
    [10, ['min', 'p50', 'p75', 'p90', 'max']],
    [100, ['min', 'p50', 'p75', 'p90', 'p95', 'p99', 'max']],
    [1000, ['min', 'p50', 'p75', 'p90', 'p95', 'p99', 'p99.9', 'max']],
  ])('for a request count of %d, the named percentiles are %j', (count, names) => {
    expect(namedPercentiles(storedOf(count)).map(([name]) => name)).toEqual(names);
  });

  test('namedPercentiles returns times in milliseconds', () => {
    const named = namedPercentiles(storedOf(10));
    expect(named.map(([, time]) => Math.round(time))).toEqual([1, 5, 8, 9, 10]);
  });

  test('the percentile curve of ten requests has 21 points from p0 to p90, and a curve without requests has one point at 0', () => {
    const curve = percentileCurve(storedOf(10));
    expect(curve).toHaveLength(21);
    expect(curve.map(({ nines }) => Math.round(nines * 20))).toEqual(
      Array.from({ length: 21 }, (_, step) => step),
    );
    expect(Math.round(curve[0]?.time ?? 0)).toBe(1);
    expect(Math.round(curve[20]?.time ?? 0)).toBe(9);
    expect(percentileCurve(storedOf(15)).at(-1)?.nines).toBeCloseTo(Math.log10(15));
    expect(percentileCurve({ min: 0, max: 0, sum: 0, counts: [] })).toEqual([{ nines: 0, time: 0 }]);
  });
});

const HEADER =
  'test,result_id,started_at,second,span_s,started,success,error,timeout_error,network_error,connections,data_sent_bytes,data_received_bytes,p50_ms,p95_ms,p99_ms';

describe('timelines as CSV', () => {
  const csv = (...timeline: unknown[]) =>
    timelineCsv([{ key: 'a', id: 'r', startedAt: null, timeline }]).split('\r\n');

  test('each timeline entry is a CSV row with the standard columns, followed by additional scalar fields of the service', () => {
    const entry = {
      second: 1,
      span: 2,
      data_sent: 3,
      p99: 4,
      x: true,
      data_y: 'z',
      p5x: 6,
      list: [],
      none: null,
    };
    expect(csv(entry, null, { x: 'last' })).toEqual([
      `${HEADER},x,data_y_bytes,p5x_ms`,
      'a,r,,1,2,,,,,,,3,,,,4,true,z,6',
      `a,r,,${','.repeat(12)},,,`,
      `a,r,,${','.repeat(12)},last,,`,
      '',
    ]);
    expect(timelineCsv([{ key: 'a', id: null, startedAt: 'b', timeline: {} }])).toBe(`${HEADER}\r\n`);
  });

  test.each([
    ['a', 'a'],
    ['a,b', '"a,b"'],
    ['a"b', '"a""b"'],
    [' a', '" a"'],
    ['a ', '"a "'],
    ['=a', "'=a"],
    [' +a', "' +a"],
    ['-a', "'-a"],
    ['@a', "'@a"],
    ['\uff1da', "'\uff1da"],
    ['a=', 'a='],
    [Infinity, 'Infinity'],
  ])('the value %o is written as the CSV cell %s', (value, cell) => {
    expect(csv({ x: value })[1]?.slice('a,r,,,,,,,,,,,,,,,'.length)).toBe(cell);
  });

  test.each(['\ta', '\ra', '\na'])('the CSV cell of the value %j begins with an apostrophe', (value) => {
    expect(csv({ x: value })[1]?.slice('a,r,,,,,,,,,,,,,,,'.length)).toMatch(/^"?'/);
  });
});

describe('workers', () => {
  const record = (...workers: object[]) => readRunRecord({ workers });
  const EAST = {
    name: 'east',
    threads: 2,
    started: 68,
    finished: 1067,
    start_skew_ms: -1,
    clock_uncertainty_ms: 0.5,
    lag_p99_ms: 4,
  };

  test('the summary of a single worker has no range of start times', () => {
    expect(workerLines(record(EAST))).toEqual([
      '1 worker',
      '  east: 2 threads, 68 requests started, 1,067 finished; started 1 ms early; scheduling lag p99 4 ms',
    ]);
    expect(workerLines(record({}))).toEqual(['1 worker', '  unnamed']);
  });

  test('the range of start times of workers is stated with the sum of their clock uncertainties', () => {
    const west = { name: 'west', start_skew_ms: 2, clock_uncertainty_ms: 1.5 };
    expect(workerLines(record(west, EAST))[0]).toBe('2 workers; all started within 3 ms (± 2 ms)');
    expect(workerLines(record(west, { name: 'x' }, EAST, { start_skew_ms: 0 }))[0]).toBe(
      '4 workers; 3 of them started within 3 ms (± 2 ms)',
    );
    expect(workerLines(record(west, { name: 'x' }))).toEqual([
      '2 workers',
      '  west: started 2 ms late',
      '  x',
    ]);
  });

  test('lost workers are counted and listed first, and at most ten workers are listed', () => {
    const all = Array.from({ length: 11 }, (_, index) => ({
      name: `w${index}`,
      ...(index === 10 ? { lost: 'gone' } : {}),
    }));
    const lines = workerLines(record(...all));
    expect(lines).toHaveLength(12);
    expect(lines.slice(0, 3)).toEqual(['11 workers, 1 lost', '  w10: lost: gone', '  w0']);
    expect(lines.at(-1)).toBe('  and 1 more');
    expect(workerLines(record(...all.slice(1)))).toHaveLength(11);
    expect(workerRows(record(...all))).toHaveLength(12);
  });

  test('workerRows returns a row for the number of workers and a labeled row for each worker', () => {
    expect(workerRows(record({ name: 'a', threads: 1 }))).toEqual([
      ['Workers', '1 worker'],
      ['Worker a', '1 thread'],
    ]);
  });

  test('a run without workers has no lines and no rows about workers', () => {
    for (const one of [readRunRecord({}), record()])
      expect([workerLines(one), workerRows(one)]).toEqual([[], []]);
  });
});

describe('runs of a service', () => {
  test.each([
    ['p95', 2000, 2000, 1, 2000],
    ['p95', 2120, 2000, 1, 2000],
    ['p95', 2121, 2000, 1, 2121],
    ['max', 2000, 2000, 1, 2000],
    ['p95', 1999, 2000, 1, null],
    ['p95', 2000, 2000, 0, null],
    ['p95', 2000, 2000, undefined, null],
    ['p95', 2000, null, 1, null],
    ['avg_response_time', 2000, 2000, 1, null],
    ['iteration_p95', 2000, 2000, 1, null],
    ['px', 2000, 2000, 1, null],
  ])(
    'for the metric %s with %d ms, a timeout of %j ms and a timeout count of %j, timeoutBound returns %j',
    (metric, value, timeout, count, bound) => {
      const metrics = count === undefined ? {} : { timeout_error: count };
      expect(timeoutBound(metric, value, { timeout, metrics })).toBe(bound);
    },
  );

  test('the newest result of a running test is its active run unless the result is ready', () => {
    const [open, ready] = [createResult({ status: 'not_ready' }), createResult()];
    expect(separateRunningResult('running', [open, ready])).toEqual({ current: open, ended: [ready] });
    expect(separateRunningResult('running', [ready, open])).toEqual({ current: null, ended: [ready, open] });
    expect(separateRunningResult('running', [])).toEqual({ current: null, ended: [] });
    expect(separateRunningResult('waiting' as never, [open])).toEqual({ current: null, ended: [open] });
  });

  test.each<PhaseName>(['setup', 'teardown'])(
    'the text of a failure in the phase "%s" names the phase',
    (name) => {
      const failure = { method: 'GET', url: 'u', status: 401, error: 'status 401' };
      expect(phaseFailureText(name, failure)).toBe(`GET u in "${name}" failed: status 401`);
    },
  );
});

import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { problem } from '../../../src/core/problem.ts';
import type { Comparison, PastRun, Run } from '../../../src/core/report/generated/documents.ts';
import { createReport, type BodyOf } from '../../../src/core/report/command-report.ts';
import { toHtml } from '../../../src/report/html-report.ts';
import type { Chart } from '../../../src/web/chart.ts';
import { arbitraryDocument } from '../../support/arbitrary-document.ts';
import { createResultRecord, createRunResult } from '../../support/result-records.ts';
import { scaleCount } from '../../support/test-scale.ts';

function applied(...runs: readonly Run[]): string {
  const summary = { register: 0, verify: 0, create: 0, replace: 0, stop: 0, run: 0, blocked: 0 };
  const body: BodyOf<'apply'> = {
    command: 'apply',
    has_changes: false,
    project: 'shop',
    environment: 'staging',
    service: 'https://api.example',
    actions: [],
    drift: [],
    pins: [],
    runs,
    basis: `sha256:${'0'.repeat(64)}`,
    summary: { ...summary, deferred: 0, unchanged: 1, superseded: 0, orphaned: 0, unmanaged: 0, drift: 0 },
    load: { starts: 0, peak_connections: {}, seconds: 0, concurrent_tests: 0 },
  };
  return toHtml(createReport('apply', { exitCode: 0, problems: [], body }));
}

function chartsOf(page: string): readonly Chart[] {
  const [, json = ''] = /<script type="application\/json" id="charts">(.*?)<\/script>/.exec(page) ?? [];
  return JSON.parse(json) as readonly Chart[]; // the report serializes charts
}

/** Returns the visible text, without script and style. */
function textOf(page: string): string {
  return page
    .replaceAll(/<(script|style)\b.*?<\/\1>/gs, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll(/\s+/g, ' ');
}

describe('the HTML report', () => {
  const page = applied(
    createRunResult({ result: createResultRecord({ seconds: 20 }), metrics: { requests: 200 } }),
  );

  test('the HTML report allows only its own script and style', () => {
    const [, policy = ''] = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page) ?? [];
    expect(policy).toMatch(/^default-src 'none'; /);
    for (const [element, directive] of [
      ['<style>(.*?)</style>', 'style-src'],
      ['<script>(.*?)</script>', 'script-src'],
    ] as const) {
      const parts = [...page.matchAll(new RegExp(element, 'gs'))];
      expect(parts).toHaveLength(1);
      const hash = createHash('sha256')
        .update(parts[0]?.[1] ?? '')
        .digest('base64');
      expect(policy).toContain(`${directive} 'sha256-${hash}'`);
    }
    expect(page.replaceAll(/<(script|style)>.*?<\/\1>/gs, '')).not.toMatch(
      / (?:src|style|on\w+)=|<link|url\(/,
    );
    expect(page.replaceAll(/<script>.*?<\/script>/gs, '')).not.toMatch(/href="[^#]/);
  });

  test('an HTML report without runs is smaller than 150 KB', () => {
    expect(applied().length).toBeLessThan(150_000);
  });

  test('the HTML report contains the license of the bundled library', () => {
    expect(page).toContain('Permission is hereby granted, free of charge');
  });
});

describe('the HTML report without its script', () => {
  test('the HTML report shows the verdict, thresholds and metrics', () => {
    const metrics = { requests: 12_345, error: 5, p95: 412.4, requests_per_second: 206.1 };
    const thresholds = [
      { metric: 'p95', limit: '< 300ms', value: 412.4, verdict: 'fail', bounds: { low: 400.2, high: 412.4 } },
    ] as const;
    const text = textOf(applied(createRunResult({ verdict: 'fail', metrics, thresholds, result: {} })));
    expect(text).toContain('home failed');
    expect(text).toContain('p95 < 300ms ✗ fail 412 ms between 400 and 413 ms');
    expect(text).toContain('12,345');
    expect(text).toContain('2026-03-02 09:00:00 UTC');
    expect(text.indexOf('p95 < 300ms')).toBeLessThan(text.indexOf('12,345'));
  });

  test('the HTML report states that a target limits requests if 20% of the responses are 503 with Retry-After, but not if 1% are', () => {
    const result = { ledger: { retry_after: 20 }, status_codes: { 200: 80, 503: 20 } };
    expect(textOf(applied(createRunResult({ result })))).toContain(
      '20% of the responses have status 503 with a Retry-After header: the target limits the request rate',
    );
    const rarely = { ...result, ledger: { retry_after: 1 } };
    expect(textOf(applied(createRunResult({ result: rarely })))).not.toContain('limits the request rate');
  });

  test('the HTML report compares the value of a regression threshold with the baseline, and shows the round of each run', () => {
    const regression = {
      worse_by: 12,
      allowed: 10,
      baseline: 40.2,
      runs: 1,
      baseline_runs: 5,
      standard_deviation: 2,
    };
    const limit = {
      metric: 'p95',
      limit: 'at most 10% worse',
      value: 45,
      verdict: 'fail',
      regression,
    } as const;
    const run = createRunResult({ verdict: 'fail', thresholds: [limit] });
    const text = textOf(applied({ ...run, round: 1 }, { ...createRunResult(), round: 2 }));
    expect(text).toContain("45 ms 12% worse than the baseline's 40.2 ms (1 run against 5)");
    expect(text).toContain('1 of 2 runs failed');
    expect(text).toContain('round 2');
  });

  test('the headline of the HTML report counts runs if two runs of a test are in progress', () => {
    const run = createRunResult({ verdict: 'none', state: 'running' });
    const text = textOf(applied({ ...run, round: 1 }, { ...run, round: 2 }));
    expect(text).toContain('2 runs are still running');
  });

  test('the summary of several runs in the HTML report states the reason for a failure, and omits thresholds that were not evaluated', () => {
    const thresholds = [
      { metric: 'p95', limit: '< 300ms', value: 412.4, verdict: 'fail' },
      { metric: 'p99', limit: '< 1s', value: null, verdict: 'inconclusive' },
      {
        metric: 'p50',
        limit: 'at most 10% worse than the baseline',
        value: 20,
        verdict: 'inconclusive',
        reason: 'not compared: there was no baseline',
      },
    ] as const;
    const page = applied(createRunResult({ verdict: 'fail', thresholds }), createRunResult());
    const [, summary = ''] = /aria-label="Tests"(.*?)<\/table>/s.exec(page) ?? [];
    expect(textOf(`<p ${summary}`)).toMatch(
      / reason home ✗ fail – – – – p95 412 ms, threshold < 300ms home ✓ pass – – – – $/,
    );
  });

  test('the HTML report shows failed thresholds first, and collapses long lists of thresholds', () => {
    const of = (verdict: 'pass' | 'fail' | 'inconclusive', metric: string) =>
      ({ metric, limit: '< 1s', value: 20, verdict }) as const;
    const passed = ['p10', 'p20', 'p30', 'p40'].map((metric) => of('pass', metric));
    const thresholds = [...passed, of('inconclusive', 'p90'), of('fail', 'p99')];
    const page = applied(createRunResult({ verdict: 'fail', thresholds }));
    const text = textOf(page);
    expect(text.indexOf('p99 < 1s ✗')).toBeLessThan(text.indexOf('p90 < 1s ?'));
    expect(page).toContain('<summary>4 thresholds met</summary>');
    const alone = applied(createRunResult({ verdict: 'pass', thresholds: passed }));
    expect(alone).not.toContain('thresholds met</summary>');
    const failed = Array.from({ length: 13 }, (_, index) => of('fail', `p${index + 10}`));
    expect(applied(createRunResult({ verdict: 'fail', thresholds: failed }))).toContain(
      '<summary>3 more thresholds failed</summary>',
    );
  });

  test('the title of the HTML report contains the verdict and the reason', () => {
    const thresholds = [{ metric: 'p95', limit: '< 300ms', value: 412.4, verdict: 'fail' }] as const;
    expect(applied(createRunResult({ verdict: 'fail', thresholds }))).toContain(
      '<title>home failed: p95 412 ms, threshold &lt; 300ms · loadtests apply · project shop',
    );
  });

  test('the HTML report lists omitted requests separately from failures', () => {
    const metrics = { requests: 100, error: 1, error_rate: 10.8 };
    const run = createRunResult({ metrics, result: { outage: { spans: 1, seconds: 2, omitted: 11 } } });
    expect(textOf(applied(run))).toContain('failed 1 error rate 10.8% including 11 omitted requests');
  });

  test('the HTML report marks a percentile with "≤" if it lists an interval for this percentile', () => {
    const metrics = { requests: 100, p50: 19, p95: 30, p99: 100 };
    const bounds = {
      p50: { low: 2, high: 19 },
      p95: { low: 18, high: 30 },
      p99: { low: 20, high: 100 },
    };
    const run = createRunResult({ metrics, result: { latency: { p50: 19, p95: 30, p99: 100 }, bounds } });
    const text = textOf(applied(run));
    expect(text).toContain('p50 response time 19 ms p95 response time ≤ 30 ms p99 response time ≤ 100 ms');
    expect(text).toContain('p95 is between 18 and 30 ms, p99 is between 20 and 100 ms');
  });

  test('the HTML report shows no metrics for a run that ended during the warm-up', () => {
    const warmup = { seconds: 10, complete: false, requests: 3 };
    const run = createRunResult({ metrics: { requests: 0, data_received: 1200 }, result: { warmup } });
    const text = textOf(applied(run));
    expect(text).toContain('No metrics: the run ended during the warm-up. 10s warm-up: 3 requests');
    expect(text).not.toContain('received 1.2');
  });

  test('the HTML report shows the outcomes of all requests and whether all planned requests are accounted for', () => {
    const text = textOf(applied(createRunResult({ result: createResultRecord({ seconds: 20 }) })));
    expect(text).toContain('200 planned 200 started 180 succeeded 20 received status 503 0 not started');
    expect(text).toContain('All 200 planned requests are accounted for.');
    const unbalanced = { ledger: { planned: 3, started: 2, success: 1 } };
    expect(textOf(applied(createRunResult({ result: unbalanced })))).not.toContain('accounted for');
  });

  test('if the service was interrupted during a run, the HTML report shows the counts of the run as lower bounds', () => {
    const ledger = { planned: 800, started: 120, success: 120, not_started: { run_ended: 680 } };
    const result = { ledger, known_until_ms: 3000, abort_reason: 'partial' };
    const text = textOf(
      applied(createRunResult({ result, metrics: { requests: 120, requests_per_second: 40 } })),
    );
    expect(text).toContain('requests ≥ 120');
    expect(text).toContain('requests per second ≥ 40');
    expect(text).toContain('120 succeeded 680 unknown, because the service was interrupted');
    expect(text).not.toContain('accounted for');
  });

  test('the HTML report states how to get a verdict after too few responses, and omits the intervals of times that are lower bounds', () => {
    const reason = '412 ms from 120 responses (at least 1,000 are needed)';
    const few = { metric: 'p99', limit: '< 1s', value: 412, verdict: 'inconclusive', reason } as const;
    const bounds = { low: 989, high: 1014 };
    const late = { metric: 'p95', limit: '< 300ms', value: 1014, verdict: 'fail', bounds } as const;
    const result = { timeout_ms: 1000, timeout_error: 3 };
    const text = textOf(applied(createRunResult({ verdict: 'fail', thresholds: [late, few], result })));
    expect(text).toContain('≥ 1 s (3 timed out)');
    expect(text).toContain(reason);
    expect(text).toContain('For a verdict, run the test longer or with more load');
    expect(text).not.toContain('between');
    expect(text).not.toContain('Each range contains the true value');
  });

  test('the HTML report of a run that ended early accounts for all planned requests, also those after the early end', () => {
    const ledger = { planned: 9, started: 4, success: 4, not_started: { stopped: 5 } };
    const result = { ...createResultRecord({ seconds: 20 }), abort_reason: 'stopped', ledger };
    const text = textOf(applied(createRunResult({ result })));
    expect(text).toContain('All 9 planned requests are accounted for.');
  });

  test('each chart of the HTML report refers to a table of the page', () => {
    const page = applied(createRunResult({ result: createResultRecord({ seconds: 20 }) }));
    const charts = chartsOf(page);
    expect(charts.map(({ title }) => title)).toEqual([
      'Requests per second',
      'Response time',
      'Connections',
      'Failed per second',
      'Response time by percentile',
    ]);
    for (const { id } of charts) {
      const [, table = ''] = new RegExp(`id="${id}"[^>]* aria-details="([^"]*)"`).exec(page) ?? [];
      expect(page).toContain(`<details id="${table}"`);
    }
    expect(textOf(page)).toContain('0:19 10 10 1 7 2 ms 2.4 ms 2.5 ms');
  });
});

describe('comparisons in the HTML report', () => {
  const now = { ...createRunResult({ result: createResultRecord({ seconds: 20 }) }), result_id: 'r2' };
  const before = {
    ...createRunResult({ result: createResultRecord({ seconds: 25 }), verdict: 'fail' }),
    result_id: 'r1',
  };
  const comparison: Comparison = {
    with: 'run',
    result_id: 'r1',
    started_at: '2026-03-01T09:00:00.000Z',
    runs: 1,
    verdict: null,
    metrics: [
      { metric: 'p95', before: 40, after: 50, change: 25 },
      { metric: 'requests', before: 250, after: 200, change: -20 },
      { metric: 'error_rate', before: 0, after: null, change: null },
    ],
    notes: ['the load generators differ: 2 cores, now 4'],
  };
  const compared = (shown: Comparison, ...runs: readonly PastRun[]) => {
    const tests = [{ address: 'test.home', test_id: 't1', results: runs }];
    const body: BodyOf<'results'> = {
      command: 'results',
      project: 'shop',
      environment: null,
      service: 'https://api.example',
      tests,
      comparison: shown,
    };
    return toHtml(createReport('results', { exitCode: 0, problems: [], body }));
  };

  test('the HTML report of a comparison contains the notes and the metrics of both runs', () => {
    const text = textOf(compared(comparison, now, before));
    expect(text).toContain(
      'home passed Compared with the run of 2026-03-01 09:00:00 UTC the load generators differ: 2 cores, now 4 ' +
        'metric before now change p95 40 ms 50 ms +25% requests 250 200 -20% error_rate 0% - -',
    );
    expect(text).toContain('home before ✗ fail');
  });

  test('the HTML report of a comparison has charts with both runs, and a table for each run', () => {
    const page = compared(comparison, now, before);
    const charts = chartsOf(page);
    expect(charts.map(({ id }) => id)).toEqual(
      ['rates', 'times', 'connections', 'curve'].map((name) => `compared-${name}`),
    );
    expect(charts[0]?.lines.map(({ name }) => name)).toEqual([
      ...['offered now', 'completed now', 'failed now', 'completed before'],
    ]);
    expect(charts[0]?.positions).toHaveLength(25);
    for (const { id } of charts) {
      const [, tables = ''] = new RegExp(`id="${id}"[^>]* aria-details="([^"]*)"`).exec(page) ?? [];
      expect(tables.split(' ')).toHaveLength(2);
      for (const table of tables.split(' ')) expect(page).toContain(`<details id="${table}"`);
    }
  });

  test('the HTML report of a comparison with a baseline shows the verdicts of thresholds and the charts of the run', () => {
    const regression = {
      worse_by: 25,
      allowed: 10,
      baseline: 40,
      runs: 1,
      baseline_runs: 5,
      standard_deviation: 2,
    };
    const thresholds = [
      { metric: 'p95', limit: 'at most 10% worse', value: 50, verdict: 'fail', regression },
    ] as const;
    const page = compared(
      { ...comparison, with: 'baseline', result_id: null, started_at: null, runs: 5, verdict: 'fail' },
      { ...now, verdict: 'fail', thresholds },
    );
    const text = textOf(page);
    expect(text).toContain('home failed Compared with the baseline (mean of 5 runs)');
    expect(text).toContain(
      'p95 40 ms 50 ms +25% ✗ fail (at most 10% worse) requests 250 200 -20% error_rate',
    );
    expect(chartsOf(page)[0]?.id).toBe('run-1-rates');
  });
});

describe('runs in the HTML report', () => {
  test.each<[string, Partial<Run>, string]>([
    [
      'a run without a record',
      { verdict: 'none', reason: 'the result is missing' },
      'No metrics: no result is available.',
    ],
    ['a run without requests', { metrics: { requests: 0 }, result: {} }, 'home passed'],
    [
      'an active run without a record',
      { state: 'running', verdict: 'none', reason: 'still running' },
      '… running',
    ],
    [
      'a stopped run without a record',
      { verdict: 'inconclusive', reason: 'the run ended early (stopped)' },
      'home is inconclusive',
    ],
    [
      'a run with an invalid record',
      { metrics: { success: 3 }, result: { timeline: 'no', urls: {}, ledger: 7 } },
      'home passed',
    ],
  ])('the HTML report of %s has no charts', (_, run, expected) => {
    const page = applied(createRunResult(run));
    expect(chartsOf(page)).toEqual([]);
    expect(textOf(page)).toContain(expected);
  });

  test('the HTML report shows each second of an hour, each of 101 URLs, and the warm-up', () => {
    const page = applied(createRunResult({ result: createResultRecord({ seconds: 3600, urls: 50 }) }));
    expect(chartsOf(page)[0]?.positions).toHaveLength(3600);
    expect(textOf(page)).toContain('59:59');
    expect(textOf(page)).toContain('GET /49');
    // More rows would hide the content below.
    expect(page).not.toContain('<summary>50 URLs</summary>');
    const long = applied(createRunResult({ result: createResultRecord({ seconds: 20, urls: 101 }) }));
    expect(long).toContain('<summary>101 URLs</summary>');
    expect(textOf(long)).toContain('GET /100');
    // The warm-up is part of the charts but not of the verdict.
    const warm = applied(
      createRunResult({ result: { ...createResultRecord({ seconds: 20 }), warmup: { seconds: 5 } } }),
    );
    expect(chartsOf(warm)[0]?.spans).toEqual([{ from: 0, to: 5, kind: 'warmup' }]);
    expect(textOf(warm)).toContain('0:04 warm-up');
    expect(textOf(warm)).not.toContain('0:05 warm-up');
  });

  test('the HTML report of several tests begins with a summary table', () => {
    const text = textOf(
      applied(
        createRunResult(),
        createRunResult({ address: 'test.cart', verdict: 'fail' }),
        createRunResult({ address: 'test.pay', verdict: 'inconclusive' }),
      ),
    );
    expect(text).toContain('1 of 3 tests failed, 1 inconclusive');
    const summary = text.indexOf('test verdict requests error rate per second p95 reason');
    expect(summary).toBeGreaterThan(0);
    expect(summary).toBeLessThan(text.indexOf('No metrics: no result is available.'));
  });

  test('the HTML report of a failed command shows its problems', () => {
    const problems = [problem('LT_CONFIG_SHAPE', 'entry 1 is wrong')];
    const text = textOf(toHtml(createReport('apply', { exitCode: 3, problems, body: null })));
    expect(text).toContain('No tests were run: 1 error');
    expect(text).toContain('entry 1 is wrong');
  });

  test('the heading of the HTML report of results states that there are no results', () => {
    const report = createReport('results', { exitCode: 0, problems: [], body: null });
    expect(textOf(toHtml(report))).toContain('There are no results');
  });
});

describe('untrusted strings in the HTML report', () => {
  test('the HTML report isolates the text direction of the project, the environment and the round', () => {
    expect(applied(createRunResult())).toContain('<bdi>project shop</bdi> · <bdi>env staging</bdi>');
    expect(applied(createRunResult({ round: 2 }))).toContain('<bdi>round 2</bdi>');
  });

  const hostile = fc.oneof(
    fc.constantFrom(
      ...[
        '<script>alert(1)</script>',
        '</script><script>',
        '<!--',
        ']]>',
        '" onload="x',
        "'",
        '<img src=x onerror=y>',
      ],
      ...['\u202egpj', '\u0000', '\ud800', '&lt;', '</style>', '{{x}}', '</title>', 'javascript:x'],
    ),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );
  const ELEMENTS =
    /^(?:html|head|meta|title|style|body|main|header|section|h[1-3]|p|a|b|bdi|span|div|table|thead|tbody|tr|t[hd]|ul|li|dl|d[td]|details|summary|button|figure|figcaption|script|article|pre)$/;

  test.each([
    ['a plan', 'plan', 0],
    ['a plan of several files', 'plan', 1],
    ['an apply', 'apply', 0],
    ['an apply of several files', 'apply', 1],
    ['a run', 'run', 0],
    ['results', 'results', 0],
  ] as const)(
    'untrusted strings do not add elements, event handlers or unsafe links to the HTML report of %s',
    (_, command, alternative) => {
      fc.assert(
        fc.property(arbitraryDocument(command, hostile, alternative), (document) => {
          const page = toHtml(document);
          const [markup = '', ...scripts] = page.replace(/<style>.*?<\/style>/s, '').split('<script');
          expect(scripts).toHaveLength(3);
          for (const [, name = ''] of markup.matchAll(/<\/?([^\s>]*)/g)) {
            if (name.toLowerCase() !== '!doctype') expect(name).toMatch(ELEMENTS);
          }
          for (const [tag] of markup.matchAll(/<[^>]*>/g)) expect(tag).not.toMatch(/ on\w*="/);
          for (const [, link] of markup.matchAll(/ href="([^"]*)"/g)) expect(link).toMatch(/^(?:#|https?:)/);
          // A plan truncates hashes of commits, here inside a surrogate pair.
          const unseen = command === 'plan' ? /[\p{Cc}\p{Cf}]/u : /[\p{Cc}\p{Cf}\p{Cs}]/u;
          expect(markup.replaceAll('\n', '')).not.toMatch(unseen);
          chartsOf(page);
        }),
        { numRuns: scaleCount(200) },
      );
    },
  );

  test('untrusted strings in run records do not add elements to the HTML report', () => {
    const text = '</script><img src=x onerror=alert(1)>\u202e';
    const record = {
      ...createResultRecord({ seconds: 2, urls: 2 }),
      error_samples: [{ url: text, error: text, count: 1 }],
    };
    const page = applied(
      createRunResult({ address: `test.${text}`, result: record, url_names: [text, text], reason: text }),
    );
    expect(page).not.toContain('<img');
    expect(page).not.toContain('\u202e');
    expect(page.match(/<\/script>/g)).toHaveLength(3);
  });
});

import fc from 'fast-check';
import { parsers } from 'prettier/plugins/markdown';
import { describe, expect, test } from 'vitest';
import { problem } from '../../../src/core/problem.ts';
import type { Report, TestResults } from '../../../src/core/report/generated/documents.ts';
import { createReport } from '../../../src/core/report/command-report.ts';
import { toMarkdown } from '../../../src/report/markdown-report.ts';
import {
  sampleAction,
  sampleApplyReport,
  sampleThreshold,
  sampleRecord,
  sampleRun,
} from '../../support/sample-report.ts';
import { scaleCount } from '../../support/test-scale.ts';

const url = (name: string) => ({
  url: `http://shop.example/${name}`,
  request_type: 'GET',
  requests: 1,
  latency: {},
});

describe('the Markdown report', () => {
  test('the Markdown report begins with the verdict and the failed thresholds, and its details are collapsed', () => {
    const output = toMarkdown(
      sampleApplyReport({
        problems: [
          problem('LT_RUN_THRESHOLD', '"home": p95 is 412.4 ms'),
          problem('LT_API_REFUSED', 'no callback', { hint: 'ask' }),
          problem('LT_CONFIG_SECRET_MISSING', 'SHOP_KEY is not set', { severity: 'warning' }),
        ],
        actions: [sampleAction('home', 5), sampleAction('cart', 12)],
        runs: [
          sampleRun('home', {
            thresholds: [
              sampleThreshold({ metric: 'p99', limit: '< 1s', value: 800, verdict: 'pass' }),
              sampleThreshold(),
            ],
          }),
          sampleRun('cart', {
            verdict: 'pass',
            thresholds: [],
            started_by_us: false,
            result: null,
            metrics: { requests: 1200 },
          }),
        ],
      }),
    );
    expect(output).toBe(`### loadtests apply: 1 test failed, 1 passed · project shop · staging

- \`home\` Failed: p95 412 ms, threshold \\< 300ms

<details><summary>1 threshold failed or inconclusive</summary>

- **✗** \`home\` \`p95 < 300ms\`: p95 is 412.4 ms, which does not meet \\< 300ms (\`loadtests.yaml:9\`)

</details>

- error \`LT_API_REFUSED\`: no callback (ask)

| run | verdict | requests | failed | per second | p50 | p95 | p99 |
| --- | --- | --- | --- | --- | --- | --- | --- |
| \`home\` | ✗ **fail** | 300 | 20 | 29.3 | 12.5 ms | 412 ms | 800 ms |
| \`cart\` run of 2026-03-02 09:00:00 UTC | ✓ pass | 1,200 |  |  |  |  |  |

<details><summary>2 actions</summary>

| action | item | starts load | outcome |
| --- | --- | --- | --- |
| create | \`test.home\` | yes | done |
| create | \`test.cart\` | yes | done |

</details>

**Load:** 1 test, 10s in total; peak 5 connections on \`shop.example\`.

<details><summary>1 warning</summary>

- warning \`LT_CONFIG_SECRET_MISSING\`: SHOP\\_KEY is not set

</details>

<details><summary><code>home</code>: 2 thresholds</summary>

- **✗** \`home\` \`p95 < 300ms\`: p95 is 412.4 ms, which does not meet \\< 300ms (\`loadtests.yaml:9\`)
- ✓ \`home\` \`p99 < 1s\`: p99 is 800 ms, which meets \\< 1s (\`loadtests.yaml:9\`)

</details>

<details><summary><code>home</code>: request details</summary>

- 3 network errors: 3 ECONNRESET
- 5 timeouts: 5 waiting for the response
- 12 failed responses: 10 × 404, 2 × 500 (POST /cart)

</details>

<details><summary><code>home</code>: 2 URLs</summary>

| URL | requests | failed | p50 | p95 | p99 |
| --- | --- | --- | --- | --- | --- |
| \`GET /\` | 200 | 0 | 12.5 ms | 90 ms | 412 ms |
| \`POST /cart\` | 100 | 20 | 12.5 ms | 90 ms | 412 ms |

</details>
`);
  });

  test.each([
    ['a worker was lost', { abort_reason: 'partial' }, { error: 2, timeout_error: 1, network_error: 0 }],
    ['the service does not report all kinds', {}, { error: 3 }],
  ])(
    'if %s, the Markdown report shows the number of failed requests as a lower bound',
    (_, changes, counts) => {
      const run = sampleRun('home', { result: sampleRecord(changes), metrics: { requests: 40, ...counts } });
      const row = /^\| `home` \|.*$/m.exec(toMarkdown(sampleApplyReport({ runs: [run] })))?.[0];
      expect(row).toMatch(/^\| `home` \| [^|]*\| (?:≥ )?40 \| ≥ 3 \|/);
    },
  );

  test('the Markdown report lists the warm-up separately from the metrics', () => {
    const warmup = { seconds: 10, complete: true, requests: 60, ledger: { success: 60 } };
    const output = toMarkdown(
      sampleApplyReport({ runs: [sampleRun('home', { result: sampleRecord({ warmup }) })] }),
    );
    expect(output).toContain('10s warm-up: 60 requests, 0 failed (not included in these metrics)');
  });

  test('the Markdown report lists the requests of setup and teardown separately from the metrics', () => {
    const phase = { requests: 2, failed: 1, seconds: 1, failure: null };
    const result = sampleRecord({ setup: phase, teardown: phase });
    const output = toMarkdown(sampleApplyReport({ runs: [sampleRun('home', { result })] }));
    for (const name of ['setup', 'teardown'])
      expect(output).toContain(`${name}: 2 requests, 1 failed, 1s (not included in these metrics)`);
  });

  test('the Markdown report of a plan names the fields that differ on the service if a test is replaced without a change in the file', () => {
    const changes = [
      { field: '/total', from: 5, to: 8, readable: true },
      { field: '/urls/0/url', from: 'a', to: 'b', readable: true },
    ];
    const action = sampleAction('home', 6, { verb: 'replace', changes });
    const report = { ...sampleApplyReport({ actions: [action] }), command: 'plan', changes: [], danger: [] };
    const output = toMarkdown(report);
    expect(output).toContain('\nDifferent on the service: `total`, `urls.0.url`\n');
    const change = { address: 'test.home', url: null, field: 'total', kind: 'changed', before: 5, after: 8 };
    const compared = { ...report, changes: [{ ...change, file: null, line: null }] };
    expect(toMarkdown(compared as unknown as Report)).not.toContain('Different on the service');
  });

  test('the Markdown report of an unchanged project states "No changes."', () => {
    expect(toMarkdown(sampleApplyReport({ actions: [], runs: [] }))).toContain('No changes.');
  });

  test('the Markdown report of past runs lists all runs, and its heading counts only the verdict of the last run', () => {
    const run = (id: string, verdict: 'pass' | 'fail') => {
      const {
        address,
        test_id: testId,
        started_by_us: startedByUs,
        status,
        ...past
      } = sampleRun('home', { verdict });
      return { ...past, result_id: id, thresholds: [sampleThreshold({ verdict })] };
    };
    const tests = [{ address: 'test.home', test_id: 'a', results: [run('2', 'pass'), run('1', 'fail')] }];
    const ofResults = (all: readonly TestResults[]) =>
      toMarkdown(
        createReport('results', { exitCode: 0, problems: [], body: { command: 'results', tests: all } }),
      );
    const output = ofResults(tests);
    expect(output).toContain('### loadtests results: 1 test passed\n\n| run |');
    const later = { address: 'test.later', test_id: 'b', results: [] };
    expect(ofResults([...tests, later])).toContain('results: 1 test passed, 1 without results\n');
    expect([...output.matchAll(/^\| `home` run of/gm)]).toHaveLength(2);
  });

  test('the Markdown report is truncated after a row to fit into a comment, and states the number of omitted rows', () => {
    const range = (count: number) => Array.from({ length: count }, (_, at) => at);
    const report = (count: number) =>
      sampleApplyReport({
        problems: range(count).map((at) => problem('LT_API_REFUSED', `no ${at} ${'x'.repeat(500)}`)),
        actions: range(count).map((at) => sampleAction(`t${at}`, 1)),
        runs: [sampleRun('home', { result: sampleRecord({ urls: range(count).map((at) => url(`${at}`)) }) })],
      });
    const output = toMarkdown(report(1000));
    expect(output.length).toBeLessThanOrEqual(65_000);
    expect(output.length).toBeGreaterThan(60_000);
    const [, errors, actions, urls] =
      /… omitted to limit the length: errors \((\d+)\),.* actions \((\d+)\),.* URLs \((\d+)\)\.\n$/.exec(
        output,
      ) ?? [];
    const rows = (pattern: RegExp) => [...output.matchAll(pattern)].length;
    expect(rows(/^- error /gm) + Number(errors)).toBe(1000);
    expect(rows(/^\| create /gm) + Number(actions)).toBe(1000);
    expect(rows(/^\| `GET /gm) + Number(urls)).toBe(1000);
    expect(rows(/<details>/g)).toBe(rows(/<\/details>/g));
    expect(toMarkdown(report(60))).not.toContain('omitted to limit');
  });

  test.each(['<img src=x>', '[a](b)', '@all', '`x`', 'a | b', '#12', 'www.x.example', '&#64;all'])(
    'the Markdown report escapes the text %s',
    (message) => {
      const output = toMarkdown(sampleApplyReport({ problems: [problem('LT_API_REFUSED', message)] }));
      expect(output).not.toContain(message);
      // GitHub searches the rendered text for mentions and issue numbers.
      expect(output).not.toMatch(/[@#]\w/);
    },
  );

  test('untrusted strings do not add elements, links or markup to the Markdown report', () => {
    const fragment = fc.constantFrom(
      ...'<>[]()!*_`#|~@:&\\\n- 1.+='.split(''),
      'http://x.example',
      'www.x.example',
      '</code>',
      '</details>',
      '<b>',
      '&lt;',
      'a@x.example',
      '\t',
      '    ',
      '\u2028',
    );
    const hostile = fc.array(fragment, { maxLength: 12 }).map((fragments) => fragments.join(''));
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 5, maxLength: 5 }), (texts) => {
        expect(shapeOf(toMarkdown(hostileReport(texts)))).toEqual(
          shapeOf(toMarkdown(hostileReport(['a', 'b', 'c', 'd', 'e']))),
        );
      }),
      { numRuns: scaleCount(200) },
    );
  });
});

function hostileReport([
  key = '',
  limit = '',
  message = '',
  hint = '',
  name = '',
]: readonly string[]): Report {
  return sampleApplyReport({
    project: `p${name}`,
    problems: [problem('LT_API_REFUSED', `m${message}`, { hint: `h${hint}` })],
    actions: [
      sampleAction(`k${key}`, 1, { note: `n${message}` }),
      sampleAction(`b${key}`, 2, { verb: 'blocked', note: `n${hint}` }),
    ],
    runs: [
      sampleRun(`k${key}`, {
        reason: `r${message}`,
        thresholds: [sampleThreshold({ limit: `l${limit}`, url: `u${name}` })],
        result: sampleRecord({
          urls: [url('a'), { ...url('b'), request_type: `M${name}` }],
          ledger: { network: { [`E${hint}`]: 3 } },
        }),
      }),
    ],
  });
}

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly children?: readonly Node[];
}

/** Returns the structure of the rendered nodes; adjacent text nodes are merged. */
function shapeOf(page: string): readonly unknown[] {
  // The parser does not use its options argument.
  const root = parsers.markdown.parse(page, {} as never) as Node;
  const shape = (node: Node): unknown => {
    const children = (node.children ?? []).map(shape);
    if (node.type === 'html') return node.value?.replaceAll(/(?<=<code>)[^<]*/g, '');
    if (['text', 'word', 'whitespace', 'sentence'].includes(node.type)) return 'text';
    return [node.type, ...children.filter((child, at) => child !== 'text' || children[at - 1] !== 'text')];
  };
  return [shape(root)];
}

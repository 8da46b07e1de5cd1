import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { problem } from '../../../src/core/problem.ts';
import { withLocations } from '../../../src/core/report/command-report.ts';
import { toGithubAnnotations } from '../../../src/report/github-annotations.ts';
import { sampleAction, sampleApplyReport, sampleThreshold, sampleRun } from '../../support/sample-report.ts';
import { parseCommands } from '../../support/workflow-commands.ts';

function location(line: number, column = 12) {
  return { file: 'loadtests.yaml', line, column, length: 4, lineText: '' };
}

describe('GitHub annotations', () => {
  test('GitHub annotations contain each failure and warning once with its location, and failed thresholds first', () => {
    const report = sampleApplyReport({
      problems: [
        problem('LT_CONFIG_SECRET_MISSING', 'SHOP_KEY is not set', {
          severity: 'warning',
          source: location(3),
        }),
        problem('LT_API_REFUSED', '100% of it: refused,\nsorry', {
          hint: 'ask: them',
          source: location(40, 3),
        }),
        problem('LT_RUN_THRESHOLD', '"home": p95 is 412.4 ms', { source: location(9) }),
        problem('LT_RUN_THRESHOLD', '"old" failed: the error threshold was reached', {
          source: location(50),
        }),
      ],
      runs: [
        sampleRun('home', {
          thresholds: [sampleThreshold(), sampleThreshold({ metric: 'p99', verdict: 'pass' })],
        }),
      ],
    });
    expect(parseCommands(toGithubAnnotations(report))).toEqual([
      {
        name: 'error',
        properties: { file: 'loadtests.yaml', line: '9', col: '12', title: 'home: p95 < 300ms' },
        message: 'p95 is 412.4 ms, which does not meet < 300ms',
      },
      {
        name: 'error',
        properties: { file: 'loadtests.yaml', line: '40', col: '3', title: 'LT_API_REFUSED' },
        message: '100% of it: refused,\nsorry\nask: them',
      },
      {
        name: 'error',
        properties: { file: 'loadtests.yaml', line: '50', col: '12', title: 'LT_RUN_THRESHOLD' },
        message: '"old" failed: the error threshold was reached',
      },
      {
        name: 'warning',
        properties: { file: 'loadtests.yaml', line: '3', col: '12', title: 'LT_CONFIG_SECRET_MISSING' },
        message: 'SHOP_KEY is not set',
      },
    ]);
  });

  test('GitHub annotations contain a failed run without a failed threshold once, with or without a problem', () => {
    const reason = 'the error threshold was reached';
    const runs = [sampleRun('home', { reason, verdict: 'fail', thresholds: [] })];
    const found = problem('LT_RUN_THRESHOLD', `"home" failed: ${reason}`, { source: location(5, 3) });
    for (const problems of [[], [found]]) {
      const report = sampleApplyReport({ problems, runs });
      expect(parseCommands(toGithubAnnotations(report))).toEqual([
        {
          name: 'error',
          properties: { file: 'loadtests.yaml', line: '5', col: '3', title: 'home' },
          message: `Failed: ${reason}`,
        },
      ]);
    }
  });

  test('GitHub annotations contain at most ten errors, followed by a notice with the number of omitted errors', () => {
    const thresholds = Array.from({ length: 8 }, (_, at) =>
      sampleThreshold({ source: { file: 'loadtests.yaml', line: at + 1, column: 12 } }),
    );
    const problems = Array.from({ length: 15 }, () => problem('LT_API_REFUSED', 'no'));
    const commands = parseCommands(
      toGithubAnnotations(sampleApplyReport({ problems, runs: [sampleRun('home', { thresholds })] })),
    );
    expect(commands.map(({ name }) => name)).toEqual([...Array<string>(10).fill('error'), 'notice']);
    expect(commands.filter(({ properties }) => properties['title'] === 'home: p95 < 300ms')).toHaveLength(8);
    expect(commands.at(-1)?.message).toBe('13 more errors are not shown');
  });

  test.each([
    [9, 9, 'no notice', []],
    [10, 10, 'no notice', []],
    [11, 10, 'a notice', ['1 more error is not shown']],
    [12, 10, 'a notice', ['2 more errors are not shown']],
  ])('a report with %i errors has %i GitHub annotations of errors and %s', (count, annotated, _, notices) => {
    const problems = Array.from({ length: count }, () => problem('LT_API_REFUSED', 'no'));
    const commands = parseCommands(toGithubAnnotations(sampleApplyReport({ problems, runs: [] })));
    expect(commands.slice(0, annotated)).toEqual(
      Array.from({ length: annotated }, () => ({
        name: 'error',
        properties: { title: 'LT_API_REFUSED' },
        message: 'no',
      })),
    );
    expect(commands.slice(annotated).map(({ name, message }) => [name, message])).toEqual(
      notices.map((notice) => ['notice', notice]),
    );
  });

  test('GitHub annotations count omitted warnings separately from omitted errors', () => {
    const problems = Array.from({ length: 22 }, (_, index) =>
      problem('LT_API_REFUSED', 'no', { severity: index % 2 === 0 ? 'warning' : 'error' }),
    );
    const commands = parseCommands(toGithubAnnotations(sampleApplyReport({ problems, runs: [] })));
    expect(commands.filter(({ name }) => name === 'notice')).toEqual([
      { name: 'notice', properties: {}, message: '1 more error is not shown' },
      { name: 'notice', properties: {}, message: '1 more warning is not shown' },
    ]);
  });

  test('a report without problems has no GitHub annotations', () => {
    expect(toGithubAnnotations(sampleApplyReport({ exitCode: 0, problems: [], runs: [] }))).toBe('');
  });

  test('GitHub annotations refer to files by their paths in the repository', () => {
    const report = withLocations(sampleApplyReport({}), (file) => `services/shop/${file}`);
    expect(parseCommands(toGithubAnnotations(report))[0]?.properties['file']).toBe(
      'services/shop/loadtests.yaml',
    );
  });

  test('arbitrary strings do not add workflow commands to GitHub annotations', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '::error::x',
        '\n::add-mask::a',
        '\r::stop-commands::b',
        '##[group]',
        'a%0A::set-env',
        ',line=1',
        ' ::x',
        '\u0085::x',
        '\u2028::x',
      ),
    );
    fc.assert(
      fc.property(text, text, text, (key, limit, message) => {
        const report = sampleApplyReport({
          problems: [
            problem('LT_API_REFUSED', message, { hint: limit, source: { ...location(1), file: key } }),
          ],
          actions: [sampleAction(key, 1)],
          runs: [sampleRun(key, { thresholds: [sampleThreshold({ limit, url: message })] })],
        });
        const output = toGithubAnnotations(report);
        expect(parseCommands(output).map(({ name }) => name)).toEqual(['error', 'error']);
        expect(output.split(/[\n\r\u0085\u2028\u2029]/)).toHaveLength(3);
      }),
      { numRuns: 25 },
    );
  });
});

/** Limits that say nothing, since the figure they are on cannot be where it would matter. */
import { describe, expect, it } from 'vitest';
import { fileWithTest, linesOf, problemsOf } from './load-text.ts';

const linesFor = (metric: string, limit: string) =>
  linesOf(problemsOf(fileWithTest(`thresholds: { ${metric}: '${limit}' }`)));

describe('a limit that never fails', () => {
  it.each([
    ['error_rate', '< 101%', 'at most 100%', '< 1%'],
    ['error_rate', '<= 100%', 'at most 100%', '< 1%'],
    ['error_rate', '< 100.5%', 'at most 100%', '< 1%'],
    ['error_rate', '>= 0%', 'at least 0%', '< 1%'],
    ['success_rate', '<= 100%', 'at most 100%', '> 99%'],
    ['success_rate', '>= 0%', 'at least 0%', '> 99%'],
    ['p95', '>= 0ms', 'at least 0ms', '< 300ms'],
    ['p97', '>= 0s', 'at least 0ms', '< 300ms'],
    ['avg_response_time', '>= 0ms', 'at least 0ms', '< 300ms'],
    ['requests', '>= 0', 'at least 0', '>= 1000'],
    ['network_error', '>= 0', 'at least 0', '<= 0'],
  ])('is warned of: %s %s', (metric, limit, reason, example) => {
    const at = `7:${metric.length + 21}+${limit.length + 2}`;
    expect(linesFor(metric, limit)).toEqual([
      `loadtests.yaml:${at} warning LT_CONFIG_VALUE: "${limit}" never fails: "${metric}" is ${reason}; write a limit that can fail, such as "${example}", or remove it`,
    ]);
  });
});

describe('a limit that never holds', () => {
  it.each([
    ['error_rate', '< 0%', 'at least 0%', '<= 0%'],
    ['error_rate', '> 100%', 'at most 100%', '>= 100%'],
    ['error_rate', '>= 100.1%', 'at most 100%', '>= 100%'],
    ['success_rate', '> 100%', 'at most 100%', '>= 100%'],
    ['success_rate', '> 150%', 'at most 100%', '>= 100%'],
    ['success_rate', '< 0.0%', 'at least 0%', '<= 0%'],
    ['p99.9', '< 0ms', 'at least 0ms', '< 300ms'],
    ['p97', '< 0s', 'at least 0ms', '< 300ms'],
    ['max', '< 0ms', 'at least 0ms', '< 300ms'],
    ['error', '< 0', 'at least 0', '<= 0'],
    ['requests_per_second', '< 0', 'at least 0', '<= 0'],
  ])('is warned of: %s %s', (metric, limit, reason, meant) => {
    const at = `7:${metric.length + 21}+${limit.length + 2}`;
    expect(linesFor(metric, limit)).toEqual([
      `loadtests.yaml:${at} warning LT_CONFIG_VALUE: "${limit}" never holds: "${metric}" is ${reason}; write "${meant}"`,
    ]);
  });
});

describe('a limit that can hold and fail', () => {
  it.each([
    ['error_rate', '< 100%'],
    ['error_rate', '<= 99.9%'],
    ['error_rate', '<= 0%'],
    ['error_rate', '> 0%'],
    ['error_rate', '>= 100%'],
    ['success_rate', '>= 100%'],
    ['success_rate', '> 99.99%'],
    ['p95', '> 0ms'],
    ['p95', '<= 0ms'],
    ['max', '< 1ms'],
    ['error', '<= 0'],
    ['error', '< 1'],
    ['requests', '> 0'],
    ['requests', '>= 1'],
    ['data_received', '< 101'],
  ])('is left alone: %s %s', (metric, limit) => {
    expect(linesFor(metric, limit)).toEqual([]);
  });
});

it('is warned of in the limits of a URL, too', () => {
  const text = fileWithTest(
    "urls: [{ url: 'http://shop.example.com/', thresholds: { error_rate: < 101% } }]",
  );
  expect(linesOf(problemsOf(text))).toEqual([
    expect.stringContaining('7:73+6 warning LT_CONFIG_VALUE: "< 101%" never fails'),
  ]);
});

it('has an example that suits its figure where a limit is no limit', () => {
  expect(linesFor('success_rate', '99').join()).toContain('write "> 99%"');
  expect(linesFor('error_rate', '1').join()).toContain('write "< 1%"');
  expect(linesFor('error', '1%').join()).toContain('such as "<= 0"');
});

/** Warnings about thresholds with a constant verdict, because the metric cannot reach the other side. */
import { describe, expect, it } from 'vitest';
import { fileWithTest, linesOf, problemsOf } from './load-text.ts';

const linesFor = (metric: string, limit: string) =>
  linesOf(problemsOf(fileWithTest(`thresholds: { ${metric}: '${limit}' }`)));

describe('thresholds that always pass', () => {
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
  ])('the threshold "%s %s" causes a warning, because it always passes', (metric, limit, reason, example) => {
    const at = `7:${metric.length + 21}+${limit.length + 2}`;
    expect(linesFor(metric, limit)).toEqual([
      `loadtests.yaml:${at} warning LT_CONFIG_VALUE: "${limit}" always passes, because "${metric}" is always ${reason}; write a threshold that can fail, such as "${example}", or remove it`,
    ]);
  });
});

describe('thresholds that always fail', () => {
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
  ])(
    'the threshold "%s %s" causes a warning, because it always fails',
    (metric, limit, reason, suggestion) => {
      const at = `7:${metric.length + 21}+${limit.length + 2}`;
      expect(linesFor(metric, limit)).toEqual([
        `loadtests.yaml:${at} warning LT_CONFIG_VALUE: "${limit}" always fails, because "${metric}" is always ${reason}; write "${suggestion}"`,
      ]);
    },
  );
});

describe('thresholds that can pass and fail', () => {
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
  ])('the threshold "%s %s" causes no warning, because it can pass and fail', (metric, limit) => {
    expect(linesFor(metric, limit)).toEqual([]);
  });
});

it('a threshold on one URL causes a warning if it always passes', () => {
  const text = fileWithTest(
    "urls: [{ url: 'http://shop.example.com/', thresholds: { error_rate: < 101% } }]",
  );
  expect(linesOf(problemsOf(text))).toEqual([
    expect.stringContaining('7:73+6 warning LT_CONFIG_VALUE: "< 101%" always passes'),
  ]);
});

it('the message about an invalid threshold contains an example for the metric', () => {
  expect(linesFor('success_rate', '99').join()).toContain('write "> 99%"');
  expect(linesFor('error_rate', '1').join()).toContain('write "< 1%"');
  expect(linesFor('error', '1%').join()).toContain('such as "<= 0"');
});

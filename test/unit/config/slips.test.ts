/** Slips that people make: each is one problem, at the right place, with what to write instead. */
import { describe, expect, test } from 'vitest';
import { HEAD, fileWithTest, linesOf, problemsOf } from './load-text.ts';

/** The one problem of a file, without its code: `line:column+length severity: message`. */
function only(text: string): string {
  const lines = linesOf(problemsOf(text)).map((line) =>
    line.replace(/^loadtests\.yaml:(\S+ \w+) LT_\w+/, '$1'),
  );
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
}

const inUrl = (field: string) => fileWithTest(`urls: [{ url: 'http://shop.example.com/', ${field} }]`);

describe('a value', () => {
  test.each([
    ['duration: 1 min', '7:15+5 error: "1 min" is not a valid duration; write "1m"'],
    ['duration: 1min', '7:15+4 error: "1min" is not a valid duration; write "1m"'],
    ['duration: 1h 30M', '7:15+6 error: "1h 30M" is not a valid duration; write "1h30m"'],
    ['timeout: 30 Seconds', '7:14+10 error: "30 Seconds" is not a valid duration; write "30s"'],
    ['timeout: 500 msec', '7:14+8 error: "500 msec" is not a valid duration; write "500ms"'],
    [
      'error_threshold: 50%',
      '7:22+3 error: "50%" is not a number; "error_threshold" is a percentage anyway, so write 50',
    ],
    ['total: 50%', '7:12+3 error: "50%" is not a number; "total" must be a number'],
    ['total: 1,000', '7:12+5 error: "1,000" is not a number; write 1000'],
    ['total: 10_000', '7:12+6 error: "10_000" is not a number; write 10000'],
    [
      'thresholds: { p9: < 300ms }',
      '7:19+2 warning: "p9" is the time that only 9% of the requests stay within; write "p90" if that is meant',
    ],
    ['thresholds: { p(95): < 300ms }', '7:19+5 error: unknown key "p(95)"; did you mean "p95"?'],
    [
      'test_type: per_second',
      '7:16+10 error: "per_second" is not a valid value (did you mean "per-second"?); "test_type" must be one of cycling, non-cycling, per-second',
    ],
  ])('%s: %s', (lines, told) => {
    expect(only(fileWithTest(lines))).toBe(told);
  });
});

describe('a word of another tool', () => {
  test.each([
    ['method: POST', 'method', 'it is called "request_type" here'],
    ['body: text', 'body', 'it is called "raw_post_body" here'],
    ['auth: { user: a, pass: b }', 'auth', 'it is called "credentials" here'],
    ['query: { a: b }', 'query', 'it is called "request_params" here'],
    ['ulr: a', 'ulr', 'did you mean "url"?'],
    ['credentials: { login: a, password: b, pass: b }', 'pass', 'it is called "password" here'],
  ])('in a URL, %s', (field, key, told) => {
    expect(only(inUrl(field))).toContain(`unknown key "${key}"; ${told}`);
  });

  test.each([
    ['rate: 5', 'rate', 'it is called "total" here, with "test_type: per-second"'],
    ['arrivalRate: 5', 'arrivalRate', 'it is called "total" here, with "test_type: per-second"'],
    ['vus: 5', 'vus', 'it is called "total" here'],
    ['executor: ramping-vus', 'executor', 'it is called "test_type" here'],
    ['phases: []', 'phases', 'it is called "stages" here'],
    ['requests: []', 'requests', 'it is called "urls" here'],
    ['depends_on: []', 'depends_on', 'it is called "needs" here'],
  ])('in a test, %s', (field, key, told) => {
    expect(only(fileWithTest(field))).toBe(`7:5+${key.length} error: unknown key "${key}"; ${told}`);
  });

  test.each([
    ['scenarios: {}', 'it is called "tests" here'],
    ['config: {}', 'it is called "defaults" here'],
    ['variables: {}', 'it is called "vars" here'],
  ])('in the file, %s', (field, told) => {
    expect(only(`${HEAD}\n${field}`)).toContain(told);
  });
});

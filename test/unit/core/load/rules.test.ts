import { describe, expect, test } from 'vitest';
import { reachesErrorThreshold } from '../../../../src/core/load/stop-rule.ts';
import { compileTemplate } from '../../../../src/core/model/template.ts';

describe('the error threshold', () => {
  test.each([
    ['continues after 19 failures in 19 requests with an error threshold of 50%', 19, 19, 50, false],
    ['ends after 10 failures in 20 requests with an error threshold of 50%', 20, 10, 50, true],
    ['continues after 49 failures in 100 requests with an error threshold of 50%', 100, 49, 50, false],
    ['ends after 50 failures in 100 requests with an error threshold of 50%', 100, 50, 50, true],
    [
      'continues after 1,000 failures in 1,000 requests with an error threshold of 100%',
      1000,
      1000,
      100,
      false,
    ],
    ['ends after one failure in 1,000 requests with an error threshold of 0%', 1000, 1, 0, true],
    ['continues without failures in 1,000 requests with an error threshold of 0%', 1000, 0, 0, false],
  ])('a run %s', (_name, finished, failed, threshold, ends) => {
    expect(reachesErrorThreshold({ finished, failed }, threshold)).toBe(ends);
  });
});

describe('templates', () => {
  test.each([
    ['a string without variables', 'plain', ['plain'], []],
    ['an empty string', '', [''], []],
    ['a variable', 'a{{id}}b', ['a', 'b'], ['id']],
    ['spaces around a name', '{{ id }}', ['', ''], ['id']],
    ['two adjacent variables', '{{a}}{{b}}', ['', '', ''], ['a', 'b']],
    ['braces without a valid name', '{{a b}} {a} {{}}', ['{{a b}} {a} {{}}'], []],
    ['escaped braces outside a path', '/%7B%7Bid%7D%7D', ['/%7B%7Bid%7D%7D'], []],
  ])('compileTemplate returns the constants and names of %s', (_name, text, constants, names) => {
    expect(compileTemplate(text)).toEqual({ constants, names });
  });

  test.each([
    ['/%7B%7Bid%7D%7D/x', ['/', '/x'], ['id']],
    ['/%7b%7b%20id%20%7d%7d?a={{b}}', ['/', '?a=', ''], ['id', 'b']],
  ])('compileTemplate finds the variables of the path %s', (text, constants, names) => {
    expect(compileTemplate(text, { escaped: true })).toEqual({ constants, names });
  });
});

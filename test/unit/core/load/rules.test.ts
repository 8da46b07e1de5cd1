import { describe, expect, test } from 'vitest';
import { reachesErrorThreshold } from '../../../../src/core/load/stop-rule.ts';
import { compileTemplate } from '../../../../src/core/load/template.ts';

describe('endsByErrors', () => {
  test.each([
    ['too few to judge', 19, 19, 50, false],
    ['exactly enough', 20, 10, 50, true],
    ['just below', 100, 49, 50, false],
    ['reached', 100, 50, 50, true],
    ['100 never ends', 1000, 1000, 100, false],
    ['0 ends at the first failure', 1000, 1, 0, true],
    ['0 without failures goes on', 1000, 0, 0, false],
  ])('%s', (_name, finished, failed, threshold, ends) => {
    expect(reachesErrorThreshold({ finished, failed }, threshold)).toBe(ends);
  });
});

describe('compileTemplate', () => {
  test.each([
    ['nothing', 'plain', ['plain'], []],
    ['empty', '', [''], []],
    ['one', 'a{{id}}b', ['a', 'b'], ['id']],
    ['spaces', '{{ id }}', ['', ''], ['id']],
    ['two', '{{a}}{{b}}', ['', '', ''], ['a', 'b']],
    ['not a name', '{{a b}} {a} {{}}', ['{{a b}} {a} {{}}'], []],
    ['as URL parsers leave it', '/%7B%7Bid%7D%7D', ['/%7B%7Bid%7D%7D'], []],
  ])('%s', (_name, text, constants, names) => {
    expect(compileTemplate(text)).toEqual({ constants, names });
  });

  test.each([
    ['/%7B%7Bid%7D%7D/x', ['/', '/x'], ['id']],
    ['/%7b%7b%20id%20%7d%7d?a={{b}}', ['/', '?a=', ''], ['id', 'b']],
  ])('in a path, %s has its variables', (text, constants, names) => {
    expect(compileTemplate(text, { escaped: true })).toEqual({ constants, names });
  });
});

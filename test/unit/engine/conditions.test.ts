/** Conditions on responses, with and without variables, compared with the target's own count. */
import { describe, expect, test } from 'vitest';
import type { JobTarget } from '../../../src/core/load/load-job.ts';
import type { ExpectedValue } from '../../../src/core/model/condition.ts';
import type { Expectation, ExpectedBody } from '../../../src/core/model/expectation.ts';
import { compileExpected } from '../../../src/engine/condition-check.ts';
import { jobOf, targetOf } from '../../support/test-engine.ts';
import { openRawTarget, responseText, type RawReply } from '../../support/raw-target.ts';
import { runInVirtualTime } from '../../support/virtual-run.ts';

const NAMES = ['id', 'name', 'pattern', 'long', 'missing', 'ü'];
/** Values of the variables, as bytes in latin1 characters. */
const VALUES = ['17', 'anna', 'a.c', 'x'.repeat(201), undefined, 'Ã¼'];

const SLOTS = { variable: () => 0, type: () => -1, expression: () => 0 };

function check(expected: ExpectedValue, value: unknown): boolean {
  const compiled = compileExpected(expected, {
    variable: (name) => NAMES.indexOf(name),
    type: () => -1,
    expression: () => {
      throw new Error('an expected value has no expressions');
    },
  });
  return compiled(value, VALUES);
}

describe('an expected value', () => {
  const VALUES_OF: readonly (readonly [
    expected: ExpectedValue,
    meets: readonly unknown[],
    fails: readonly unknown[],
  ])[] = [
    ['paid', ['paid'], ['Paid', undefined, null, ['paid']]],
    [42, [42], ['42', 42.1, undefined]],
    [null, [null], [undefined, 'null', 0]],
    ['{{id}}', ['17', 17], [18, '017', undefined, null]],
    ['{{missing}}', [], ['', undefined, null, 'undefined']],
    ['user-{{id}}', ['user-17'], ['user-', 'user-{{id}}', undefined]],
    ['{{ü}}', ['ü'], ['Ã¼']],
    [{ exists: true }, [null, false, 0, '', [], {}], [undefined]],
    [{ exists: false }, [undefined], [null, false, 0, '']],
    [{ length: '>= 2' }, ['ab', '🛒🛒', [1, 2], { a: 1, b: 2 }], ['a', '🛒', [1], {}, 22, null, undefined]],
    [{ length: '== {{id}}' }, ['x'.repeat(17)], ['x'.repeat(16)]],
    [{ length: '== {{missing}}' }, [], ['', [], undefined]],
    [{ number: '> 0' }, [1, 0.1], [0, -1, '1', true, null, undefined]],
    [{ number: '!= {{id}}' }, [16, 17.5], [17, '16', undefined]],
    [{ number: '< {{name}}' }, [], [1, Number.NEGATIVE_INFINITY]],
    [
      { oneOf: ['paid', 1, null, '{{name}}'] },
      ['paid', 1, null, 'anna'],
      ['1', undefined, 'bob', '{{name}}'],
    ],
    [
      { matches: '@example\\.com$' },
      ['a@example.com'],
      ['a@example.com.org', 'a@example-com', undefined, null],
    ],
    [{ matches: '^1\\d$' }, [17, '17'], [27, 177]],
    [{ matches: '^{{pattern}}$' }, ['a.c'], ['abc', undefined]],
    [{ matches: '{{long}}' }, [], ['x'.repeat(500)]],
    [{ matches: '[{{missing}}]' }, [], ['a', '']],
    [{ not: 'failed' }, ['paid', null, 0], ['failed', undefined]],
    [{ not: { oneOf: ['a', 'b'] } }, ['c', 1], ['a', 'b', undefined]],
    [{ not: { number: '> 0', matches: '^1' } }, [0, 2, 'one'], [1, 17, undefined]],
    [{ number: '>= 1', not: 5, oneOf: [1, 5, 9] }, [1, 9], [5, 2, 0]],
  ];
  /** Describes the first value for a title; most rows have further values. */
  const firstOf = (values: readonly unknown[]): string =>
    values[0] === undefined ? 'a missing value' : JSON.stringify(values[0]).slice(0, 30);
  const outcomeOf = (meets: readonly unknown[], fails: readonly unknown[]): string =>
    meets.length === 0
      ? `does not match ${firstOf(fails)}`
      : `matches ${firstOf(meets)} but not ${firstOf(fails)}`;

  test.each(VALUES_OF.map((row) => [row[0], outcomeOf(row[1], row[2]), ...row] as const))(
    'the expected value %j %s',
    (_, _outcome, expected, meets, fails) => {
      expect(meets.map((value) => check(expected, value))).toEqual(meets.map(() => true));
      expect(fails.map((value) => check(expected, value))).toEqual(fails.map(() => false));
    },
  );

  test('a pattern that the value of a variable makes invalid matches no text', () => {
    const compiled = compileExpected({ matches: '[{{a}}]' }, SLOTS);
    expect(compiled('a', ['a'])).toBe(true);
    expect(compiled('a', [''])).toBe(false);
  });

  test('a pattern with a variable matches the current value, even with more values than fit in the cache', () => {
    const compiled = compileExpected({ matches: '^n{{a}}$' }, SLOTS);
    for (let round = 0; round < 2; round++) {
      for (let index = 0; index < 150; index++) {
        expect(compiled(`n${index}`, [String(index)])).toBe(true);
        expect(compiled(`n${index}`, [String(index + 1)])).toBe(false);
      }
    }
  });
});

const NOTHING: Expectation = { status: null, headers: null, body: null, json: null };
const body = (changes: Partial<ExpectedBody>): Expectation => ({
  ...NOTHING,
  body: { contains: [], notContains: [], matches: [], ...changes },
});

async function simulate(reply: RawReply, targets: readonly Partial<JobTarget>[], threads = 1) {
  const shop = await openRawTarget(reply);
  const jobTargets = targets.map((changes) => targetOf(shop.port, changes));
  const job = jobOf(jobTargets, { testType: 'non-cycling', total: 12, duration: 200, threads });
  const report = await runInVirtualTime(job, shop);
  const { success, unexpected } = report.total.ledger;
  const counted = success + Object.values(unexpected).reduce((sum, count) => sum + count, 0);
  expect(counted).toBe(shop.requests.length);
  return report;
}

describe('conditions for a body', () => {
  test.each<readonly [name: string, expected: Expectation, text: string, sample: string | null]>([
    ['with both expected texts is accepted', body({ contains: ['a', 'b'] }), 'b a', null],
    [
      'without one of two expected texts is reported as an error',
      body({ contains: ['a', 'c'] }),
      'b a',
      'response lacks the expected text "c"',
    ],
    ['without the unexpected text is accepted', body({ notContains: ['error'] }), 'fine', null],
    [
      'with an unexpected text is reported as an error',
      body({ notContains: ['error'] }),
      'an error',
      'response contains the unexpected text "error"',
    ],
    ['that matches the expected pattern is accepted', body({ matches: ['id=\\d+'] }), 'ü id=7', null],
    [
      'that does not match one of two expected patterns is reported as an error',
      body({ matches: ['id=\\d+', '^a'] }),
      'b id=7',
      'response does not match the expected pattern "^a"',
    ],
    [
      'without a JSON member that must be missing is accepted',
      { ...NOTHING, json: [{ pointer: '/a', value: { exists: false } }] },
      '{"b":1}',
      null,
    ],
    [
      'that is not JSON is reported as an error if a JSON member must be missing',
      { ...NOTHING, json: [{ pointer: '/a', value: { exists: false } }] },
      '<p>not JSON</p>',
      'response does not meet the JSON expectation /a: no value',
    ],
    [
      'without a JSON member that must differ from 1 is reported as an error',
      { ...NOTHING, json: [{ pointer: '/a', value: { not: 1 } }] },
      '{}',
      'response does not meet the JSON expectation /a: not 1',
    ],
  ])('a body %s', async (_, expected, text, sample) => {
    const report = await simulate(
      (_request, write) => write(responseText(200, text)),
      [{ expect: expected }],
    );
    expect(report.errorSamples.map(({ error, count }) => [error, count])).toEqual(
      sample === null ? [] : [[sample, 12]],
    );
  });
});

describe('variables in expectations', () => {
  /** Responds to `/` with the number of the request, and to `/ID` with a document about it. */
  const createShop = (): RawReply => {
    let orders = 0;
    return ({ path }, write) => {
      const id = path === '/' ? String(orders++) : path.slice(1);
      // Orders whose number is divisible by 3 are described wrongly.
      const shown = path !== '/' && Number(id) % 3 === 0 ? 'x' : id;
      write(
        responseText(200, `{"id":"${shown}","text":"order ${shown}"}`, [`X-Id: ${id}`, `X-Shown: n${shown}`]),
      );
    };
  };

  test.each<readonly [place: string, kind: string, expected: Expectation]>([
    ['an exact JSON value', 'json', { ...NOTHING, json: [{ pointer: '/id', value: '{{id}}' }] }],
    [
      'the list one_of of a JSON value',
      'json',
      { ...NOTHING, json: [{ pointer: '/text', value: { oneOf: ['a', 'order {{id}}'] } }] },
    ],
    [
      'a pattern for a JSON value',
      'json',
      { ...NOTHING, json: [{ pointer: '/text', value: { matches: 'r {{id}}$' } }] },
    ],
    ['an expected text in a body', 'body', body({ contains: ['"id":"{{id}}"'] })],
    ['a pattern for a body', 'body', body({ matches: ['order {{id}}"'] })],
    ['an expected header', 'header', { ...NOTHING, headers: [{ name: 'x-shown', value: 'n{{id}}' }] }],
  ])('a variable in %s has the value of its own iteration', async (_, kind, expected) => {
    for (const threads of [1, 4]) {
      const report = await simulate(
        createShop(),
        [{ variables: [{ name: 'id', header: 'x-id' }] }, { path: '/{{id}}', expect: expected }],
        threads,
      );
      expect(report.targets.map(({ ledger }) => [ledger.success, ledger.unexpected])).toEqual([
        [12, {}],
        [8, { [kind]: 4 }],
      ]);
    }
  });

  test('an expected value uses the value that the variable had before the response', async () => {
    const sets = { variables: [{ name: 'id', json: '/id' }] };
    const expects = { ...NOTHING, json: [{ pointer: '/id', value: '{{id}}' }] };
    const report = await simulate(createShop(), [sets, { ...sets, path: '/{{id}}', expect: expects }]);
    expect(report.targets[1]?.ledger).toMatchObject({ success: 8, unexpected: { json: 4 } });
  });

  test('an expectation with a variable that has no value is not met', async () => {
    const report = await simulate(createShop(), [
      { variables: [{ name: 'none', header: 'x-none' }] },
      { path: '/7', expect: body({ notContains: ['{{none}}'] }) },
    ]);
    expect(report.targets.map(({ ledger }) => ledger.unexpected)).toEqual([{}, { body: 12 }]);
  });
});

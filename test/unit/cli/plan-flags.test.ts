import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readSavedFlags, savedFlags } from '../../../src/cli/steps/plan-flags.ts';
import type { PlanFlags } from '../../../src/cli/terminal/flags.ts';
import type { Json } from '../../../src/core/canonical.ts';
import { LIMIT_NAMES } from '../../../src/core/model/state.ts';
import { milliseconds } from '../../../src/core/units.ts';

const texts = fc.array(fc.string());
// Omitted members remain omitted.
const flags = fc.record(
  {
    env: fc.string(),
    var: fc.array(fc.tuple(fc.string(), fc.string())).map((all) => new Map(all)),
    only: texts,
    exclude: texts,
    run: fc.boolean(),
    maxAge: fc.nat().map(milliseconds),
    replace: texts,
    onDrift: fc.constantFrom('report', 'replace'),
    allowLimit: fc.array(fc.constantFrom(...LIMIT_NAMES)),
  },
  { requiredKeys: [] },
);

describe('the flags of a saved plan', () => {
  test('the flags of a saved plan are restored unchanged', () => {
    fc.assert(
      fc.property(flags, (original: PlanFlags) => {
        const text = JSON.stringify(savedFlags(original));
        expect(readSavedFlags(JSON.parse(text) as Record<string, Json>)).toEqual(original);
      }),
    );
  });

  test.each<[string, Json]>([
    ['env', 7],
    ['var', { users: 7 }],
    ['var', ['users=7']],
    ['only', 'home'],
    ['exclude', [null]],
    ['run', 'yes'],
    ['maxAge', '24h'],
    ['maxAge', -1],
    ['replace', { home: true }],
    ['onDrift', 'ignore'],
    ['allowLimit', ['all']],
    ['parallelism', 4],
    ['__proto__', 'x'],
  ])('a saved plan with the flag %s = %j is rejected', (name, value) => {
    expect(readSavedFlags({ only: ['home'], [name]: value })).toBe(name);
  });
});

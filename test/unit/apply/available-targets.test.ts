import { expect, test } from 'vitest';
import { refuseUnavailableTargets } from '../../../src/apply/apps/available-targets.ts';
import { declareState } from '../../support/declared-state.ts';

const { tests } = declareState().app('shop').test('home').state;

test.each([
  ['has no address is refused', true, false, '"shop.example" could not be resolved'],
  ['is local and refuses connections is refused', true, true, 'no local process is listening'],
  ['is resolved by another service is not refused', false, false, null],
])('a test whose target %s', async (_, isEmbedded, isSilent, refusal) => {
  const [home] = tests;
  if (home === undefined) throw new Error('Bug: the state declares no test');
  const refused = refuseUnavailableTargets(home, {
    isEmbedded,
    isSilent: () => Promise.resolve(isSilent),
    resolutionFailure: () => Promise.resolve('"shop.example" could not be resolved'),
  });
  if (refusal === null) await refused;
  else await expect(refused).rejects.toThrow(refusal);
});

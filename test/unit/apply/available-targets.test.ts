import { expect, test } from 'vitest';
import { refuseUnavailableTargets } from '../../../src/apply/apps/available-targets.ts';
import { declareState } from '../../support/declared-state.ts';

const { tests } = declareState().app('shop').test('home').state;

test.each([
  [
    'is refused on the embedded service if its target cannot be resolved',
    true,
    false,
    '"shop.example" could not be resolved',
  ],
  [
    'is refused on the embedded service if no process listens on its local target',
    true,
    true,
    'no local process is listening',
  ],
  ['is not refused on a remote service, even if its target cannot be resolved locally', false, false, null],
])('a test %s', async (_, isEmbedded, isSilent, refusal) => {
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

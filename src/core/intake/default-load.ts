import { seconds } from '../units.ts';
import type { IntakeLoad } from './intake.ts';

/** Maximum duration of a load for which the source limits only the number of iterations. */
export const MAX_ITERATION_TIME = seconds(600);

/** Small load, which equals the load in the file that `init` writes. */
export const DEFAULT_LOAD: IntakeLoad = {
  kind: 'connections',
  initial: 1,
  stages: [{ duration: seconds(10), to: 10 }],
};

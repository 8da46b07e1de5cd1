/** The load of a test whose source defines only requests. */
import { seconds } from '../units.ts';
import type { IntakeLoad } from './intake.ts';

/** Maximum duration of a load if its source limits only the number of iterations. */
export const MAX_ITERATION_TIME = seconds(600);

/** A small load, the same as in the file that `init` writes. */
export const DEFAULT_LOAD: IntakeLoad = {
  kind: 'connections',
  initial: 1,
  stages: [{ duration: seconds(10), to: 10 }],
};

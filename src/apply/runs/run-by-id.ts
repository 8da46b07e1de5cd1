import { testAddress, testKey } from '../../core/model/ids.ts';
import { runnableTargetsOf, type ObservedTest } from '../../core/model/load-test.ts';
import { NO_REGRESSION } from '../../core/model/regression.ts';
import type { RunAction } from '../../core/reconcile/action.ts';
import { seconds } from '../../core/units.ts';

/**
 * Returns an action that runs a test as defined on the service. If the service does not return the test type or the
 * duration, a default is used.
 */
export function runActionOf(observed: ObservedTest): RunAction {
  const { id, testType, duration } = observed;
  const key = testKey(id);
  const test = {
    key,
    spec: {
      ...observed,
      testType: typeof testType === 'string' ? testType : 'cycling',
      duration: duration ?? seconds(60),
      scheduledAt: null,
      errorThreshold: null,
      ...runnableTargetsOf(observed),
    },
    thresholds: [],
    regression: NO_REGRESSION,
    urlNames: [],
    needs: [],
    parallel: false,
    source: null,
  } as const;
  return { verb: 'run', address: testAddress(key), test, observed, uncomparedSecrets: [], note: null };
}

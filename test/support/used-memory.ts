import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Returns the used bytes of this thread after garbage collection. */
export function measureUsedBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // the flag defines it
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

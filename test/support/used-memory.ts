import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes of this thread that are in use, without what could be collected. */
export function measureUsedBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // the flag makes it one
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

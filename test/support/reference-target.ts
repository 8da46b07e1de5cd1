/** A raw TCP target in its own process, so that the target and the measurement do not delay each other. */
import { startBundledChild } from './bundled-child.ts';
import type { ReferenceLog } from './reference-target-child.ts';

export interface ReferenceTarget {
  readonly port: number;
  /** Returns the observations since the previous call; complete for all requests with a response. */
  log(): Promise<ReferenceLog>;
  /** Pauses the process until `thaw`; the system still accepts connections and bytes. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

/** Starts the target; see `reference-target-child.ts` for the paths. */
export async function startReferenceTarget(): Promise<ReferenceTarget> {
  const child = await startBundledChild('reference-target-child.ts');
  const port = Number(await child.messages());
  return {
    port,
    log: async () => {
      child.process.send('report');
      // The message has the type that the child declares.
      return (await child.messages()) as ReferenceLog;
    },
    freeze: () => child.process.kill('SIGSTOP'),
    thaw: () => child.process.kill('SIGCONT'),
    close: async () => {
      child.process.kill('SIGCONT');
      await child.close();
    },
  };
}

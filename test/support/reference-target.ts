/** A raw TCP target in a process of its own, so that what measures and what is measured do not wait for each other. */
import { startBundledChild } from './bundled-child.ts';
import type { ReferenceLog } from './reference-target-child.ts';

export interface ReferenceTarget {
  readonly port: number;
  /** What came since the last time it was asked, complete as far as it was answered. */
  log(): Promise<ReferenceLog>;
  /** It stands still until it is thawed; the system goes on taking connections and bytes for it. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

/** What a path asks for: see `reference-target-child.ts`. */
export async function startReferenceTarget(): Promise<ReferenceTarget> {
  const child = await startBundledChild('reference-target-child.ts');
  const port = Number(await child.messages());
  return {
    port,
    log: async () => {
      child.process.send('report');
      // What the child sends is what its own type says.
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

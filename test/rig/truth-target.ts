/** A raw TCP target in a process of its own, so that what measures and what is measured do not wait for each other. */
import { startBundled } from './bundled-child.ts';
import type { TrueLog } from './truth-child.ts';

export interface TruthTarget {
  readonly port: number;
  /** What came since the last time it was asked, complete as far as it was answered. */
  log(): Promise<TrueLog>;
  /** It stands still until it is thawed; the system goes on taking connections and bytes for it. */
  freeze(): void;
  thaw(): void;
  close(): Promise<void>;
}

/** What a path asks for: see `truth-child.ts`. */
export async function startTruthTarget(): Promise<TruthTarget> {
  const child = await startBundled('truth-child.ts');
  const port = Number(await child.said());
  return {
    port,
    log: async () => {
      child.process.send('report');
      // What the child sends is what its own type says.
      return (await child.said()) as TrueLog;
    },
    freeze: () => child.process.kill('SIGSTOP'),
    thaw: () => child.process.kill('SIGCONT'),
    close: async () => {
      child.process.kill('SIGCONT');
      await child.close();
    },
  };
}

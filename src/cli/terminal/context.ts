/** Everything a command gets from the process. Below commands, only the parts they use are passed on. */
import type { Problem } from '../../core/problem.ts';
import type { Paint } from '../../report/paint.ts';

export interface Output {
  write(text: string): void;
  /** Commands of ours to the runner of a CI job. In what `write` gets, nothing is one. */
  command(text: string): void;
  readonly isTerminal: boolean;
  /** Width of the terminal; 80 elsewhere. */
  readonly columns: number;
}

/** Rewrites the last lines of a terminal. Whatever else is written there takes their place. */
export interface LiveLines {
  (text: string): void;
  clear(): void;
  done(): void;
}

export interface Interruption {
  /** Fires at the first signal. */
  readonly signal: AbortSignal;
  /** What the signal exits with; null while there was none. */
  readonly exitCode: () => 130 | 143 | null;
  /** From now on the first signal only fires `signal`; before, it ends the process. */
  readonly handleGracefully: () => void;
}

export interface Context {
  /** The command line without the program's name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
  readonly stdout: Output;
  readonly stderr: Output;
  /** `read` gives at most some bytes of it. */
  readonly stdin: { readonly isTerminal: boolean; readonly read: (most: number) => Promise<Uint8Array> };
  /** Nothing is told but errors and what was asked for (`-q`). */
  readonly quiet: boolean;
  /** What was noticed beside the work of the command; told once, with its outcome. */
  readonly warnings: Problem[];
  readonly paint: Paint;
  /** Null where that stream is no terminal. */
  readonly liveLines: (on: 'stdout' | 'stderr') => Promise<LiveLines | null>;
  /** Asks on stderr, which is a terminal; whether the answer is yes. */
  readonly confirm: (question: string) => Promise<boolean>;
  readonly interruption: Interruption;
  readonly version: string;
  readonly pid: number;
  /** Kills a process group that the command started. Safe when it is gone. */
  readonly killGroup: (pid: number, signal: 'SIGTERM' | 'SIGKILL') => void;
  /** Whether a process of this number lives. */
  readonly isAlive: (pid: number) => boolean;
  /** When the process of this number began, as the system tells it; null where it does not. */
  readonly startOf: (pid: number) => string | null;
  /** Does something when the process ends, whatever ends it. Gives what takes that back. */
  readonly onExit: (action: () => void) => () => void;
}

/** The interface between a command and its process. */
import type { Problem, SignalExitCode } from '../../core/problem.ts';
import type { Paint } from '../../report/paint.ts';

export interface Output {
  write(text: string): void;
  /** Writes a workflow command for the runner of a CI job. `write` makes such commands ineffective. */
  command(text: string): void;
  readonly isTerminal: boolean;
  /** Width of the terminal in columns; 80 for a file or pipe. */
  readonly columns: number;
}

/** Rewritable lines at the end of the terminal output. */
export interface LiveLines {
  (text: string): void;
  clear(): void;
  done(): void;
}

export interface Interruption {
  /** Aborts at the first signal, if `handleGracefully` has been called. */
  readonly signal: AbortSignal;
  /** Returns the exit code for the first signal; null if no signal has arrived. */
  readonly exitCode: () => SignalExitCode | null;
  /** Makes the first signal abort `signal` instead of ending the process. */
  readonly handleGracefully: () => void;
}

export interface Context {
  /** The command line without the program name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
  readonly stdout: Output;
  readonly stderr: Output;
  /** `read` returns at most `maxBytes` bytes. */
  readonly stdin: { readonly isTerminal: boolean; readonly read: (maxBytes: number) => Promise<Uint8Array> };
  /** True if `-q` is set, so that only errors and the requested output are printed. */
  readonly quiet: boolean;
  /** Additional warnings to print with the outcome of the command. */
  readonly warnings: Problem[];
  readonly paint: Paint;
  /** Resolves to the live lines of a stream; null if the stream is not a terminal. */
  readonly liveLines: (on: 'stdout' | 'stderr') => Promise<LiveLines | null>;
  /** Asks the user for confirmation on stderr, which must be a terminal. */
  readonly confirm: (question: string) => Promise<boolean>;
  readonly interruption: Interruption;
  readonly version: string;
  readonly pid: number;
  /** Sends a signal to a process group. Ignores errors. */
  readonly killGroup: (pid: number, signal: 'SIGTERM' | 'SIGKILL') => void;
  readonly isAlive: (pid: number) => boolean;
  /** Returns the start time of a process, in a format that depends on the system; null if it cannot be read. */
  readonly startOf: (pid: number) => string | null;
  /** Registers an action for the exit of the process. Returns a function that unregisters the action. */
  readonly onExit: (action: () => void) => () => void;
}

/** The interface between a command and its process. */
import type { Problem, SignalExitCode } from '../../core/problem.ts';
import type { Paint } from '../../report/paint.ts';

export interface Output {
  write(text: string): void;
  /** Writes a workflow command for the runner of a CI job. `write` neutralizes such commands in its text. */
  command(text: string): void;
  readonly isTerminal: boolean;
  /** Width of the terminal in columns; 80 for a file or pipe. */
  readonly columns: number;
}

/** Lines at the end of the terminal output that can be rewritten. Other output is written above them. */
export interface LiveLines {
  (text: string): void;
  clear(): void;
  done(): void;
}

export interface Interruption {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal;
  /** Returns the exit code for the first signal; null before this signal. */
  readonly exitCode: () => SignalExitCode | null;
  /** Makes the first signal abort `signal`. Without this call, the first signal exits the process. */
  readonly handleGracefully: () => void;
}

export interface Context {
  /** The command line without the program name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Standard input. `read` returns at most `maxBytes` bytes. */
  readonly stdin: { readonly isTerminal: boolean; readonly read: (maxBytes: number) => Promise<Uint8Array> };
  /** True if only errors and the requested output are printed (`-q`). */
  readonly quiet: boolean;
  /** Warnings that do not concern the command's own work. They are printed with its outcome. */
  readonly warnings: Problem[];
  readonly paint: Paint;
  /** Creates the live lines of a stream; null if the stream is not a terminal. */
  readonly liveLines: (on: 'stdout' | 'stderr') => Promise<LiveLines | null>;
  /** Asks the user on stderr, which must be a terminal. Resolves to true if the user agrees. */
  readonly confirm: (question: string) => Promise<boolean>;
  readonly interruption: Interruption;
  readonly version: string;
  readonly pid: number;
  /** Sends a signal to a process group. Errors are ignored, for example if the group has ended. */
  readonly killGroup: (pid: number, signal: 'SIGTERM' | 'SIGKILL') => void;
  readonly isAlive: (pid: number) => boolean;
  /** Returns the start time of a process in the format of the system; null if unknown. */
  readonly startOf: (pid: number) => string | null;
  /** Registers an action for the exit of the process, and returns a function that removes it. */
  readonly onExit: (action: () => void) => () => void;
}

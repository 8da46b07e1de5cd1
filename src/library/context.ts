/** What the sessions of a program get in place of a terminal: nothing to ask on, and notes as events. */
import type { Context } from '../cli/terminal/context.ts';
import { createProcessControl } from '../cli/terminal/process-control.ts';
import { NO_PAINT } from '../report/paint.ts';
import type { Emit } from '../apply/events.ts';

/** Put in by the build. */
declare const PACKAGE_VERSION: string;

/** Environment variables by name. */
export type Env = Readonly<Record<string, string | undefined>>;

export interface LibraryEnvironment {
  /** Where keys, secrets and `LOADTESTS_BASE_URL` are looked up; left out: those of the process. */
  readonly env?: Env;
  /** Told what happens, as it happens. */
  readonly onEvent?: Emit;
  /** Stops what was started, and begins nothing new. */
  readonly signal?: AbortSignal;
}

export function createLibraryContext(given: LibraryEnvironment & { readonly directory?: string }): Context {
  const emit = given.onEvent ?? (() => undefined);
  const notes = {
    write: (text: string) => {
      emit({ kind: 'note', text: text.trim() });
    },
    command: () => undefined,
    isTerminal: false,
    columns: 80,
  };
  const signal = given.signal ?? new AbortController().signal;
  return {
    args: [],
    env: given.env ?? process.env,
    directory: given.directory ?? process.cwd(),
    stdout: notes,
    stderr: notes,
    stdin: { isTerminal: false, read: () => Promise.resolve(new Uint8Array()) },
    quiet: true,
    warnings: [],
    paint: NO_PAINT,
    liveLines: () => Promise.resolve(null),
    confirm: () => Promise.resolve(false),
    interruption: { signal, exitCode: () => null, handleGracefully: () => undefined },
    version: PACKAGE_VERSION,
    ...createProcessControl(process),
  };
}

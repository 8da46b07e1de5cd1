/** Command context of the library. There is no terminal and no prompt. Messages are emitted as events. */
import type { Context } from '../cli/terminal/context.ts';
import { createProcessControl } from '../cli/terminal/process-control.ts';
import { NO_PAINT } from '../report/paint.ts';
import type { Emit } from '../apply/events.ts';

/** Version of the package. The build defines this constant. */
declare const PACKAGE_VERSION: string;

export type Env = Readonly<Record<string, string | undefined>>;

export interface LibraryEnvironment {
  /** Source of keys, secrets and `LOADTESTS_BASE_URL`; default: the environment of the process. */
  readonly env?: Env;
  readonly onEvent?: Emit;
  /** Signal that prevents further actions and, by default, stops started runs. */
  readonly signal?: AbortSignal;
}

export function createLibraryContext(request: LibraryEnvironment & { readonly directory?: string }): Context {
  const emit = request.onEvent ?? (() => undefined);
  const notes = {
    write: (text: string) => {
      if (text.trim() !== '') emit({ kind: 'note', text: text.trim() });
    },
    command: () => undefined,
    isTerminal: false,
    columns: 80,
  };
  const signal = request.signal ?? new AbortController().signal;
  return {
    args: [],
    env: request.env ?? process.env,
    directory: request.directory ?? process.cwd(),
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

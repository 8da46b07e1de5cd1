import { spawn } from 'node:child_process';
import { Mask } from '../../core/mask.ts';
import { isCredentialName } from '../../core/model/header-name.ts';
import { childEnvironment } from '../terminal/child-environment.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf } from '../terminal/errors.ts';
import { failureOf, forwardOutput } from './command-output.ts';

export interface RecordedEnvironment {
  /** Placeholder values by name, such as `url` for `{url}`. */
  readonly placeholders: Readonly<Record<string, string>>;
  /** Environment variables that make clients use the proxy and trust its certificate. */
  readonly proxy: Readonly<Record<string, string>>;
  /** Variables of `--env`, whose values may contain placeholders. */
  readonly variables: readonly (readonly [name: string, value: string])[];
}

/** Minimum length of a masked secret, in characters. Shorter text can occur by chance. */
const MIN_MASKED = 6;

/** Matches the variable that exempts hosts from the proxy. The recorded command does not inherit this variable. */
const NO_PROXY = /^no_proxy$/i;

/** Returns the reason if the command fails; null otherwise. */
export async function runRecordedCommand(
  context: Context,
  [program = '', ...args]: readonly string[],
  { placeholders, proxy, variables }: RecordedEnvironment,
): Promise<string | null> {
  const filled = (text: string) =>
    text.replaceAll(/(?<![$%])\{(\w+)\}/g, (all, name: string) => placeholders[name] ?? all);
  const inherited = Object.entries(childEnvironment(context.env)).filter(([name]) => !NO_PROXY.test(name));
  const child = spawn(program, args.map(filled), {
    cwd: context.directory,
    env: {
      ...Object.fromEntries(inherited),
      ...proxy,
      ...Object.fromEntries(variables.map(([name, value]) => [name, filled(value)])),
    },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const mask = new Mask(
    variables.flatMap(([name, value]) =>
      isCredentialName(name) && value.length >= MIN_MASKED ? [value] : [],
    ),
  );
  forwardOutput(child, {
    write: (text: string) => {
      if (!context.quiet) context.stderr.write(mask.apply(text));
    },
  });
  const stop = () => {
    if (child.pid !== undefined) context.killGroup(child.pid, 'SIGTERM');
  };
  const removeAction = context.onExit(stop);
  context.interruption.signal.addEventListener('abort', stop, { once: true });
  return await new Promise((resolve) => {
    const end = (reason: string | null) => {
      removeAction();
      context.interruption.signal.removeEventListener('abort', stop);
      resolve(reason);
    };
    child.once('error', (error) => end(`"${program}" cannot be started: ${reasonOf(error)}`));
    child.once('close', (code, signal) => end(failureOf(code, signal)));
  });
}

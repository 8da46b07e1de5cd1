/** The `record` command: forwards the requests of a command or of any client to a target, and writes them as a test. */
import type { IntakeSource } from '../../core/intake/source-text.ts';
import { runRecordedCommand } from '../session/recorded-command.ts';
import { startRecordingProxy, type RecordingProxy } from '../session/recording-proxy.ts';
import { checkConversionFlags, convertSource, type ConversionFlags } from '../steps/convert-source.ts';
import { harOf } from '../steps/recording-har.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf, usageError } from '../terminal/errors.ts';
import type { Outcome } from '../terminal/outcome.ts';

export interface RecordFlags extends ConversionFlags {
  readonly target?: string;
  readonly port?: number;
  readonly staticFiles?: boolean;
  readonly twice?: boolean;
  readonly quiet?: boolean;
}

/** Executes `record`. */
export async function record(
  context: Context,
  command: readonly string[],
  flags: RecordFlags,
): Promise<Outcome> {
  const target = targetOf(flags.target);
  if (flags.twice === true && command.length === 0)
    throw usageError('--twice requires a command', 'append it: loadtests record --target URL -- COMMAND');
  checkConversionFlags(context, flags);
  context.interruption.handleGracefully();
  const proxy = await startProxy(target, flags.port ?? 0);
  try {
    const first = await recordOnce(context, command, proxy);
    const runsAgain = flags.twice === true && !context.interruption.signal.aborted;
    const second = runsAgain ? [await recordOnce(context, command, proxy)] : [];
    const source: IntakeSource = {
      path: RECORDING,
      text: first,
      readFile: () => ({ reason: 'is not part of a recording' }),
      environment: null,
      recording: { hosts: null, staticFiles: flags.staticFiles === true },
      selection: { tags: [], paths: [] },
      others: second.map((text) => ({ path: `the second ${RECORDING}`, text })),
    };
    return await convertSource(context, source, {
      format: 'har',
      writtenBy: 'record',
      flags,
      directory: context.directory,
    });
  } finally {
    proxy.close();
  }
}

/** Name of the source in messages, before the number of a request. */
const RECORDING = 'recording';

function targetOf(text: string | undefined): URL {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw usageError(
      'record requires --target with the address of the target',
      'for example --target http://127.0.0.1:8080',
    );
  if (url.pathname !== '/' || url.search !== '' || url.username !== '' || url.password !== '')
    throw usageError('--target must consist of a scheme, a host and a port', `use ${url.origin}`);
  return url;
}

async function startProxy(target: URL, port: number): Promise<RecordingProxy> {
  try {
    return await startRecordingProxy(target, port);
  } catch (error) {
    throw usageError(`the proxy cannot listen on port ${port}: ${reasonOf(error)}`, 'choose another --port');
  }
}

/** Runs the command, or waits for an interruption. Returns the recording. */
async function recordOnce(
  context: Context,
  command: readonly string[],
  proxy: RecordingProxy,
): Promise<string> {
  if (command.length === 0) {
    context.stderr.write(`Recording at ${proxy.origin}. Press Ctrl-C to end the recording.\n`);
    await interrupted(context.interruption.signal);
  } else {
    const failure = await runRecordedCommand(context, command, proxy.origin);
    if (failure !== null) context.stderr.write(`The command failed: ${failure}\n`);
  }
  const exchanges = proxy.take();
  if (exchanges.length === 0)
    throw usageError(
      'no request was recorded',
      'send the requests to the address of the proxy: {url} in the command, or $LOADTESTS_RECORD_URL',
    );
  return await harOf(exchanges);
}

async function interrupted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
}

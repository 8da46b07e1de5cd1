/**
 * Standard input as bytes; standard output and error as what may fail. Whatever a command prints passes here, and with
 * it whatever a file, a service or a target says: nothing of it reaches a terminal or a log of CI as a command to it.
 */
import { printableLines, printableColored } from '../../core/printable.ts';
import { COLOR_CODES } from '../render/paint.ts';
import type { Output } from './context.ts';

/** At most some bytes; what comes after them is not read. A signal is answered meanwhile. */
export async function readInput(stream: NodeJS.ReadStream, most: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  // Bytes, as long as no encoding is set.
  for await (const part of stream as AsyncIterable<Uint8Array>) {
    parts.push(part);
    length += part.length;
    if (length >= most) break;
  }
  return Buffer.concat(parts).subarray(0, most);
}

export interface Outputs {
  readonly stdout: Output;
  readonly stderr: Output;
  /**
   * Resolves when all is out, or cannot be: with why standard output was lost, null where it was not. Reading less
   * than what is written is the reader's right (`loadtests plan | head`). What stderr does not take cannot be told
   * anywhere.
   */
  readonly finish: () => Promise<NodeJS.ErrnoException | null>;
}

/** No failing stream ends the process. `painted`: what is written has our colours, which pass. */
export function openOutputs(
  streams: Readonly<Record<'stdout' | 'stderr', NodeJS.WriteStream>>,
  painted: boolean,
): Outputs {
  let lost: NodeJS.ErrnoException | null = null;
  streams.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') lost ??= error;
  });
  streams.stderr.on('error', () => undefined);
  return {
    stdout: createOutput(streams.stdout, painted),
    stderr: createOutput(streams.stderr, painted),
    finish: async () => {
      await Promise.all([flushed(streams.stdout), flushed(streams.stderr)]);
      return lost;
    },
  };
}

/** An output onto a stream, behind the one rule. */
export function createOutput(stream: NodeJS.WriteStream, painted: boolean): Output {
  return {
    write: (text) => {
      stream.write(toVisibleText(text, painted));
    },
    command: (text) => {
      stream.write(text);
    },
    isTerminal: stream.isTTY,
    get columns() {
      // A terminal that does not tell its size has 0 columns.
      return stream.isTTY && stream.columns > 0 ? stream.columns : 80;
    },
  };
}

/** Everything before it is out then, or has failed, which is told of one turn later. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => setImmediate(resolve));
  });
}

/** As it may be shown. Each text is taken for the start of a line, whatever was written before it. */
export function toVisibleText(text: string, painted: boolean): string {
  return painted ? printableColored(text, COLOR_CODES) : printableLines(text);
}

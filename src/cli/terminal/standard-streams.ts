/** Text is sanitized, so that content from files, services and targets cannot control a terminal or a CI job. */
import { printableLines, printableColored } from '../../core/printable.ts';
import { COLOR_CODES } from '../render/paint.ts';
import type { Output } from './context.ts';

/** Reads at most `maxBytes` bytes and ignores the rest. */
export async function readInput(stream: NodeJS.ReadStream, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  // The cast is valid, because no encoding is set.
  for await (const part of stream as AsyncIterable<Uint8Array>) {
    parts.push(part);
    length += part.length;
    if (length >= maxBytes) break;
  }
  return Buffer.concat(parts).subarray(0, maxBytes);
}

export interface Outputs {
  readonly stdout: Output;
  readonly stderr: Output;
  /**
   * Waits until the output has been flushed. Resolves to the error of stdout; null if there is none. A closed pipe, as
   * in `loadtests plan | head`, is not an error.
   */
  readonly finish: () => Promise<NodeJS.ErrnoException | null>;
}

/**
 * Handles errors of the streams, because an unhandled error would end the process.
 * @param painted - True if the text contains the color codes of loadtests, which are preserved.
 */
export function openOutputs(
  streams: Readonly<Record<'stdout' | 'stderr', NodeJS.WriteStream>>,
  painted: boolean,
): Outputs {
  let failure: NodeJS.ErrnoException | null = null;
  streams.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') failure ??= error;
  });
  streams.stderr.on('error', () => undefined);
  return {
    stdout: createOutput(streams.stdout, painted),
    stderr: createOutput(streams.stderr, painted),
    finish: async () => {
      await Promise.all([flushed(streams.stdout), flushed(streams.stderr)]);
      return failure;
    },
  };
}

/** `write` sanitizes text, but `command` does not. */
export function createOutput(stream: NodeJS.WriteStream, painted: boolean): Output {
  return {
    write: (text) => stream.write(toVisibleText(text, painted)),
    command: (text) => stream.write(text),
    isTerminal: stream.isTTY,
    get columns() {
      // A terminal of unknown size has 0 columns.
      return stream.isTTY && stream.columns > 0 ? stream.columns : 80;
    },
  };
}

/** Waits one more turn of the event loop, because a write error is emitted after the callback. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => setImmediate(resolve)));
}

/** Treats the text as the start of a line, regardless of earlier output. */
export function toVisibleText(text: string, painted: boolean): string {
  return painted ? printableColored(text, COLOR_CODES) : printableLines(text);
}

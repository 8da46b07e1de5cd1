/** Standard input as bytes; standard output and error as what may fail. */
import { fstatSync, writeSync } from 'node:fs';
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
   * Calls back when all is out, or cannot be. Why standard output was lost, null where it was not: reading less than
   * what is written is the reader's right (`loadtests plan | head`). What stderr does not take cannot be told anywhere.
   */
  readonly finish: (done: (lost: NodeJS.ErrnoException | null) => void) => void;
}

type Name = 'stdout' | 'stderr';
const DESCRIPTORS: Readonly<Record<Name, number>> = { stdout: 1, stderr: 2 };

/** A pipe that nobody has written to takes it at once. */
const MOST_WAITING = 16 * 1024;

/**
 * Opening Node's streams takes as long as all that a short command does. So what goes to a pipe or a file waits for
 * the end of the command, which then writes it by itself, or for the command to wait for something, when the streams
 * are opened.
 *
 * @param streams opens each when it is read. No failing one ends the process.
 */
export function openOutputs(streams: Readonly<Record<Name, NodeJS.WriteStream>>): Outputs {
  let lost: NodeJS.ErrnoException | null = null;
  const failed: Readonly<Record<Name, (error: NodeJS.ErrnoException) => void>> = {
    stdout: (error) => {
      if (error.code !== 'EPIPE') lost ??= error;
    },
    stderr: () => undefined,
  };
  const opened: Partial<Record<Name, NodeJS.WriteStream>> = {};
  const open = (name: Name): NodeJS.WriteStream => (opened[name] ??= streams[name].on('error', failed[name]));

  /** What is not out yet, in its order; null: the streams write. */
  let waiting: { readonly name: Name; readonly bytes: Uint8Array }[] | null =
    isPipeOrFile(DESCRIPTORS.stdout) && isPipeOrFile(DESCRIPTORS.stderr) ? [] : null;
  let length = 0;
  const handOver = () => {
    const parts = waiting ?? [];
    waiting = null;
    for (const { name, bytes } of parts) open(name).write(bytes);
  };
  const writeHere = () => {
    for (let part = waiting?.shift(); part !== undefined; part = waiting?.shift()) {
      const { name, bytes } = part;
      try {
        const written = writeSync(DESCRIPTORS[name], bytes);
        if (written < bytes.length) waiting?.unshift({ name, bytes: bytes.subarray(written) });
      } catch (error) {
        // Of the file system's functions.
        const failure = error as NodeJS.ErrnoException;
        if (failure.code === 'EAGAIN') {
          waiting?.unshift(part);
          handOver();
        } else failed[name](failure);
      }
    }
  };

  const outputOf = (name: Name): Output => ({
    write: (text) => {
      if (text === '') return;
      if (waiting === null) {
        open(name).write(text);
        return;
      }
      if (waiting.length === 0) setImmediate(handOver);
      const bytes = Buffer.from(text);
      waiting.push({ name, bytes });
      length += bytes.length;
      if (length > MOST_WAITING) handOver();
    },
    get isTerminal() {
      return !isPipeOrFile(DESCRIPTORS[name]) && open(name).isTTY;
    },
    get columns() {
      return this.isTerminal ? open(name).columns : 80;
    },
  });
  return {
    stdout: outputOf('stdout'),
    stderr: outputOf('stderr'),
    finish: (done) => {
      writeHere();
      waiting = null;
      const stream = opened.stdout;
      if (stream === undefined) done(lost);
      else {
        // A write that failed is told of one turn later.
        stream.write('', () =>
          setImmediate(() => {
            done(lost);
          }),
        );
      }
    },
  };
}

function isPipeOrFile(descriptor: number): boolean {
  try {
    const kind = fstatSync(descriptor);
    return kind.isFIFO() || kind.isFile() || kind.isSocket();
  } catch {
    return false;
  }
}

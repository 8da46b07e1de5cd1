/** Standard input as bytes; standard output and error as what may fail. */

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

/**
 * From now on no failing stream ends the process.
 *
 * Shape: a function that gives why output was lost, null where none was. Reading less than what is written is the
 *        reader's right: `loadtests plan | head`. What stderr does not take cannot be told anywhere.
 */
export function watchOutput(streams: {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}): () => NodeJS.ErrnoException | null {
  let lost: NodeJS.ErrnoException | null = null;
  streams.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') lost ??= error;
  });
  streams.stderr.on('error', () => undefined);
  return () => lost;
}

import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';

/** Forwards complete lines without control sequences, because the output treats each text as the start of a line. */
export function forwardOutput(
  { stdout, stderr }: { readonly stdout: Readable; readonly stderr: Readable },
  to: { readonly write: (text: string) => unknown },
): void {
  for (const stream of [stdout, stderr]) {
    createInterface({ input: stream }).on('line', (line) => to.write(`${stripVTControlCharacters(line)}\n`));
  }
}

export function failureOf(code: number | null, signal: NodeJS.Signals | null): string | null {
  if (code === 0) return null;
  return signal === null ? `exit code ${code ?? ''}` : `terminated by ${signal}`;
}

/** Forwards the output of a command that a session runs, and describes the failure of the command. */
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';

/**
 * Forwards the output of a command in complete lines, so that the start of each line can be sanitized.
 * Removes color codes, because they would otherwise be visible.
 */
export function forwardOutput(
  { stdout, stderr }: { readonly stdout: Readable; readonly stderr: Readable },
  to: { readonly write: (text: string) => unknown },
): void {
  for (const stream of [stdout, stderr]) {
    createInterface({ input: stream }).on('line', (line) => to.write(`${stripVTControlCharacters(line)}\n`));
  }
}

/** Returns why a command failed; null if it succeeded. */
export function failureOf(code: number | null, signal: NodeJS.Signals | null): string | null {
  if (code === 0) return null;
  return signal === null ? `exit code ${code ?? ''}` : `terminated by ${signal}`;
}

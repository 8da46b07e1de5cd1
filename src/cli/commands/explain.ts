/** The `explain` command: prints the cause and the fix for a problem code. */
import { CODES, type CodeEntry } from '../../core/codes.ts';
import { nearestKey } from '../../schema/nearest-key.ts';
import type { Context } from '../terminal/context.ts';
import { usageError } from '../terminal/errors.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';

/** Ignores case, and accepts codes without the prefix `LT_`. */
export function explain(context: Context, word: string): Outcome {
  const upper = word.toUpperCase().replaceAll('-', '_');
  const requested = upper.startsWith('LT_') ? upper : `LT_${upper}`;
  const known: readonly (readonly [string, CodeEntry])[] = Object.entries(CODES);
  const found = known.find(([code]) => code === requested);
  if (found === undefined) {
    const near = nearestKey(
      requested,
      known.map(([code]) => code),
    );
    throw usageError(
      `"${word}" is not a problem code`,
      near === null
        ? 'use the code of an error or warning, such as LT_CONFIG_SYNTAX'
        : `did you mean ${near}?`,
    );
  }
  const [code, { title, exit, cause, fix }] = found;
  const { bold } = context.paint;
  return createOutcome({
    text: `${bold(code)}: ${title} (exit code ${exit})\n\n${wrapText(`Cause: ${cause}`)}\n\n${wrapText(`Fix: ${fix}`)}\n`,
    body: { command: 'explain', code, title, cause, fix, exits_with: exit },
  });
}

function wrapText(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines[lines.length - 1] ?? '';
    if (last !== '' && last.length + 1 + word.length > 78) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines.join('\n');
}

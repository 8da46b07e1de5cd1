/** Prints a completion script. */
import { SCRIPTS, SHELLS } from '../render/completion-scripts.ts';
import { usageError } from '../terminal/errors.ts';
import { outcome, type Outcome } from '../terminal/outcome.ts';

export function completion(shell: string): Outcome {
  const known = SHELLS.find((one) => one === shell);
  if (known === undefined) throw usageError(`"${shell}" is not a supported shell; use ${SHELLS.join(', ')}`);
  const script = SCRIPTS[known];
  return outcome({ product: script, body: { command: 'completion', shell: known, script } });
}

/** The `completion` command: prints a completion script. */
import { COMPLETION_SCRIPTS, SHELLS } from '../render/completion-scripts.ts';
import { usageError } from '../terminal/errors.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';

export function printCompletionScript(shell: string): Outcome {
  const known = SHELLS.find((one) => one === shell);
  if (known === undefined) throw usageError(`"${shell}" is not a supported shell; use ${SHELLS.join(', ')}`);
  const script = COMPLETION_SCRIPTS[known];
  return createOutcome({ rawOutput: script, body: { command: 'completion', shell: known, script } });
}

/** The `completion` command: prints a completion script. */
import { listText } from '../../core/counted.ts';
import { COMPLETION_SCRIPTS, SHELLS } from '../render/completion-scripts.ts';
import { usageError } from '../terminal/errors.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';

export function printCompletionScript(shell: string): Outcome {
  const known = SHELLS.find((one) => one === shell);
  if (known === undefined)
    throw usageError(`"${shell}" is not a supported shell; the supported shells are ${listText(SHELLS)}`);
  const script = COMPLETION_SCRIPTS[known];
  return createOutcome({ rawOutput: script, body: { command: 'completion', shell: known, script } });
}

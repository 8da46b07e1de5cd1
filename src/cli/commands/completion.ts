/** Prints a completion script. */
import { SCRIPTS, SHELLS } from '../render/completion-scripts.ts';
import { outcome, usageError, type Outcome, type OutputFlags } from '../terminal/outcome.ts';

/** With `--json` the script is a member of the document, and not told to people once more. */
export function completion(shell: string, flags: OutputFlags): Outcome {
  const known = SHELLS.find((one) => one === shell);
  if (known === undefined) throw usageError(`"${shell}" is no shell; there are ${SHELLS.join(', ')}`);
  const script = SCRIPTS[known];
  return outcome({ text: flags.json === true ? '' : script, members: { shell, script } });
}

/** The file alone: syntax, shape, meaning. Executes nothing, sends nothing. */
import { counted } from '../../core/counted.ts';
import { printable } from '../../core/printable.ts';
import type { Context } from '../terminal/context.ts';
import type { FileFlags, OutputFlags } from '../terminal/flags.ts';
import { outcome, type Outcome } from '../terminal/outcome.ts';
import { loadProject } from '../files/project.ts';

export async function validate(context: Context, flags: FileFlags & OutputFlags): Promise<Outcome> {
  const loaded = await loadProject(context, flags);
  if (!loaded.ok) return outcome({ problems: loaded.problems });
  const { file, desired } = loaded.value;
  const [apps, tests] = [counted(desired.apps.length, 'app'), counted(desired.tests.length, 'test')];
  return outcome({
    problems: loaded.warnings,
    text: `${printable(file.path)} is valid: ${apps}, ${tests}.\n`,
    body: { command: 'validate', project: desired.project, environment: desired.environment },
  });
}

/** The `validate` command: checks the configuration file. Starts no programs and sends no requests. */
import type { CheckedConfig } from '../../config/check-environments.ts';
import { counted } from '../../core/counted.ts';
import { printable } from '../../core/printable.ts';
import type { Result } from '../../core/result.ts';
import type { Context } from '../terminal/context.ts';
import type { FileFlags, OutputFlags } from '../terminal/flags.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';
import { checkProject } from '../files/project.ts';
import { forEachFile, loadFiles } from '../steps/several-files.ts';

export async function validate(context: Context, flags: FileFlags & OutputFlags): Promise<Outcome> {
  const files = await loadFiles(context, flags, checkProject);
  return await forEachFile(context, 'validate', {
    files,
    run: async ({ loaded }) => await Promise.resolve(outcomeOf(loaded)),
  });
}

function outcomeOf(loaded: Result<CheckedConfig>): Outcome {
  if (!loaded.ok) return createOutcome({ problems: loaded.problems });
  const { file, desired, environments } = loaded.value;
  const [apps, tests] = [counted(desired.apps.length, 'app'), counted(desired.tests.length, 'test')];
  return createOutcome({
    problems: loaded.warnings,
    text: `${printable(file.path)} is valid: ${apps}, ${tests}.\n${desired.environment === null ? validEnvironmentsText(environments) : ''}`,
    body: { command: 'validate', project: desired.project, environment: desired.environment, environments },
  });
}

function validEnvironmentsText(environments: readonly string[]): string {
  if (environments.length === 0) return '';
  return `Also checked in ${counted(environments.length, 'environment')}: ${printable(environments.join(', '))}.\n`;
}

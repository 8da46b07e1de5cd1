/**
 * The `validate` command: checks the syntax, structure and meaning of the configuration file. It executes no
 * program and sends no request.
 */
import { counted } from '../../core/counted.ts';
import { printable } from '../../core/printable.ts';
import type { Context } from '../terminal/context.ts';
import type { FileFlags, OutputFlags } from '../terminal/flags.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';
import { checkProject } from '../files/project.ts';
import { forEachFile } from '../steps/several-files.ts';

export async function validate(context: Context, flags: FileFlags & OutputFlags): Promise<Outcome> {
  const run = async (one: typeof flags) => await validateFile(context, one);
  return await forEachFile(context, 'validate', { flags, run });
}

async function validateFile(context: Context, flags: FileFlags & OutputFlags): Promise<Outcome> {
  const loaded = await checkProject(context, flags);
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
  return `Checked in ${counted(environments.length, 'environment')}, too: ${printable(environments.join(', '))}.\n`;
}

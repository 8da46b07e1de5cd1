/** Writes a file from what the service holds; never over an existing one. */
import { resolve } from 'node:path';
import { withKnownTests } from '../../apply/known-tests.ts';
import { withWholeTests } from '../../apply/whole-tests.ts';
import { importedFile, type ImportedFile } from '../../config/import.ts';
import { selects } from '../../core/reconcile/plan.ts';
import type { BodyOf } from '../../core/report/report.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { writeNewFile } from '../../disk/output-file.ts';
import { lookAt } from '../../disk/regular-file.ts';
import type { Milliseconds } from '../../core/units.ts';
import type { Context } from '../terminal/context.ts';
import { sha256 } from '../files/sha256.ts';
import type { FileFlags, FilterFlags, OutputFlags } from '../terminal/flags.ts';
import { EDITOR_SCHEMA, projectName } from '../files/new-file.ts';
import { importText } from '../../report/import-text.ts';
import { checkHeldSelection } from '../steps/choose.ts';
import { cutWarning, markedProject, serviceOf, stillActive } from '../steps/importing.ts';
import { withService } from '../session/open.ts';
import { codeOf, reasonOf, usageError } from '../terminal/errors.ts';
import { outcome, type Outcome } from '../terminal/outcome.ts';

export interface ImportFlags extends FileFlags, FilterFlags, OutputFlags {
  readonly out?: string;
  readonly lockTimeout?: Milliseconds;
}

/** Tests that are asked for at once. */
const READS = 4;

/** `import` is a word of the language. */
export async function importAccount(context: Context, flags: ImportFlags): Promise<Outcome> {
  const path = flags.out === undefined ? null : resolve(context.folder, flags.out);
  if (path !== null && lookAt(path) !== null) throw existing(flags.out ?? '');
  const mayLackFile = (problems: readonly Problem[]) =>
    flags.file === undefined && problems.every(({ code }) => code === 'LT_CONFIG_NOT_FOUND');
  return await withService(context, { flags, writes: false, mayLackFile }, async ({ config, session }) => {
    const { service, origin } = session.connection;
    const [apps, tests] = [await service.listApps(), await service.listTests()];
    const environment = flags.env ?? null;
    const project =
      config?.desired.project ?? markedProject(tests.items, environment) ?? projectName(context.folder);
    const lines = session.journal({ project, environment }).lines();
    const known = await withKnownTests(tests, service, { lines, adopted: [] });
    // A file has all of each test.
    const whole = await withWholeTests(known.tests, () => true, { service, parallelism: READS });
    const perhapsCut = apps.perhapsCut || tests.perhapsCut;
    const filter = { only: flags.only ?? [], exclude: flags.exclude ?? [] };
    const keys: string[] = [];
    const made = importedFile({
      observed: { apps: apps.items, tests: whole, perhapsCut, began: new Map() },
      unmarked: known.unmarked,
      project,
      environment,
      service: serviceOf(context, config),
      declared: config?.desired ?? null,
      selects: (key) => {
        keys.push(key);
        return selects(filter, key);
      },
      comments: [
        `yaml-language-server: $schema=${EDITOR_SCHEMA}`,
        `Written by "loadtests import" from ${origin === 'embedded' ? 'the embedded service' : origin}.`,
      ],
      sha256,
    });
    if (!made.ok) return outcome({ problems: made.problems });
    if (!perhapsCut) checkHeldSelection({ keys, where: 'on the service' }, filter);
    const failed = path === null ? null : writeNew(path, made.value.text, flags.out ?? '');
    if (failed !== null) return outcome({ problems: [failed] });
    return imported(made.value, {
      flags,
      problems: [...(perhapsCut ? [cutWarning()] : []), ...stillActive(made.value)],
      project,
      environment,
    });
  });
}

function existing(name: string): Error {
  return usageError(`"${name}" already exists and is not overwritten`, 'choose another file');
}

function writeNew(path: string, text: string, name: string): Problem | null {
  try {
    writeNewFile(path, text);
    return null;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw existing(name);
    return problem('LT_CLI_DISK', `"${path}" cannot be written: ${reasonOf(error)}`);
  }
}

function imported(
  file: ImportedFile,
  about: {
    readonly flags: ImportFlags;
    readonly problems: readonly Problem[];
    readonly project: string;
    readonly environment: string | null;
  },
): Outcome {
  const { flags, problems, project, environment } = about;
  const body: BodyOf<'import'> = {
    command: 'import',
    project,
    environment,
    file: flags.out ?? null,
    text: flags.out === undefined ? file.text : null,
    apps: file.apps,
    tests: file.tests.map(({ key, test, pinned, earlier }) => ({
      address: `test.${key}`,
      test_id: test.id,
      pinned,
      earlier: earlier.map(({ id }) => id),
    })),
    omitted: file.leftOut,
    secrets: file.secrets,
  };
  return outcome({
    problems,
    text: importText(body),
    product: flags.out === undefined ? file.text : null,
    body,
  });
}

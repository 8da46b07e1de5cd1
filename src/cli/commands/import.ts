/** The `import` command: writes a new configuration file for the tests on the service. */
import { withKnownTests } from '../../apply/observation/known-tests.ts';
import { fetchFullTests } from '../../apply/observation/full-tests.ts';
import { importConfig, type ImportedFile } from '../../config/config-import.ts';
import { selects } from '../../core/reconcile/plan-input.ts';
import type { ImportDocument } from '../../core/report/generated/documents.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { codeOf } from '../../core/unknown-value.ts';
import { writeNewFile } from '../../disk/output-file.ts';
import type { Context } from '../terminal/context.ts';
import { sha256 } from '../files/sha256.ts';
import type { FilterFlags, ServiceFlags } from '../terminal/flags.ts';
import { EDITOR_SCHEMA_PATH, projectNameOf } from '../files/new-config-file.ts';
import { existingFileError, newFileOf } from '../files/output-files.ts';
import { importText } from '../../report/import-text.ts';
import { checkKnownSelection } from '../steps/key-selection.ts';
import {
  truncationWarning,
  markerProject,
  importedService,
  stillActiveWarnings,
} from '../steps/import-context.ts';
import { withService } from '../session/open-session.ts';
import { reasonOf, usageError } from '../terminal/errors.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';

export interface ImportFlags extends ServiceFlags, FilterFlags {
  readonly out?: string;
}

const MAX_CONCURRENT_READS = 4;

export async function importAccount(
  context: Context,
  sources: readonly string[],
  flags: ImportFlags,
): Promise<Outcome> {
  const [source] = sources;
  if (source !== undefined)
    throw usageError(
      `import requires --from to convert "${source}"`,
      'specify the format: loadtests import --from FORMAT FILE',
    );
  const onlyFrom = {
    into: '--into',
    test: '--test',
    hosts: '--hosts',
    staticFiles: '--static-files',
    again: '--again',
    tag: '--tag',
    path: '--path',
  };
  for (const [name, flag] of Object.entries(onlyFrom)) {
    if (name in flags) throw usageError(`${flag} requires --from`);
  }
  const path = newFileOf(context.directory, flags.out);
  const mayLackFile = (problems: readonly Problem[]) =>
    flags.file === undefined && problems.every(({ code }) => code === 'LT_CONFIG_NOT_FOUND');
  return await withService(context, { flags, writes: false, mayLackFile }, async ({ config, session }) => {
    const { service, origin } = session.connection;
    const [apps, tests] = [await service.listApps(), await service.listTests()];
    const environment = flags.env ?? null;
    const project =
      config?.desired.project ?? markerProject(tests.items, environment) ?? projectNameOf(context.directory);
    const lines = session.journal({ project, environment }).lines();
    const known = await withKnownTests(tests, service, { lines, adopted: [] });
    // The file needs full request bodies, which lists may truncate.
    const fullTests = await fetchFullTests(known.tests, () => true, {
      service,
      parallelism: MAX_CONCURRENT_READS,
    });
    const maybeTruncated = apps.maybeTruncated || tests.maybeTruncated;
    const filter = { only: flags.only ?? [], exclude: flags.exclude ?? [] };
    const keys: string[] = [];
    const imported = importConfig({
      observed: { apps: apps.items, tests: fullTests, maybeTruncated, firstStartTimes: new Map() },
      unmarked: known.unmarked,
      project,
      environment,
      service: importedService(context, config),
      declared: config?.desired ?? null,
      selects: (key) => {
        keys.push(key);
        return selects(filter, key);
      },
      comments: [
        `yaml-language-server: $schema=${EDITOR_SCHEMA_PATH}`,
        `Written by "loadtests import" from ${origin === 'embedded' ? 'the embedded service' : origin}.`,
      ],
      sha256,
    });
    if (!imported.ok) return createOutcome({ problems: imported.problems });
    if (!maybeTruncated) checkKnownSelection({ keys, source: 'on the service' }, filter);
    const failed = path === null ? null : writeImportedFile(path, imported.value.text, flags.out ?? '');
    if (failed !== null) return createOutcome({ problems: [failed] });
    return importOutcome(imported.value, {
      flags,
      problems: [...(maybeTruncated ? [truncationWarning()] : []), ...stillActiveWarnings(imported.value)],
      project,
      environment,
    });
  });
}

function writeImportedFile(path: string, text: string, name: string): Problem | null {
  try {
    writeNewFile(path, text);
    return null;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw existingFileError(name);
    return problem('LT_CLI_DISK', `"${path}" cannot be written: ${reasonOf(error)}`);
  }
}

type ImportedBody = Omit<ImportDocument, 'format_version' | 'exit_code' | 'problems'>;

function importOutcome(
  file: ImportedFile,
  about: {
    readonly flags: ImportFlags;
    readonly problems: readonly Problem[];
    readonly project: string;
    readonly environment: string | null;
  },
): Outcome {
  const { flags, problems, project, environment } = about;
  const body: ImportedBody = {
    command: 'import',
    project,
    environment,
    file: flags.out ?? null,
    text: flags.out === undefined ? file.text : null,
    apps: file.apps,
    tests: file.tests.map(({ key, test, pinReason, earlier }) => ({
      address: `test.${key}`,
      test_id: test.id,
      pinned: pinReason,
      earlier: earlier.map(({ id }) => id),
    })),
    omitted: file.omitted,
    secrets: file.secrets,
  };
  return createOutcome({
    problems,
    text: importText(body),
    rawOutput: flags.out === undefined ? file.text : null,
    body,
  });
}

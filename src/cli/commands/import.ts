/** Writes a file from what the service holds; never over an existing one. */
import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { withKnownMarks } from '../../apply/known-marks.ts';
import { importedFile, type ImportedFile } from '../../config/import.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { PrintedService } from '../../config/print.ts';
import { counted } from '../../core/counted.ts';
import { matchesAny } from '../../core/glob.ts';
import { readMark } from '../../core/reconcile/mark.ts';
import type { ObservedTest } from '../../core/model/load-test.ts';
import { isArmed, stateOf } from '../../core/model/test-state.ts';
import { printable } from '../../core/printable.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { seconds, type Milliseconds } from '../../core/units.ts';
import { chooseService, type HostedService } from '../session/connect.ts';
import type { Context } from '../terminal/context.ts';
import { sha256 } from '../session/digest.ts';
import type { FileFlags, FilterFlags, OutputFlags } from '../terminal/flags.ts';
import { EDITOR_SCHEMA, projectName } from '../files/new-file.ts';
import { withService } from '../session/open.ts';
import { codeOf, reasonOf, usageError } from '../terminal/errors.ts';
import { outcome, type Outcome } from '../terminal/outcome.ts';

export interface ImportFlags extends FileFlags, FilterFlags, OutputFlags {
  readonly out?: string;
  readonly lockTimeout?: Milliseconds;
}

/** `import` is a word of the language. */
export async function importAccount(context: Context, flags: ImportFlags): Promise<Outcome> {
  const path = flags.out === undefined ? null : resolve(context.folder, flags.out);
  if (path !== null && existsSync(path)) throw existing(flags.out ?? '');
  const mayLackFile = (problems: readonly Problem[]) =>
    flags.file === undefined && problems.every(({ code }) => code === 'LT_CONFIG_NOT_FOUND');
  return await withService(context, { flags, writes: false, mayLackFile }, async ({ config, session }) => {
    const { service, origin } = session.connection;
    const [apps, tests] = [await service.listApps(), await service.listTests()];
    const environment = flags.env ?? null;
    const project =
      config?.desired.project ?? markedProject(tests.items, environment) ?? projectName(context.folder);
    const known = withKnownMarks(tests.items, session.journal({ project, environment }).lines());
    const perhapsCut = apps.perhapsCut || tests.perhapsCut;
    const made = importedFile({
      observed: { apps: apps.items, tests: known.tests, perhapsCut },
      unmarked: known.unmarked,
      project,
      environment,
      service: serviceOf(context, config),
      declared: config?.desired ?? null,
      selects: (key) =>
        (flags.only === undefined || matchesAny(flags.only, key)) && !matchesAny(flags.exclude ?? [], key),
      comments: [
        `yaml-language-server: $schema=${EDITOR_SCHEMA}`,
        `Written by "loadtests import" from ${origin === 'embedded' ? 'the embedded service' : origin}.`,
      ],
      sha256,
    });
    if (!made.ok) return outcome({ problems: made.problems });
    const failed = path === null ? null : writeNew(path, made.value.text, flags.out ?? '');
    if (failed !== null) return outcome({ problems: [failed] });
    return imported(made.value, {
      flags,
      problems: [...(perhapsCut ? [cut()] : []), ...stillActive(made.value)],
      project,
      environment,
    });
  });
}

/** The project that most marks name: where there is no file, they alone know it. */
function markedProject(tests: readonly ObservedTest[], environment: string | null): string | null {
  const counts = new Map<string, number>();
  for (const { notes } of tests) {
    const reading = readMark(notes);
    if (reading.kind !== 'mark' || reading.mark.environment !== environment) continue;
    const { project } = reading.mark;
    if (/^[a-z0-9-]{1,40}$/.test(project)) counts.set(project, (counts.get(project) ?? 0) + 1);
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null;
}

/** As the current file has it, else as the environment names it; what is the default says nothing. */
function serviceOf(context: Context, config: LoadedConfig | null): PrintedService | null {
  const choice = chooseService(context, config?.service ?? null);
  if (choice.kind === 'embedded') return null;
  const { service } = choice;
  const unless = <K extends keyof HostedService>(key: K, standard: HostedService[K]) =>
    service[key] === standard ? null : service[key];
  return {
    base_url: service.baseUrl,
    auth_header: unless('authHeader', 'service-auth'),
    api_key_env: unless('apiKeyEnv', 'LOADTESTS_API_KEY'),
    token_prefix: unless('tokenPrefix', 'service'),
    request_timeout: unless('requestTimeout', seconds(30)),
    settle: unless('settle', seconds(65)),
    allow_plain_http: service.allowPlainHttp ? true : null,
  };
}

function existing(name: string): Error {
  return usageError(`"${name}" is there already, and is never overwritten`, 'name another file');
}

function writeNew(path: string, text: string, name: string): Problem | null {
  try {
    writeFileSync(path, text, { flag: 'wx' });
    return null;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw existing(name);
    return problem('LT_CLI_DISK', `"${path}" cannot be written: ${reasonOf(error)}`);
  }
}

function cut(): Problem {
  const text = 'a list of the service may be cut off, so the file may not hold everything';
  return problem('LT_PLAN_PERHAPS_CUT', text, { severity: 'warning' });
}

/** A plan stops tests of the project that its file does not stand for. */
function stillActive({ dropped }: ImportedFile): Problem[] {
  const now = Date.now();
  return dropped.flatMap(({ test, key, earlier }) => {
    const state = stateOf(test, now);
    if (!isArmed(state)) return [];
    const what = earlier ? `an earlier version of "${key}"` : `of the key "${key}", which the file has not`;
    const text = `${test.id}, ${what}, is ${state}; a plan of the file stops it`;
    return [problem('LT_PLAN_DROPPED', text, { severity: 'warning' })];
  });
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
  return outcome({
    problems,
    text: summaryText(file, flags),
    product: flags.out === undefined ? file.text : null,
    members: {
      project,
      environment,
      file: flags.out ?? null,
      text: flags.out === undefined ? file.text : null,
      apps: file.apps,
      tests: file.tests.map(({ key, test, pinned, earlier }) => ({
        address: `test.${key}`,
        id: test.id,
        pinned,
        earlier: earlier.map(({ id }) => id),
      })),
      left_out: file.leftOut,
      secrets: file.secrets,
    },
  });
}

function summaryText({ apps, tests, leftOut, secrets }: ImportedFile, flags: ImportFlags): string {
  const lines = [
    `Imported ${counted(apps.length, 'app')} and ${counted(tests.length, 'test')}${flags.out === undefined ? '' : ` into ${flags.out}`}.`,
  ];
  const pinned = tests.filter((test) => test.pinned !== null).length;
  if (pinned > 0) lines.push(`Pinned by "id:": ${pinned}.`);
  if (leftOut.length > 0) lines.push('Left out:');
  lines.push(...leftOut.map(({ id, name, reason }) => `  ${id} "${printable(name)}": ${printable(reason)}`));
  if (secrets.length > 0) lines.push('Set these environment variables before running it:');
  lines.push(...secrets.map((name) => `  ${name}`));
  return lines.join('\n') + '\n';
}

import { resolve } from 'node:path';
import type { LoadedConfig } from '../../config/load-config.ts';
import { machinesOf } from '../../core/reconcile/run-order.ts';
import { createReport } from '../../core/report/command-report.ts';
import { createProjectsBody, type ProjectsCommand } from '../../core/report/several-projects.ts';
import { exitCodeOf, problem, ProblemError } from '../../core/problem.ts';
import { printable } from '../../core/printable.ts';
import type { Result } from '../../core/result.ts';
import { findMatchingFiles } from '../../disk/matching-files.ts';
import { realDirectory, realPath } from '../../disk/untrusted-file.ts';
import { projectsLoadText } from '../../report/plan-text.ts';
import { namesService } from '../session/open-session.ts';
import type { Context } from '../terminal/context.ts';
import { usageError } from '../terminal/errors.ts';
import type { FileFlags, OutputFiles, OutputFlags } from '../terminal/flags.ts';
import { createOutcome, outcomeOfError, type Outcome } from '../terminal/outcome.ts';

type Flags = FileFlags & OutputFiles & OutputFlags & { readonly parallelProjects?: number };

export interface ProjectFile<Given extends Flags = Flags, Config extends LoadedConfig = LoadedConfig> {
  readonly flags: Given;
  readonly loaded: Result<Config>;
}

export interface FileOutcome {
  readonly file: ProjectFile;
  readonly outcome: Outcome;
}

/**
 * Loads each named file once. Without names, loads the default file.
 * @param mayMatchNone - reports whether a pattern may match no file
 * @throws ProblemError if a pattern matches no file, or the files cannot be used together.
 */
export async function loadFiles<Given extends Flags, Config extends LoadedConfig>(
  context: Context,
  flags: Given,
  load: (context: Context, flags: FileFlags & OutputFiles) => Promise<Result<Config>>,
  mayMatchNone: (pattern: string) => boolean = () => false,
): Promise<readonly ProjectFile<Given, Config>[]> {
  const { files: named = [] } = flags;
  const paths = expandFiles(context, named, mayMatchNone);
  if (named.length === 0) return [{ flags, loaded: await load(context, flags) }];
  if (paths.length > 1 && paths.includes('-'))
    throw usageError('standard input cannot be combined with other files');
  const files: ProjectFile<Given, Config>[] = [];
  for (const path of paths) {
    const own = { ...flags, file: path };
    files.push({ flags: own, loaded: await load(context, own) });
  }
  refuseSameProject(files);
  return files;
}

/** After a signal, no further file is processed. */
export async function forEachFile<File extends ProjectFile>(
  context: Context,
  command: ProjectsCommand,
  { files, run }: { readonly files: readonly File[]; readonly run: (file: File) => Promise<Outcome> },
): Promise<Outcome> {
  const [first] = files;
  if (first !== undefined && files.length === 1) return await run(first);
  const ended: FileOutcome[] = [];
  for (const file of files) {
    if (context.interruption.exitCode() !== null) break;
    const outcome = await run(file).catch((error: unknown) => outcomeOfError(error, context));
    ended.push({ file, outcome });
  }
  return combineOutcomes(context, command, ended);
}

/** @param options.load - True to add the total load to the text. */
export function combineOutcomes(
  context: Context,
  command: ProjectsCommand,
  ended: readonly FileOutcome[],
  options: { readonly load: boolean } = { load: true },
): Outcome {
  const outcomes = ended.map(({ outcome }) => outcome);
  const signal = context.interruption.exitCode();
  const body = createProjectsBody(command, {
    projects: ended.map(({ file, outcome }) => ({
      file: projectFileName(file),
      report: createReport(command, outcome),
      resources: resourcesOf(context, file),
    })),
    parallel: ended[0]?.file.flags.parallelProjects ?? 1,
  });
  const text = textOfFiles(
    ended.map(({ file, outcome }) => ({ file: projectFileName(file), text: outcome.text })),
  );
  return createOutcome({
    exitCode: exitCodeOf([...outcomes.map(({ exitCode }) => exitCode), ...(signal === null ? [] : [signal])]),
    problems: outcomes.flatMap(({ problems }) => problems),
    text:
      options.load && 'load' in body && body.projects.some(({ report }) => 'summary' in report)
        ? `${text}\n${projectsLoadText(body)}`
        : text,
    body,
    records: new Map(outcomes.flatMap(({ records }) => [...records])),
  });
}

export function textOfFiles(files: readonly { readonly file: string; readonly text: string }[]): string {
  return files
    .map(({ file, text }, index) => {
      const result = text === '' ? 'There is no result; see the errors below.\n' : text;
      return `[${index + 1}/${files.length}] ${printable(file)}\n\n${result}`;
    })
    .join('\n');
}

export function projectFileName({ flags, loaded }: ProjectFile): string {
  return flags.file ?? (loaded.ok ? loaded.value.file.path : '');
}

/**
 * Returns resources that only one project may use at a time: target hosts, the host of the web server, and the data of
 * an embedded service.
 */
export function resourcesOf(context: Context, { loaded }: ProjectFile): ReadonlySet<string> {
  if (!loaded.ok) return new Set();
  const { desired, webServer, service, file } = loaded.value;
  const { url = null } = webServer ?? {};
  return new Set([
    ...machinesOf(desired.tests, url === null ? [] : [url]),
    ...(namesService(context.env, service) ? [] : [realDirectory(file.directory)]),
  ]);
}

function expandFiles(
  { directory }: Context,
  named: readonly string[],
  mayMatchNone: (pattern: string) => boolean,
): readonly string[] {
  const found = named.flatMap((pattern) => {
    const paths = findMatchingFiles(directory, pattern);
    if (paths.length > 0 || mayMatchNone(pattern)) return paths;
    const message = `no file matches "${pattern}"`;
    throw new ProblemError(problem('LT_CONFIG_NOT_FOUND', message, { hint: 'correct the pattern of -f' }));
  });
  const byPath = new Map(found.map((path) => [realPathOf(resolve(directory, path)), path]));
  return [...byPath.values()];
}

/** Returns the path without symbolic links; the given path if it cannot be resolved. */
function realPathOf(path: string): string {
  try {
    return realPath(path);
  } catch {
    return path;
  }
}

/** @throws ProblemError LT_CLI_USAGE if two files declare the same project. */
function refuseSameProject(files: readonly ProjectFile[]): void {
  const byProject = new Map<string, string>();
  for (const file of files) {
    if (!file.loaded.ok) continue;
    const { project } = file.loaded.value.desired;
    const other = byProject.get(project);
    if (other !== undefined)
      throw usageError(
        `"${other}" and "${projectFileName(file)}" both declare the project "${project}"`,
        'set a different "project" in one of the files, because the project is part of the identity of a test',
      );
    byProject.set(project, projectFileName(file));
  }
}

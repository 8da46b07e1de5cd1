/** Compares the configuration file with a git revision, without a network or an API key. */
import { basename, dirname, join, relative, resolve } from 'node:path';
import { createUploadReaders } from '../../config/included-files.ts';
import { evaluateEnvironments } from '../../config/environment-contents.ts';
import { loadConfig, type ConfigInput, type LoadedConfig } from '../../config/load-config.ts';
import { decodeConfig } from '../../config/read-files.ts';
import { counted } from '../../core/counted.ts';
import { isCommit } from '../../core/pull-request-event.ts';
import type { TestKey } from '../../core/model/ids.ts';
import type { DesiredState } from '../../core/model/state.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { declaredLoadOf, type ComparedRevision } from '../../core/reconcile/file-comparison.ts';
import { isResource } from '../../core/reconcile/file-changes.ts';
import { reviewFile, type FileReview, type FileSide } from '../../core/reconcile/file-review.ts';
import { selects, type PlanOptions } from '../../core/reconcile/plan-input.ts';
import { matchesPath } from '../../disk/matching-files.ts';
import { lstatIfExists } from '../../disk/regular-file.ts';
import type { Context } from '../terminal/context.ts';
import type { FileFlags } from '../terminal/flags.ts';
import { openRevision, pathInRevision, type GitRevision } from '../files/git.ts';
import { configInput } from '../files/project.ts';
import { usageError } from '../terminal/errors.ts';
import { relativeFilePath } from './plan-project.ts';

type RevisionInput = Omit<ConfigInput, 'environment'>;

type RevisionFile =
  | { readonly kind: 'read'; readonly input: RevisionInput; readonly config: LoadedConfig }
  /**
   * The revision does not contain the file or the selected environment. `what` names the missing part. `input` is null
   * if the file is missing.
   */
  | { readonly kind: 'absent'; readonly input: RevisionInput | null; readonly what: string }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

export interface RevisionComparison {
  readonly compared: ComparedRevision;
  readonly review: FileReview;
  /** Earlier state; null if the revision contains no valid file or lacks the environment. */
  readonly before: DesiredState | null;
  readonly warnings: readonly Problem[];
}

interface RemovedPaths {
  readonly patterns: readonly string[];
  readonly current: readonly string[];
}

/** Returns the paths of files that match a pattern and were removed since the revision. */
function findRemovedPaths(
  opened: GitRevision,
  directory: string,
  { patterns, current }: RemovedPaths,
): readonly string[] {
  const removed = opened
    .list()
    .filter(
      (path) =>
        patterns.some((pattern) => matchesPath(pattern, path)) &&
        lstatIfExists(resolve(directory, path)) === null,
    );
  if (removed.length === 0) return [];
  const renamed = opened.renamedFiles();
  const moved = new Set(current.map((path) => renamed.get(path)));
  return removed.filter((path) => !moved.has(path));
}

interface ComparisonRequest {
  readonly revision: string;
  readonly flags: FileFlags;
  readonly options: PlanOptions;
}

/** If the version in the revision is missing or invalid, all declarations count as new. */
export function compareWithRevision(
  context: Context,
  config: LoadedConfig,
  request: ComparisonRequest,
): RevisionComparison {
  const { revision, flags } = request;
  if (config.file.path === '<stdin>')
    throw usageError('--against requires a file in a git repository, not standard input');
  const { directory } = config.file;
  const opened = openRevision(context, directory, revision);
  const name = basename(config.file.path);
  const unmoved = opened.read(name);
  const previous = unmoved === null ? (opened.renamedFiles().get(name) ?? null) : null;
  const bytes = previous === null ? unmoved : opened.read(previous);
  const old: RevisionFile =
    bytes === null
      ? { kind: 'absent', input: null, what: relativeFilePath(config, context.directory) }
      : loadRevision(context, bytes, { opened, directory, path: previous ?? name, revision, flags });
  const moved =
    previous === null
      ? null
      : `The file was moved. In ${shortRevision(revision)}, its path is ${relative(context.directory, join(directory, previous))}.`;
  const later = () => evaluateEnvironments(configInput(context, config.file, flags), flags.env ?? null);
  return compareVersions(config, {
    ...request,
    opened,
    old,
    note: noteOf(old, revision) ?? moved,
    later,
  });
}

export interface RemovedFile {
  /** Path relative to the working directory, with `/` between its segments. */
  readonly path: string;
  /** The file in the revision, without its apps and tests. */
  readonly config: LoadedConfig;
  readonly comparison: RevisionComparison;
}

/**
 * Compares each file that matches a pattern and was removed since a revision with an empty file. Omits files whose
 * version in the revision is not valid, and files that were moved to one of the current paths. All paths are relative to
 * the working directory, with `/` between their segments.
 */
export function compareRemovedFiles(
  context: Context,
  request: ComparisonRequest & RemovedPaths,
): readonly RemovedFile[] {
  const opened = openRevision(context, context.directory, request.revision);
  const paths = findRemovedPaths(opened, context.directory, request);
  return paths.flatMap((path) => compareRemovedFile(context, path, { ...request, opened }) ?? []);
}

/** Reports whether a comparison contains at least one removed file that matches the pattern. */
export function matchesRemovedFile(context: Context, pattern: string, request: ComparisonRequest): boolean {
  return compareRemovedFiles(context, { ...request, patterns: [pattern], current: [] }).length > 0;
}

function compareRemovedFile(
  context: Context,
  path: string,
  request: ComparisonRequest & { readonly opened: GitRevision },
): RemovedFile | null {
  const { revision, flags, opened } = request;
  const { directory } = context;
  const bytes = opened.read(path);
  if (bytes === null) return null;
  const old = loadRevision(context, bytes, { opened, directory, path, revision, flags });
  if (old.kind !== 'read') return null;
  const { content, desired } = withoutResources(sideOf(old.config));
  const config = { ...old.config, content: () => content, desired: desired() ?? old.config.desired };
  const later = () =>
    new Map(
      [...evaluateEnvironments(old.input, flags.env ?? null)].map(([name, side]) => [
        name,
        withoutResources(side),
      ]),
    );
  const note = `The file is in ${shortRevision(revision)}, but was removed. Its tests stay on the service, and scheduled tests still start.`;
  const comparison = compareVersions(config, { ...request, old, note, later });
  // "apply" does not read the file, and so it does not stop any tests.
  return { path, config, comparison: { ...comparison, before: null } };
}

function withoutResources({ content, desired }: FileSide): FileSide {
  const sections = new Map([...content.sections].filter(([address]) => !isResource(address)));
  const emptied = () => {
    const state = desired();
    return state && { ...state, apps: [], tests: [], moved: new Map<TestKey, TestKey>() };
  };
  return { content: { ...content, sections }, desired: emptied };
}

type Environments = ReadonlyMap<string | null, FileSide>;

/**
 * Compares the selected environment. If the earlier file exists and is valid, also compares the other environments.
 */
function compareVersions(
  config: LoadedConfig,
  request: ComparisonRequest & {
    readonly opened: GitRevision;
    readonly old: RevisionFile;
    readonly note: string | null;
    /** Evaluates the environments of the later file, except the selected one. */
    readonly later: () => Environments;
  },
): RevisionComparison {
  const { revision, flags, options, opened, old, note } = request;
  const name = flags.env ?? null;
  const before = old.kind === 'read' ? old.config.desired : null;
  const input = old.kind === 'invalid' ? null : old.input;
  const earlier: Environments = input === null ? new Map() : evaluateEnvironments(input, name);
  const later: Environments = input === null ? new Map() : request.later();
  const selected = { name, before: old.kind === 'read' ? sideOf(old.config) : null, after: sideOf(config) };
  const others = [...new Set([...later.keys(), ...earlier.keys()])].map((other) => ({
    name: other,
    before: earlier.get(other) ?? null,
    after: later.get(other) ?? null,
  }));
  return {
    compared: {
      revision,
      commit: opened.commit,
      oldFile: old.kind,
      note,
      before: declaredLoadOf(before, options),
      after: declaredLoadOf(config.desired, options),
    },
    review: reviewFile(selected, others, (key) => selects(options, key)),
    before,
    warnings: old.kind === 'invalid' ? invalidWarnings(old.problems, revision) : [],
  };
}

function sideOf({ content, desired }: LoadedConfig): FileSide {
  return { content: content(), desired: () => desired };
}

function shortRevision(revision: string): string {
  return isCommit(revision) ? revision.slice(0, 12) : revision;
}

/** Returns the reason why everything is treated as new; null if the revision contains a valid file. */
function noteOf(old: RevisionFile, named: string): string | null {
  const revision = shortRevision(named);
  switch (old.kind) {
    case 'read':
      return null;
    case 'absent':
      return `${revision} has no ${old.what}; everything is treated as new.`;
    case 'invalid':
      return `The file in ${revision} is not valid; everything is treated as new.`;
  }
}

const MAX_REPORTED_PROBLEMS = 10;

/** Returns errors in the earlier file as warnings, because these errors do not affect the current file. */
function invalidWarnings(problems: readonly Problem[], revision: string): readonly Problem[] {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const more = errors.length > MAX_REPORTED_PROBLEMS ? `, ${MAX_REPORTED_PROBLEMS} shown` : '';
  const text = `the file in ${revision} is not valid (${counted(errors.length, 'problem')}${more}), so everything is treated as new`;
  const warnings = errors
    .slice(0, MAX_REPORTED_PROBLEMS)
    .map((one): Problem => ({ ...one, severity: 'warning' }));
  return [problem('LT_PLAN_AGAINST', text, { severity: 'warning' }), ...warnings];
}

/** @param file.path - path relative to the directory, which is that of the opened revision */
function loadRevision(
  context: Context,
  bytes: Uint8Array,
  file: {
    readonly opened: GitRevision;
    readonly directory: string;
    readonly path: string;
    readonly revision: string;
    readonly flags: FileFlags;
  },
): RevisionFile {
  const { opened, revision, flags } = file;
  const directory = join(file.directory, dirname(file.path));
  const text = decodeConfig(bytes, { path: `${revision}:${basename(file.path)}`, directory });
  if (!text.ok) return { kind: 'invalid', problems: text.problems };
  const bytesOf = (path: string): Uint8Array => {
    const included = opened.read(pathInRevision(file.directory, path));
    if (included === null) throw Object.assign(new Error('not in the revision'), { code: 'ENOENT' });
    return included;
  };
  const input: RevisionInput = {
    file: text.value,
    vars: flags.var ?? new Map<string, string>(),
    env: context.env,
    readFile: (path) => new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(path)),
    ...createUploadReaders(directory, { readBytes: bytesOf, realPath: (path) => path }),
    realPath: (path) => path,
  };
  const loaded = loadConfig({ ...input, environment: flags.env ?? null });
  if (loaded.ok) return { kind: 'read', input, config: loaded.value };
  const noEnvironment = loaded.problems.every(({ code }) => code === 'LT_CONFIG_ENVIRONMENT');
  const name = basename(input.file.path).replace(/^.*:/, '');
  if (noEnvironment) return { kind: 'absent', input, what: `environment "${flags.env ?? ''}" in ${name}` };
  return { kind: 'invalid', problems: loaded.problems };
}

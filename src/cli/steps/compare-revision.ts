/** Compares the configuration file with a git revision, without a network or an API key. */
import { basename, dirname, join, relative } from 'node:path';
import { createUploadReaders } from '../../config/included-files.ts';
import { evaluateEnvironments } from '../../config/environment-contents.ts';
import { loadConfig, type ConfigInput, type LoadedConfig } from '../../config/load-config.ts';
import { decodeConfig } from '../../config/read-files.ts';
import { counted } from '../../core/counted.ts';
import { isCommit } from '../../core/pull-request-event.ts';
import type { DesiredState } from '../../core/model/state.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { declaredLoadOf, type ComparedRevision } from '../../core/reconcile/file-comparison.ts';
import { reviewFile, type FileReview, type FileSide } from '../../core/reconcile/file-review.ts';
import { selects, type PlanOptions } from '../../core/reconcile/plan-input.ts';
import type { Context } from '../terminal/context.ts';
import type { FileFlags } from '../terminal/flags.ts';
import { openRevision, pathInRevision, type GitRevision } from '../files/git.ts';
import { configInput } from '../files/project.ts';
import { usageError } from '../terminal/errors.ts';
import { relativeFilePath } from './plan-project.ts';

type RevisionFile =
  | { readonly kind: 'read'; readonly config: LoadedConfig }
  /** The revision does not contain the file or the selected environment. `what` names the missing part. */
  | { readonly kind: 'absent'; readonly what: string }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

export interface RevisionComparison {
  readonly compared: ComparedRevision;
  readonly review: FileReview;
  /** Earlier state; null if the revision contains no valid file or lacks the environment. */
  readonly before: DesiredState | null;
  readonly warnings: readonly Problem[];
}

/** If the version in the revision is missing or invalid, all declarations count as new. */
export function compareWithRevision(
  context: Context,
  config: LoadedConfig,
  request: { readonly revision: string; readonly flags: FileFlags; readonly options: PlanOptions },
): RevisionComparison {
  const { revision, options, flags } = request;
  if (config.file.path === '<stdin>')
    throw usageError('--against requires a file in a git repository, not standard input');
  const opened = openRevision(context, config.file.directory, revision);
  const inputs = inputsOfRevision(context, config, { opened, revision, flags });
  const old = loadRevision(inputs, flags.env ?? null);
  const before = old.kind === 'read' ? old.config.desired : null;
  const warnings = old.kind === 'invalid' ? invalidWarnings(old.problems, revision) : [];
  return {
    compared: {
      revision,
      commit: opened.commit,
      oldFile: old.kind,
      note: noteOf(old, inputs, revision),
      before: declaredLoadOf(before, options),
      after: declaredLoadOf(config.desired, options),
    },
    review: reviewWith(context, config, { inputs, old, flags, options }),
    before,
    warnings,
  };
}

/** Input for loading the earlier file, or the reason why there is none. */
type RevisionInput =
  | {
      readonly kind: 'read';
      readonly input: Omit<ConfigInput, 'environment'>;
      /** Previous path of the file, relative to the working directory; null if the file was not renamed. */
      readonly previousPath: string | null;
    }
  | Exclude<RevisionFile, { kind: 'read' }>;

/** Reviews the selected environment. If the earlier file exists and is valid, also reviews the other environments. */
function reviewWith(
  context: Context,
  config: LoadedConfig,
  request: {
    readonly inputs: RevisionInput;
    readonly old: RevisionFile;
    readonly flags: FileFlags;
    readonly options: PlanOptions;
  },
): FileReview {
  const { inputs, old, flags, options } = request;
  const name = flags.env ?? null;
  const earlier =
    inputs.kind === 'read' && old.kind !== 'invalid'
      ? evaluateEnvironments(inputs.input, name)
      : new Map<string | null, FileSide>();
  const later =
    inputs.kind === 'read' && old.kind !== 'invalid'
      ? evaluateEnvironments(configInput(context, config.file, flags), name)
      : new Map<string | null, FileSide>();
  const selected = { name, before: old.kind === 'read' ? sideOf(old.config) : null, after: sideOf(config) };
  const others = [...new Set([...later.keys(), ...earlier.keys()])].map((other) => ({
    name: other,
    before: earlier.get(other) ?? null,
    after: later.get(other) ?? null,
  }));
  return reviewFile(selected, others, (key) => selects(options, key));
}

function sideOf({ content, desired }: LoadedConfig): FileSide {
  return { content: content(), desired: () => desired };
}

function noteOf(old: RevisionFile, inputs: RevisionInput, named: string): string | null {
  const revision = isCommit(named) ? named.slice(0, 12) : named;
  switch (old.kind) {
    case 'read':
      return inputs.kind === 'read' && inputs.previousPath !== null
        ? `The file was moved. In ${revision}, its path is ${inputs.previousPath}.`
        : null;
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

function inputsOfRevision(
  context: Context,
  config: LoadedConfig,
  request: { readonly opened: GitRevision; readonly revision: string; readonly flags: FileFlags },
): RevisionInput {
  const { opened, revision, flags } = request;
  const current = basename(config.file.path);
  const unmoved = opened.read(current);
  const previous = unmoved === null ? opened.previousPath(current) : null;
  const bytes = previous === null ? unmoved : opened.read(previous);
  if (bytes === null) return { kind: 'absent', what: relativeFilePath(config, context.directory) };
  const path = join(config.file.directory, previous ?? current);
  const [directory, name] = [dirname(path), basename(path)];
  const text = decodeConfig(bytes, { path: `${revision}:${name}`, directory });
  if (!text.ok) return { kind: 'invalid', problems: text.problems };
  const bytesOf = (path: string): Uint8Array => {
    const included = opened.read(pathInRevision(config.file.directory, path));
    if (included === null) throw Object.assign(new Error('not in the revision'), { code: 'ENOENT' });
    return included;
  };
  return {
    kind: 'read',
    input: {
      file: text.value,
      vars: flags.var ?? new Map<string, string>(),
      env: context.env,
      readFile: (path) => new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(path)),
      ...createUploadReaders(directory, { readBytes: bytesOf, realPath: (path) => path }),
      realPath: (path) => path,
    },
    previousPath: previous === null ? null : relative(context.directory, path),
  };
}

function loadRevision(inputs: RevisionInput, environment: string | null): RevisionFile {
  if (inputs.kind !== 'read') return inputs;
  const loaded = loadConfig({ ...inputs.input, environment });
  if (loaded.ok) return { kind: 'read', config: loaded.value };
  const noEnvironment = loaded.problems.every(({ code }) => code === 'LT_CONFIG_ENVIRONMENT');
  const name = basename(inputs.input.file.path).replace(/^.*:/, '');
  if (noEnvironment) return { kind: 'absent', what: `environment "${environment ?? ''}" in ${name}` };
  return { kind: 'invalid', problems: loaded.problems };
}

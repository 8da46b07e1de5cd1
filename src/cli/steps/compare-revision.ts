/**
 * Compares the configuration file with its version in a git revision. The comparison uses the reconciler and
 * requires neither a network nor an API key.
 */
import { basename } from 'node:path';
import { createRowsReader } from '../../config/included-files.ts';
import { loadConfig, type LoadedConfig } from '../../config/load-config.ts';
import { decodeConfig } from '../../config/read-files.ts';
import { counted } from '../../core/counted.ts';
import type { DesiredState } from '../../core/model/state.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { compareStates, type FileComparison } from '../../core/reconcile/file-comparison.ts';
import type { PlanOptions } from '../../core/reconcile/plan-input.ts';
import type { Context } from '../terminal/context.ts';
import { sha256 } from '../files/sha256.ts';
import type { FileFlags } from '../terminal/flags.ts';
import { openRevision, pathInRevision, type GitRevision } from '../files/git.ts';
import { usageError } from '../terminal/errors.ts';

/** Result of reading the configuration file in the revision. */
type RevisionFile =
  | { readonly kind: 'read'; readonly desired: DesiredState }
  /** The revision does not contain the file, or the file does not contain the environment. */
  | { readonly kind: 'absent'; readonly what: string }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

/**
 * Compares the file with a revision. If the revision contains no valid file, all declarations count as new, so
 * that an added or repaired file is reviewed in full.
 */
export function compareWithRevision(
  context: Context,
  config: LoadedConfig,
  request: { readonly revision: string; readonly flags: FileFlags; readonly options: PlanOptions },
): { readonly comparison: FileComparison; readonly warnings: readonly Problem[] } {
  const { revision, options } = request;
  if (config.file.path === '<stdin>')
    throw usageError('--against requires a file in a git repository, not standard input');
  const { desired } = config;
  const opened = openRevision(context, config.file.directory, revision);
  const old = loadRevision(context, config, { opened, ...request });
  const before = old.kind === 'read' ? old.desired : null;
  const compared = compareStates(before, desired, { options, sha256 });
  const comparison: FileComparison = {
    ...compared,
    revision,
    commit: opened.commit,
    oldFile: old.kind,
    allNew: allNewNote(old, revision),
    limits: old.kind === 'invalid' ? [] : compared.limits,
  };
  return { comparison, warnings: old.kind === 'invalid' ? invalidWarnings(old.problems, revision) : [] };
}

function allNewNote(old: RevisionFile, revision: string): string | null {
  switch (old.kind) {
    case 'read':
      return null;
    case 'absent':
      return `${revision} has no ${old.what}; everything is new.`;
    case 'invalid':
      return `The file in ${revision} is not valid; everything is treated as new.`;
  }
}

const MAX_REPORTED_PROBLEMS = 10;

/** Returns the errors in the old file as warnings, because they do not make the new file invalid. */
function invalidWarnings(problems: readonly Problem[], revision: string): readonly Problem[] {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const more = errors.length > MAX_REPORTED_PROBLEMS ? `, ${MAX_REPORTED_PROBLEMS} shown` : '';
  const text = `the file in ${revision} is not valid (${counted(errors.length, 'problem')}${more}), so everything is treated as new`;
  const warnings = errors
    .slice(0, MAX_REPORTED_PROBLEMS)
    .map((one): Problem => ({ ...one, severity: 'warning' }));
  return [problem('LT_PLAN_AGAINST', text, { severity: 'warning' }), ...warnings];
}

function loadRevision(
  context: Context,
  config: LoadedConfig,
  request: { readonly opened: GitRevision; readonly revision: string; readonly flags: FileFlags },
): RevisionFile {
  const { opened, revision, flags } = request;
  const { directory } = config.file;
  const name = basename(config.file.path);
  const bytes = opened.read(name);
  if (bytes === null) return { kind: 'absent', what: name };
  const text = decodeConfig(bytes, { path: `${revision}:${name}`, directory });
  if (!text.ok) return { kind: 'invalid', problems: text.problems };
  const bytesOf = (path: string): Uint8Array => {
    const included = opened.read(pathInRevision(directory, path));
    if (included === null) throw Object.assign(new Error('not in the revision'), { code: 'ENOENT' });
    return included;
  };
  const loaded = loadConfig({
    file: text.value,
    environment: flags.env ?? null,
    vars: flags.var ?? new Map<string, string>(),
    env: context.env,
    readFile: (path) => new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(path)),
    readRows: createRowsReader(directory, { readBytes: bytesOf, realPath: (path) => path }),
    realPath: (path) => path,
  });
  if (loaded.ok) return { kind: 'read', desired: loaded.value.desired };
  const noEnvironment = loaded.problems.every(({ code }) => code === 'LT_CONFIG_ENVIRONMENT');
  if (noEnvironment) return { kind: 'absent', what: `environment "${flags.env ?? ''}" in ${name}` };
  return { kind: 'invalid', problems: loaded.problems };
}

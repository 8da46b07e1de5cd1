/** Compares the file with that of a git revision: offline, without a key, by the same reconciler. */
import { basename } from 'node:path';
import { createRowsReader } from '../../config/included-files.ts';
import { loadConfig, type LoadedConfig } from '../../config/load-config.ts';
import { decodeConfig } from '../../config/read-files.ts';
import { counted } from '../../core/counted.ts';
import type { DesiredState } from '../../core/model/state.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { compareStates, type FileComparison } from '../../core/reconcile/file-comparison.ts';
import type { PlanOptions } from '../../core/reconcile/plan.ts';
import type { Context } from '../terminal/context.ts';
import { sha256 } from '../files/sha256.ts';
import type { FileFlags } from '../terminal/flags.ts';
import { openRevision, pathInRevision, type GitRevision } from '../files/git.ts';
import { usageError } from '../terminal/errors.ts';

/** What the revision holds. */
type RevisionFile =
  | { readonly kind: 'read'; readonly desired: DesiredState }
  /** Without the file, or in it without the environment. */
  | { readonly kind: 'absent'; readonly what: string }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

/** Where there is nothing to compare with, everything is new: what is added or repaired must be reviewed, too. */
export function compareWithRevision(
  context: Context,
  config: LoadedConfig,
  given: { readonly revision: string; readonly flags: FileFlags; readonly options: PlanOptions },
): { readonly comparison: FileComparison; readonly warnings: readonly Problem[] } {
  const { revision, options } = given;
  if (config.file.path === '<stdin>')
    throw usageError('--against requires a file in a git repository, not standard input');
  const { desired } = config;
  const opened = openRevision(context, config.file.directory, revision);
  const old = loadRevision(context, config, { opened, ...given });
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
      return `The file of ${revision} is not valid; everything is treated as new.`;
  }
}

const MAX_REPORTED_PROBLEMS = 10;

/** A file is not to blame for what another one was. */
function invalidWarnings(problems: readonly Problem[], revision: string): readonly Problem[] {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const more = errors.length > MAX_REPORTED_PROBLEMS ? `, of which ${MAX_REPORTED_PROBLEMS} are shown` : '';
  const text = `the file of ${revision} is not valid, so everything is treated as new: it has ${counted(errors.length, 'problem')}${more}`;
  const told = errors
    .slice(0, MAX_REPORTED_PROBLEMS)
    .map((one): Problem => ({ ...one, severity: 'warning' }));
  return [problem('LT_PLAN_AGAINST', text, { severity: 'warning' }), ...told];
}

function loadRevision(
  context: Context,
  config: LoadedConfig,
  given: { readonly opened: GitRevision; readonly revision: string; readonly flags: FileFlags },
): RevisionFile {
  const { opened, revision, flags } = given;
  const { directory } = config.file;
  const name = basename(config.file.path);
  const bytes = opened.read(name);
  if (bytes === null) return { kind: 'absent', what: name };
  const text = decodeConfig(bytes, { path: `${revision}:${name}`, directory: directory });
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

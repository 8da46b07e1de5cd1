/** Compares the file with that of a git revision: offline, without a key, by the same reconciler. */
import { basename } from 'node:path';
import { loadConfig, type LoadedConfig } from '../config/load.ts';
import { decodeConfig } from '../config/read.ts';
import { matchesAny } from '../core/glob.ts';
import type { DesiredState, ObservedState } from '../core/model/state.ts';
import { asApplied } from '../core/reconcile/as-applied.ts';
import { limitChanges, type LimitChange } from '../core/reconcile/limit-changes.ts';
import { loadConsequence, type LoadConsequence } from '../core/reconcile/load.ts';
import { createPlan, selectedMatching, type Plan, type PlanOptions } from '../core/reconcile/plan.ts';
import { ok, type Result } from '../core/result.ts';
import type { Context } from './context.ts';
import { sha256 } from './digest.ts';
import type { FileFlags } from './flags.ts';
import { openRevision, pathBelow, type GitRevision } from './git.ts';
import { usageError } from './outcome.ts';

export interface Comparison {
  readonly plan: Plan;
  readonly revision: string;
  readonly commit: string;
  /** Of all the tests that each file declares. */
  readonly before: LoadConsequence;
  readonly after: LoadConsequence;
  readonly limits: readonly LimitChange[];
}

export function compareWith(
  context: Context,
  config: LoadedConfig,
  given: { readonly revision: string; readonly flags: FileFlags; readonly options: PlanOptions },
): Result<Comparison> {
  const { revision, options } = given;
  if (config.file.path === '<stdin>')
    throw usageError('--against needs a file that git knows, not standard input');
  const { desired } = config;
  const opened = openRevision(context, config.file.folder, revision);
  const old = loadOld(context, config, { opened, ...given });
  if (!old.ok) return old;
  const before = old.value;
  const observed = withAdopted(
    before === null ? NOTHING : asApplied(before, sha256, options.now),
    desired,
    options.now,
  );
  const matching = selectedMatching(desired, observed, { filter: options, sha256 });
  return ok({
    plan: createPlan({ desired, observed, matching, history: new Map(), notesDropped: false, options }),
    revision,
    commit: opened.commit,
    before: loadOf(before, options),
    after: loadOf(desired, options),
    limits: limitChanges(before?.limits ?? NO_LIMITS, desired.limits),
  });
}

const NOTHING: ObservedState = { apps: [], tests: [], perhapsCut: false };
const NO_LIMITS = { maxConnections: null, maxDuration: null, hosts: null } as const;

/** Null where the revision does not have the file, or the file not the environment: then everything is new. */
function loadOld(
  context: Context,
  config: LoadedConfig,
  given: { readonly opened: GitRevision; readonly revision: string; readonly flags: FileFlags },
): Result<DesiredState | null> {
  const { opened, revision, flags } = given;
  const { folder } = config.file;
  const name = basename(config.file.path);
  const bytes = opened.read(name);
  if (bytes === null) return ok(null);
  const text = decodeConfig(bytes, { path: `${revision}:${name}`, folder });
  if (!text.ok) return text;
  const loaded = loadConfig({
    file: text.value,
    environment: flags.env ?? null,
    vars: flags.var ?? new Map<string, string>(),
    env: context.env,
    readFile: (path) => {
      const included = opened.read(pathBelow(folder, path));
      if (included === null) throw Object.assign(new Error('not in the revision'), { code: 'ENOENT' });
      return new TextDecoder('utf-8', { fatal: true }).decode(included);
    },
    realPath: (path) => path,
  });
  if (loaded.ok) return ok(loaded.value.desired);
  const noEnvironment = loaded.problems.every(({ code }) => code === 'LT_CONFIG_ENVIRONMENT');
  return noEnvironment ? ok(null) : loaded;
}

/** Tests that the file adopts anew are on the service and not in the other file: taken for what is declared. */
function withAdopted(observed: ObservedState, desired: DesiredState, now: number): ObservedState {
  const known = new Set(observed.tests.map(({ id }) => id));
  const adopted = desired.tests.filter(({ adopt }) => adopt !== null && !known.has(adopt));
  const { tests } = asApplied({ ...desired, tests: adopted }, sha256, now);
  return { ...observed, tests: [...observed.tests, ...tests] };
}

function loadOf(desired: DesiredState | null, { only, exclude }: PlanOptions): LoadConsequence {
  const chosen = (desired?.tests ?? []).filter(
    ({ key }) => (only.length === 0 || matchesAny(only, key)) && !matchesAny(exclude, key),
  );
  return loadConsequence(chosen);
}

import type { Execution } from '../../apply/execute.ts';
import type { RepeatedExecution } from '../../apply/rounds.ts';
import { counted } from '../../core/counted.ts';
import { matchesAny } from '../../core/glob.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { isChange } from '../../core/reconcile/action.ts';
import { keyOfAddress } from '../../core/model/ids.ts';
import type { PlannedAction } from '../../core/report/generated/documents.ts';
import { formatCommandLine, sourceArgs } from '../terminal/command-line.ts';
import type { ApplyFlags } from '../terminal/flags.ts';

export interface Unfinished {
  /** Test keys to select; empty to plan all tests. */
  readonly keys: readonly string[];
  /** True if existing tests must be started. */
  readonly starts: boolean;
  readonly replaces: readonly string[];
  /** Number of remaining rounds. Default: 1. */
  readonly rounds?: number;
}

export type ResumeHint = (unfinished: Unfinished) => readonly string[];

/**
 * Returns the problem of an interrupted command. The hint contains a command if work remains or a run is still in
 * progress.
 * @param options.args - Original arguments of the command.
 */
export function interruptedProblem(
  { actions, runs, roundsLeft }: RepeatedExecution,
  {
    args,
    flags,
    resumeHint,
  }: { readonly args: readonly string[]; readonly flags: ApplyFlags; readonly resumeHint: ResumeHint },
): Problem {
  const changes = actions.filter(({ action }) => isChange(action));
  const unattempted = changes
    .filter(({ outcome }) => outcome === 'not_attempted')
    .map(({ action }) => action);
  const stopped = runs.filter(({ end, startedByUs }) => end === 'stopped' && startedByUs);
  const what =
    unattempted.length === 0
      ? 'interrupted'
      : `interrupted; ${counted(unattempted.length, 'action was', 'actions were')} not attempted`;
  const round = roundsLeft === 0 ? '' : `, with ${counted(roundsLeft, 'round')} remaining`;
  const withHint = (hint: string | null) =>
    problem('LT_CLI_INTERRUPTED', what + (runs.some((run) => run.round !== null) ? round : ''), { hint });
  // A run that is still in progress must end first, because other tests may use the same host or depend on its test.
  const inProgress = runs.filter(({ end }) => end === 'in_progress');
  const repeated = runs.filter((run) => run.round !== null);
  if (
    unattempted.length + stopped.length === 0 &&
    (roundsLeft === 0 || inProgress.length > 0 || repeated.length === 0)
  ) {
    return withHint(
      inProgress.length === 0
        ? null
        : `to see the results after the runs end: ${formatCommandLine(['results', ...sourceArgs(flags)])}`,
    );
  }
  if (unattempted.length === changes.length) return withHint(`to start again: ${formatCommandLine(args)}`);
  const starts =
    args[0] === 'run' ||
    stopped.length + repeated.length > 0 ||
    unattempted.some(({ verb }) => verb === 'run');
  // A command that starts existing tests would start the tests of the runs in progress again.
  const waited = starts ? [] : inProgress;
  const unfinished: Unfinished = {
    ...unfinishedOf(unattempted, [...stopped, ...waited, ...repeated]),
    starts,
    ...(repeated.length === 0 ? {} : { rounds: roundsLeft }),
  };
  const when = inProgress.length > waited.length ? ' after the runs in progress end' : '';
  return withHint(`to continue${when}: ${formatCommandLine(resumeHint(unfinished))}`);
}

/** Returns the arguments of an `apply` command that executes a plan of which no action was attempted. */
export function unstartedArgs(
  flags: ApplyFlags,
  changes: readonly Pick<PlannedAction, 'verb' | 'address'>[],
): readonly string[] {
  return applyArgs(flags, { ...unfinishedOf(changes, []), rounds: flags.repeat ?? 1 });
}

function unfinishedOf(
  unattempted: readonly Pick<PlannedAction, 'verb' | 'address'>[],
  runs: readonly { readonly address: string }[],
): Unfinished {
  const tests = unattempted.filter(({ address }) => address.startsWith('test.'));
  const keysOf = (items: typeof runs) => [...new Set(items.map(({ address }) => keyOfAddress(address)))];
  const has = (name: PlannedAction['verb']) => unattempted.some(({ verb }) => verb === name);
  return {
    // Only a plan for all tests stops tests that were removed from the file.
    keys: has('stop') ? [] : keysOf([...runs, ...tests]),
    starts: has('run'),
    replaces: keysOf(tests.filter(({ verb }) => verb === 'replace')),
  };
}

/** Returns a problem for each run that could not be stopped. The hint contains the command that stops the run. */
export function unstoppedProblems({ runs }: Execution, flags: ApplyFlags): readonly Problem[] {
  if (flags.onInterrupt === 'detach') return [];
  return runs
    .filter(({ end, startedByUs }) => end === 'in_progress' && startedByUs)
    .map(({ address, testId }) =>
      problem('LT_CLI_INTERRUPTED', `${address} (${testId}) was not stopped and may still be running`, {
        hint: `to stop it: ${formatCommandLine(['stop', `id:${testId}`, ...sourceArgs(flags), '--yes'])}`,
      }),
    );
}

/** Returns the arguments of an `apply` command that completes an interrupted command. */
export function applyArgs(
  flags: ApplyFlags,
  { keys, starts, replaces, rounds }: Unfinished,
): readonly string[] {
  const replaced = replaces.filter((key) => matchesAny(flags.replace ?? [], key));
  return [
    'apply',
    ...fileArgs(flags),
    ...(flags.run === false ? ['--no-run'] : starts ? ['--run'] : []),
    ...keys.flatMap((key) => ['--only', key]),
    ...replaced.flatMap((key) => ['--replace', key]),
    ...(flags.onDrift === undefined ? [] : ['--on-drift', flags.onDrift]),
    ...repeatArgs(rounds),
  ];
}

/** Returns the flags that select the file, and other flags that a continued command needs. */
export function fileArgs(flags: ApplyFlags): readonly string[] {
  const { allowLimit, allowUnmarked, allowCommands, seed, yes } = flags;
  return [
    ...sourceArgs(flags),
    ...(allowLimit ?? []).flatMap((name) => ['--allow-limit', name]),
    ...(allowUnmarked === true ? ['--allow-unmarked'] : []),
    ...(allowCommands === true ? ['--allow-commands'] : []),
    ...(seed === undefined ? [] : ['--seed', String(seed)]),
    ...(yes === true ? ['--yes'] : []),
  ];
}

export function repeatArgs(rounds = 1): readonly string[] {
  return rounds > 1 ? ['--repeat', String(rounds)] : [];
}

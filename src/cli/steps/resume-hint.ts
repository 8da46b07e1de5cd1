/** What a signal left undone, and the very command that goes on with it. */
import type { Execution } from '../../apply/execute.ts';
import type { RepeatedExecution } from '../../apply/rounds.ts';
import { counted } from '../../core/counted.ts';
import { matchesAny } from '../../core/glob.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { isChange } from '../../core/reconcile/action.ts';
import { keyOfAddress, type Address } from '../../core/model/ids.ts';
import { formatCommandLine } from '../terminal/command-line.ts';
import type { ApplyFlags } from '../terminal/flags.ts';

/** The tests that are not done. */
export interface Unfinished {
  /** Their keys; empty where the flags that were given choose as well. */
  readonly keys: readonly string[];
  /** Whether one of them is there and has to be started again. */
  readonly starts: boolean;
  /** Those that are still to be created anew. */
  readonly replaces: readonly string[];
  /** Rounds that are still to be made; left out: one. */
  readonly rounds?: number;
}

/** The words of the command that does what is left. */
export type ResumeHint = (left: Unfinished) => readonly string[];

/** `words`: of the command line as it was called. */
export function interruptedProblem(
  { actions, runs, roundsLeft }: RepeatedExecution,
  { words, goOn }: { readonly words: readonly string[]; readonly goOn: ResumeHint },
): Problem {
  const changes = actions.filter(({ action }) => isChange(action));
  const untried = changes.filter(({ outcome }) => outcome === 'not_attempted').map(({ action }) => action);
  const stopped = runs.filter(({ end, startedByUs }) => end === 'stopped' && startedByUs);
  const what =
    untried.length === 0
      ? 'interrupted'
      : `interrupted; ${counted(untried.length, 'action was', 'actions were')} not tried`;
  const round = roundsLeft === 0 ? '' : `, with ${counted(roundsLeft, 'round')} to go`;
  const told = (hint: string | null) =>
    problem('LT_CLI_INTERRUPTED', what + (runs.some((run) => run.round !== null) ? round : ''), { hint });
  // What goes on is waited for: it has its host, and others may need it.
  const going = runs.filter(({ end }) => end === 'in_progress');
  const repeated = runs.filter((run) => run.round !== null);
  if (
    untried.length + stopped.length === 0 &&
    (roundsLeft === 0 || going.length > 0 || repeated.length === 0)
  ) {
    return told(going.length === 0 ? null : '"loadtests results" shows the result once the run has ended');
  }
  if (untried.length === changes.length) return told(`to start again: ${formatCommandLine(words)}`);
  const keysOf = (done: readonly { readonly address: Address }[]) =>
    done.map(({ address }) => keyOfAddress(address));
  const chosen = new Set(
    keysOf([...stopped, ...going, ...repeated, ...untried.filter((action) => 'test' in action)]),
  );
  const left: Unfinished = {
    // Nothing but the file as a whole stops what left it.
    keys: untried.some(({ verb }) => verb === 'stop') ? [] : [...chosen],
    starts: stopped.length + repeated.length > 0 || untried.some(({ verb }) => verb === 'run'),
    replaces: keysOf(untried.filter(({ verb }) => verb === 'replace')),
    ...(repeated.length === 0 ? {} : { rounds: roundsLeft }),
  };
  return told(`to continue: ${formatCommandLine(goOn(left))}`);
}

/** Runs that were to be stopped and could not be, each with the command that stops it. */
export function unstoppedProblems({ runs }: Execution, flags: ApplyFlags): readonly Problem[] {
  if (flags.onInterrupt === 'detach') return [];
  const { file, env, var: variables } = flags;
  const where = fileArgs({
    ...(file === undefined ? {} : { file }),
    ...(env === undefined ? {} : { env }),
    ...(variables === undefined ? {} : { var: variables }),
    yes: true,
  });
  return runs
    .filter(({ end, startedByUs }) => end === 'in_progress' && startedByUs)
    .map(({ address, testId }) =>
      problem('LT_CLI_INTERRUPTED', `${address} (${testId}) was not stopped and may still run`, {
        hint: `to stop it: ${formatCommandLine(['stop', `id:${testId}`, ...where])}`,
      }),
    );
}

/** The words of an `apply` that does what is left of another one, and leaves alone what that one did. */
export function applyArgs(
  flags: ApplyFlags,
  { keys, starts, replaces, rounds }: Unfinished,
): readonly string[] {
  const asked = replaces.filter((key) => matchesAny(flags.replace ?? [], key));
  return [
    'apply',
    ...fileArgs(flags),
    ...(flags.run === false ? ['--no-run'] : starts ? ['--run'] : []),
    ...keys.flatMap((key) => ['--only', key]),
    ...asked.flatMap((key) => ['--replace', key]),
    ...(flags.onDrift === undefined ? [] : ['--on-drift', flags.onDrift]),
    ...repeatArgs(rounds),
  ];
}

/** The flags that say which file is meant, as what, and that it may be done. */
export function fileArgs(flags: ApplyFlags): readonly string[] {
  const { file, env, var: variables, allowLimit, allowUnmarked, yes } = flags;
  return [
    ...(file === undefined ? [] : ['-f', file]),
    ...(env === undefined ? [] : ['--env', env]),
    ...[...(variables ?? [])].flatMap(([name, value]) => ['--var', `${name}=${value}`]),
    ...(allowLimit ?? []).flatMap((name) => ['--allow-limit', name]),
    ...(allowUnmarked === true ? ['--allow-unmarked'] : []),
    ...(yes === true ? ['--yes'] : []),
  ];
}

export function repeatArgs(rounds = 1): readonly string[] {
  return rounds > 1 ? ['--repeat', String(rounds)] : [];
}

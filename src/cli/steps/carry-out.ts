/** From a plan that may be applied to the outcome of applying it: what `apply` and `run` share. */
import { settleIntents } from '../../apply/intents.ts';
import { exitCodeOfExecution } from '../../apply/execute.ts';
import { executeRounds } from '../../apply/rounds.ts';
import { sourcesOfState } from '../../apply/places.ts';
import { wholeRecords } from '../../apply/whole-records.ts';
import type { World } from '../../apply/world.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { Problem } from '../../core/problem.ts';
import { testAddress, testKey } from '../../core/model/ids.ts';
import { changesSomething, startsLoad } from '../../core/reconcile/action.ts';
import type { Plan } from '../../core/reconcile/plan.ts';
import { sharesHost } from '../../core/reconcile/turns.ts';
import { consent } from '../terminal/consent.ts';
import { doneAction, untriedAction, type Applied, type PlanMembers } from '../../core/report/plan.ts';
import type { Body } from '../../core/report/report.ts';
import { endedRun } from '../../core/report/run.ts';
import type { Context } from '../terminal/context.ts';
import type { ApplyFlags, OutputFlags } from '../terminal/flags.ts';
import { interrupted, unstopped, type GoOn } from './go-on.ts';
import { membersOf, type Planned } from './planning.ts';
import { commandLine } from '../terminal/command-line.ts';
import { usageError } from '../terminal/errors.ts';
import { outcome, type Outcome } from '../terminal/outcome.ts';
import { DEFAULT_PARALLELISM } from './plan-flags.ts';
import type { planText } from '../../report/plan-text.ts';
import { createProgress, type Progress } from '../terminal/progress.ts';
import { tell } from '../terminal/report.ts';
import { appliedText } from '../../report/applied-text.ts';
import { needsRecords } from '../../report/reporters.ts';
import { NOBODYS, type Session } from '../session/session.ts';

export interface CarryOut {
  readonly command: 'apply' | 'run';
  /** Null: without a file. */
  readonly config: LoadedConfig | null;
  readonly warnings: readonly Problem[];
  readonly session: Session;
  readonly flags: ApplyFlags;
  /** The world is that of a command that may carry the plan out. */
  readonly plan: (world: World) => Promise<Planned>;
  /** How the plan is shown. */
  readonly render: typeof planText;
  /** Says whether the plan may be carried out as it is: a saved one may be stale. */
  readonly check: (plan: PlanMembers) => readonly Problem[];
  readonly consented: boolean;
  readonly goOn: GoOn;
}

/** Errors: ProblemError and CallError of everything before the first write. */
export async function carryOut(context: Context, request: CarryOut): Promise<Outcome> {
  const { config, session, flags, goOn } = request;
  context.interruption.handleGracefully();
  const progress = await openProgress(context, flags);
  const world = session.world(config?.desired ?? NOBODYS, progress.emit);
  const settled = await settleIntents(world, sourcesOfState(config?.desired ?? { apps: [], tests: [] }));
  const { plan, problems: found } = await request.plan(world);
  const planned = membersOf(plan, session);
  const refusedBody = bodyOf(request.command, planned, {
    actions: planned.actions.map(untriedAction),
    runs: [],
    pins: [],
  });
  const before = [...request.warnings, ...settled, ...found];
  const stale = request.check(planned);
  const text = request.render(
    planned,
    { command: request.command, service: planned.service, next: null, verbose: flags.verbose === true },
    context.paint,
  );
  const refused = [...before, ...stale];
  if (refused.some(isError)) return outcome({ problems: refused, text, body: refusedBody });
  checkTurns(plan, session, flags);
  tell(context, `${text}\n`, flags);
  if (plan.actions.some(changesSomething)) {
    const refusal = await consent(context, {
      about: `${text}\n`,
      question: 'Do this?',
      given: request.consented,
    });
    if (refusal !== null) return outcome({ problems: [...before, refusal], body: refusedBody });
    await session.startWebServer();
  }
  const execution = await executeRounds(plan, config?.desired.apps ?? [], {
    world,
    rounds: flags.repeat ?? 1,
    options: {
      parallelism: flags.parallelism ?? DEFAULT_PARALLELISM,
      wait: flags.wait !== false,
      timeout: flags.timeout ?? null,
      onInterrupt: flags.onInterrupt ?? 'stop',
      requireVerdict: flags.requireVerdict === true,
      allowUnmarked: flags.allowUnmarked === true,
    },
  });
  progress.close();
  const tests = new Map(
    plan.actions.flatMap((action) => ('test' in action ? [[action.address, action.test]] : [])),
  );
  const applied: Applied = {
    actions: execution.actions.map(doneAction),
    runs: execution.runs.map((run) => endedRun(run, tests.get(run.address))),
    pins: execution.idsToPin.map(({ key, id }) => ({ address: testAddress(testKey(key)), test_id: id })),
  };
  const parallelism = flags.parallelism ?? DEFAULT_PARALLELISM;
  const { interrupted: stopped } = world;
  const records = needsRecords(flags)
    ? await wholeRecords(execution.runs, world.service, { parallelism, interrupted: stopped })
    : new Map<string, never>();
  const signal = context.interruption.exitCode();
  const problems = [...before, ...execution.problems];
  return outcome({
    exitCode: exitCodeOfExecution({ ...execution, problems }, signal),
    problems: [
      ...problems,
      ...(signal === null
        ? []
        : [...unstopped(execution, flags), interrupted(execution, { words: context.words, goOn })]),
    ],
    text: appliedText(applied, { now: Date.now(), again: againCommand(request, plan) }, context.paint),
    body: bodyOf(request.command, planned, applied),
    records,
  });
}

/** How to run what an `apply` leaves as it is. */
function againCommand({ command, flags, goOn }: CarryOut, plan: Plan): string | null {
  if (command === 'run' || flags.run === false) return null;
  const chosen = (flags.only ?? []).length + (flags.exclude ?? []).length > 0;
  const keys = plan.actions.flatMap((action) => (chosen && action.verb === 'no-op' ? [action.test.key] : []));
  return commandLine(goOn({ keys, starts: true, replaces: [] }));
}

function bodyOf(command: CarryOut['command'], planned: PlanMembers, applied: Applied): Body {
  const members = { ...planned, ...applied };
  return command === 'apply' ? { command, ...members } : { command, ...members };
}

/** Live lines on a terminal, lines elsewhere, nothing with -q. */
export async function openProgress(context: Context, flags: OutputFlags): Promise<Progress> {
  if (flags.quiet === true) return { emit: () => undefined, close: () => undefined };
  const live = await context.liveLines('stderr');
  return createProgress(context.stderr, { paint: context.paint, live, verbose: flags.verbose === true });
}

function isError(one: Problem): boolean {
  return one.severity === 'error';
}

/** `--no-wait` cannot keep turns: nothing is there to see one test end before the next one starts. */
function checkTurns(plan: Plan, session: Session, flags: ApplyFlags): void {
  if (flags.wait !== false) return;
  if (flags.repeat !== undefined && flags.repeat > 1) {
    throw usageError(
      '--no-wait and --repeat cannot be combined: a round begins when the one before has ended',
    );
  }
  const starting = plan.actions.flatMap((action) =>
    startsLoad(action) && 'test' in action ? [action.test] : [],
  );
  if (session.embedded && starting.length > 0) {
    throw usageError('--no-wait requires a hosted service: the embedded one ends with this command');
  }
  for (const [index, test] of starting.entries()) {
    const earlier = starting.slice(0, index);
    const clash = earlier.find((other) => sharesHost(test, other) || test.needs.includes(other.key));
    if (clash !== undefined) {
      throw usageError(
        `--no-wait cannot run "${clash.key}" and "${test.key}" one after another`,
        'mark them as "parallel", or wait',
      );
    }
  }
}

/** From a plan that may be applied to the outcome of applying it: what `apply` and `run` share. */
import { settleIntents } from '../../apply/intents.ts';
import { exitCodeOfExecution } from '../../apply/execute.ts';
import { executeRounds } from '../../apply/rounds.ts';
import { sourcesOfState } from '../../apply/source-locations.ts';
import { fetchFullRecords } from '../../apply/full-records.ts';
import type { ApplyContext } from '../../apply/apply-context.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import type { Problem } from '../../core/problem.ts';
import { testAddress, testKey } from '../../core/model/ids.ts';
import { isChange, startsLoad } from '../../core/reconcile/action.ts';
import type { Plan } from '../../core/reconcile/plan.ts';
import { sharesHost } from '../../core/reconcile/run-order.ts';
import { requestApproval } from '../terminal/approval.ts';
import {
  toCompletedAction,
  toUnattemptedAction,
  type ApplyOutcome,
  type PlanMembers,
} from '../../core/report/plan-document.ts';
import type { CommandBody } from '../../core/report/command-report.ts';
import { toRunDocument } from '../../core/report/run-document.ts';
import type { Context } from '../terminal/context.ts';
import type { ApplyFlags, OutputFlags } from '../terminal/flags.ts';
import { interruptedProblem, unstoppedProblems, type ResumeHint } from './resume-hint.ts';
import { membersOf, type Planned } from './plan-project.ts';
import { formatCommandLine } from '../terminal/command-line.ts';
import { usageError } from '../terminal/errors.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';
import { DEFAULT_PARALLELISM } from './plan-flags.ts';
import type { planText } from '../../report/plan-text.ts';
import { createProgress, type Progress } from '../terminal/progress.ts';
import { writeText } from '../terminal/report.ts';
import { applyText } from '../../report/apply-text.ts';
import { needsRecords } from '../../report/reporters.ts';
import { UNSCOPED, type Session } from '../session/session.ts';

export interface ExecutePlanRequest {
  readonly command: 'apply' | 'run';
  /** Null: without a file. */
  readonly config: LoadedConfig | null;
  readonly warnings: readonly Problem[];
  readonly session: Session;
  readonly flags: ApplyFlags;
  /** The world is that of a command that may carry the plan out. */
  readonly plan: (context: ApplyContext) => Promise<Planned>;
  /** How the plan is shown. */
  readonly render: typeof planText;
  /** Says whether the plan may be carried out as it is: a saved one may be stale. */
  readonly check: (plan: PlanMembers) => readonly Problem[];
  readonly approved: boolean;
  readonly resumeHint: ResumeHint;
}

/** Errors: ProblemError and CallError of everything before the first write. */
export async function executePlan(context: Context, request: ExecutePlanRequest): Promise<Outcome> {
  const { config, session, flags, resumeHint } = request;
  context.interruption.handleGracefully();
  const progress = await openProgress(context, flags);
  const world = session.applyContext(config?.desired ?? UNSCOPED, progress.emit);
  const settled = await settleIntents(world, sourcesOfState(config?.desired ?? { apps: [], tests: [] }));
  const { plan, problems: found } = await request.plan(world);
  const planned = membersOf(plan, session);
  const refusedBody = bodyOf(request.command, planned, {
    actions: planned.actions.map(toUnattemptedAction),
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
  if (refused.some(isError)) return createOutcome({ problems: refused, text, body: refusedBody });
  checkRunOrder(plan, session, flags);
  writeText(context, `${text}\n`, flags);
  if (plan.actions.some(isChange)) {
    const refusal = await requestApproval(context, {
      about: `${text}\n`,
      question: 'Do this?',
      given: request.approved,
    });
    if (refusal !== null) return createOutcome({ problems: [...before, refusal], body: refusedBody });
    await session.startWebServer();
  }
  const execution = await executeRounds(plan, config?.desired.apps ?? [], {
    context: world,
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
  const applied: ApplyOutcome = {
    actions: execution.actions.map(toCompletedAction),
    runs: execution.runs.map((run) => toRunDocument(run, tests.get(run.address))),
    pins: execution.idsToPin.map(({ key, id }) => ({ address: testAddress(testKey(key)), test_id: id })),
  };
  const parallelism = flags.parallelism ?? DEFAULT_PARALLELISM;
  const { interrupted: stopped } = world;
  const records = needsRecords(flags)
    ? await fetchFullRecords(execution.runs, world.service, { parallelism, interrupted: stopped })
    : new Map<string, never>();
  const signal = context.interruption.exitCode();
  const problems = [...before, ...execution.problems];
  return createOutcome({
    exitCode: exitCodeOfExecution({ ...execution, problems }, signal),
    problems: [
      ...problems,
      ...(signal === null
        ? []
        : [
            ...unstoppedProblems(execution, flags),
            interruptedProblem(execution, { words: context.args, goOn: resumeHint }),
          ]),
    ],
    text: applyText(applied, { now: Date.now(), rerunCommand: retryCommand(request, plan) }, context.paint),
    body: bodyOf(request.command, planned, applied),
    records,
  });
}

/** How to run what an `apply` leaves as it is. */
function retryCommand({ command, flags, resumeHint }: ExecutePlanRequest, plan: Plan): string | null {
  if (command === 'run' || flags.run === false) return null;
  const chosen = (flags.only ?? []).length + (flags.exclude ?? []).length > 0;
  const keys = plan.actions.flatMap((action) => (chosen && action.verb === 'no-op' ? [action.test.key] : []));
  return formatCommandLine(resumeHint({ keys, starts: true, replaces: [] }));
}

function bodyOf(
  command: ExecutePlanRequest['command'],
  planned: PlanMembers,
  applied: ApplyOutcome,
): CommandBody {
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
function checkRunOrder(plan: Plan, session: Session, flags: ApplyFlags): void {
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

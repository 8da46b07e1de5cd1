import { settleIntents } from '../../apply/uncertainty/intents.ts';
import { exitCodeOfExecution, type ExecuteOptions } from '../../apply/execute.ts';
import { executeRounds, type RepeatedExecution } from '../../apply/rounds.ts';
import { sourcesOfState } from '../../apply/source-locations.ts';
import { fetchFullRecords } from '../../apply/runs/full-records.ts';
import type { ApplyContext } from '../../apply/apply-context.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import type { Problem } from '../../core/problem.ts';
import { keyOfAddress, testAddress, testKey } from '../../core/model/ids.ts';
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
  /** Null if no configuration file is used. */
  readonly config: LoadedConfig | null;
  readonly warnings: readonly Problem[];
  readonly session: Session;
  readonly flags: ApplyFlags;
  readonly plan: (context: ApplyContext) => Promise<Planned>;
  readonly render: typeof planText;
  /** Returns problems such as a stale saved plan. A plan with an error is not executed. */
  readonly check: (plan: PlanMembers) => readonly Problem[];
  /**
   * `show`: returns the plan without executing it. `execute`: executes a plan that has already been shown and approved.
   */
  readonly stage?: 'show' | 'execute';
  readonly approved: boolean;
  /** Statement that is shown in the prompt for approval. */
  readonly doubt?: string;
  /** Called after approval and the start of `web_server`, before the first change. @throws ProblemError if the plan must not be executed. */
  readonly onApproved?: () => void;
  readonly resumeHint: ResumeHint;
}

/** @throws ProblemError or CallError for failures before the plan is executed. */
export async function executePlan(context: Context, request: ExecutePlanRequest): Promise<Outcome> {
  const { config, session, flags, resumeHint } = request;
  context.interruption.handleGracefully();
  const progress = await openProgress(context, flags);
  const applyContext = session.applyContext(config?.desired ?? UNSCOPED, progress.emit);
  const settled = await settleIntents(
    applyContext,
    sourcesOfState(config?.desired ?? { apps: [], tests: [] }),
  );
  const { plan, problems: found } = await request.plan(applyContext);
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
  if (refused.some(({ severity }) => severity === 'error'))
    return createOutcome({ problems: refused, text, body: refusedBody });
  checkRunOrder(plan, session, flags);
  if (request.stage === 'show') {
    progress.close();
    return createOutcome({ problems: before, text, body: refusedBody });
  }
  if (request.stage === undefined) writeText(context, `${text}\n`, flags);
  if (plan.actions.some(isChange)) {
    const refusal = await requestApproval(context, {
      about: `${text}\n`,
      warnings: before,
      question: questionOf('Execute this plan?', request.doubt),
      approved: request.approved || request.stage === 'execute',
    });
    if (refusal !== null) return createOutcome({ problems: [...before, refusal], body: refusedBody });
    await session.startWebServer();
    request.onApproved?.();
  }
  const execution = await executeRounds(plan, config?.desired.apps ?? [], {
    context: applyContext,
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
  const { interrupted: stopped } = applyContext;
  const records = needsRecords(flags)
    ? await fetchFullRecords(execution.runs, applyContext.service, { parallelism, interrupted: stopped })
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
            interruptedProblem(execution, { args: context.args, flags, resumeHint }),
          ]),
    ],
    text:
      applyText(applied, { now: Date.now(), rerunCommand: retryCommand(request, plan) }, context.paint) +
      seedsText(execution.runs, flags),
    body: bodyOf(request.command, planned, applied),
    records,
  });
}

export function questionOf(question: string, doubt = ''): string {
  return doubt === '' ? question : `${doubt}. ${question}`;
}

/** Returns the `apply` command that runs unchanged tests; null for `run` or with `--no-run`. */
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

export const ONLY_APPS: Omit<ExecuteOptions, 'parallelism'> = {
  wait: true,
  timeout: null,
  onInterrupt: 'stop',
  requireVerdict: false,
  allowUnmarked: false,
};

/** Writes live lines to a terminal, plain lines to a file or pipe, and nothing with `-q`. */
export async function openProgress(context: Context, flags: OutputFlags): Promise<Progress> {
  if (flags.quiet === true) return { emit: () => undefined, close: () => undefined };
  const live = await context.liveLines('stderr');
  return createProgress(context.stderr, { paint: context.paint, live, verbose: flags.verbose === true });
}

/** Rejects `--no-wait` with several rounds, with embedded load, or with tests that must run one after another. */
function checkRunOrder(plan: Plan, session: Session, flags: ApplyFlags): void {
  if (flags.wait !== false) return;
  if (flags.repeat !== undefined && flags.repeat > 1) {
    throw usageError(
      '--no-wait and --repeat cannot be combined: a round starts after the previous one has ended',
    );
  }
  const starting = plan.actions.flatMap((action) =>
    startsLoad(action) && 'test' in action ? [action.test] : [],
  );
  if (session.embedded && starting.length > 0) {
    throw usageError(
      '--no-wait requires a hosted service: the embedded service ends with this command',
      'omit --no-wait',
    );
  }
  for (const [index, test] of starting.entries()) {
    const earlier = starting.slice(0, index);
    const clash = earlier.find((other) => sharesHost(test, other) || test.needs.includes(other.key));
    if (clash !== undefined) {
      throw usageError(
        `"${clash.key}" and "${test.key}" must run one after the other, which --no-wait does not support`,
        test.needs.includes(clash.key)
          ? `omit --no-wait, or remove "${clash.key}" from "needs" of "${test.key}"`
          : 'omit --no-wait, or set "parallel: true" for one of the tests',
      );
    }
  }
}

/** Returns the seeds that reproduce the runs; an empty string unless `--seed` or `-v` is set. */
function seedsText(runs: RepeatedExecution['runs'], { seed, verbose }: ApplyFlags): string {
  if (seed === undefined && verbose !== true) return '';
  const lines = runs.flatMap(({ address, result }) => {
    const used = result?.record.seed ?? null;
    return used === null ? [] : [`  ${keyOfAddress(address)}: repeat with --seed ${used}`];
  });
  return lines.length === 0 ? '' : `\n${[...new Set(lines)].join('\n')}\n`;
}

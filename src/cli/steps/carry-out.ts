/** From a plan that may be applied to the outcome of applying it: what `apply` and `run` share. */
import { settleIntents } from '../../apply/intents.ts';
import { execute, exitCodeOfExecution, type Execution } from '../../apply/execute.ts';
import type { DoneAction } from '../../apply/outcomes.ts';
import { sourcesOfState } from '../../apply/places.ts';
import type { DoneRun } from '../../apply/runs.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { Problem } from '../../core/problem.ts';
import { changesSomething, startsLoad } from '../../core/reconcile/action.ts';
import { actionDocument, type PlanDocument } from '../../core/reconcile/document.ts';
import type { Plan } from '../../core/reconcile/plan.ts';
import { sharesHost } from '../../core/reconcile/turns.ts';
import { consent } from '../terminal/consent.ts';
import type { Context } from '../terminal/context.ts';
import type { ApplyFlags, OutputFlags } from '../terminal/flags.ts';
import { interrupted, type GoOn } from './go-on.ts';
import { documentOf, type Planned } from './planning.ts';
import { usageError } from '../terminal/errors.ts';
import { outcome, type Outcome } from '../terminal/outcome.ts';
import { DEFAULT_PARALLELISM } from './plan-flags.ts';
import type { renderPlan } from '../render/plan.ts';
import { createProgress, type Progress } from '../terminal/progress.ts';
import { tell } from '../terminal/report.ts';
import { renderRun } from '../render/run.ts';
import { NOBODYS, type Session } from '../session/session.ts';

export interface CarryOut {
  readonly command: 'apply' | 'run';
  /** Null: without a file. */
  readonly config: LoadedConfig | null;
  readonly warnings: readonly Problem[];
  readonly session: Session;
  readonly flags: ApplyFlags;
  readonly plan: () => Promise<Planned>;
  /** How the plan is shown. */
  readonly render: typeof renderPlan;
  /** Says whether the plan may be carried out as it is: a saved one may be stale. */
  readonly check: (document: PlanDocument) => readonly Problem[];
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
  const { plan, problems: found } = await request.plan();
  const document = documentOf(plan, session);
  const before = [...request.warnings, ...settled, ...found];
  const stale = request.check(document);
  const text = request.render(
    plan,
    { command: request.command, service: document.service, next: null, verbose: flags.verbose === true },
    context.paint,
  );
  const refused = [...before, ...stale];
  if (refused.some(isError)) return outcome({ problems: refused, text, members: { ...document } });
  checkTurns(plan, session, flags);
  tell(context, `${text}\n`, flags);
  if (plan.actions.some(changesSomething)) {
    const refusal = await consent(context, { question: 'Do this?', given: request.consented });
    if (refusal !== null) return outcome({ problems: [...before, refusal], members: { ...document } });
    await session.startWebServer();
  }
  const execution = await execute(plan, config?.desired.apps ?? [], {
    world,
    options: {
      parallelism: flags.parallelism ?? DEFAULT_PARALLELISM,
      wait: flags.wait !== false,
      timeout: flags.timeout ?? null,
      onInterrupt: flags.onInterrupt ?? 'stop',
      requireVerdict: flags.requireVerdict === true,
    },
  });
  progress.close();
  const signal = context.interruption.exitCode();
  const problems = [...before, ...execution.problems];
  return outcome({
    exitCode: exitCodeOfExecution({ ...execution, problems }, signal),
    problems: [
      ...problems,
      ...(signal === null ? [] : [interrupted(execution, { words: context.words, goOn })]),
    ],
    text: summaryText(context, execution),
    members: {
      ...document,
      actions: execution.actions.map(doneActionDocument),
      runs: execution.runs.map(runDocument),
    },
  });
}

/** Live lines on a terminal, lines elsewhere, nothing with -q. */
export async function openProgress(context: Context, flags: OutputFlags): Promise<Progress> {
  if (flags.quiet === true) return { emit: () => undefined, close: () => undefined };
  return createProgress(context.stderr, context.paint, await context.liveLines());
}

function isError(one: Problem): boolean {
  return one.severity === 'error';
}

/** `--no-wait` cannot keep turns: nothing is there to see one test end before the next one starts. */
function checkTurns(plan: Plan, session: Session, flags: ApplyFlags): void {
  if (flags.wait !== false) return;
  const starting = plan.actions.flatMap((action) =>
    startsLoad(action) && 'test' in action ? [action.test] : [],
  );
  if (session.embedded && starting.length > 0) {
    throw usageError('--no-wait needs a service that goes on: here the load lives in this process');
  }
  for (const [index, test] of starting.entries()) {
    const earlier = starting.slice(0, index);
    const clash = earlier.find((other) => sharesHost(test, other) || test.needs.includes(other.key));
    if (clash !== undefined) {
      throw usageError(
        `--no-wait cannot keep the turns of "${clash.key}" and "${test.key}"`,
        'make them parallel, or wait',
      );
    }
  }
}

export function doneActionDocument(done: DoneAction) {
  const document = actionDocument(done.action);
  return { ...document, id: done.id ?? document.id, result_id: done.resultId, outcome: done.outcome };
}

export function runDocument(run: DoneRun) {
  return {
    address: run.address,
    test_id: run.testId,
    result_id: run.resultId,
    status: run.status,
    started_by_us: run.startedByUs,
    verdict: run.judgement.verdict,
    reason: run.judgement.reason,
    thresholds: run.judgement.thresholds,
    result: run.result?.record ?? null,
  };
}

function summaryText(context: Context, execution: Execution): string {
  const { paint } = context;
  const count = (how: DoneAction['outcome']) =>
    execution.actions.filter(({ action, outcome: one }) => changesSomething(action) && one === how).length;
  const parts = [`${count('done')} done`, `${count('failed')} failed`, `${count('not_tried')} not tried`];
  if (count('unknown') > 0) parts.push(`${count('unknown')} unknown`);
  const runs = execution.runs.map((run) => renderRun(run, paint)).join('');
  const pins = execution.idsToPin.map(({ key, id }) => `  ${key}:\n    id: ${id}\n`).join('');
  const pinText = pins === '' ? '' : `The service does not keep notes. Add these lines to the file:\n${pins}`;
  const changed = execution.actions.some(({ action }) => changesSomething(action));
  const actionsText = changed ? `Actions: ${parts.join(', ')}.\n` : '';
  return [runs, pinText, actionsText].filter((part) => part !== '').join('\n');
}

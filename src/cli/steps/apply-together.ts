/**
 * Applies several configuration files after one approval. Projects that share a target host or an embedded service run
 * one after another.
 */
import { problem, type Problem } from '../../core/problem.ts';
import { printable } from '../../core/printable.ts';
import { isChange } from '../../core/reconcile/action.ts';
import { projectsToStart, type ConcurrentProject } from '../../core/reconcile/run-order.ts';
import type { BodyOf } from '../../core/report/command-report.ts';
import type { PlannedAction } from '../../core/report/generated/documents.ts';
import type { PlanMembers } from '../../core/report/plan-document.ts';
import { requestApproval } from '../terminal/approval.ts';
import { formatCommandLine } from '../terminal/command-line.ts';
import type { Context, Output } from '../terminal/context.ts';
import type { ApplyFlags } from '../terminal/flags.ts';
import { createOutcome, outcomeOfError, type Outcome } from '../terminal/outcome.ts';
import { writeText } from '../terminal/report.ts';
import { questionOf } from './execute-plan.ts';
import { unstartedArgs } from './resume-hint.ts';
import { combineOutcomes, projectFileName, resourcesOf, type ProjectFile } from './several-files.ts';

export interface Stage {
  /** `show`: returns the plan. `execute`: executes the plan. */
  readonly kind: 'show' | 'execute';
  /** The approved plan; null before the approval. */
  readonly approved: PlanMembers | null;
  /** Called with the reason why a saved plan does not count as approved. */
  readonly onDoubt: (doubt: string) => void;
}

type File = ProjectFile<ApplyFlags>;

interface Request<Given extends File> {
  readonly files: readonly Given[];
  /** True if `--yes` or a saved plan approves the plans. A doubt about a signature still requires a prompt. */
  readonly approved: boolean;
  readonly run: (context: Context, file: Given, stage: Stage) => Promise<Outcome>;
}

interface Project<Given extends File> extends ConcurrentProject {
  readonly file: Given;
  readonly outcome: Outcome;
}

/**
 * Plans all files, asks for one approval and executes the plans. Executes nothing if a plan is refused or the user
 * declines.
 * @remarks Each file is planned again before execution, because other plans may have changed the service. A plan that
 * differs from the approved one is not executed.
 */
export async function applyTogether<Given extends File>(
  context: Context,
  request: Request<Given>,
): Promise<Outcome> {
  context.interruption.handleGracefully();
  const warnings: Problem[] = [];
  const doubts = new Set<string>();
  const projects: Project<Given>[] = [];
  for (const file of request.files) {
    const outcome = await outcomeOf({ ...context, warnings }, request, file, {
      kind: 'show',
      approved: null,
      onDoubt: (doubt) => doubts.add(doubt),
    });
    projects.push({ file, outcome, resources: resourcesOf(context, file) });
  }
  const shown = combineOutcomes(context, 'apply', projects);
  if (shown.exitCode !== 0) {
    context.warnings.push(...warnings);
    if (context.interruption.exitCode() === null) return shown;
    const hint = `to start again: ${formatCommandLine(context.args)}`;
    const interrupted = problem('LT_CLI_INTERRUPTED', 'interrupted; nothing was started', { hint });
    return { ...shown, problems: [...shown.problems, interrupted] };
  }
  writeText(context, `${shown.text}\n`, request.files[0]?.flags ?? {});
  if (projects.some(hasChanges)) {
    const refusal = await requestApproval(context, {
      about: `${shown.text}\n`,
      warnings: [...warnings, ...shown.problems],
      question: questionOf('Execute these plans?', [...doubts].join('. ')),
      approved: request.approved && doubts.size === 0,
    });
    if (refusal !== null)
      return createOutcome({ problems: [...warnings, ...shown.problems, refusal], body: shown.body });
  }
  return combineOutcomes(context, 'apply', await executeAll(context, request, projects), { load: false });
}

async function outcomeOf<Given extends File>(
  context: Context,
  { run }: Request<Given>,
  file: Given,
  stage: Stage,
): Promise<Outcome> {
  return await run(context, file, stage).catch((error: unknown) => outcomeOfError(error, context));
}

function planOf({ outcome: { body } }: Project<File>): (BodyOf<'apply'> & PlanMembers) | null {
  return body?.command === 'apply' && 'actions' in body ? body : null;
}

function hasChanges(project: Project<File>): boolean {
  return planOf(project)?.actions.some(isChange) === true;
}

/** Executes at most `--parallel-projects` plans at the same time. After a signal, no further plan starts. */
async function executeAll<Given extends File>(
  context: Context,
  request: Request<Given>,
  projects: readonly Project<Given>[],
): Promise<readonly Project<Given>[]> {
  const parallel = request.files[0]?.flags.parallelProjects ?? 1;
  const ended = new Map<Project<Given>, Outcome>();
  const running = new Map<Project<Given>, Promise<void>>();
  const start = async (project: Project<Given>) => {
    const own = contextOf(context, project, { projects, parallel });
    const stage: Stage = { kind: 'execute', approved: planOf(project), onDoubt: () => undefined };
    ended.set(project, await outcomeOf(own, request, project.file, stage));
    running.delete(project);
  };
  let waiting = projects;
  while (waiting.length + running.size > 0) {
    const isInterrupted = context.interruption.exitCode() !== null;
    const ready = isInterrupted ? [] : projectsToStart(waiting, [...running.keys()], parallel);
    waiting = waiting.filter((project) => !ready.includes(project));
    for (const project of ready) running.set(project, start(project));
    if (running.size === 0) break;
    await Promise.race(running.values());
  }
  return projects.map((project) => {
    const outcome = ended.get(project) ?? unstartedOutcome(project);
    const exitCode = UNCHANGED_CODES.includes(outcome.exitCode) ? 7 : outcome.exitCode;
    return { ...project, outcome: { ...outcome, exitCode } };
  });
}

/** Exit codes that mean "nothing changed". Replaced with 7, because other projects may have been changed. */
const UNCHANGED_CODES = [3, 5, 6];

function unstartedOutcome(project: Project<File>): Outcome {
  const { file, outcome } = project;
  const changes = planOf(project)?.actions.filter(isChange) ?? [];
  const problems = changes.length === 0 ? [] : [unstartedProblem(file, changes)];
  return {
    ...outcome,
    problems: [...outcome.problems, ...problems],
    text: 'Not started because of the interruption.\n',
  };
}

function unstartedProblem(file: File, changes: readonly Pick<PlannedAction, 'verb' | 'address'>[]): Problem {
  const message = `interrupted; "${projectFileName(file)}" was not started`;
  const hint = `to start it: ${formatCommandLine(unstartedArgs(file.flags, changes))}`;
  return problem('LT_CLI_INTERRUPTED', message, { hint });
}

const MAX_NAME = 24;

/** If projects run in parallel, each output line begins with the name of the project. */
function contextOf<Given extends File>(
  context: Context,
  project: Project<Given>,
  { projects, parallel }: { readonly projects: readonly Project<Given>[]; readonly parallel: number },
): Context {
  if (parallel === 1) {
    const head = `[${projects.indexOf(project) + 1}/${projects.length}] ${printable(projectFileName(project.file))}`;
    writeText(context, `${head}\n`, project.file.flags);
    return context;
  }
  const names = projects.map((one) => printable(planOf(one)?.project ?? '').slice(0, MAX_NAME));
  const width = Math.max(...names.map(({ length }) => length));
  const prefix = `${(names[projects.indexOf(project)] ?? '').padEnd(width)} | `;
  return {
    ...context,
    stdout: withPrefix(context.stdout, prefix),
    stderr: withPrefix(context.stderr, prefix),
    liveLines: () => Promise.resolve(null),
  };
}

function withPrefix(output: Output, prefix: string): Output {
  return {
    write: (text) => output.write(text.replaceAll(/^(?=.)/gm, () => prefix)),
    command: (text) => output.command(text),
    isTerminal: output.isTerminal,
    get columns() {
      return Math.max(20, output.columns - prefix.length);
    },
  };
}

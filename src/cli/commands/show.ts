/** The `show` command: prints a plan from a file, without contacting a service. */
import { resolve } from 'node:path';
import { readInput } from '../../disk/input-file.ts';
import { withoutUndefined } from '../../core/present-fields.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import type { BodyOf } from '../../core/report/command-report.ts';
import type { Origin, PlanDocument, PlansDocument, Report } from '../../core/report/generated/documents.ts';
import { validatePlan, validatePlans } from '../../schema/generated/plan-validator.js';
import { applyLine, planText, projectsLoadText } from '../../report/plan-text.ts';
import { originText } from '../../core/report/origin-text.ts';
import { formatCommandLine } from '../terminal/command-line.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf } from '../terminal/errors.ts';
import type { OutputFlags } from '../terminal/flags.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';
import { textOfFiles } from '../steps/several-files.ts';

const MAX_PLAN_BYTES = 64 * 1024 * 1024;

export async function show(context: Context, file: string, flags: OutputFlags): Promise<Outcome> {
  const plan = await readPlan(context, file);
  // `body` contains the name of the command that created the document, not `show`.
  const { format_version: _, exit_code: exitCode, problems: __, origin, ...body } = plan;
  const [saved] = 'projects' in plan ? plan.projects.map(({ report }) => savedOf(report)) : [savedOf(plan)];
  const next = saved === undefined ? null : formatCommandLine(['apply', file]);
  const from = originOf(saved, next) ?? origin ?? null;
  const made = from === null ? '' : `\n${originText(from, 'plan')}\n`;
  const text = `${savedPlanText(plan, { next, verbose: flags.verbose === true }, context)}${made}`;
  return createOutcome({
    exitCode: 0,
    text: exitCode === 12 ? `${text}The plan exceeds a limit or contains a blocked action.\n` : text,
    body: body satisfies BodyOf<'plan'>,
    origin: from,
  });
}

function savedOf(report: Report): PlanDocument['saved'] {
  return 'saved' in report ? report.saved : undefined;
}

function savedPlanText(
  plan: PlanDocument | PlansDocument,
  about: { readonly next: string | null; readonly verbose: boolean },
  context: Context,
): string {
  if (!('projects' in plan))
    return planText(plan, { ...about, command: 'plan', service: plan.service }, context.paint);
  const texts = plan.projects.map(({ file, report }) => ({
    file,
    text: 'changes' in report ? savedPlanText(report, { ...about, next: null }, context) : '',
  }));
  const next = about.next === null ? '' : applyLine(about.next);
  return `${textOfFiles(texts)}\n${projectsLoadText(plan)}${next}`;
}

/** Returns the origin of a saved plan; null for a plan that was not saved. */
function originOf(saved: PlanDocument['saved'], applyCommand: string | null): Origin | null {
  if (saved === undefined || applyCommand === null) return null;
  const { created_at, commit, files_url } = saved;
  return withoutUndefined({ created_at, commit, files_url, apply_command: applyCommand });
}

/** @throws ProblemError LT_PLAN_BAD_FILE if the file cannot be read or is not a plan. */
async function readPlan({ directory }: Context, file: string): Promise<PlanDocument | PlansDocument> {
  let value: unknown;
  try {
    const { bytes } = await readInput(resolve(directory, file), MAX_PLAN_BYTES);
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is not valid JSON' : reasonOf(error);
    throw badPlan(`"${file}" cannot be read: ${reason}`);
  }
  if (validatePlan(value) || validatePlans(value)) return value as PlanDocument | PlansDocument;
  throw badPlan(`"${file}" is not a valid plan`);
}

function badPlan(message: string): ProblemError {
  return new ProblemError(
    problem('LT_PLAN_BAD_FILE', message, { hint: 'create a plan with "loadtests plan -o FILE"' }),
  );
}

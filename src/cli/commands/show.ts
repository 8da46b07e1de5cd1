/** The `show` command: prints a saved plan again, without contacting a service. */
import { resolve } from 'node:path';
import { readInput } from '../../disk/input-file.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import type { BodyOf } from '../../core/report/command-report.ts';
import type { Origin, PlanDocument } from '../../core/report/generated/documents.ts';
import { validatePlan } from '../../schema/generated/plan-validator.js';
import { planText } from '../../report/plan-text.ts';
import { originText } from '../../core/report/origin-text.ts';
import { formatCommandLine } from '../terminal/command-line.ts';
import type { Context } from '../terminal/context.ts';
import { reasonOf } from '../terminal/errors.ts';
import type { OutputFlags } from '../terminal/flags.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';

/** Maximum size of a plan. A plan with thousands of tests is smaller. */
const MAX_PLAN_BYTES = 64 * 1024 * 1024;

export async function show(context: Context, file: string, flags: OutputFlags): Promise<Outcome> {
  const plan = await readPlan(context, file);
  const next = plan.saved === undefined ? null : formatCommandLine(['apply', file]);
  const about = {
    command: 'plan',
    service: plan.service,
    next,
    verbose: flags.verbose === true,
  };
  // The document keeps the name of the command that created it.
  const { format_version: _, exit_code: exitCode, problems: __, origin, ...body } = plan;
  const from = originOf(plan.saved, next) ?? origin ?? null;
  const made = from === null ? '' : `\n${originText(from, 'plan')}\n`;
  const text = `${planText(plan, about, context.paint)}${made}`;
  return createOutcome({
    exitCode: 0,
    text: exitCode === 12 ? `${text}The plan exceeds a limit.\n` : text,
    body: body satisfies BodyOf<'plan'>,
    origin: from,
  });
}

/** Returns the commit and the time of a saved plan. */
function originOf(saved: PlanDocument['saved'], applyCommand: string | null): Origin | null {
  if (saved === undefined || applyCommand === null) return null;
  const { created_at, commit, files_url } = saved;
  return {
    created_at,
    ...(commit === undefined ? {} : { commit }),
    ...(files_url === undefined ? {} : { files_url }),
    apply_command: applyCommand,
  };
}

/**
 * Reads and checks the document of a saved plan.
 * @throws ProblemError LT_PLAN_BAD_FILE if the file is not a plan.
 */
async function readPlan({ directory }: Context, file: string): Promise<PlanDocument> {
  let value: unknown;
  try {
    const { bytes } = await readInput(resolve(directory, file), MAX_PLAN_BYTES);
    value = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is not JSON' : reasonOf(error);
    throw badPlan(`"${file}" cannot be read: ${reason}`);
  }
  // The schema validates every member of the document.
  if (validatePlan(value)) return value as PlanDocument;
  throw badPlan(`"${file}" is not a plan`);
}

function badPlan(message: string): ProblemError {
  return new ProblemError(
    problem('LT_PLAN_BAD_FILE', message, { hint: 'create one with "loadtests plan -o FILE"' }),
  );
}

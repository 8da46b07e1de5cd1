/** Does what plan shows: registers, verifies, creates, starts as asked, waits, judges. */
import { resolve } from 'node:path';
import { readSavedPlan, staleness, type SavedPlan } from '../../apply/saved-plan.ts';
import { readPatiently } from '../../config/read.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { carryOut } from '../steps/carry-out.ts';
import type { Context } from '../terminal/context.ts';
import { sha256 } from '../session/digest.ts';
import type { ApplyFlags, PlanFlags } from '../terminal/flags.ts';
import { applyWords } from '../steps/go-on.ts';
import { planProject } from '../steps/observe.ts';
import { withProject } from '../session/open.ts';
import { reasonOf, usageError } from '../terminal/errors.ts';
import type { Outcome } from '../terminal/outcome.ts';
import { checkPatterns, DEFAULT_PARALLELISM, originOf, planFlags, planOptions } from '../steps/planning.ts';
import { renderPlan } from '../render/plan.ts';

export interface ApplyRequest {
  /** A file written by `plan -o`. */
  readonly planFile: string | undefined;
  readonly flags: ApplyFlags;
}

export async function apply(context: Context, request: ApplyRequest): Promise<Outcome> {
  const saved = request.planFile === undefined ? null : await openSavedPlan(context, request.planFile);
  if (saved !== null && Object.keys(planFlags(request.flags)).length > 0) {
    throw usageError('a saved plan brings its own flags; only those about waiting and output go with it');
  }
  const flags = saved === null ? request.flags : { ...request.flags, ...savedFlags(saved) };
  const now = Date.now();
  const options = planOptions(flags, now);
  const check = (config: LoadedConfig) => {
    checkPatterns(config, [...options.only, ...options.exclude, ...options.replace]);
  };
  return await withProject(context, { flags, writes: true, sendsSecrets: true, check }, async (opened) => {
    const { config, session } = opened;
    const parallelism = flags.parallelism ?? DEFAULT_PARALLELISM;
    return await carryOut(context, {
      command: 'apply',
      ...opened,
      flags,
      plan: async () => await planProject(session, config.desired, { options, parallelism }),
      render: renderPlan,
      check: (document) => {
        if (saved === null) return [];
        const origin = originOf(config, session, {
          flags,
          version: context.version,
          now,
          folder: context.folder,
        });
        return staleness(saved, { plan: document, saved: origin });
      },
      consented: flags.yes === true || saved !== null,
      goOn: (left) => applyWords(flags, left),
    });
  });
}

/** Far more than a plan of thousands of tests. */
const LARGEST_PLAN = 64 * 1024 * 1024;

async function openSavedPlan(context: Context, file: string): Promise<SavedPlan> {
  let text: string;
  try {
    const { bytes } = await readPatiently(resolve(context.folder, file), LARGEST_PLAN);
    text = new TextDecoder().decode(bytes);
  } catch (error) {
    throw new ProblemError(problem('LT_PLAN_BAD_FILE', `"${file}" cannot be read: ${reasonOf(error)}`));
  }
  const saved = readSavedPlan(text, sha256);
  if (saved !== null) return saved;
  throw new ProblemError(
    problem('LT_PLAN_BAD_FILE', `"${file}" is no saved plan, or was altered`, {
      hint: 'write one with "loadtests plan -o FILE"',
    }),
  );
}

function savedFlags(saved: SavedPlan): PlanFlags {
  const { var: variables, ...flags } = saved.saved.flags;
  // The checksum shows that these are the flags that this program wrote.
  const known = flags as unknown as PlanFlags;
  const file = { file: saved.saved.file };
  if (typeof variables !== 'object' || variables === null) return { ...known, ...file };
  return {
    ...known,
    ...file,
    var: new Map(
      Object.entries(variables).flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value]] : [],
      ),
    ),
  };
}

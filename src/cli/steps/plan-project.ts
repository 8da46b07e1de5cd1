import { basename, join, relative } from 'node:path';
import { observeAndPlan, type PlanRequest } from '../../apply/observation/observe.ts';
import type { Sign } from '../../apply/saved-plan.ts';
import { nextTurn } from '../../apply/turns.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import type { DesiredState } from '../../core/model/state.ts';
import type { Problem } from '../../core/problem.ts';
import type { Plan } from '../../core/reconcile/plan.ts';
import type { PlanOrigin } from '../../core/report/generated/documents.ts';
import { planMembers, type PlanMembers } from '../../core/report/plan-document.ts';
import { sha256 } from '../files/sha256.ts';
import { accountFingerprint, createPlanSigner } from '../session/signatures.ts';
import { commitOfJob } from '../terminal/ci-job.ts';
import type { Context } from '../terminal/context.ts';
import type { PlanFlags } from '../terminal/flags.ts';
import { savedFlags } from './plan-flags.ts';
import type { Session } from '../session/session.ts';

export interface Planned {
  readonly plan: Plan;
  readonly problems: readonly Problem[];
}

/** @throws CallError if the service cannot be read. */
export async function planProject(
  session: Session,
  desired: DesiredState,
  request: PlanRequest,
): Promise<Planned> {
  const { plan, observation } = await observeAndPlan(desired, session.view(desired), request);
  // Processes pending events first, because the review and the output of a large plan can take a long time.
  await nextTurn();
  const shortages = session.embedded
    ? await (await import('../session/load-shortages.ts')).findLoadShortages(plan.actions)
    : [];
  return { plan, problems: [...session.missingTokens(observation.observed), ...plan.problems, ...shortages] };
}

export function membersOf(plan: Plan, session: Session): PlanMembers {
  return planMembers(plan, session.connection.origin, sha256);
}

export interface Signing {
  readonly origin: PlanOrigin;
  readonly sign: Sign;
}

/** @throws ProblemError LT_CLI_PATH if the signing key cannot be read or created. */
export function signingOf(
  config: LoadedConfig,
  session: Session,
  request: {
    readonly flags: PlanFlags;
    readonly now: number;
    readonly context: Pick<Context, 'directory' | 'env' | 'version'>;
  },
): Signing {
  const { context } = request;
  const key = session.planKey();
  const origin = {
    tool_version: context.version,
    created_at: new Date(request.now).toISOString(),
    file: relativeFilePath(config, context.directory),
    file_digest: configDigest(config),
    service: session.connection.origin,
    account: accountFingerprint(key),
    flags: savedFlags(request.flags),
    ...commitOfJob(context),
  };
  return { origin, sign: createPlanSigner(key, config.desired.project) };
}

export function relativeFilePath({ file }: LoadedConfig, directory: string): string {
  return relative(directory, join(file.directory, basename(file.path)));
}

/** Returns the digest of the file text and the resolved values. The JSON form of a secret is `***`. */
function configDigest(config: LoadedConfig): string {
  const filledIn = JSON.stringify(config.desired, (key, value: unknown) =>
    key === 'source' ? undefined : value,
  );
  return sha256(`${config.file.text}\n${filledIn}`);
}

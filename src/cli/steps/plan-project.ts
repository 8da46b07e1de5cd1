/** The plan of a file, as a document, and what it was made from. */
import { basename, join, relative } from 'node:path';
import { observeAndPlan, type PlanRequest } from '../../apply/observe.ts';
import type { Sign } from '../../apply/saved-plan.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import type { DesiredState } from '../../core/model/state.ts';
import type { Problem } from '../../core/problem.ts';
import type { Plan } from '../../core/reconcile/plan.ts';
import type { PlanOrigin } from '../../core/report/generated/documents.ts';
import { planMembers, type PlanMembers } from '../../core/report/plan-document.ts';
import { sha256 } from '../files/sha256.ts';
import { accountFingerprint, createPlanSigner } from '../session/signatures.ts';
import type { PlanFlags } from '../terminal/flags.ts';
import { savedFlags } from './plan-flags.ts';
import type { Session } from '../session/session.ts';

/** A plan, and what is to be told before anybody consents to it. */
export interface Planned {
  readonly plan: Plan;
  readonly problems: readonly Problem[];
}

/** Plans what the file declares. Errors: CallError. */
export async function planProject(
  session: Session,
  desired: DesiredState,
  given: PlanRequest,
): Promise<Planned> {
  const { plan, observation } = await observeAndPlan(desired, session.view(desired), given);
  return { plan, problems: [...session.missingTokens(observation.observed), ...plan.problems] };
}

export function membersOf(plan: Plan, session: Session): PlanMembers {
  return planMembers(plan, session.connection.origin, sha256);
}

/** What a saved plan keeps of where it was made, and what signs it. */
export interface Signing {
  readonly origin: PlanOrigin;
  readonly sign: Sign;
}

/** Errors: ProblemError LT_CLI_PATH where there is no key, and none can be made. */
export function signingOf(
  config: LoadedConfig,
  session: Session,
  given: {
    readonly flags: PlanFlags;
    readonly version: string;
    readonly now: number;
    readonly directory: string;
  },
): Signing {
  const key = session.planKey();
  const origin = {
    tool_version: given.version,
    created_at: new Date(given.now).toISOString(),
    file: relativeFilePath(config, given.directory),
    file_digest: configDigest(config),
    service: session.connection.origin,
    account: accountFingerprint(key),
    flags: savedFlags(given.flags),
  };
  return { origin, sign: createPlanSigner(key, config.desired.project) };
}

/** Where the file lies, as seen from a directory. */
export function relativeFilePath({ file }: LoadedConfig, directory: string): string {
  return relative(directory, join(file.directory, basename(file.path)));
}

/** Of the file as it was read and of what was filled in, wherever it lies; secrets stand in it as `***`. */
function configDigest(config: LoadedConfig): string {
  const filledIn = JSON.stringify(config.desired, (key, value: unknown) =>
    key === 'source' ? undefined : value,
  );
  return sha256(`${config.file.text}\n${filledIn}`);
}

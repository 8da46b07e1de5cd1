/** The steps that plan and apply share: from flags to a plan, and what it was made from. */
import { basename, join, relative } from 'node:path';
import type { PlanOrigin } from '../../apply/saved-plan.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { nearestKey } from '../../schema/nearest.ts';
import { matchesAny } from '../../core/glob.ts';
import type { Json } from '../../core/canonical.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { planDocument, type PlanDocument } from '../../core/reconcile/document.ts';
import type { Plan, PlanOptions } from '../../core/reconcile/plan.ts';
import { milliseconds } from '../../core/units.ts';
import { accountFingerprint, sha256 } from '../session/digest.ts';
import type { PlanFlags } from '../terminal/flags.ts';
import { usageError } from '../terminal/errors.ts';
import type { Session } from '../session/session.ts';

export function planOptions(flags: PlanFlags, now: number): PlanOptions {
  if (flags.run === false && flags.maxAge !== undefined)
    throw usageError('--no-run and --max-age exclude each other');
  return {
    now,
    start: flags.run !== false,
    maxAge: flags.run === true ? milliseconds(0) : (flags.maxAge ?? null),
    replace: flags.replace ?? [],
    onDrift: flags.onDrift ?? 'report',
    only: flags.only ?? [],
    exclude: flags.exclude ?? [],
    allowLimits: flags.allowLimit ?? [],
  };
}

/** Patterns that match no key are most likely misspelt. Errors: ProblemError LT_CLI_NO_SUCH_TEST. */
export function checkPatterns(config: LoadedConfig, patterns: readonly string[]): void {
  const keys = config.desired.tests.map((test) => test.key);
  for (const pattern of patterns) {
    if (keys.some((key) => matchesAny([pattern], key))) continue;
    const near = nearestKey(pattern, keys);
    const hint = near === null ? `the tests are ${keys.join(', ')}` : `did you mean "${near}"?`;
    throw new ProblemError(
      problem('LT_CLI_NO_SUCH_TEST', `no test of the file matches "${pattern}"`, { hint }),
    );
  }
}

export const DEFAULT_PARALLELISM = 4;

/** The flags that shape a plan, as a saved plan keeps them. */
export function planFlags(flags: PlanFlags): Readonly<Record<string, Json>> {
  return {
    ...(flags.env === undefined ? {} : { env: flags.env }),
    ...(flags.var === undefined ? {} : { var: Object.fromEntries(flags.var) }),
    ...(flags.only === undefined ? {} : { only: flags.only }),
    ...(flags.exclude === undefined ? {} : { exclude: flags.exclude }),
    ...(flags.run === undefined ? {} : { run: flags.run }),
    ...(flags.maxAge === undefined ? {} : { maxAge: flags.maxAge }),
    ...(flags.replace === undefined ? {} : { replace: flags.replace }),
    ...(flags.onDrift === undefined ? {} : { onDrift: flags.onDrift }),
    ...(flags.allowLimit === undefined ? {} : { allowLimit: flags.allowLimit }),
  };
}

export function documentOf(plan: Plan, session: Session): PlanDocument {
  return planDocument(plan, session.connection.origin, sha256);
}

export function originOf(
  config: LoadedConfig,
  session: Session,
  given: {
    readonly flags: PlanFlags;
    readonly version: string;
    readonly now: number;
    readonly folder: string;
  },
): PlanOrigin {
  return {
    tool_version: given.version,
    created_at: new Date(given.now).toISOString(),
    file: relative(given.folder, join(config.file.folder, basename(config.file.path))),
    file_digest: configDigest(config),
    service: session.connection.origin,
    account: session.embedded ? 'embedded' : accountFingerprint(session.connection.key),
    flags: planFlags(given.flags),
  };
}

/** Of the file as it was read and of what was filled in, wherever it lies; secrets stand in it as `***`. */
function configDigest(config: LoadedConfig): string {
  const filledIn = JSON.stringify(config.desired, (key, value: unknown) =>
    key === 'source' ? undefined : value,
  );
  return sha256(`${config.file.text}\n${filledIn}`);
}

/** Converts plan flags to planner options, and to and from the form in saved plans. */
import type { Json } from '../../core/canonical.ts';
import { LIMIT_NAMES } from '../../core/model/state.ts';
import { ProblemError } from '../../core/problem.ts';
import type { OuterLimits, PlanOptions } from '../../core/reconcile/plan-input.ts';
import { parseOuterLimits } from '../../config/outer-limits.ts';
import { withoutUndefined } from '../../core/present-fields.ts';
import { milliseconds } from '../../core/units.ts';
import { isObject } from '../../core/unknown-value.ts';
import type { Context } from '../terminal/context.ts';
import { usageError } from '../terminal/errors.ts';
import { MAX_COUNT, MAX_ROUNDS, type PlanFlags } from '../terminal/flags.ts';

export const DEFAULT_PARALLELISM = 4;

/** Environment variable with limits that the configuration file cannot change. */
const LIMITS_VARIABLE = 'LOADTESTS_LIMITS';

/** Returns the limits from the environment; null if none are set. @throws ProblemError if the limits are invalid. */
export function outerLimitsOf({ env }: Pick<Context, 'env'>): OuterLimits | null {
  const text = env[LIMITS_VARIABLE] ?? '';
  if (text.trim() === '') return null;
  const parsed = parseOuterLimits(LIMITS_VARIABLE, text);
  if (parsed.ok) return { limits: parsed.value, origin: LIMITS_VARIABLE };
  const [first] = parsed.problems;
  throw first === undefined ? usageError(`${LIMITS_VARIABLE} is not valid`) : new ProblemError(first);
}

export function planOptions(flags: PlanFlags, now: number, context: Pick<Context, 'env'>): PlanOptions {
  const outerLimits = outerLimitsOf(context);
  if (flags.run === false && flags.maxAge !== undefined)
    throw usageError('--no-run and --max-age cannot be combined');
  if (flags.run === false && (flags.repeat ?? 1) > 1)
    throw usageError('--no-run and --repeat cannot be combined: no run would start');
  // More than one round implies `--run`, unless `--max-age` is set.
  const again = flags.run === true || ((flags.repeat ?? 1) > 1 && flags.maxAge === undefined);
  return {
    now,
    start: flags.run !== false,
    maxAge: again ? milliseconds(0) : (flags.maxAge ?? null),
    replace: flags.replace ?? [],
    onDrift: flags.onDrift ?? 'report',
    only: flags.only ?? [],
    exclude: flags.exclude ?? [],
    allowLimits: flags.allowLimit ?? [],
    allowUnmarked: flags.allowUnmarked === true,
    ...(outerLimits === null ? {} : { outerLimits }),
    ...(flags.repeat === undefined ? {} : { repeat: flags.repeat }),
  };
}

/** Returns the flags that are set, in the form of a saved plan. */
export function savedFlags(flags: PlanFlags): Readonly<Record<string, Json>> {
  return withoutUndefined({
    env: flags.env,
    var: flags.var && Object.fromEntries(flags.var),
    only: flags.only,
    exclude: flags.exclude,
    run: flags.run,
    maxAge: flags.maxAge,
    replace: flags.replace,
    onDrift: flags.onDrift,
    allowLimit: flags.allowLimit,
    allowUnmarked: flags.allowUnmarked,
    repeat: flags.repeat,
    parallelProjects: flags.parallelProjects,
  });
}

const isCount = (value: Json, max: number): boolean =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= max;
const isString = (value: Json | undefined): value is string => typeof value === 'string';
const isStringList = (value: Json): boolean => Array.isArray(value) && value.every(isString);

const FLAG_VALIDATORS: Readonly<Record<string, (value: Json) => boolean>> = {
  env: isString,
  var: (value) => isObject(value) && Object.values(value).every((one) => typeof one === 'string'),
  only: isStringList,
  exclude: isStringList,
  run: (value) => typeof value === 'boolean',
  maxAge: (value) => Number.isInteger(value) && Number(value) >= 0,
  replace: isStringList,
  onDrift: (value) => value === 'report' || value === 'replace',
  allowLimit: (value) =>
    Array.isArray(value) && value.every((one) => LIMIT_NAMES.some((name) => name === one)),
  allowUnmarked: (value) => typeof value === 'boolean',
  repeat: (value) => isCount(value, MAX_ROUNDS),
  parallelProjects: (value) => isCount(value, MAX_COUNT),
};

/** Returns the flags, or the name of the first flag that is unknown or has an invalid value. */
export function readSavedFlags(saved: Readonly<Record<string, Json>>): PlanFlags | string {
  const invalid = Object.entries(saved).find(
    ([name, value]) => !Object.hasOwn(FLAG_VALIDATORS, name) || FLAG_VALIDATORS[name]?.(value) !== true,
  );
  if (invalid !== undefined) return invalid[0];
  // Only `var` has a different type in the saved form.
  const { var: variables, ...flags } = saved as Omit<PlanFlags, 'var'> & {
    readonly var?: Readonly<Record<string, string>>;
  };
  return variables === undefined ? flags : { ...flags, var: new Map(Object.entries(variables)) };
}

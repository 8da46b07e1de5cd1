/** What a program may import: docs/library.md. Re-exports, nothing else. */
export { load, type LoadOptions } from './library/load.ts';
export { plan, type PlanRequest } from './library/plan.ts';
export { apply, type Applied, type ApplyRequest } from './library/apply.ts';
export { judge } from './core/judge.ts';
export type { JudgedThreshold, Judgement, Verdict } from './core/model/judgement.ts';
export {
  parseThreshold,
  type Figure,
  type Metric,
  type Percentile,
  type Threshold,
} from './core/model/threshold.ts';
export { createClient, type ClientOptions, type ServiceClient } from './client/client.ts';
export { Secret } from './core/model/secret.ts';
export { CallError } from './core/call-error.ts';
export { ProblemError, type Problem } from './core/problem.ts';
export { CODES, type Code } from './core/codes.ts';
export type { ApplyEvent } from './apply/events.ts';
export type { DoneAction } from './apply/outcomes.ts';
export type { DoneRun } from './apply/runs.ts';
export type { Env, Surroundings } from './library/context.ts';
export type { LoadedConfig } from './config/load.ts';
export type { Plan } from './core/reconcile/plan.ts';
export type { Planned } from './cli/steps/planning.ts';
export type { Result } from './core/result.ts';
export type { RunResult } from './core/model/run.ts';

/** Public API of the library. @see docs/reference/library.md */
export { load, type LoadOptions } from './library/load.ts';
export { plan, type PlanRequest } from './library/plan.ts';
export { apply, type ApplyResult, type ApplyRequest } from './library/apply.ts';
export { evaluateRun } from './core/compare/run-evaluation.ts';
export type { EvaluatedThreshold, RunVerdict, Verdict } from './core/model/run-verdict.ts';
export {
  parseThreshold,
  type ResultMetric,
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
export type { DoneRun } from './apply/runs/runs.ts';
export type { Env, LibraryEnvironment } from './library/context.ts';
export type { LoadedConfig } from './config/load-config.ts';
export type { Plan } from './core/reconcile/plan.ts';
export type { Planned } from './cli/steps/plan-project.ts';
export type { Result } from './core/result.ts';
export type { RunResult } from './core/run-record/run-result.ts';

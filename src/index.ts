/** What a program may import: reading the file, planning, judging, speaking to a service. Re-exports, nothing else. */
export { loadConfig, type ConfigInput, type LoadedConfig } from './config/load.ts';
export { createClient, type ClientOptions, type ServiceClient } from './client/client.ts';
export {
  createPlan,
  selectedMatching,
  type Plan,
  type PlanInput,
  type PlanOptions,
} from './core/reconcile/plan.ts';
export { planDocument, type PlanDocument } from './core/reconcile/document.ts';
export { judge, type Judgement, type Verdict } from './core/judge.ts';
export { parseThreshold, type Metric, type Threshold } from './core/model/threshold.ts';
export { Secret } from './core/model/secret.ts';
export { CODES, type Code } from './core/codes.ts';
export type { Problem } from './core/problem.ts';
export type { Result } from './core/result.ts';
export type { DesiredState, ObservedState } from './core/model/state.ts';
export type { RunResult } from './core/model/run.ts';

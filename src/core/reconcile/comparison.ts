/** What a file changes against an earlier one of itself. */
import type { LimitChange } from './limit-changes.ts';
import type { LoadConsequence } from './load.ts';
import type { Plan } from './plan.ts';

export interface Comparison {
  readonly plan: Plan;
  readonly revision: string;
  readonly commit: string;
  /** Whether the revision holds the file, with the environment, and whether it loads. */
  readonly oldFile: 'read' | 'absent' | 'invalid';
  /** Why there is nothing to compare with, in words; null: there is. */
  readonly allNew: string | null;
  /** Of all the tests that each file declares. */
  readonly before: LoadConsequence;
  readonly after: LoadConsequence;
  readonly limits: readonly LimitChange[];
}

import type { RunProgress } from '../core/load/run-report.ts';
import type { Address, ResultId, TestId } from '../core/model/ids.ts';
import type { RunVerdict } from '../core/model/run-verdict.ts';
import type { DeclaredApp } from '../core/model/app.ts';
import type { Verb } from '../core/reconcile/action.ts';

export type ApplyEvent =
  | {
      readonly kind: 'end';
      readonly verb: Verb;
      readonly address: Address;
      readonly outcome: ActionOutcome;
      readonly text: string;
    }
  /** Content that the user must publish before the app can be verified. */
  | {
      readonly kind: 'publish';
      readonly app: DeclaredApp;
      readonly verificationId: string;
      readonly text: string;
    }
  | {
      readonly kind: 'running';
      readonly address: Address;
      readonly testId: TestId;
      readonly elapsed: number;
      /** Declared duration of the test, in ms. */
      readonly duration: number;
      readonly progress: RunProgress | null;
    }
  | {
      readonly kind: 'ended';
      readonly address: Address;
      readonly testId: TestId;
      readonly resultId: ResultId | null;
      readonly judgement: RunVerdict;
    }
  /** The command stops waiting for a run without having observed its end. */
  | { readonly kind: 'left'; readonly address: Address; readonly testId: TestId; readonly text: string }
  | { readonly kind: 'note'; readonly text: string }
  /** Shown only with --verbose. */
  | { readonly kind: 'detail'; readonly text: string };

export type ActionOutcome = 'done' | 'failed' | 'not_attempted' | 'unknown';

export type Emit = (event: ApplyEvent) => void;

/**
 * Import: creates a configuration file from the tests and apps of a service.
 * @remarks If the ownership marker of a test does not identify the test, the file adopts the test with `id:`. Tests and
 * apps that the file cannot express are omitted, with a reason.
 */
import type { ObservedTest } from '../core/model/load-test.ts';
import type { DesiredState } from '../core/model/state.ts';
import { matchTests } from '../core/reconcile/match.ts';
import { ok, type Result } from '../core/result.ts';
import { performSteps } from '../core/steps.ts';
import { AccountImport, type AccountSource } from './import-account.ts';
import type { AccountTest } from './import-account-content.ts';
import { settleDrafts, type OmittedEntry, type SettlementOptions } from './import-settlement.ts';

export type ImportInput = AccountSource & SettlementOptions;

export interface DroppedTest {
  readonly test: ObservedTest;
  readonly key: string;
  /** True if the file contains a newer test with the same key. */
  readonly earlier: boolean;
}

export interface ImportedFile {
  readonly text: string;
  readonly apps: readonly string[];
  readonly tests: readonly (AccountTest & { readonly key: string })[];
  readonly omitted: readonly OmittedEntry[];
  /**
   * Tests of the project that are missing from the file. A plan for the file would stop the running and scheduled tests
   * among them.
   */
  readonly dropped: readonly DroppedTest[];
  readonly secrets: readonly string[];
}

/**
 * Creates a configuration file from the tests and apps of a service.
 * @returns The file, or problems that do not belong to a single entry, such as a file that is too large.
 */
export function importConfig(input: ImportInput): Result<ImportedFile> {
  const account = new AccountImport(input);
  const settled = settleDrafts(account.draft(), input, (desired, drafts) => account.review(desired, drafts));
  if (!settled.ok) return settled;
  const { text, apps, tests, omitted, secrets, desired } = settled.value;
  return ok({
    text,
    apps: apps.map(({ draft }) => draft.host),
    tests: tests.map(({ key, draft }) => ({ ...draft.origin, key })),
    omitted,
    dropped: findDroppedTests(desired, input),
    secrets,
  });
}

function findDroppedTests(desired: DesiredState, { observed, sha256 }: AccountSource): DroppedTest[] {
  const { matches, orphaned } = performSteps(matchTests(desired, observed, sha256));
  return [
    ...matches.flatMap(({ declared, superseded }) =>
      superseded.map(({ test }) => ({ test, key: declared.key, earlier: true })),
    ),
    ...orphaned.map(({ test, marker }) => ({ test, key: marker.key, earlier: false })),
  ];
}

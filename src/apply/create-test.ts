/**
 * Creates one test, once.
 *
 * Source: docs/internals/reconciler.md, section 4.1.
 */
import { CallError } from '../core/call-error.ts';
import { formatInstant } from '../core/instant.ts';
import type { TestId, ResultId } from '../core/model/ids.ts';
import { testAddress, testKey } from '../core/model/ids.ts';
import type { DeclaredTest, ObservedTest } from '../core/model/load-test.ts';
import { ProblemError, problem, type Problem } from '../core/problem.ts';
import type { CreateAction } from '../core/reconcile/action.ts';
import {
  findMarkedTest,
  notesWithMarker,
  isSameCreation,
  type Marker,
} from '../core/reconcile/ownership-marker.ts';
import { MIN_SCHEDULE_LEAD } from '../core/reconcile/plan.ts';
import type { CreateLine, Phase } from './journal.ts';
import { uploadPayloadFiles } from './payload-upload.ts';
import { pollUntilSettled, sendOnce, throwIfInterrupted } from './write-retry.ts';
import type { ApplyContext } from './apply-context.ts';

export interface CreatedTest {
  readonly id: TestId;
  /** Null where it was found by its mark, or the service did not name it. */
  readonly resultId: ResultId | null;
  /** False when another process had created it in the meantime. */
  readonly createdByUs: boolean;
  readonly marker: Marker;
  /** Before it was sent, by the monotonic clock; null: by somebody else, or nobody saw when it was executed. */
  readonly sentAt: number | null;
  /** The disk refused the journal's last line; the test is there all the same. */
  readonly journalProblem: Problem | null;
}

/** The tests of the service as they are now. */
export type ListTests = () => Promise<readonly ObservedTest[]>;

/**
 * @param listTests may give one list to several creates in a row, while nothing else is done
 *
 * Errors: CallError with outcome `refused` or `not_sent`, or ProblemError LT_PLAN_BLOCKED, LT_CLI_DISK and
 *         LT_CLI_INTERRUPTED: not created. ProblemError LT_API_UNKNOWN: perhaps created.
 */
export async function createTest(
  action: CreateAction,
  context: ApplyContext,
  listTests: ListTests = async () => (await context.service.listTests()).items,
): Promise<CreatedTest> {
  const { test } = action;
  const marker = createMarker(action, context);
  const line = (phase: Phase, id: TestId | null = null) => toCreateLine(marker, { phase, id }, context);
  const done = (created: Pick<CreatedTest, 'id' | 'resultId' | 'createdByUs' | 'sentAt'>): CreatedTest => ({
    ...created,
    marker,
    journalProblem: context.journal.writeOutcome(line('done', created.id)),
  });
  context.journal.write(line('intended'));
  const there = findMarkedTest(await listTests(), (other) => isSameCreation(other, marker));
  if (there !== undefined) return done({ id: there.id, resultId: null, createdByUs: false, sentAt: null });
  refuseLateSchedule(test, context);
  throwIfInterrupted(context);
  await uploadPayloadFiles(test.spec, context);
  throwIfInterrupted(context);
  context.journal.write(line('sent'));
  const sentAt = context.clock.monotonic();
  const request = { spec: test.spec, notes: notesWithMarker(test.spec.notes, marker), nonce: marker.nonce };
  const sent = await sendOnce((again) => {
    // What the service may do late counts from the last try. The intent is on disk already, whatever becomes of this.
    if (again) context.journal.writeOutcome(line('sent'));
    return context.service.createTest(request);
  }, context).catch((error: unknown) => {
    // Whatever else went wrong says nothing of the request: it stays open.
    if (error instanceof CallError) context.journal.writeOutcome(line('refused'));
    throw error;
  });
  if (sent.kind === 'answer') {
    const { id, resultId } = sent.value;
    return done({ id, resultId, createdByUs: true, sentAt });
  }
  const found = await pollUntilSettled(() => findByNonce(marker.nonce, context), context);
  if (found === null) throw unknownCreateOutcome(action, marker, sent.error);
  return done({ id: found.id, resultId: null, createdByUs: true, sentAt: null });
}

async function findByNonce(nonce: string, context: ApplyContext): Promise<ObservedTest | null> {
  const { items } = await context.service.listTests();
  return findMarkedTest(items, (marker) => marker.nonce === nonce) ?? null;
}

/** The plan said that there was time; waiting for a turn or for the service may have used it up. */
function refuseLateSchedule(test: DeclaredTest, context: ApplyContext): void {
  const { scheduledAt } = test.spec;
  if (scheduledAt === null || scheduledAt >= context.clock.now() + MIN_SCHEDULE_LEAD) return;
  const text = `"${test.key}" is not created: scheduled_at ${formatInstant(scheduledAt)} UTC is less than a minute away`;
  throw new ProblemError(problem('LT_PLAN_BLOCKED', text, { source: test.source }));
}

function createMarker(action: CreateAction, context: ApplyContext): Marker {
  const { p, e } = context.journal.identity;
  return {
    project: p,
    environment: e,
    key: action.test.key,
    listed: action.digests.listed,
    unlisted: action.digests.unlisted,
    repetition: action.repetition,
    nonce: context.nonce(),
  };
}

function toCreateLine(
  marker: Marker,
  how: Pick<CreateLine, 'phase' | 'id'>,
  context: ApplyContext,
): CreateLine {
  return {
    op: 'create',
    service: context.journal.identity.service,
    p: marker.project,
    e: marker.environment,
    address: testAddress(testKey(marker.key)),
    s: marker.listed,
    w: marker.unlisted,
    r: marker.repetition,
    nonce: marker.nonce,
    ...how,
    at: context.clock.now(),
    up: context.clock.monotonic(),
  };
}

function unknownCreateOutcome(action: CreateAction, marker: Marker, error: CallError): ProblemError {
  return new ProblemError(
    problem(
      'LT_API_UNKNOWN',
      `the outcome of creating "${action.test.key}" is unknown (nonce ${marker.nonce}): ${error.problem.message}`,
      { source: action.test.source, hint: 'run apply again; it looks for the test before sending anything' },
    ),
  );
}

/**
 * Creates a test. The journal and the marker help to avoid duplicates.
 * @see docs/internals/reconciler.md, section 4.1
 */
import { CallError } from '../../core/call-error.ts';
import { timeText } from '../../core/instant.ts';
import type { TestId, ResultId } from '../../core/model/ids.ts';
import type { DeclaredTest, ObservedTest } from '../../core/model/load-test.ts';
import { ProblemError, problem, type Problem } from '../../core/problem.ts';
import type { CreateAction } from '../../core/reconcile/action.ts';
import {
  findMarkedTest,
  notesWithMarker,
  isSameCreation,
  type Marker,
} from '../../core/reconcile/ownership-marker.ts';
import { MIN_SCHEDULE_LEAD } from '../../core/reconcile/test-actions.ts';
import { recordOfMarker } from '../uncertainty/evidence.ts';
import type { CreateLine, Phase } from '../uncertainty/journal.ts';
import { uploadPayloadFiles } from './payload-upload.ts';
import { pollUntilSettled } from '../uncertainty/lookups.ts';
import { sendOnce, throwIfInterrupted } from '../uncertainty/sending.ts';
import type { ApplyContext } from '../apply-context.ts';

export interface CreatedTest {
  readonly id: TestId;
  /** ID of the first result; null if the service did not return it or the test was found in the list. */
  readonly resultId: ResultId | null;
  /** False if the test already existed. */
  readonly createdByUs: boolean;
  readonly marker: Marker;
  /** Monotonic time immediately before the request; null if the test already existed or was found in the list. */
  readonly sentAt: number | null;
  /** Problem of the last journal write, after which the test exists nevertheless; null if the write succeeded. */
  readonly journalProblem: Problem | null;
}

/**
 * Creates a test, unless a test exists whose marker differs at most in the nonce.
 * @param listTests - Lists the tests on the service. The list may be cached.
 * @throws CallError with outcome `refused` or `not_sent`, or ProblemError LT_PLAN_BLOCKED, LT_CLI_DISK or
 * LT_CLI_INTERRUPTED if the test was not created; ProblemError LT_API_UNKNOWN if it may have been created.
 */
export async function createTest(
  action: CreateAction,
  context: ApplyContext,
  listTests: () => Promise<readonly ObservedTest[]>,
): Promise<CreatedTest> {
  const { test } = action;
  const marker = createMarker(action, context);
  const line = (phase: Phase, id: TestId | null = null): CreateLine => ({
    ...recordOfMarker(marker, context.journal.identity.service),
    phase,
    id,
    notes: test.spec.notes,
    at: context.clock.now(),
    up: context.clock.monotonic(),
  });
  const done = (created: Pick<CreatedTest, 'id' | 'resultId' | 'createdByUs' | 'sentAt'>): CreatedTest => ({
    ...created,
    marker,
    journalProblem: context.journal.writeOutcome(line('done', created.id)),
  });
  context.journal.write(line('intended'));
  const existing = findMarkedTest(await listTests(), (other) => isSameCreation(other, marker));
  if (existing !== undefined)
    return done({ id: existing.id, resultId: null, createdByUs: false, sentAt: null });
  refuseLateSchedule(test, context);
  throwIfInterrupted(context);
  await uploadPayloadFiles(test.spec, context);
  throwIfInterrupted(context);
  context.journal.write(line('sent'));
  const sentAt = context.clock.monotonic();
  const request = { spec: test.spec, notes: notesWithMarker(test.spec.notes, marker), nonce: marker.nonce };
  const sent = await sendOnce((isRetry) => {
    // The settle time starts at the last attempt. A failed write is ignored, because the intent is already durable.
    if (isRetry) context.journal.writeOutcome(line('sent'));
    return context.service.createTest(request);
  }, context).catch((error: unknown) => {
    // After any other error, the request may have been executed, so the operation remains open.
    if (error instanceof CallError) context.journal.writeOutcome(line('refused'));
    throw error;
  });
  if (sent.kind === 'done') {
    const { id, resultId, isExisting } = sent.value;
    return done({ id, resultId, createdByUs: !isExisting, sentAt: isExisting ? null : sentAt });
  }
  const found = await pollUntilSettled(() => findByNonce(marker.nonce, context), context);
  if (found === null) throw unknownCreateOutcome(action, marker, sent.error);
  return done({ id: found.id, resultId: null, createdByUs: true, sentAt: null });
}

async function findByNonce(nonce: string, context: ApplyContext): Promise<ObservedTest | null> {
  const { items } = await context.service.listTests();
  return findMarkedTest(items, (marker) => marker.nonce === nonce) ?? null;
}

/** Checks the minimum lead time again, because time has passed since the plan was created. */
function refuseLateSchedule(test: DeclaredTest, context: ApplyContext): void {
  const { scheduledAt } = test.spec;
  if (scheduledAt === null || scheduledAt >= context.clock.now() + MIN_SCHEDULE_LEAD) return;
  const text = `"${test.key}" is not created: scheduled_at ${timeText(scheduledAt)} is in the past or less than a minute from now`;
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

function unknownCreateOutcome(action: CreateAction, marker: Marker, error: CallError): ProblemError {
  return new ProblemError(
    problem(
      'LT_API_UNKNOWN',
      `the outcome of creating "${action.test.key}" is unknown (nonce ${marker.nonce}): ${error.problem.message}`,
      {
        source: action.test.source,
        hint: 'run apply again; it searches for the test before it sends a request',
      },
    ),
  );
}

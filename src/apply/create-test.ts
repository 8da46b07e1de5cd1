/**
 * Creates one test, once.
 *
 * Source: docs/design/reconciler.md, section 4.1.
 */
import { CallError } from '../core/call-error.ts';
import { formatInstant } from '../core/instant.ts';
import type { TestId, ResultId } from '../core/model/ids.ts';
import { testAddress, testKey } from '../core/model/ids.ts';
import type { DeclaredTest, ObservedTest } from '../core/model/load-test.ts';
import { ProblemError, problem, type Problem } from '../core/problem.ts';
import type { CreateAction } from '../core/reconcile/action.ts';
import { findMark, notesWithMark, sameCreation, type Mark } from '../core/reconcile/mark.ts';
import { CLOSEST_SCHEDULE } from '../core/reconcile/plan.ts';
import type { CreateLine, Phase } from './journal.ts';
import { sendPayloadFiles } from './send-payload-files.ts';
import { lookThroughSettle, sendOnce, throwIfInterrupted } from './sending.ts';
import type { World } from './world.ts';

export interface Created {
  readonly id: TestId;
  /** Null where it was found by its mark, or the service did not name it. */
  readonly resultId: ResultId | null;
  /** False when another process had created it in the meantime. */
  readonly byUs: boolean;
  readonly mark: Mark;
  /** Before it was sent, by the monotonic clock; null: by somebody else, or nobody saw when it was executed. */
  readonly sentAt: number | null;
  /** The disk refused the journal's last line; the test is there all the same. */
  readonly unwritten: Problem | null;
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
  world: World,
  listTests: ListTests = async () => (await world.service.listTests()).items,
): Promise<Created> {
  const { test } = action;
  const mark = markOf(action, world);
  const line = (phase: Phase, id: TestId | null = null) => createLine(mark, { phase, id }, world);
  const done = (created: Pick<Created, 'id' | 'resultId' | 'byUs' | 'sentAt'>): Created => ({
    ...created,
    mark,
    unwritten: world.journal.writeOutcome(line('done', created.id)),
  });
  world.journal.write(line('intended'));
  const there = findMark(await listTests(), (other) => sameCreation(other, mark));
  if (there !== undefined) return done({ id: there.id, resultId: null, byUs: false, sentAt: null });
  refuseLateSchedule(test, world);
  throwIfInterrupted(world);
  await sendPayloadFiles(test.spec, world);
  throwIfInterrupted(world);
  world.journal.write(line('sent'));
  const sentAt = world.clock.monotonic();
  const request = { spec: test.spec, notes: notesWithMark(test.spec.notes, mark), nonce: mark.nonce };
  const sent = await sendOnce((again) => {
    // What the service may do late counts from the last try. The intent is on disk already, whatever becomes of this.
    if (again) world.journal.writeOutcome(line('sent'));
    return world.service.createTest(request);
  }, world).catch((error: unknown) => {
    // Whatever else went wrong says nothing of the request: it stays open.
    if (error instanceof CallError) world.journal.writeOutcome(line('refused'));
    throw error;
  });
  if (sent.kind === 'answer') {
    const { id, resultId } = sent.value;
    return done({ id, resultId, byUs: true, sentAt });
  }
  const found = await lookThroughSettle(() => lookForNonce(mark.nonce, world), world);
  if (found === null) throw unknownOutcome(action, mark, sent.error);
  return done({ id: found.id, resultId: null, byUs: true, sentAt: null });
}

async function lookForNonce(nonce: string, world: World): Promise<ObservedTest | null> {
  const { items } = await world.service.listTests();
  return findMark(items, (mark) => mark.nonce === nonce) ?? null;
}

/** The plan said that there was time; waiting for a turn or for the service may have used it up. */
function refuseLateSchedule(test: DeclaredTest, world: World): void {
  const { scheduledAt } = test.spec;
  if (scheduledAt === null || scheduledAt >= world.clock.now() + CLOSEST_SCHEDULE) return;
  const text = `"${test.key}" is not created: scheduled_at ${formatInstant(scheduledAt)} UTC is less than a minute away`;
  throw new ProblemError(problem('LT_PLAN_BLOCKED', text, { source: test.source }));
}

function markOf(action: CreateAction, world: World): Mark {
  const { p, e } = world.journal.identity;
  return {
    project: p,
    environment: e,
    key: action.test.key,
    shown: action.wanted.shown,
    hidden: action.wanted.hidden,
    repetition: action.repetition,
    nonce: world.nonce(),
  };
}

function createLine(mark: Mark, how: Pick<CreateLine, 'phase' | 'id'>, world: World): CreateLine {
  return {
    op: 'create',
    service: world.journal.identity.service,
    p: mark.project,
    e: mark.environment,
    address: testAddress(testKey(mark.key)),
    s: mark.shown,
    w: mark.hidden,
    r: mark.repetition,
    nonce: mark.nonce,
    ...how,
    at: world.clock.now(),
    up: world.clock.monotonic(),
  };
}

function unknownOutcome(action: CreateAction, mark: Mark, error: CallError): ProblemError {
  return new ProblemError(
    problem(
      'LT_API_UNKNOWN',
      `the outcome of creating "${action.test.key}" is unknown (nonce ${mark.nonce}): ${error.problem.message}`,
      { source: action.test.source, hint: 'run apply again; it looks for the test before sending anything' },
    ),
  );
}

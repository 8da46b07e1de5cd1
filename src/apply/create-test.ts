/**
 * Creates one test, once.
 *
 * Source: the reconciler's design, section 4.1.
 */
import { CallError } from '../core/call-error.ts';
import type { TestId, ResultId } from '../core/model/ids.ts';
import { testAddress } from '../core/model/ids.ts';
import type { ObservedTest } from '../core/model/load-test.ts';
import { ProblemError, problem } from '../core/problem.ts';
import type { CreateAction } from '../core/reconcile/action.ts';
import { notesWithMark, readNotes, type Mark } from '../core/reconcile/mark.ts';
import type { CreateLine, Phase } from './journal.ts';
import type { Listed } from './port.ts';
import type { World } from './world.ts';

export interface Created {
  readonly id: TestId;
  /** Null where it was found by its mark, or the service did not name it. */
  readonly resultId: ResultId | null;
  /** False when another process had created it in the meantime. */
  readonly byUs: boolean;
}

/** Tries of a create that surely was not sent, or that the service promises to take once. */
const TRIES = 4;

/**
 * @param latestList tests as listed after the last write of anyone we know; null: list again
 * Errors: CallError with outcome `refused` or `not_sent`: not created. ProblemError LT_API_UNKNOWN: perhaps created.
 */
export async function createTest(
  action: CreateAction,
  world: World,
  latestList: Listed<ObservedTest> | null,
): Promise<Created> {
  const mark = markOf(action, world);
  const write = (phase: Phase, id: TestId | null = null) => {
    world.journal.write(
      createLine(mark, { phase, id, at: world.clock.now(), service: world.journal.identity.service }),
    );
  };
  write('intended');
  const list = latestList ?? (await world.service.listTests());
  const there = findMark(list.items, (other) => sameCreation(other, mark));
  if (there !== undefined) {
    write('done', there.id);
    return { id: there.id, resultId: null, byUs: false };
  }
  write('sent');
  const request = {
    spec: action.test.spec,
    notes: notesWithMark(action.test.spec.notes, mark),
    nonce: mark.nonce,
  };
  for (let attempt = 1; ; attempt++) {
    try {
      const created = await world.service.createTest(request);
      write('done', created.id);
      return { id: created.id, resultId: created.resultId, byUs: true };
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      const repeatable =
        error.outcome === 'not_sent' || (error.outcome === 'unknown' && world.service.honoursIdempotency());
      if (repeatable && attempt < TRIES && !world.interrupted.aborted) {
        await world.clock.sleep(backOff(attempt, world), world.interrupted);
        continue;
      }
      if (error.outcome !== 'unknown') {
        write('refused');
        throw error;
      }
      const found = await lookFor(mark.nonce, world);
      if (found === null) throw unknownOutcome(action, mark, error);
      write('done', found.id);
      return { id: found.id, resultId: null, byUs: true };
    }
  }
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

function createLine(mark: Mark, rest: Pick<CreateLine, 'phase' | 'id' | 'at' | 'service'>): CreateLine {
  return {
    op: 'create',
    ...rest,
    p: mark.project,
    e: mark.environment,
    address: testAddress(mark.key as Parameters<typeof testAddress>[0]),
    s: mark.shown,
    w: mark.hidden,
    r: mark.repetition,
    nonce: mark.nonce,
  };
}

/** The same declaration in the same repetition: whose nonce it carries does not matter. */
export function sameCreation(a: Mark, b: Mark): boolean {
  return (
    a.project === b.project &&
    a.environment === b.environment &&
    a.key === b.key &&
    a.shown === b.shown &&
    a.hidden === b.hidden &&
    a.repetition === b.repetition
  );
}

export function findMark(
  tests: readonly ObservedTest[],
  fits: (mark: Mark) => boolean,
): ObservedTest | undefined {
  return tests
    .filter((test) => {
      const { reading } = readNotes(test.notes);
      return reading.kind === 'mark' && fits(reading.mark);
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1))[0];
}

/** Looks for a nonce, with back-off, until the service has had its time. Null: not found. */
async function lookFor(nonce: string, world: World): Promise<ObservedTest | null> {
  const deadline = world.clock.now() + world.settle;
  for (let attempt = 1; ; attempt++) {
    const list = await world.service.listTests().catch((error: unknown) => {
      if (error instanceof CallError && world.clock.now() < deadline) return null;
      throw error;
    });
    const found = list === null ? undefined : findMark(list.items, (mark) => mark.nonce === nonce);
    if (found !== undefined) return found;
    const left = deadline - world.clock.now();
    if (left <= 0 || world.interrupted.aborted) return null;
    await world.clock.sleep(Math.min(left, backOff(attempt, world)), world.interrupted);
  }
}

/** Doubling from 250 ms to 10 s, half of it jitter. */
export function backOff(attempt: number, world: Pick<World, 'clock'>): number {
  const full = Math.min(10_000, 250 * 2 ** (attempt - 1));
  return full / 2 + (full / 2) * world.clock.random();
}

function unknownOutcome(action: CreateAction, mark: Mark, error: CallError): ProblemError {
  return new ProblemError(
    problem(
      'LT_API_UNKNOWN',
      `it is not known whether "${action.test.key}" was created (nonce ${mark.nonce}): ${error.problem.message}`,
      { source: action.test.source, hint: 'run apply again; it looks for the test before it sends anything' },
    ),
  );
}

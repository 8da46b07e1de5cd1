/**
 * Meets the operations of earlier commands whose outcome is unknown, before a new plan is made.
 *
 * Source: docs/design/reconciler.md, section 4.1, step 7.
 */
import { CallError } from '../core/call-error.ts';
import { formatInstant } from '../core/instant.ts';
import type { ObservedTest } from '../core/model/load-test.ts';
import { problem, type Problem } from '../core/problem.ts';
import { findMark, readMark } from '../core/reconcile/mark.ts';
import { withFieldsOf } from './evidence.ts';
import type { CreateLine, Journal, JournalLine, StartLine } from './journal.ts';
import { placed, type SourceOf } from './places.ts';
import { readSeen, settleLeft } from './sending.ts';
import { evidenceOfRun } from './start-run.ts';
import type { World } from './world.ts';

/** A warning of each operation that `settleIntents` would look for. Asks nobody. */
export function openIntents(journal: Journal): readonly Problem[] {
  return journal.open().map(({ op, address }) => {
    const text = `the outcome of the ${op} request for ${address} is unknown; apply looks for it first`;
    return problem('LT_API_UNKNOWN', text, { severity: 'warning' });
  });
}

/** Explains each open intent, or gives a problem LT_API_UNKNOWN (an error) for it. Errors: CallError. */
export async function settleIntents(world: World, sourceOf: SourceOf): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const line of world.journal.open()) {
    const found = line.op === 'create' ? await settleCreate(line, world) : await settleStart(line, world);
    problems.push(placed(found, line.address, sourceOf));
  }
  return problems;
}

async function settleCreate(line: CreateLine, world: World): Promise<Problem> {
  const close = (phase: 'done' | 'absent', test?: ObservedTest) => {
    world.journal.write({ ...line, phase, id: test?.id ?? null, at: world.clock.now() });
  };
  const deadline = world.clock.monotonic() + settleLeft(line, world);
  for (let absent = 0; ;) {
    const list = await world.service.listTests();
    const found = findMark(list.items, (mark) => mark.nonce === line.nonce);
    if (found !== undefined) {
      close('done', found);
      return told(line, `created the test ${found.id}`);
    }
    if (await hasTimeLeft(deadline, world)) continue;
    if (world.interrupted.aborted) return unexplained(line, 'the command was interrupted');
    if (list.perhapsCut) {
      return unexplained(line, 'the list of tests may be incomplete, so it may still exist');
    }
    const twin = await unmarkedTwin(line, list.items, world);
    if (twin !== null) return unexplained(line, `${twin.id} has the same fields but no mark`);
    absent++;
    if (absent === 2) {
      close('absent');
      return told(line, 'was not carried out; the plan creates the test with a new mark');
    }
  }
}

/** Where no mark came back from the service, a test without one may be the one that was created. */
async function unmarkedTwin(
  line: CreateLine,
  items: readonly ObservedTest[],
  world: World,
): Promise<ObservedTest | null> {
  const marked = items.some(({ notes }) => readMark(notes).kind === 'mark');
  if (marked) return null;
  return (await withFieldsOf(line, items, world))[0] ?? null;
}

async function settleStart(line: StartLine, world: World): Promise<Problem> {
  const close = (phase: 'done' | 'absent') => {
    world.journal.write({ ...line, phase, at: world.clock.now() });
  };
  const deadline = world.clock.monotonic() + settleLeft(line, world);
  for (;;) {
    try {
      if ((await readSeen(() => evidenceOfRun(line.id, line.before, world), world)) !== null) {
        close('done');
        return told(line, 'started a run');
      }
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== 404) throw error;
      if (world.interrupted.aborted) return unexplained(line, 'the command was interrupted');
      close('absent');
      return told(line, 'is for a test that no longer exists');
    }
    if (await hasTimeLeft(deadline, world)) continue;
    if (world.interrupted.aborted) return unexplained(line, 'the command was interrupted');
    if (line.before === null) {
      return unexplained(line, 'the service has no results, and a run that has ended leaves no trace there');
    }
    close('absent');
    return told(line, 'did not start a run');
  }
}

/** Waits a little when the service may still act on the request. */
async function hasTimeLeft(deadline: number, world: World): Promise<boolean> {
  const left = deadline - world.clock.monotonic();
  if (left <= 0 || world.interrupted.aborted) return false;
  await world.clock.sleep(Math.min(left, 2000), world.interrupted);
  return true;
}

function told(line: JournalLine, what: string): Problem {
  return problem('LT_API_UNKNOWN', `${subject(line)} ${what}`, { severity: 'warning' });
}

function unexplained(line: JournalLine, why: string): Problem {
  const hint = '"loadtests recover" shows the evidence and resolves it by hand';
  return problem('LT_API_UNKNOWN', `${subject(line)} is still unknown: ${why}`, { hint });
}

function subject(line: JournalLine): string {
  return `the ${line.op} request for ${line.address} of ${formatInstant(line.at)} UTC, whose outcome was unknown,`;
}

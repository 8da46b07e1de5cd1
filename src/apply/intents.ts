/**
 * Meets the operations of earlier commands whose outcome is unknown, before a new plan is made.
 *
 * Source: the reconciler's design, section 4.1, step 7.
 */
import { CallError } from '../core/call-error.ts';
import type { ObservedTest } from '../core/model/load-test.ts';
import { problem, type Problem } from '../core/problem.ts';
import { findMark } from './create-test.ts';
import type { CreateLine, JournalLine, StartLine } from './journal.ts';
import { evidenceOfRun } from './start-run.ts';
import type { World } from './world.ts';

/** Explains each open intent, or gives a problem LT_API_UNKNOWN (an error) for it. Errors: CallError. */
export async function settleIntents(world: World): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const line of world.journal.open()) {
    problems.push(
      ...(line.op === 'create' ? await settleCreate(line, world) : await settleStart(line, world)),
    );
  }
  return problems;
}

async function settleCreate(line: CreateLine, world: World): Promise<Problem[]> {
  const close = (phase: 'done' | 'absent', test?: ObservedTest) => {
    world.journal.write({ ...line, phase, id: test?.id ?? null, at: world.clock.now() });
  };
  for (let absent = 0; ;) {
    const list = await world.service.listTests();
    const found = findMark(list.items, (mark) => mark.nonce === line.nonce);
    if (found !== undefined) {
      close('done', found);
      return [told(line, `was created after all, as ${found.id}`)];
    }
    if (list.perhapsCut)
      return [unexplained(line, 'the list of tests may be cut off, so its absence proves nothing')];
    if (await hasTimeLeft(line, world)) continue;
    absent++;
    if (absent === 2) {
      close('absent');
      return [told(line, 'was not created; it is not sent again with the same mark')];
    }
  }
}

async function settleStart(line: StartLine, world: World): Promise<Problem[]> {
  const close = (phase: 'done' | 'absent') => {
    world.journal.write({ ...line, phase, at: world.clock.now() });
  };
  for (;;) {
    if (world.interrupted.aborted) return [unexplained(line, 'the command was interrupted')];
    try {
      const seen = await evidenceOfRun(line.id, line.before, world);
      if (seen !== 'none') {
        close('done');
        return [told(line, 'was started after all')];
      }
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== 404) throw error;
      close('absent');
      return [told(line, 'has no test any more')];
    }
    if (await hasTimeLeft(line, world)) continue;
    close('absent');
    return [told(line, 'was not started')];
  }
}

/** Waits a little when the service may still act on the request. */
async function hasTimeLeft(line: JournalLine, world: World): Promise<boolean> {
  const left = line.at + world.settle - world.clock.now();
  if (left <= 0) return false;
  await world.clock.sleep(Math.min(left, 2000), world.interrupted);
  return true;
}

function told(line: JournalLine, what: string): Problem {
  return problem('LT_API_UNKNOWN', `${subject(line)} ${what}`, { severity: 'warning' });
}

function unexplained(line: JournalLine, why: string): Problem {
  return problem('LT_API_UNKNOWN', `${subject(line)} is still unexplained: ${why}`);
}

function subject(line: JournalLine): string {
  const at = new Date(line.at).toISOString().slice(0, 19).replace('T', ' ');
  return `the ${line.op} of ${line.address} of ${at} UTC, whose outcome was unknown,`;
}

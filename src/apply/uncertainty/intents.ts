/**
 * Resolves operations of earlier commands if their outcome is unknown.
 * @see docs/internals/reconciler.md, section 4.1, step 7
 */
import { CallError } from '../../core/call-error.ts';
import { timeText } from '../../core/instant.ts';
import type { ObservedTest } from '../../core/model/load-test.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { findMarkedTest, readMarker } from '../../core/reconcile/ownership-marker.ts';
import { NotesStorage } from '../../core/reconcile/stored-notes.ts';
import { findTestsWithFields } from './evidence.ts';
import type { CreateLine, Journal, JournalLine, StartLine } from './journal.ts';
import { withSourceLocation, type SourceOf } from '../source-locations.ts';
import { readExisting, remainingSettleTime } from './lookups.ts';
import { findRunEvidence } from '../tests/start-run.ts';
import type { ApplyContext } from '../apply-context.ts';

/** Returns a warning for each operation with an unknown outcome. Sends no requests. */
export function listOpenIntents(journal: Journal): readonly Problem[] {
  return journal.open().map(({ op, address }) => {
    const text = `the outcome of an earlier ${op} request for ${address} is unknown; "loadtests apply" checks it first`;
    return problem('LT_API_UNKNOWN', text, { severity: 'warning' });
  });
}

/**
 * Returns a problem LT_API_UNKNOWN for each operation with an unknown outcome. The problem is a warning if the
 * operation has been resolved; otherwise, an error.
 * @throws CallError
 */
export async function settleIntents(context: ApplyContext, sourceOf: SourceOf): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const line of context.journal.open()) {
    const found = line.op === 'create' ? await settleCreate(line, context) : await settleStart(line, context);
    problems.push(withSourceLocation(found, line.address, sourceOf));
  }
  return problems;
}

async function settleCreate(line: CreateLine, context: ApplyContext): Promise<Problem> {
  const close = (phase: 'done' | 'absent', test?: ObservedTest) =>
    context.journal.write({ ...line, phase, id: test?.id ?? null, at: context.clock.now() });
  const deadline = context.clock.monotonic() + remainingSettleTime(line, context);
  for (let absent = 0; ;) {
    const list = await context.service.listTests();
    const found = findMarkedTest(list.items, (marker) => marker.nonce === line.nonce);
    if (found !== undefined) {
      close('done', found);
      return toExplainedProblem(line, `created the test ${found.id}`);
    }
    if (await waitForSettle(deadline, context)) continue;
    if (context.interrupted.aborted) return toUnexplainedProblem(line, 'the command was interrupted');
    if (list.maybeTruncated) {
      return toUnexplainedProblem(line, 'the list of tests may be incomplete, so the test may exist');
    }
    const match = await findUnmarkedCreation(line, list.items, context);
    if (match !== null)
      return toUnexplainedProblem(
        line,
        `the test ${match.id} has the same fields but no complete ownership marker`,
      );
    absent++;
    if (absent === 2) {
      close('absent');
      return toExplainedProblem(line, 'was not executed, so it created no test');
    }
  }
}

/** Searches for a test that the request may have created and whose marker the service may have dropped or truncated. */
async function findUnmarkedCreation(
  line: CreateLine,
  items: readonly ObservedTest[],
  context: ApplyContext,
): Promise<ObservedTest | null> {
  const storage = new NotesStorage();
  const unmarked = items.filter((test) => {
    const reading = readMarker(test.notes);
    storage.add(test, reading);
    return reading.kind !== 'marker';
  });
  const candidates = unmarked.filter((test) => storage.mayHaveLostMarker(test));
  return (await findTestsWithFields(line, candidates, context))[0] ?? null;
}

async function settleStart(line: StartLine, context: ApplyContext): Promise<Problem> {
  const close = (phase: 'done' | 'absent') =>
    context.journal.write({ ...line, phase, at: context.clock.now() });
  const deadline = context.clock.monotonic() + remainingSettleTime(line, context);
  for (;;) {
    try {
      if ((await readExisting(() => findRunEvidence(line.id, line.before, context), context)) !== null) {
        close('done');
        return toExplainedProblem(line, 'started a run');
      }
    } catch (error) {
      if (!(error instanceof CallError) || error.status !== 404) throw error;
      if (context.interrupted.aborted) return toUnexplainedProblem(line, 'the command was interrupted');
      close('absent');
      return toExplainedProblem(line, 'is for a test that no longer exists');
    }
    if (await waitForSettle(deadline, context)) continue;
    if (context.interrupted.aborted) return toUnexplainedProblem(line, 'the command was interrupted');
    if (line.before === null) {
      return toUnexplainedProblem(
        line,
        'the service provides no results, so a completed run cannot be detected',
      );
    }
    close('absent');
    return toExplainedProblem(line, 'did not start a run');
  }
}

/** Waits at most 2 s. Returns false without waiting if the deadline has passed or a signal has arrived. */
async function waitForSettle(deadline: number, context: ApplyContext): Promise<boolean> {
  const remaining = deadline - context.clock.monotonic();
  if (remaining <= 0 || context.interrupted.aborted) return false;
  await context.clock.sleep(Math.min(remaining, 2000), context.interrupted);
  return true;
}

function toExplainedProblem(line: JournalLine, what: string): Problem {
  return problem('LT_API_UNKNOWN', `the ${subject(line)}, whose outcome was unknown, ${what}`, {
    severity: 'warning',
  });
}

function toUnexplainedProblem(line: JournalLine, why: string): Problem {
  const hint = 'run "loadtests recover" to inspect the evidence and to resolve the request manually';
  return problem('LT_API_UNKNOWN', `the outcome of the ${subject(line)} is still unknown: ${why}`, { hint });
}

function subject(line: JournalLine): string {
  return `${line.op} request for ${line.address} of ${timeText(line.at)}`;
}

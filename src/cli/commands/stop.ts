/** The `stop` command: stops active tests and cancels schedules. `--all` needs no configuration file. */
import { fetchUnlistedTests, withKnownTests } from '../../apply/observation/known-tests.ts';
import { stopTest } from '../../apply/tests/stop-test.ts';
import { counted } from '../../core/counted.ts';
import type { ObservedTest } from '../../core/model/load-test.ts';
import { isStoppable, stateOf } from '../../core/model/test-state.ts';
import { problem, ProblemError, type Problem } from '../../core/problem.ts';
import { printable } from '../../core/printable.ts';
import { labelOf } from '../../core/reconcile/test-label.ts';
import { requestApproval } from '../terminal/approval.ts';
import type { Context } from '../terminal/context.ts';
import type { ServiceFlags } from '../terminal/flags.ts';
import { performInTurns } from '../../apply/turns.ts';
import { selectMatching } from '../../core/reconcile/plan.ts';
import { sha256 } from '../files/sha256.ts';
import { lacksOnlyFile, namesService, withService } from '../session/open-session.ts';
import { usageError } from '../terminal/errors.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';
import { findTestsById, idsOf } from '../steps/tests-by-id.ts';
import { selectTests } from '../steps/key-selection.ts';
import { UNSCOPED, systemClock, type Session } from '../session/session.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { formatDuration, seconds } from '../../core/units.ts';

export interface StopFlags extends ServiceFlags {
  readonly all?: boolean;
  readonly yes?: boolean;
}

const STOP_TIMEOUT = seconds(30);

/** @param names - Keys or patterns of tests in the configuration file, or `id:ID`. */
export async function stop(context: Context, names: readonly string[], flags: StopFlags): Promise<Outcome> {
  const ids = idsOf(names);
  if (flags.all === true && names.length > 0) throw usageError('--all cannot be combined with keys');
  if (flags.all !== true && names.length === 0)
    throw usageError('stop requires a test key, a key pattern, id:ID or --all');
  const mayLackFile = (problems: readonly Problem[]) =>
    (flags.all === true || ids !== null) && mayRunWithoutFile(context, flags, problems);
  const check = (config: LoadedConfig) => {
    if (ids === null) selectTests(config, names);
  };
  return await withService(
    context,
    { flags, writes: false, check, mayLackFile },
    async ({ config, session }) => {
      const { service } = session.connection;
      const chosen =
        ids !== null
          ? await findTestsById(service, ids)
          : config === null || flags.all === true
            ? await listAllTests(session)
            : await findTestsByPattern(config, session, names);
      const now = Date.now();
      const active = chosen.filter((test) => isStoppable(stateOf(test, now)));
      const refusal = await requestApproval(context, {
        question: `Stop ${counted(active.length, 'test')}: ${active.map(nameOf).join(', ')}?`,
        approved: flags.yes === true || active.length === 0,
      });
      if (refusal !== null) return createOutcome({ problems: [refusal] });
      return await stopEach(active, session, now);
    },
  );
}

/**
 * Reports whether tests may be stopped without a valid configuration file. If the file is invalid, LOADTESTS_BASE_URL
 * must be set, and `--file` must not be set.
 */
function mayRunWithoutFile(context: Context, flags: StopFlags, problems: readonly Problem[]): boolean {
  const named = flags.file === undefined && namesService(context.env);
  return named || lacksOnlyFile(context, flags, problems);
}

/** Returns the listed tests, and unlisted tests in the journal that exist on the service. @throws CallError */
async function listAllTests(session: Session): Promise<readonly ObservedTest[]> {
  const { service } = session.connection;
  const { items } = await service.listTests();
  return [...items, ...(await fetchUnlistedTests(items, service, session.journal(UNSCOPED).testIds()))];
}

async function findTestsByPattern(
  config: LoadedConfig,
  session: Session,
  patterns: readonly string[],
): Promise<readonly ObservedTest[]> {
  const { service } = session.connection;
  const lines = session.journal(config.desired).lines();
  const adopted = config.desired.tests.flatMap(({ adopt }) => (adopt === null ? [] : [adopt]));
  const { tests } = await withKnownTests(await service.listTests(), service, { lines, adopted });
  const observed = { apps: [], tests, maybeTruncated: false, firstStartTimes: new Map() };
  const filter = { only: patterns, exclude: [] };
  const { matches } = await performInTurns(selectMatching(config.desired, observed, { filter, sha256 }));
  return matches.flatMap((match) => {
    const found = match.found.kind === 'absent' ? [] : [match.found.test];
    const named = tests.filter(({ id }) => id === match.declared.adopt);
    return [
      ...new Set([
        ...found,
        ...named,
        ...match.superseded.map((own) => own.test),
        ...match.duplicates.map((own) => own.test),
      ]),
    ];
  });
}

function nameOf(test: ObservedTest): string {
  return `${printable(labelOf(test))} (${test.id})`;
}

/** @param now - milliseconds since the epoch at which all tests are running or scheduled */
async function stopEach(active: readonly ObservedTest[], session: Session, now: number): Promise<Outcome> {
  const problems: Problem[] = [];
  const stopped: string[] = [];
  const { service, settle } = session.connection;
  const stopContext = { service, settle, clock: systemClock };
  await Promise.all(
    active.map(async (test) => {
      const { id } = test;
      try {
        const { state } = await stopTest(test, stopContext, STOP_TIMEOUT);
        if (state === 'ended' || state === 'unspecified') stopped.push(id);
        else problems.push(stopTimeoutProblem(id));
      } catch (error) {
        if (!(error instanceof ProblemError)) throw error;
        problems.push(error.problem);
      }
    }),
  );
  const lines = active.map((test) => {
    const [done, failed] =
      stateOf(test, now) === 'scheduled' ? ['canceled', 'not canceled'] : ['stopped', 'not stopped'];
    return `  ${stopped.includes(test.id) ? `■ ${done}` : `✗ ${failed}`}  ${nameOf(test)}`;
  });
  return createOutcome({
    problems,
    text:
      active.length === 0 ? 'There are no running or scheduled tests to stop.\n' : lines.join('\n') + '\n',
    body: {
      command: 'stop',
      stopped,
      not_stopped: active.map(({ id }) => id).filter((id) => !stopped.includes(id)),
    },
  });
}

function stopTimeoutProblem(id: string): Problem {
  const hint = `to try again: loadtests stop id:${id}`;
  return problem('LT_RUN_TIMEOUT', `the test "${id}" did not stop within ${formatDuration(STOP_TIMEOUT)}`, {
    hint,
  });
}

/** Apps and tests: declared beside existing; without a file, those that exist. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadedConfig } from '../../config/load.ts';
import { hostNames } from '../../core/model/app.ts';
import { appAddress, testAddress } from '../../core/model/ids.ts';
import type { ObservedTest } from '../../core/model/load-test.ts';
import type { RunResult } from '../../core/model/run.ts';
import { resultsByEnd, stateOf } from '../../core/model/test-state.ts';
import { judge } from '../../core/judge.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { readNotes } from '../../core/reconcile/mark.ts';
import type { Match } from '../../core/reconcile/match.ts';
import type { Context } from '../terminal/context.ts';
import type { FileFlags, FilterFlags, OutputFlags } from '../terminal/flags.ts';
import { observe, type Observation } from '../../apply/observe.ts';
import { lacksOnlyFile, withService } from '../session/open.ts';
import { outcome, type Outcome } from '../terminal/outcome.ts';
import { checkTests } from '../steps/choose.ts';
import { DEFAULT_PARALLELISM } from '../steps/plan-flags.ts';
import { tell, tellEvent } from '../terminal/report.ts';
import { figuresText } from '../render/run.ts';
import { renderStatus, type DeclaredStatus, type Status, type TestStatus } from '../render/status.ts';
import type { Session } from '../session/session.ts';
import type { Milliseconds } from '../../core/units.ts';

export interface StatusFlags extends FileFlags, FilterFlags, OutputFlags {
  readonly watch?: boolean;
  readonly lockTimeout?: Milliseconds;
}

const WATCH_PERIOD = 2000;

export async function status(context: Context, flags: StatusFlags): Promise<Outcome> {
  const filter = { only: flags.only ?? [], exclude: flags.exclude ?? [] };
  const patterns = [...filter.only, ...filter.exclude];
  const check = (config: LoadedConfig) => {
    checkTests(config, patterns);
  };
  // Patterns choose keys of a file.
  const mayLackFile = (problems: readonly Problem[]) =>
    patterns.length === 0 && lacksOnlyFile(context, flags, problems);
  return await withService(context, { flags, writes: false, check, mayLackFile }, async (opened) => {
    const { config, warnings, session } = opened;
    const read = async (): Promise<Seen> => {
      if (config === null) return await accountStatus(session);
      const seen = await observe(config.desired, session.view(config.desired), {
        filter,
        parallelism: DEFAULT_PARALLELISM,
      });
      return { status: statusOf(config, seen), problems: [] };
    };
    if (flags.watch === true) return await watch(context, flags, read);
    const { status: seen, problems } = await read();
    const text = renderStatus(seen, context.paint);
    return outcome({ problems: [...warnings, ...problems], text, members: { ...seen } });
  });
}

interface Seen {
  readonly status: Status;
  readonly problems: readonly Problem[];
}

/** One event whenever something changed, until the signal: a JSON line, or the text anew. */
async function watch(context: Context, flags: StatusFlags, read: () => Promise<Seen>): Promise<Outcome> {
  context.interruption.handleGracefully();
  const { signal } = context.interruption;
  let before = '';
  while (!signal.aborted) {
    const { status: seen } = await read();
    const now = JSON.stringify(seen);
    if (now !== before && flags.json === true) tellEvent(context, { event: 'status', ...seen });
    if (now !== before && flags.json !== true) tell(context, renderStatus(seen, context.paint), flags);
    before = now;
    await sleep(WATCH_PERIOD, undefined, { signal }).catch(() => undefined);
  }
  return outcome({ exitCode: context.interruption.exitCode() ?? 0 });
}

async function accountStatus({ connection }: Session): Promise<Seen> {
  const [apps, tests] = [await connection.service.listApps(), await connection.service.listTests()];
  const cut = 'the list of tests may be cut off, so there may be more';
  return {
    status: {
      project: null,
      environment: null,
      apps: apps.items.map(({ id, host, status: word }) => ({ address: null, host, id, status: word })),
      tests: [],
      orphaned: [],
      unmanaged: tests.items.length,
      unmanaged_tests: tests.items.map((test) => ({
        ...testStatus(test),
        name: test.name,
        mark: markOf(test),
      })),
    },
    problems: tests.perhapsCut ? [problem('LT_PLAN_PERHAPS_CUT', cut, { severity: 'warning' })] : [],
  };
}

function markOf({ notes }: ObservedTest) {
  const { reading } = readNotes(notes);
  if (reading.kind !== 'mark') return null;
  const { project, environment, key } = reading.mark;
  return { project, environment, key };
}

function statusOf(config: LoadedConfig, { observed, matching, history }: Observation): Status {
  const apps = config.desired.apps.map((app) => {
    const there = observed.apps.find((one) => hostNames(app.host).includes(one.host));
    return {
      address: appAddress(app.key),
      host: app.host,
      id: there?.id ?? null,
      status: there?.status ?? 'absent',
    };
  });
  return {
    project: config.desired.project,
    environment: config.desired.environment,
    apps,
    tests: matching.matches.map((match) => declaredStatus(match, history)),
    orphaned: matching.orphaned.map(({ test, mark }) => ({ key: mark.key, ...testStatus(test) })),
    unmanaged: matching.unmanaged,
  };
}

function testStatus(test: ObservedTest): TestStatus {
  return {
    id: test.id,
    status: test.status,
    state: stateOf(test, Date.now()),
    scheduled_at: test.scheduledAt === null ? null : new Date(test.scheduledAt).toISOString(),
  };
}

const ABSENT = { id: null, status: null, state: null, scheduled_at: null };

function declaredStatus(match: Match, history: Observation['history']): DeclaredStatus {
  const { declared, found } = match;
  const address = testAddress(declared.key);
  const superseded = match.superseded.map(({ test }) => testStatus(test));
  if (found.kind === 'absent') {
    return { address, declared: 'absent', ...ABSENT, current_run: null, last_run: null, superseded };
  }
  const { test } = found;
  const { current, ended } = resultsByEnd(stateOf(test, Date.now()), history.get(test.id) ?? []);
  const last = ended[0] ?? null;
  return {
    address,
    declared: found.kind === 'other' ? 'changed' : found.drift.length > 0 ? 'drift' : 'present',
    ...testStatus(test),
    current_run: current && runStatus(current),
    last_run: last && {
      ...runStatus(last),
      judgement: judge(declared.thresholds, last),
      figures: figuresText(last),
    },
    superseded,
  };
}

function runStatus({ id, startedAt }: RunResult) {
  return { result_id: id, started_at: startedAt === null ? null : new Date(startedAt).toISOString() };
}

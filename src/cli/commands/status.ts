/** The `status` command: shows the declared apps and tests; without a file, the apps and tests on the service. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadedConfig } from '../../config/load-config.ts';
import { selects } from '../../core/reconcile/plan-input.ts';
import { CallError } from '../../core/call-error.ts';
import type { ServicePort } from '../../core/ports/service-port.ts';
import { problem, type Problem } from '../../core/problem.ts';
import {
  createAccountStatus,
  createDeclaredStatus,
  type StatusContext,
  type StatusMembers,
} from '../../core/report/status-document.ts';
import type { ObservedTest } from '../../core/model/load-test.ts';
import type { Context } from '../terminal/context.ts';
import type { FilterFlags, ServiceFlags } from '../terminal/flags.ts';
import { observe } from '../../apply/observation/observe.ts';
import { readProgress } from '../../apply/observation/progress.ts';
import { lacksOnlyFile, withService } from '../session/open-session.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';
import { untilAborted } from '../terminal/process-control.ts';
import { checkSelection } from '../steps/key-selection.ts';
import { DEFAULT_PARALLELISM } from '../steps/plan-flags.ts';
import { writeText, writeEvent } from '../terminal/report.ts';
import { wrapForOutput } from '../render/line-wrap.ts';
import { statusText } from '../../report/status-text.ts';
import type { Session } from '../session/session.ts';

export interface StatusFlags extends ServiceFlags, FilterFlags {
  readonly watch?: boolean;
}

const WATCH_INTERVAL_MS = 2000;

export async function showStatus(context: Context, flags: StatusFlags): Promise<Outcome> {
  const filter = { only: flags.only ?? [], exclude: flags.exclude ?? [] };
  const patterns = [...filter.only, ...filter.exclude];
  const check = (config: LoadedConfig) => checkSelection(config, filter);
  const mayLackFile = (problems: readonly Problem[]) =>
    patterns.length === 0 && lacksOnlyFile(context, flags, problems);
  const chosen = (key: string) => selects(filter, key);
  const request = { flags, writes: false, selectsTest: chosen, check, mayLackFile };
  return await withService(context, request, async (opened) => {
    const { config, warnings, session } = opened;
    const read = async (): Promise<ObservedStatus> => {
      if (config === null) return await readAccountStatus(session);
      const observed = await observe(config.desired, session.view(config.desired), {
        filter,
        parallelism: DEFAULT_PARALLELISM,
      });
      const found = observed.matching.matches.flatMap((match) =>
        match.found.kind === 'absent' ? [] : [match.found.test],
      );
      const moment = await readMoment(found, session);
      return { status: createDeclaredStatus(config.desired, observed, moment), problems: [] };
    };
    if (flags.watch === true)
      return await watchStatus(context, flags, { read, refresh: () => session.connection.refresh() });
    const { status: observed, problems } = await read();
    const text = statusText(observed, context.paint);
    return createOutcome({
      problems: [...warnings, ...problems],
      text,
      body: { command: 'status', ...observed },
    });
  });
}

interface ObservedStatus {
  readonly status: StatusMembers;
  readonly problems: readonly Problem[];
}

async function watchStatus(
  context: Context,
  flags: StatusFlags,
  { read, refresh }: { readonly read: () => Promise<ObservedStatus>; readonly refresh: () => Promise<void> },
): Promise<Outcome> {
  context.interruption.handleGracefully();
  const { signal } = context.interruption;
  const interrupted = untilAborted(signal);
  const screen = await createStatusRenderer(context, flags);
  try {
    while (!signal.aborted) {
      await refresh();
      const reading = read();
      // Prevents an unhandled rejection if the read fails after a signal.
      reading.catch(() => undefined);
      const observed = await Promise.race([reading, interrupted]);
      if (observed !== undefined) screen.update(observed.status);
      await sleep(WATCH_INTERVAL_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    screen.close();
  }
  return createOutcome({ exitCode: context.interruption.exitCode() ?? 0 });
}

interface StatusRenderer {
  readonly update: (status: StatusMembers) => void;
  readonly close: () => void;
}

/**
 * With `--json`, each change is written as a JSON line. On a terminal, a live view is updated. Otherwise, the text is
 * written again after each change except progress of runs.
 */
async function createStatusRenderer(context: Context, flags: StatusFlags): Promise<StatusRenderer> {
  const json = flags.json === true;
  const live = json || context.quiet ? null : await context.liveLines('stdout');
  let before = '';
  let text = '';
  const update = (status: StatusMembers) => {
    const now = JSON.stringify(status, (name, value: unknown) =>
      json || name !== 'progress' ? value : undefined,
    );
    text = statusText(status, context.paint);
    live?.(wrapForOutput(text.trimEnd(), context.stdout));
    if (now === before) return;
    before = now;
    if (json) writeEvent(context, { event: 'status', ...status });
    else if (live === null) writeText(context, text, flags);
  };
  const close = () => {
    if (live === null) return;
    // Writes the complete text at the end, because a live view shows only the part that fits the terminal.
    live.clear();
    live.done();
    writeText(context, text, flags);
  };
  return { update, close };
}

async function readMoment(tests: readonly ObservedTest[], { connection }: Session): Promise<StatusContext> {
  const now = Date.now();
  const request = { now, parallelism: DEFAULT_PARALLELISM };
  const { service } = connection;
  const [progress, workers] = await Promise.all([
    readProgress(tests, service, request),
    readWorkers(service),
  ]);
  return { now, progress, ...workers };
}

async function readWorkers(service: ServicePort): Promise<Pick<StatusContext, 'workers' | 'workersError'>> {
  try {
    return { workers: await service.listWorkers() };
  } catch (error) {
    if (!(error instanceof CallError) || error.status !== 503) throw error;
    return { workers: [], workersError: error.errors.join('; ') };
  }
}

async function readAccountStatus(session: Session): Promise<ObservedStatus> {
  const { service } = session.connection;
  const [apps, tests] = [await service.listApps(), await service.listTests()];
  const text = 'the list of tests may be incomplete, so this status may omit tests';
  return {
    status: createAccountStatus(apps.items, tests.items, await readMoment(tests.items, session)),
    problems: tests.maybeTruncated ? [problem('LT_PLAN_LIST_TRUNCATED', text, { severity: 'warning' })] : [],
  };
}

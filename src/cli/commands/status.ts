/** Apps and tests: declared beside existing; without a file, those that exist. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadedConfig } from '../../config/load.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { accountStatus, declaredStatus, type StatusMembers } from '../../core/report/status.ts';
import type { Context } from '../terminal/context.ts';
import type { FileFlags, FilterFlags, OutputFlags } from '../terminal/flags.ts';
import { observe } from '../../apply/observe.ts';
import { lacksOnlyFile, withService } from '../session/open.ts';
import { outcome, type Outcome } from '../terminal/outcome.ts';
import { checkTests } from '../steps/choose.ts';
import { DEFAULT_PARALLELISM } from '../steps/plan-flags.ts';
import { tell, tellEvent } from '../terminal/report.ts';
import { statusText } from '../../report/status-text.ts';
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
      if (config === null) return await readAccount(session);
      const seen = await observe(config.desired, session.view(config.desired), {
        filter,
        parallelism: DEFAULT_PARALLELISM,
      });
      return { status: declaredStatus(config.desired, seen, Date.now()), problems: [] };
    };
    if (flags.watch === true)
      return await watch(context, flags, { read, refresh: () => session.connection.refresh() });
    const { status: seen, problems } = await read();
    const text = statusText(seen, context.paint);
    return outcome({ problems: [...warnings, ...problems], text, body: { command: 'status', ...seen } });
  });
}

interface Seen {
  readonly status: StatusMembers;
  readonly problems: readonly Problem[];
}

/** One event whenever something changed, until the signal: a JSON line, or the text anew. */
async function watch(
  context: Context,
  flags: StatusFlags,
  { read, refresh }: { readonly read: () => Promise<Seen>; readonly refresh: () => Promise<void> },
): Promise<Outcome> {
  context.interruption.handleGracefully();
  const { signal } = context.interruption;
  let before = '';
  while (!signal.aborted) {
    await refresh();
    const { status: seen } = await read();
    const now = JSON.stringify(seen);
    if (now !== before && flags.json === true) tellEvent(context, { event: 'status', ...seen });
    if (now !== before && flags.json !== true) tell(context, statusText(seen, context.paint), flags);
    before = now;
    await sleep(WATCH_PERIOD, undefined, { signal }).catch(() => undefined);
  }
  return outcome({ exitCode: context.interruption.exitCode() ?? 0 });
}

async function readAccount({ connection }: Session): Promise<Seen> {
  const [apps, tests] = [await connection.service.listApps(), await connection.service.listTests()];
  const cut = 'the list of tests may be incomplete';
  return {
    status: accountStatus(apps.items, tests.items, Date.now()),
    problems: tests.perhapsCut ? [problem('LT_PLAN_PERHAPS_CUT', cut, { severity: 'warning' })] : [],
  };
}

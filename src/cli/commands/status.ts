/** Apps and tests: declared beside existing. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadedConfig } from '../../config/load.ts';
import { hostNames } from '../../core/model/app.ts';
import { appAddress, testAddress } from '../../core/model/ids.ts';
import { stateOf } from '../../core/model/test-state.ts';
import { judge } from '../../core/judge.ts';
import type { Match } from '../../core/reconcile/match.ts';
import type { Context } from '../context.ts';
import type { FileFlags, FilterFlags } from '../flags.ts';
import { observe, type Observation } from '../observe.ts';
import { withProject } from '../open.ts';
import { outcome, type Outcome, type OutputFlags } from '../outcome.ts';
import { checkPatterns, DEFAULT_PARALLELISM } from '../planning.ts';
import { figuresText, verdictText } from '../render/run.ts';
import { printable } from '../../core/printable.ts';
import type { Milliseconds } from '../../core/units.ts';

export interface StatusFlags extends FileFlags, FilterFlags, OutputFlags {
  readonly watch?: boolean;
  readonly lockTimeout?: Milliseconds;
}

const WATCH_PERIOD = 2000;

export async function status(context: Context, flags: StatusFlags): Promise<Outcome> {
  const filter = { only: flags.only ?? [], exclude: flags.exclude ?? [] };
  const check = (config: LoadedConfig) => {
    checkPatterns(config, [...filter.only, ...filter.exclude]);
  };
  return await withProject(
    context,
    { flags, writes: false, check },
    async ({ config, warnings, session }) => {
      const read = async () =>
        statusOf(
          config,
          await observe(session.connection.service, config.desired, {
            filter,
            parallelism: DEFAULT_PARALLELISM,
            journal: session.journal(config.desired.project, config.desired.environment),
          }),
        );
      if (flags.watch === true) return await watch(context, flags, read);
      const seen = await read();
      return outcome({ problems: warnings, text: statusText(seen, context), members: seen });
    },
  );
}

type Status = ReturnType<typeof statusOf>;

/** One event whenever something changed, until the signal: a JSON line, or the text anew. */
async function watch(context: Context, flags: StatusFlags, read: () => Promise<Status>): Promise<Outcome> {
  context.interruption.handleGracefully();
  const { signal } = context.interruption;
  let before = '';
  while (!signal.aborted) {
    const seen = await read();
    const line = JSON.stringify({ event: 'status', ...seen });
    if (line !== before) context.stdout.write(flags.json === true ? `${line}\n` : statusText(seen, context));
    before = line;
    await sleep(WATCH_PERIOD, undefined, { signal }).catch(() => undefined);
  }
  return outcome({ exitCode: context.interruption.exitCode() ?? 0 });
}

function statusOf(config: LoadedConfig, { observed, matching, history }: Observation) {
  const apps = config.desired.apps.map((app) => {
    const there = observed.apps.find((one) => hostNames(app.host).includes(one.host));
    return {
      address: appAddress(app.key),
      host: app.host,
      id: there?.id ?? null,
      status: there?.status ?? 'absent',
    };
  });
  const tests = matching.matches.map((match) => testStatus(match, history));
  const orphaned = matching.orphaned.map(({ test, mark }) => ({
    key: mark.key,
    id: test.id,
    status: test.status,
  }));
  return {
    project: config.desired.project,
    environment: config.desired.environment,
    apps,
    tests,
    orphaned,
    unmanaged: matching.unmanaged,
  };
}

function testStatus(match: Match, history: Observation['history']) {
  const { declared, found } = match;
  const address = testAddress(declared.key);
  const superseded = match.superseded.map(({ test }) => ({ id: test.id, status: test.status }));
  if (found.kind === 'absent') {
    return { address, id: null, declared: 'absent', status: null, state: null, last_run: null, superseded };
  }
  const result = history.get(found.test.id)?.[0] ?? null;
  const kind = found.kind === 'other' ? 'changed' : found.drift.length > 0 ? 'drift' : 'present';
  return {
    address,
    id: found.test.id,
    declared: kind,
    status: found.test.status,
    state: stateOf(found.test, Date.now()),
    last_run: result && {
      result_id: result.id,
      started_at: result.startedAt === null ? null : new Date(result.startedAt).toISOString(),
      judgement: judge(declared.thresholds, result),
      figures: figuresText(result),
    },
    superseded,
  };
}

function statusText(seen: Status, context: Context): string {
  const { paint } = context;
  const lines = [paint.bold('Apps')];
  for (const { address, host, status: word } of seen.apps) {
    lines.push(`  ${address.padEnd(18)} ${host.padEnd(26)} ${word}`);
  }
  lines.push(paint.bold('Tests'));
  for (const test of seen.tests) {
    lines.push(
      `  ${test.address.padEnd(18)} ${test.declared.padEnd(8)} ${printable(test.status ?? '-').padEnd(10)} ${test.id ?? ''}`,
    );
    if (test.last_run !== null)
      lines.push(`      ${verdictText(test.last_run.judgement, paint)}, ${test.last_run.figures}`);
  }
  for (const { key, id } of seen.orphaned)
    lines.push(`  ${`test.${key}`.padEnd(18)} left the file          ${id}`);
  lines.push(`${seen.unmanaged} tests are not managed here.`);
  return lines.map((line) => line.trimEnd()).join('\n') + '\n';
}

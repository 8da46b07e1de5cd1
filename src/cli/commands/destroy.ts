/** Deletes this file's apps with everything that lives there, after listing it. */
import { deleteApp } from '../../apply/delete-app.ts';
import { stopTest } from '../../apply/stop-test.ts';
import type { World } from '../../apply/world.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { counted } from '../../core/counted.ts';
import { printable } from '../../core/printable.ts';
import { exitCodeOf, exitCodeOfProblems, problem, ProblemError, type Problem } from '../../core/problem.ts';
import type { Milliseconds } from '../../core/units.ts';
import { isArmed } from '../../core/model/test-state.ts';
import { checkApps } from '../steps/choose.ts';
import { consent } from '../terminal/consent.ts';
import type { Context } from '../terminal/context.ts';
import { readDoomed, type Doomed, type DoomedApp, type DoomedTest } from '../steps/doomed.ts';
import type { FileFlags, OutputFlags } from '../terminal/flags.ts';
import { withProject } from '../session/open.ts';
import { outcome, type Outcome } from '../terminal/outcome.ts';
import { tell } from '../terminal/report.ts';
import { systemClock, type Session } from '../session/session.ts';

export interface DestroyFlags extends FileFlags, OutputFlags {
  /** Patterns of keys of apps. */
  readonly only?: readonly string[];
  readonly withForeign?: boolean;
  readonly yes?: boolean;
  readonly lockTimeout?: Milliseconds;
}

/** How long a test may take to stop, in ms. */
const PATIENCE = 30_000;

export async function destroy(context: Context, flags: DestroyFlags): Promise<Outcome> {
  const only = flags.only ?? [];
  const check = (config: LoadedConfig) => {
    checkApps(config, only);
  };
  return await withProject(context, { flags, writes: true, check }, async ({ config, session }) => {
    const { service, origin } = session.connection;
    const doomed = await readDoomed(service, config, only);
    const about = { config, origin };
    const text = doomedText(doomed, about, context);
    const foreign = flags.withForeign === true ? [] : foreignProblems(doomed);
    if (foreign.length > 0 || doomed.apps.length === 0)
      return outcome({ problems: foreign, text, members: members(doomed, about, new Map()) });
    tell(context, text, flags);
    const question = 'Delete all of this, for good?';
    const refusal = await consent(context, { question, given: flags.yes === true });
    if (refusal !== null) return outcome({ problems: [refusal], members: members(doomed, about, new Map()) });
    context.interruption.handleGracefully();
    // While the question stood, somebody may have made a test there.
    const now = await readDoomed(service, config, only);
    const since = flags.withForeign === true ? [] : foreignProblems(now);
    if (since.length > 0) return outcome({ problems: since, members: members(now, about, new Map()) });
    const { outcomes, problems } = await deleteEach(now.apps, session, context);
    return outcome({
      exitCode: exitCodeOfDeletion(outcomes, problems, context),
      problems,
      text: summaryText(now, outcomes),
      members: members(now, about, outcomes),
    });
  });
}

function foreignProblems({ apps, perhapsCut }: Doomed): Problem[] {
  const hint = '--with-foreign deletes them as well';
  const foreign = apps.flatMap(({ declared, tests }) => {
    const count = tests.filter(({ key }) => key === null).length;
    if (count === 0) return [];
    const live = count === 1 ? 'a test lives there that is' : `${count} tests live there that are`;
    return [
      problem('LT_PLAN_FOREIGN', `"${declared.key}" is not deleted: ${live} not of this file`, {
        source: declared.source,
        hint,
      }),
    ];
  });
  if (!perhapsCut || apps.length === 0) return foreign;
  const text = 'nothing is deleted: the list of tests may be cut off, so others may live there unseen';
  return [...foreign, problem('LT_PLAN_FOREIGN', text, { hint })];
}

type DeleteOutcome = 'done' | 'failed' | 'not_tried';
type Outcomes = ReadonlyMap<DoomedApp, DeleteOutcome>;

/** One after another: what fails stops nothing else, but a refused key ends it all. */
async function deleteEach(
  apps: readonly DoomedApp[],
  session: Session,
  context: Context,
): Promise<{ outcomes: Outcomes; problems: Problem[] }> {
  const outcomes = new Map<DoomedApp, DeleteOutcome>();
  const problems: Problem[] = [];
  const world = { service: session.connection.service, clock: systemClock };
  let halted = false;
  for (const doomed of apps) {
    if (halted || context.interruption.signal.aborted) {
      outcomes.set(doomed, 'not_tried');
      continue;
    }
    try {
      await stopAll(doomed.tests, world);
      await deleteApp(doomed.app.id, world);
      outcomes.set(doomed, 'done');
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      problems.push({
        ...error.problem,
        message: `"${doomed.declared.key}" is not deleted: ${error.message}`,
      });
      outcomes.set(doomed, 'failed');
      halted = error.problem.code === 'LT_API_KEY';
    }
  }
  return { outcomes, problems };
}

/** Load must not go on at a host that is being taken out of the account. */
async function stopAll(tests: readonly DoomedTest[], world: Pick<World, 'service' | 'clock'>): Promise<void> {
  for (const { test, state } of tests) {
    if (!isArmed(state)) continue;
    const after = await stopTest(test, world, PATIENCE);
    if (isArmed(after))
      throw new ProblemError(problem('LT_RUN_TIMEOUT', `the test "${test.id}" did not stop in time`));
  }
}

function exitCodeOfDeletion(outcomes: Outcomes, problems: readonly Problem[], context: Context): number {
  const all = [...outcomes.values()];
  const partial = all.includes('done') && all.some((one) => one !== 'done');
  const signal = context.interruption.exitCode();
  return exitCodeOf([
    exitCodeOfProblems(problems),
    ...(partial ? [7] : []),
    ...(signal === null ? [] : [signal]),
  ]);
}

interface About {
  readonly config: LoadedConfig;
  readonly origin: string;
}

function doomedText({ apps }: Doomed, { config, origin }: About, context: Context): string {
  const { project, environment } = config.desired;
  const env = environment === null ? '' : ` · env ${environment}`;
  const title = `loadtests destroy · project ${project}${env} · ${origin.replace(/^https?:\/\//, '')}`;
  const lines = [context.paint.bold(title), ''];
  for (const { declared, app, tests } of apps) {
    lines.push(`  ${context.paint.red('-')} ${declared.key.padEnd(13)} ${printable(app.host)}`);
    for (const doomed of tests) lines.push(`      ${testText(doomed)}`);
  }
  if (apps.length === 0)
    return [...lines, 'Nothing to delete: the service has none of these apps.', ''].join('\n');
  const tests = new Set(apps.flatMap((app) => app.tests.map(({ test }) => test.id)));
  const results = resultsOf(apps);
  const counts = `${counted(apps.length, 'app')}, ${counted(tests.size, 'test')}, ${counted(results, 'result')}`;
  return [...lines, '', `To delete: ${counts}. Nothing brings them back.`, ''].join('\n');
}

function testText({ test, key, state, results }: DoomedTest): string {
  const name = key === null ? `not ours: ${printable(test.name ?? '')}`.trimEnd() : `test.${key}`;
  const count = results === null ? 'results not known' : counted(results, 'result');
  const active = isArmed(state) ? `, ${state}: is stopped first` : '';
  return `${name.padEnd(18)} ${test.id}  ${count}${active}`;
}

/** Each test once, though it may send to several of the apps. */
function resultsOf(apps: readonly DoomedApp[]): number {
  const counts = new Map(
    apps.flatMap(({ tests }) => tests.map(({ test, results }) => [test.id, results ?? 0])),
  );
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

function summaryText({ apps }: Doomed, outcomes: Outcomes): string {
  const marks = { done: '✓ deleted', failed: '✗ not deleted', not_tried: '· not tried' } as const;
  return apps
    .map(
      (app) =>
        `  ${marks[outcomes.get(app) ?? 'not_tried']}  ${app.declared.key} (${printable(app.app.host)})\n`,
    )
    .join('');
}

function members({ apps }: Doomed, { config, origin }: About, outcomes: Outcomes) {
  const { project, environment } = config.desired;
  return {
    project,
    environment,
    service: origin,
    apps: apps.map((doomed) => ({
      address: `app.${doomed.declared.key}`,
      host: doomed.app.host,
      id: doomed.app.id,
      outcome: outcomes.get(doomed) ?? 'not_tried',
      tests: doomed.tests.map(({ test, key, state, results }) => ({
        id: test.id,
        address: key === null ? null : `test.${key}`,
        name: test.name,
        state,
        results,
      })),
    })),
  };
}

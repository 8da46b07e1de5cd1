/** `run KEY --once`: one client, one pass, each exchange told; by the engine of the embedded service, which masks it. */
import { execute } from '../../apply/execute.ts';
import { sendPayloadFiles } from '../../apply/send-payload-files.ts';
import type { World } from '../../apply/world.ts';
import { encodePass } from '../../contract/pass-codec.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { Exchange } from '../../core/load/report.ts';
import { testAddress } from '../../core/model/ids.ts';
import type { DeclaredTest, LoadTestSpec } from '../../core/model/load-test.ts';
import { exitCodeOfProblems, problem, type Problem } from '../../core/problem.ts';
import type { Plan } from '../../core/reconcile/plan.ts';
import { openProgress } from './carry-out.ts';
import { consent } from '../terminal/consent.ts';
import type { Context } from '../terminal/context.ts';
import type { ApplyFlags } from '../terminal/flags.ts';
import { planProject } from './planning.ts';
import { usageError } from '../terminal/errors.ts';
import { outcome, type Outcome } from '../terminal/outcome.ts';
import { DEFAULT_PARALLELISM, planOptions } from './plan-flags.ts';
import { failureText, passText } from '../../report/passes-text.ts';
import type { Session } from '../session/session.ts';

export interface OnceRequest {
  readonly config: LoadedConfig;
  readonly session: Session;
  readonly keys: readonly string[];
  readonly flags: ApplyFlags;
}

export async function runOnce(context: Context, request: OnceRequest): Promise<Outcome> {
  const { config, session, keys, flags } = request;
  const { makePass } = session.connection;
  if (makePass === null)
    throw usageError('--once requires the embedded service, but this file names another one');
  const tests = config.desired.tests.filter(({ key }) => keys.includes(key));
  const refusal = await consent(context, {
    question: `Send one pass of ${keys.join(', ')}?`,
    given: flags.yes === true,
  });
  if (refusal !== null) return outcome({ problems: [refusal] });
  context.interruption.handleGracefully();
  await session.startWebServer();
  const { problems, world } = await prepareApps(context, request);
  if (exitCodeOfProblems(problems) !== 0) return outcome({ problems });
  const passes: { readonly test: DeclaredTest; readonly exchanges: readonly Exchange[] }[] = [];
  for (const test of tests) {
    await sendPayloadFiles(test.spec, world);
    const exchanges = await makePass(withoutFollowUps(test.spec));
    passes.push({ test, exchanges });
  }
  return outcome({
    problems: [...problems, ...passes.flatMap(({ test, exchanges }) => failures(test, exchanges))],
    text: passes
      .map(({ test, exchanges }) => {
        const delays = test.spec.targets.map(({ delay }) => delay);
        return passText(reportOf(test, exchanges), context.paint, delays);
      })
      .join('\n'),
    body: { command: 'run', iterations: passes.map(({ test, exchanges }) => reportOf(test, exchanges)) },
  });
}

function reportOf({ key }: DeclaredTest, exchanges: readonly Exchange[]) {
  return { address: testAddress(key), exchanges: encodePass(exchanges).exchanges };
}

/** The hosts of the tests are registered and verified as for any load. */
async function prepareApps(
  context: Context,
  request: OnceRequest,
): Promise<{ readonly problems: readonly Problem[]; readonly world: World }> {
  const { config, session, keys, flags } = request;
  const progress = await openProgress(context, flags);
  const world = session.world(config.desired, progress.emit);
  const options = { ...planOptions({}, Date.now()), only: keys };
  const given = { options, parallelism: DEFAULT_PARALLELISM, world: null };
  const { plan } = await planProject(session, config.desired, given);
  const actions = plan.actions.filter(({ verb }) => verb === 'register' || verb === 'verify');
  const preparation: Plan = { ...plan, actions };
  const done = await execute(preparation, config.desired.apps, {
    world,
    options: {
      parallelism: DEFAULT_PARALLELISM,
      wait: true,
      timeout: null,
      onInterrupt: 'stop',
      requireVerdict: false,
      allowUnmarked: false,
    },
  });
  progress.close();
  return { problems: done.problems, world };
}

/** Nobody is told of a pass, and it does not wait for a time. */
function withoutFollowUps(spec: LoadTestSpec): LoadTestSpec {
  return { ...spec, callback: null, callbackEmail: null, scheduledAt: null };
}

function failures(test: DeclaredTest, exchanges: readonly Exchange[]): Problem[] {
  return exchanges.flatMap(({ method, url, status, error, success, unexpected }) => {
    if (success) return [];
    const what = failureText(error) ?? unexpected?.error ?? `status ${status ?? 'unknown'}`;
    return [
      problem('LT_RUN_ONCE', `"${test.key}": ${method} ${url} failed: ${what}`, { source: test.source }),
    ];
  });
}

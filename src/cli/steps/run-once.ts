/**
 * Implementation of `run KEY --once`: the engine of the embedded service runs one iteration with one client.
 * Every exchange is printed, with secrets masked.
 */
import { execute } from '../../apply/execute.ts';
import { problemsOfFailure, sourcesOfState } from '../../apply/source-locations.ts';
import { uploadPayloadFiles } from '../../apply/tests/payload-upload.ts';
import type { ApplyContext } from '../../apply/apply-context.ts';
import { encodeIteration } from '../../contract/iteration-codec.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { CallError } from '../../core/call-error.ts';
import type { TracedExchange } from '../../core/load/run-report.ts';
import { testAddress } from '../../core/model/ids.ts';
import type { DeclaredTest, LoadTestSpec } from '../../core/model/load-test.ts';
import { exitCodeOfProblems, problem, type Problem } from '../../core/problem.ts';
import type { Plan } from '../../core/reconcile/plan.ts';
import { openProgress } from './execute-plan.ts';
import { requestApproval } from '../terminal/approval.ts';
import type { Context } from '../terminal/context.ts';
import type { ApplyFlags } from '../terminal/flags.ts';
import { planProject } from './plan-project.ts';
import { usageError } from '../terminal/errors.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';
import { DEFAULT_PARALLELISM, planOptions } from './plan-flags.ts';
import { failureText, exchangesText } from '../../report/exchanges-text.ts';
import type { Session } from '../session/session.ts';

export interface OnceRequest {
  readonly config: LoadedConfig;
  readonly session: Session;
  readonly keys: readonly string[];
  readonly flags: ApplyFlags;
}

export async function runOnce(context: Context, request: OnceRequest): Promise<Outcome> {
  const { config, session, keys, flags } = request;
  const { runIteration } = session.connection;
  if (runIteration === null)
    throw usageError('--once requires the embedded service, but the file uses a different one');
  const tests = config.desired.tests.filter(({ key }) => keys.includes(key));
  const refusal = await requestApproval(context, {
    question: `Run one iteration of ${keys.join(', ')}?`,
    approved: flags.yes === true,
  });
  if (refusal !== null) return createOutcome({ problems: [refusal] });
  context.interruption.handleGracefully();
  await session.startWebServer();
  const { problems, applyContext } = await prepareApps(context, request);
  if (exitCodeOfProblems(problems) !== 0) return createOutcome({ problems });
  const iterations: { readonly test: DeclaredTest; readonly exchanges: readonly TracedExchange[] }[] = [];
  for (const test of tests) {
    try {
      await uploadPayloadFiles(test.spec, applyContext);
      const exchanges = await runIteration(withoutFollowUps(test.spec));
      iterations.push({ test, exchanges });
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      const sources = { sourceOf: sourcesOfState(config.desired), locateField: applyContext.locateField };
      const refused = problemsOfFailure(error, testAddress(test.key), sources);
      return createOutcome({ problems: [...problems, ...refused] });
    }
  }
  return createOutcome({
    problems: [
      ...problems,
      ...iterations.flatMap(({ test, exchanges }) => exchangeProblems(test, exchanges)),
    ],
    text: iterations
      .map(({ test, exchanges }) => {
        const { targets, flows } = test.spec;
        const about = { delays: targets.map(({ delay }) => delay), flows: flows?.length ?? 0 };
        return exchangesText(exchangeReportOf(test, exchanges), context.paint, about);
      })
      .join('\n'),
    body: {
      command: 'run',
      iterations: iterations.map(({ test, exchanges }) => exchangeReportOf(test, exchanges)),
    },
  });
}

function exchangeReportOf({ key }: DeclaredTest, exchanges: readonly TracedExchange[]) {
  return { address: testAddress(key), exchanges: encodeIteration(exchanges).exchanges };
}

/** Registers and verifies the hosts of the tests. The service requires this before any load. */
async function prepareApps(
  context: Context,
  request: OnceRequest,
): Promise<{ readonly problems: readonly Problem[]; readonly applyContext: ApplyContext }> {
  const { config, session, keys, flags } = request;
  const progress = await openProgress(context, flags);
  const applyContext = session.applyContext(config.desired, progress.emit);
  const options = { ...planOptions({}, Date.now(), context), only: keys };
  const planRequest = { options, parallelism: DEFAULT_PARALLELISM, context: null };
  const { plan } = await planProject(session, config.desired, planRequest);
  const actions = plan.actions.filter(({ verb }) => verb === 'register' || verb === 'verify');
  const preparation: Plan = { ...plan, actions };
  const done = await execute(preparation, config.desired.apps, {
    world: applyContext,
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
  return { problems: done.problems, applyContext };
}

/** Removes the callback, the email and the schedule, which do not apply to a single iteration. */
function withoutFollowUps(spec: LoadTestSpec): LoadTestSpec {
  return { ...spec, callback: null, callbackEmail: null, scheduledAt: null };
}

function exchangeProblems(test: DeclaredTest, exchanges: readonly TracedExchange[]): Problem[] {
  return exchanges.flatMap(({ method, url, status, error, success, unexpected }) => {
    if (success) return [];
    const what = failureText(error) ?? unexpected?.error ?? `status ${status ?? 'unknown'}`;
    return [
      problem('LT_RUN_ONCE', `"${test.key}": ${method} ${url} failed: ${what}`, { source: test.source }),
    ];
  });
}

/** Starts tests, also one that is missing (creating it is its first run); waits and judges. */
import { exitCodeOfExecution, execute } from '../../apply/execute.ts';
import type { ServicePort } from '../../core/service-port.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { isRemoteId, testAddress, testId, testKey } from '../../core/model/ids.ts';
import type { DeclaredTest, ObservedTest } from '../../core/model/load-test.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { readTestType } from '../../core/reconcile/normalize.ts';
import { planOfActions } from '../../core/reconcile/plan.ts';
import { milliseconds, seconds } from '../../core/units.ts';
import { carryOut, doneActionDocument, openProgress, runDocument } from '../carry-out.ts';
import { askConsent, shellCommand } from '../consent.ts';
import type { Context } from '../context.ts';
import type { ApplyFlags } from '../flags.ts';
import { withProject } from '../open.ts';
import { outcome, usageError, type Outcome } from '../outcome.ts';
import { checkPatterns, DEFAULT_PARALLELISM, planOptions } from '../planning.ts';
import { runOnce } from '../once.ts';
import { renderRun } from '../render/run.ts';
import type { Session } from '../session.ts';

export interface RunRequest {
  /** Keys of the file, or `id:ID`. */
  readonly names: readonly string[];
  readonly flags: ApplyFlags & { readonly once?: boolean };
  readonly words: readonly string[];
}

export async function run(context: Context, request: RunRequest): Promise<Outcome> {
  const { flags, names } = request;
  const ids = names.filter((name) => name.startsWith('id:')).map((name) => name.slice(3));
  if (ids.length > 0 && ids.length < names.length) throw usageError('keys and id:ID do not go together');
  const consentCommand = shellCommand(['loadtests', ...request.words, '--yes']);
  const check = (config: LoadedConfig) => {
    if (ids.length === 0) checkPatterns(config, names);
  };
  return await withProject(context, { flags, writes: true, check }, async (opened) => {
    const { config, session } = opened;
    if (flags.once === true) {
      if (ids.length > 0) throw usageError('--once takes keys of the file');
      return await runOnce(context, { config, session, keys: names, flags, consentCommand });
    }
    if (ids.length > 0) return await runById(context, { ids, config, session, flags, consentCommand });
    return await carryOut(context, {
      command: 'run',
      ...opened,
      options: { ...planOptions({ ...flags, run: true }, Date.now()), only: names },
      flags,
      check: () => [],
      consented: flags.yes === true,
      consentCommand,
    });
  });
}

/** Any test of the account, as it is there. */
async function runById(
  context: Context,
  given: {
    readonly ids: readonly string[];
    readonly config: LoadedConfig;
    readonly session: Session;
    readonly flags: ApplyFlags;
    readonly consentCommand: string;
  },
): Promise<Outcome> {
  const { ids, config, session, flags } = given;
  const service: ServicePort = session.connection.service;
  const observed = await Promise.all(ids.map((id) => findTest(service, id)));
  const actions = observed.map((test) => {
    const declared = declaredAsObserved(test);
    return {
      verb: 'run' as const,
      address: testAddress(declared.key),
      test: declared,
      observed: test,
      note: null,
    };
  });
  const refusal =
    flags.yes === true ? null : await askConsent(context, `Start ${ids.join(', ')}?`, given.consentCommand);
  if (refusal !== null) return outcome({ problems: [refusal] });
  context.interruption.handleGracefully();
  const progress = await openProgress(context, flags);
  const plan = planOfActions(config.desired, actions);
  await session.startWebServer();
  const execution = await execute(plan, config.desired.apps, {
    world: session.world(config, progress.emit),
    options: {
      parallelism: DEFAULT_PARALLELISM,
      wait: flags.wait !== false,
      timeout: flags.timeout ?? null,
      onInterrupt: flags.onInterrupt ?? 'stop',
      requireVerdict: flags.requireVerdict === true,
    },
  });
  return outcome({
    exitCode: exitCodeOfExecution(execution, context.interruption.exitCode()),
    problems: execution.problems,
    text: execution.runs.map((one) => renderRun(one, context.paint)).join(''),
    members: { actions: execution.actions.map(doneActionDocument), runs: execution.runs.map(runDocument) },
  });
}

async function findTest(service: ServicePort, id: string): Promise<ObservedTest> {
  if (!isRemoteId(id)) throw usageError(`"${id}" is no id of a test`);
  const { items } = await service.listTests();
  const found = items.find((test) => test.id === testId(id));
  if (found !== undefined) return found;
  throw new ProblemError(problem('LT_RUN_NOT_FOUND', `the service has no test "${id}"`));
}

/** Enough of a declaration to wait for a run: nothing of it is sent. */
function declaredAsObserved(test: ObservedTest): DeclaredTest {
  return {
    key: testKey(test.id),
    spec: {
      name: test.name,
      testType: readTestType(test.testType) ?? 'cycling',
      initial: test.initial,
      total: test.total,
      duration: test.duration ?? seconds(60),
      timeout: test.timeout ?? milliseconds(10_000),
      errorThreshold: null,
      callback: null,
      callbackEmail: null,
      scheduledAt: null,
      notes: null,
      targets: test.targets.map((target) => ({
        url: target.url,
        method: null,
        credentials: null,
        headers: null,
        params: null,
        body: null,
        payloadFileUrl: null,
        variables: null,
      })),
      tlsVerify: null,
    },
    thresholds: [],
    needs: [],
    parallel: false,
    adopt: null,
    source: null,
  };
}

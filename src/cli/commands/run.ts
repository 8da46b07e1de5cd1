/** Starts tests, also one that is missing (creating it is its first run); waits and judges. */
import type { LoadedConfig } from '../../config/load.ts';
import { testAddress, testKey } from '../../core/model/ids.ts';
import type { DeclaredTest, ObservedTest } from '../../core/model/load-test.ts';
import type { RunAction } from '../../core/reconcile/action.ts';
import { planOfActions } from '../../core/reconcile/plan.ts';
import { milliseconds, seconds } from '../../core/units.ts';
import { findTests, idsOf } from '../steps/by-id.ts';
import { carryOut } from '../steps/carry-out.ts';
import type { Context } from '../terminal/context.ts';
import type { ApplyFlags } from '../terminal/flags.ts';
import { fileWords } from '../steps/go-on.ts';
import { planProject, type Planned } from '../steps/planning.ts';
import { runOnce } from '../steps/once.ts';
import { withProject, withService } from '../session/open.ts';
import { usageError } from '../terminal/errors.ts';
import type { Outcome } from '../terminal/outcome.ts';
import { checkTests } from '../steps/choose.ts';
import { DEFAULT_PARALLELISM, planOptions } from '../steps/plan-flags.ts';
import { actionsText, planText } from '../../report/plan-text.ts';
import { NOBODYS } from '../session/session.ts';

export interface RunFlags extends ApplyFlags {
  readonly once?: boolean;
}

/** @param names keys of the file, or `id:ID` */
export async function run(context: Context, names: readonly string[], flags: RunFlags): Promise<Outcome> {
  const ids = idsOf(names);
  if (ids !== null) return await runById(context, ids, flags);
  const check = (config: LoadedConfig) => {
    checkTests(config, names);
  };
  return await withProject(context, { flags, writes: true, sendsSecrets: true, check }, async (opened) => {
    const { config, session } = opened;
    if (flags.once === true) return await runOnce(context, { config, session, keys: names, flags });
    const options = { ...planOptions({ ...flags, run: true }, Date.now()), only: names };
    const parallelism = flags.parallelism ?? DEFAULT_PARALLELISM;
    return await carryOut(context, {
      command: 'run',
      ...opened,
      flags,
      plan: async () => await planProject(session, config.desired, { options, parallelism }),
      render: planText,
      check: () => [],
      consented: flags.yes === true,
      goOn: ({ keys }) => ['run', ...keys, ...fileWords(flags)],
    });
  });
}

/** Any tests of the account, as they are there; nothing of the file is needed. */
async function runById(context: Context, ids: readonly string[], flags: RunFlags): Promise<Outcome> {
  if (flags.once === true) throw usageError('--once takes keys of the file');
  return await withService(context, { flags, writes: true }, async (opened) => {
    const { config, session } = opened;
    const plan = async (): Promise<Planned> => {
      const tests = await findTests(session.connection.service, ids);
      return { plan: planOfActions(config?.desired ?? NOBODYS, tests.map(runAction)), problems: [] };
    };
    return await carryOut(context, {
      command: 'run',
      ...opened,
      flags,
      plan,
      render: actionsText,
      check: () => [],
      consented: flags.yes === true,
      goOn: ({ keys }) => ['run', ...keys.map((id) => `id:${id}`), ...fileWords(flags)],
    });
  });
}

function runAction(observed: ObservedTest): RunAction {
  const test = declaredAsObserved(observed);
  return { verb: 'run', address: testAddress(test.key), test, observed, note: null };
}

/** Enough of a declaration to wait for a run: nothing of it is sent. */
function declaredAsObserved(test: ObservedTest): DeclaredTest {
  return {
    key: testKey(test.id),
    spec: {
      name: test.name,
      testType: typeof test.testType === 'string' ? test.testType : 'cycling',
      initial: test.initial,
      total: test.total,
      duration: test.duration ?? seconds(60),
      timeout: test.timeout ?? milliseconds(10_000),
      errorThreshold: null,
      callback: null,
      callbackEmail: null,
      scheduledAt: null,
      notes: null,
      targets: test.targets().map((target) => ({
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

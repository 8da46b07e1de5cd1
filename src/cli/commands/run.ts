/** Starts tests, also one that is missing (creating it is its first run); waits and judges. */
import { runActionOf } from '../../apply/run-by-id.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { matchesAny } from '../../core/glob.ts';
import { planOfActions } from '../../core/reconcile/plan.ts';
import { findTests, idsOf } from '../steps/by-id.ts';
import { carryOut } from '../steps/carry-out.ts';
import type { Context } from '../terminal/context.ts';
import type { ApplyFlags } from '../terminal/flags.ts';
import { fileWords, repeatWords } from '../steps/go-on.ts';
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
  const selects = (key: string) => matchesAny(names, key);
  const request = { flags, writes: true, selects, sendsSecrets: selects, check };
  return await withProject(context, request, async (opened) => {
    const { config, session } = opened;
    if (flags.once === true && flags.repeat !== undefined)
      throw usageError('--once makes one pass; --repeat cannot be combined with it');
    if (flags.once === true) return await runOnce(context, { config, session, keys: names, flags });
    const options = { ...planOptions({ ...flags, run: true }, Date.now()), only: names };
    const parallelism = flags.parallelism ?? DEFAULT_PARALLELISM;
    return await carryOut(context, {
      command: 'run',
      ...opened,
      flags,
      plan: async (world) => await planProject(session, config.desired, { options, parallelism, world }),
      render: planText,
      check: () => [],
      consented: flags.yes === true,
      goOn: ({ keys, rounds }) => ['run', ...keys, ...repeatWords(rounds), ...fileWords(flags)],
    });
  });
}

/** Any tests of the account, as they are there; nothing of the file is needed. */
async function runById(context: Context, ids: readonly string[], flags: RunFlags): Promise<Outcome> {
  if (flags.once === true) throw usageError('--once requires keys of the file');
  return await withService(context, { flags, writes: true }, async (opened) => {
    const { config, session } = opened;
    const plan = async (): Promise<Planned> => {
      const tests = await findTests(session.connection.service, ids);
      const actions = tests.map(runActionOf);
      return { plan: planOfActions(config?.desired ?? NOBODYS, actions, flags.repeat), problems: [] };
    };
    return await carryOut(context, {
      command: 'run',
      ...opened,
      flags,
      plan,
      render: actionsText,
      check: () => [],
      consented: flags.yes === true,
      goOn: ({ keys, rounds }) => [
        ...['run', ...keys.map((id) => `id:${id}`), ...repeatWords(rounds)],
        ...fileWords(flags),
      ],
    });
  });
}

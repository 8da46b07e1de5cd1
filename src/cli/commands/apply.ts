/** Does what plan shows: registers, verifies, creates, starts as asked, waits, judges. */
import { staleness } from '../../apply/saved-plan.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { selects } from '../../core/reconcile/plan.ts';
import { carryOut } from '../steps/carry-out.ts';
import type { Context } from '../terminal/context.ts';
import type { ApplyFlags } from '../terminal/flags.ts';
import { applyWords } from '../steps/go-on.ts';
import { planProject, signingOf } from '../steps/planning.ts';
import { checkSignature, openSavedPlan } from '../steps/saved-plan.ts';
import { withProject } from '../session/open.ts';
import { usageError } from '../terminal/errors.ts';
import type { Outcome } from '../terminal/outcome.ts';
import { checkSelection } from '../steps/choose.ts';
import { DEFAULT_PARALLELISM, savedFlags, planOptions } from '../steps/plan-flags.ts';
import { planText } from '../../report/plan-text.ts';

/** @param planFile a file written by `plan -o` */
export async function apply(
  context: Context,
  planFile: string | undefined,
  given: ApplyFlags,
): Promise<Outcome> {
  const saved = planFile === undefined ? null : await openSavedPlan(context, planFile);
  if (saved !== null && Object.keys(savedFlags(given)).length > 0) {
    throw usageError('a saved plan includes its flags; only flags for waiting and output can be added');
  }
  const flags = saved === null ? given : { ...given, ...saved.flags };
  const now = Date.now();
  const options = planOptions(flags, now);
  const check = (config: LoadedConfig) => {
    checkSelection(config, options);
  };
  const chosen = (key: string) => selects(options, key);
  const sendsSecrets = (key: string) => options.start && chosen(key);
  const request = { flags, writes: true, selects: chosen, sendsSecrets, check };
  return await withProject(context, request, async (opened) => {
    const { config, session } = opened;
    const { version, folder } = context;
    const signing = saved === null ? null : signingOf(config, session, { flags, version, now, folder });
    if (saved !== null && signing !== null) checkSignature(saved, signing, config.desired.project);
    const parallelism = flags.parallelism ?? DEFAULT_PARALLELISM;
    return await carryOut(context, {
      command: 'apply',
      ...opened,
      flags,
      plan: async (world) => await planProject(session, config.desired, { options, parallelism, world }),
      render: planText,
      check: (document) => {
        if (saved === null || signing === null) return [];
        return staleness(saved.plan, { plan: document, saved: signing.origin });
      },
      consented: flags.yes === true || saved !== null,
      goOn: (left) => applyWords(flags, left),
    });
  });
}

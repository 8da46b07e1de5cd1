/** Deletes this file's apps with everything that lives there, after listing it. */
import { deleteApps, exitCodeOfDeletions, foreignProblems, type Deletions } from '../../apply/delete-apps.ts';
import { readDoomed, type Doomed } from '../../apply/doomed.ts';
import type { LoadedConfig } from '../../config/load.ts';
import type { BodyOf } from '../../core/report/report.ts';
import type { Milliseconds } from '../../core/units.ts';
import { checkApps } from '../steps/choose.ts';
import { consent } from '../terminal/consent.ts';
import type { Context } from '../terminal/context.ts';
import type { FileFlags, OutputFlags } from '../terminal/flags.ts';
import { withProject } from '../session/open.ts';
import { systemClock } from '../session/session.ts';
import { outcome, type Outcome } from '../terminal/outcome.ts';
import { deletionText, doomedText } from '../../report/destroy-text.ts';
import { tell } from '../terminal/report.ts';

export interface DestroyFlags extends FileFlags, OutputFlags {
  /** Patterns of keys of apps. */
  readonly only?: readonly string[];
  readonly withUnmanaged?: boolean;
  readonly yes?: boolean;
  readonly lockTimeout?: Milliseconds;
}

export async function destroy(context: Context, flags: DestroyFlags): Promise<Outcome> {
  const only = flags.only ?? [];
  const check = (config: LoadedConfig) => {
    checkApps(config, only);
  };
  return await withProject(context, { flags, writes: true, check }, async ({ config, session }) => {
    const { service, origin, settle } = session.connection;
    const world = { service, settle, clock: systemClock, interrupted: context.interruption.signal };
    const doomed = await readDoomed(config.desired, world, only);
    const about = { config, origin };
    const planned = body(doomed, about, new Map());
    const text = doomedText(planned, context.paint);
    const foreign = flags.withUnmanaged === true ? [] : foreignProblems(doomed);
    if (foreign.length > 0 || doomed.apps.length === 0)
      return outcome({ problems: foreign, text, body: planned });
    tell(context, text, flags);
    const question = 'Delete all of this? This cannot be undone.';
    const refusal = await consent(context, { about: text, question, given: flags.yes === true });
    if (refusal !== null) return outcome({ problems: [refusal], body: planned });
    context.interruption.handleGracefully();
    // While the question stood, somebody may have made a test there.
    const now = await readDoomed(config.desired, world, only);
    const since = flags.withUnmanaged === true ? [] : foreignProblems(now);
    if (since.length > 0) return outcome({ problems: since, body: body(now, about, new Map()) });
    const { outcomes, problems } = await deleteApps(now.apps, world);
    const ended = body(now, about, outcomes);
    return outcome({
      exitCode: exitCodeOfDeletions(outcomes, problems, context.interruption.exitCode()),
      problems,
      text: deletionText(ended.apps),
      body: ended,
    });
  });
}

interface About {
  readonly config: LoadedConfig;
  readonly origin: string;
}

function body({ apps }: Doomed, { config, origin }: About, outcomes: Deletions): BodyOf<'destroy'> {
  const { project, environment } = config.desired;
  return {
    command: 'destroy',
    project,
    environment,
    service: origin,
    apps: apps.map((doomed) => ({
      address: `app.${doomed.declared.key}`,
      host: doomed.app.host,
      app_id: doomed.app.id,
      outcome: outcomes.get(doomed) ?? 'not_attempted',
      tests: doomed.tests.map(({ test, key, state, results }) => ({
        test_id: test.id,
        address: key === null ? null : `test.${key}`,
        name: test.name,
        state,
        results,
      })),
    })),
  };
}

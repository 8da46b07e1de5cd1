/** Results of past runs. */
import type { LoadedConfig } from '../../config/load.ts';
import { testKey } from '../../core/model/ids.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { testResults, type History } from '../../core/report/results.ts';
import type { Milliseconds } from '../../core/units.ts';
import { findTests, idsOf } from '../steps/by-id.ts';
import type { Context } from '../terminal/context.ts';
import type { FileFlags, OutputFlags } from '../terminal/flags.ts';
import { observe } from '../../apply/observe.ts';
import { withProject, withService } from '../session/open.ts';
import { outcome, type Outcome } from '../terminal/outcome.ts';
import { checkTests } from '../steps/choose.ts';
import { DEFAULT_PARALLELISM } from '../steps/plan-flags.ts';
import { resultsText } from '../../report/results-text.ts';

export interface ResultsFlags extends FileFlags, OutputFlags {
  readonly lockTimeout?: Milliseconds;
}

export async function results(
  context: Context,
  key: string | undefined,
  flags: ResultsFlags,
): Promise<Outcome> {
  const ids = key === undefined ? null : idsOf([key]);
  if (ids !== null) return await resultsById(context, ids, flags);
  const only = key === undefined ? [] : [key];
  const check = (config: LoadedConfig) => {
    checkTests(config, only);
  };
  return await withProject(
    context,
    { flags, writes: false, check },
    async ({ config, warnings, session }) => {
      const { matching, history } = await observe(config.desired, session.view(config.desired), {
        filter: { only, exclude: [] },
        parallelism: DEFAULT_PARALLELISM,
      });
      const tests = matching.matches.flatMap(({ declared, found }): History[] => {
        if (found.kind !== 'present') return [];
        const { key: name, thresholds } = declared;
        return [{ key: name, test: found.test, thresholds, results: history.get(found.test.id) ?? null }];
      });
      return told(context, tests, warnings);
    },
  );
}

/** Of any tests of the account; nobody knows their thresholds. */
async function resultsById(context: Context, ids: readonly string[], flags: ResultsFlags): Promise<Outcome> {
  return await withService(context, { flags, writes: false }, async ({ warnings, session }) => {
    const { service } = session.connection;
    const tests: History[] = [];
    for (const test of await findTests(service, ids)) {
      const read = await service.listResults(test.id);
      tests.push({ key: testKey(test.id), test, thresholds: [], results: read });
    }
    return told(context, tests, warnings);
  });
}

function told(context: Context, kept: readonly History[], warnings: readonly Problem[]): Outcome {
  const now = Date.now();
  const tests = kept.map((history) => testResults(history, now));
  const without = tests.filter((test) => test.results === null);
  return outcome({
    problems: [
      ...warnings,
      ...without.map(({ address }) =>
        problem('LT_PLAN_NO_RESULTS', `the service does not provide results for ${address}`, {
          severity: 'warning',
        }),
      ),
    ],
    text: resultsText(tests, context.paint),
    body: { command: 'results', tests },
  });
}

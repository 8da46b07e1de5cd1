/** Results of past runs. */
import type { LoadedConfig } from '../../config/load.ts';
import { judge } from '../../core/judge.ts';
import { testAddress } from '../../core/model/ids.ts';
import { printable } from '../../core/printable.ts';
import type { Context } from '../context.ts';
import type { FileFlags } from '../flags.ts';
import { observe } from '../observe.ts';
import { withProject } from '../open.ts';
import { outcome, type Outcome, type OutputFlags } from '../outcome.ts';
import { checkPatterns, DEFAULT_PARALLELISM } from '../planning.ts';
import { figuresText, verdictText } from '../render/run.ts';
import { problem } from '../../core/problem.ts';
import type { Milliseconds } from '../../core/units.ts';

export interface ResultsFlags extends FileFlags, OutputFlags {
  readonly lockTimeout?: Milliseconds;
}

export async function results(
  context: Context,
  key: string | undefined,
  flags: ResultsFlags,
): Promise<Outcome> {
  const only = key === undefined ? [] : [key];
  const check = (config: LoadedConfig) => {
    checkPatterns(config, only);
  };
  return await withProject(
    context,
    { flags, writes: false, check },
    async ({ config, warnings, session }) => {
      const { service } = session.connection;
      const filter = { only, exclude: [] };
      const { matching, history } = await observe(service, config.desired, {
        filter,
        parallelism: DEFAULT_PARALLELISM,
        journal: session.journal(config.desired.project, config.desired.environment),
      });
      const tests = matching.matches.flatMap(({ declared, found }) => {
        if (found.kind !== 'present') return [];
        const listed = history.get(found.test.id) ?? null;
        const judged = listed?.map((result) => ({ result, judgement: judge(declared.thresholds, result) }));
        return [{ address: testAddress(declared.key), id: found.test.id, judged: judged ?? null }];
      });
      const without = tests.filter(({ judged }) => judged === null);
      return outcome({
        problems: [
          ...warnings,
          ...without.map(({ address }) =>
            problem('LT_PLAN_NO_RESULTS', `the service has no results of ${address}`, {
              severity: 'warning',
            }),
          ),
        ],
        text: textOf(tests, context),
        members: {
          tests: tests.map(({ address, id, judged }) => ({
            address,
            test_id: id,
            results:
              judged?.map(({ result, judgement }) => ({ ...judgement, result: result.record })) ?? null,
          })),
        },
      });
    },
  );
}

function textOf(
  tests: readonly {
    readonly address: string;
    readonly id: string;
    readonly judged:
      | readonly {
          readonly result: Parameters<typeof figuresText>[0];
          readonly judgement: ReturnType<typeof judge>;
        }[]
      | null;
  }[],
  context: Context,
): string {
  const { paint } = context;
  const lines = tests.flatMap(({ address, id, judged }) => [
    `${paint.bold(address)}  ${id}`,
    ...(judged ?? []).map(({ result, judgement }) => {
      const at =
        result.startedAt === null
          ? '-'
          : new Date(result.startedAt).toISOString().slice(0, 19).replace('T', ' ');
      return `  ${at}  ${result.id.slice(0, 8)}  ${verdictText(judgement, paint)}, ${printable(figuresText(result))}`;
    }),
  ]);
  return lines.length === 0 ? 'No results yet.\n' : lines.join('\n') + '\n';
}

/** Results of past runs. */
import type { LoadedConfig } from '../../config/load.ts';
import { formatInstant } from '../../core/instant.ts';
import { judge, type Judgement } from '../../core/judge.ts';
import { testAddress, testKey, type TestKey } from '../../core/model/ids.ts';
import type { ObservedTest } from '../../core/model/load-test.ts';
import type { RunResult } from '../../core/model/run.ts';
import { resultsByEnd, stateOf } from '../../core/model/test-state.ts';
import type { Threshold } from '../../core/model/threshold.ts';
import { printable } from '../../core/printable.ts';
import { problem, type Problem } from '../../core/problem.ts';
import type { Milliseconds } from '../../core/units.ts';
import { findTests, idsOf } from '../steps/by-id.ts';
import type { Context } from '../terminal/context.ts';
import type { FileFlags, OutputFlags } from '../terminal/flags.ts';
import { observe } from '../../apply/observe.ts';
import { withProject, withService } from '../session/open.ts';
import { outcome, type Outcome } from '../terminal/outcome.ts';
import { checkTests } from '../steps/choose.ts';
import { DEFAULT_PARALLELISM } from '../steps/plan-flags.ts';
import { figuresText, verdictText } from '../render/run.ts';

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
      const tests = matching.matches.flatMap(({ declared, found }): TestResults[] => {
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
    const tests: TestResults[] = [];
    for (const test of await findTests(service, ids)) {
      const read = await service.listResults(test.id);
      tests.push({ key: testKey(test.id), test, thresholds: [], results: read });
    }
    return told(context, tests, warnings);
  });
}

interface TestResults {
  readonly key: TestKey;
  readonly test: ObservedTest;
  readonly thresholds: readonly Threshold[];
  /** Null where the service has none to give. */
  readonly results: readonly RunResult[] | null;
}

interface JudgedResult {
  readonly result: RunResult;
  /** Null: the run goes on. */
  readonly judgement: Judgement | null;
}

function told(context: Context, tests: readonly TestResults[], warnings: readonly Problem[]): Outcome {
  const judged = tests.map((one) => ({ ...one, address: testAddress(one.key), judged: judgedResults(one) }));
  const without = judged.filter((one) => one.judged === null);
  return outcome({
    problems: [
      ...warnings,
      ...without.map(({ address }) =>
        problem('LT_PLAN_NO_RESULTS', `the service has no results of ${address}`, { severity: 'warning' }),
      ),
    ],
    text: textOf(judged, context),
    members: {
      tests: judged.map(({ address, test, judged: runs }) => ({
        address,
        test_id: test.id,
        results:
          runs?.map(({ result, judgement }) => ({ ...(judgement ?? RUNNING), result: result.record })) ??
          null,
      })),
    },
  });
}

const RUNNING: Judgement = { verdict: 'none', thresholds: [], reason: 'the run goes on' };

function judgedResults({ test, thresholds, results: all }: TestResults): readonly JudgedResult[] | null {
  if (all === null) return null;
  const { current, ended } = resultsByEnd(stateOf(test, Date.now()), all);
  const judged = ended.map((result) => ({ result, judgement: judge(thresholds, result) }));
  return current === null ? judged : [{ result: current, judgement: null }, ...judged];
}

function textOf(
  tests: readonly {
    readonly address: string;
    readonly test: ObservedTest;
    readonly judged: readonly JudgedResult[] | null;
  }[],
  context: Context,
): string {
  const { paint } = context;
  const lines = tests.flatMap(({ address, test, judged }) => [
    `${paint.bold(address)}  ${test.id}`,
    ...(judged ?? []).map(({ result, judgement }) => {
      const at = result.startedAt === null ? '-' : formatInstant(result.startedAt);
      const how =
        judgement === null
          ? 'running'
          : `${verdictText(judgement, paint)}, ${printable(figuresText(result))}`;
      return `  ${at}  ${result.id.slice(0, 8)}  ${how}`;
    }),
  ]);
  return lines.length === 0 ? 'No results yet.\n' : lines.join('\n') + '\n';
}

/** The `results` command: shows results of past runs and compares two of them. */
import type { LoadedConfig } from '../../config/load-config.ts';
import { evaluateRun } from '../../core/compare/run-evaluation.ts';
import { testAddress, testKey, type TestId } from '../../core/model/ids.ts';
import type { RunResult } from '../../core/run-record/run-result.ts';
import type { ServicePort } from '../../core/ports/service-port.ts';
import { problem } from '../../core/problem.ts';
import { selects } from '../../core/reconcile/plan-input.ts';
import { testResults, type TestHistory } from '../../core/report/past-results.ts';
import { declaredTestMembers, toPastRun } from '../../core/report/run-document.ts';
import { findTestsById, idsOf } from '../steps/tests-by-id.ts';
import type { Context } from '../terminal/context.ts';
import type { ServiceFlags } from '../terminal/flags.ts';
import { problemsOfVerdict } from '../../apply/runs/evaluation.ts';
import { publishedVerdict, VerdictPublisher } from '../../apply/runs/verdict-publisher.ts';
import { observe } from '../../apply/observation/observe.ts';
import { withProject, withService, type OpenedSession } from '../session/open-session.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';
import { usageError } from '../terminal/errors.ts';
import { selectTests } from '../steps/key-selection.ts';
import { compareTestRuns } from '../steps/run-comparison.ts';
import { DEFAULT_PARALLELISM } from '../steps/plan-flags.ts';
import { resultsText, sideBySideText } from '../../report/results-text.ts';

export interface ResultsFlags extends ServiceFlags {
  readonly compare?: string;
  readonly last?: number;
  readonly anyway?: boolean;
}

export async function showResults(
  context: Context,
  key: string | undefined,
  flags: ResultsFlags,
): Promise<Outcome> {
  const ids = key === undefined ? null : idsOf([key]);
  if (flags.compare !== undefined) {
    if (key === undefined || ids !== null)
      throw usageError('--compare requires the key of a test in the file');
    return await compareResults(context, key, { ...flags, compare: flags.compare });
  }
  if (flags.anyway === true) throw usageError('--anyway requires --compare');
  if (ids !== null) return await showResultsById(context, ids, flags);
  const filter = { only: key === undefined ? [] : [key], exclude: [] };
  const check = (config: LoadedConfig) => void selectTests(config, filter.only);
  return await withProject(
    context,
    { flags, writes: false, selectsTest: (name) => selects(filter, name), check },
    async ({ config, warnings, session }) => {
      const { matching, history } = await observe(config.desired, session.view(config.desired), {
        filter,
        parallelism: DEFAULT_PARALLELISM,
      });
      const tests: TestHistory[] = [];
      const publisher = new VerdictPublisher(session.applyContext(config.desired, () => undefined));
      for (const { declared, found } of matching.matches) {
        if (found.kind !== 'present') continue;
        const listed = history.get(found.test.id) ?? null;
        const results = await fetchFullResults(session.connection.service, found.test.id, {
          listed: listed?.slice(0, flags.last) ?? null,
          maxFull: key === undefined ? 1 : MAX_FULL_RESULTS,
          onFull: (result) => {
            // An existing verdict is not replaced, because the thresholds may have changed after the evaluation.
            if (result.verdict === null)
              publisher.publish(
                found.test.id,
                result,
                publishedVerdict(declared, evaluateRun(declared, result)),
              );
          },
        });
        tests.push({ key: declared.key, test: found.test, declared, results });
      }
      await publisher.end();
      return resultsOutcome(context, tests, { config, warnings, session }, key !== undefined);
    },
  );
}

async function compareResults(
  context: Context,
  key: string,
  flags: ResultsFlags & { readonly compare: string },
): Promise<Outcome> {
  const check = (config: LoadedConfig) => {
    const tests = selectTests(config, [key]).map((test) => test.key);
    if (!tests.some((one) => one === key))
      throw usageError(
        `--compare requires the key of one test, but "${key}" is a pattern`,
        `specify one of these keys: ${tests.join(', ')}`,
      );
  };
  const request = { flags, writes: false, selectsTest: (name: string) => name === key, check };
  return await withProject(context, request, async ({ config, warnings, session }) => {
    const { compare, anyway = false } = flags;
    const compared = await compareTestRuns(config, session, { key, with: compare, anyway });
    const { declared, testId, run, other, verdict, comparison, problems } = compared;
    const runs = [toPastRun(run, verdict, declared)];
    if (other !== null) runs.push(toPastRun(other, evaluateRun(declared, other), declared));
    const tests = [
      {
        address: testAddress(declared.key),
        test_id: testId,
        results: runs,
        ...declaredTestMembers(declared),
      },
    ];
    return createOutcome({
      problems: [
        ...warnings,
        ...problems,
        ...(comparison.verdict === null ? [] : problemsOfVerdict(declared, verdict, { record: run.record })),
      ],
      text: `${resultsText(tests, context.paint, runs.length)}\n${sideBySideText(comparison)}`,
      body: {
        command: 'results',
        project: config.desired.project,
        environment: config.desired.environment,
        service: session.connection.origin,
        tests,
        comparison,
      },
    });
  });
}

/** Shows results of tests that are selected by ID, without thresholds. */
async function showResultsById(
  context: Context,
  ids: readonly string[],
  flags: ResultsFlags,
): Promise<Outcome> {
  return await withService(context, { flags, writes: false }, async (opened) => {
    const { service } = opened.session.connection;
    const tests: TestHistory[] = [];
    for (const test of await findTestsById(service, ids)) {
      const listed = (await service.listResults(test.id))?.slice(0, flags.last) ?? null;
      const results = await fetchFullResults(service, test.id, { listed, maxFull: MAX_FULL_RESULTS });
      tests.push({ key: testKey(test.id), test, declared: null, results });
    }
    return resultsOutcome(context, tests, opened, true);
  });
}

/**
 * Maximum number of results per test that are read in full if the command line names a test. Otherwise, the maximum is
 * 1.
 */
const MAX_FULL_RESULTS = 20;

/** Reads the newest results in full, because lists omit fields such as timelines and histograms. */
async function fetchFullResults(
  service: ServicePort,
  test: TestId,
  {
    listed,
    maxFull,
    onFull,
  }: {
    readonly listed: readonly RunResult[] | null;
    readonly maxFull: number;
    readonly onFull?: (result: RunResult) => void;
  },
): Promise<readonly RunResult[] | null> {
  if (listed === null) return null;
  const results: RunResult[] = [];
  let remaining = maxFull;
  for (const result of listed) {
    const readsFull = result.status === 'ready' && remaining > 0;
    if (readsFull) remaining--;
    const full = readsFull ? await service.getResult(test, result.id) : null;
    if (full !== null) onFull?.(full);
    results.push(full ?? result);
  }
  return results;
}

function resultsOutcome(
  context: Context,
  histories: readonly TestHistory[],
  { config, warnings, session }: OpenedSession<LoadedConfig | null>,
  isNamed: boolean,
): Outcome {
  const now = Date.now();
  const tests = histories.map((history) => testResults(history, now));
  const missing = tests.filter((test) => test.results === null);
  return createOutcome({
    problems: [
      ...warnings,
      ...missing.map(({ address }) =>
        problem('LT_PLAN_NO_RESULTS', `the service does not provide results for ${address}`, {
          severity: 'warning',
        }),
      ),
    ],
    text: resultsText(tests, context.paint, isNamed ? 1 : 0),
    body: {
      command: 'results',
      project: config?.desired.project ?? null,
      environment: config?.desired.environment ?? null,
      service: session.connection.origin,
      tests,
    },
  });
}

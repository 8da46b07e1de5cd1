/** Results of past runs. */
import type { LoadedConfig } from '../../config/load.ts';
import { judge } from '../../core/judge.ts';
import { testAddress, testKey, type TestId } from '../../core/model/ids.ts';
import type { RunResult } from '../../core/model/run.ts';
import type { ServicePort } from '../../core/ports/service-port.ts';
import { problem } from '../../core/problem.ts';
import { testResults, type History } from '../../core/report/results.ts';
import { declaredMembers, pastRun } from '../../core/report/run.ts';
import type { Milliseconds } from '../../core/units.ts';
import { findTests, idsOf } from '../steps/by-id.ts';
import type { Context } from '../terminal/context.ts';
import type { FileFlags, OutputFlags } from '../terminal/flags.ts';
import { problemsOfVerdict } from '../../apply/judging.ts';
import { observe } from '../../apply/observe.ts';
import { withProject, withService, type Opened } from '../session/open.ts';
import { outcome, type Outcome } from '../terminal/outcome.ts';
import { usageError } from '../terminal/errors.ts';
import { checkTests } from '../steps/choose.ts';
import { compareRuns } from '../steps/comparing.ts';
import { DEFAULT_PARALLELISM } from '../steps/plan-flags.ts';
import { sideBySideText } from '../../report/side-by-side-text.ts';
import { resultsText } from '../../report/results-text.ts';

export interface ResultsFlags extends FileFlags, OutputFlags {
  readonly lockTimeout?: Milliseconds;
  readonly compare?: string;
  readonly anyway?: boolean;
}

export async function results(
  context: Context,
  key: string | undefined,
  flags: ResultsFlags,
): Promise<Outcome> {
  const ids = key === undefined ? null : idsOf([key]);
  if (flags.compare !== undefined) {
    if (key === undefined || ids !== null) throw usageError('--compare requires a key of the file');
    return await compared(context, key, { ...flags, compare: flags.compare });
  }
  if (flags.anyway === true) throw usageError('--anyway is for --compare');
  if (ids !== null) return await resultsById(context, ids, flags);
  const only = key === undefined ? [] : [key];
  const check = (config: LoadedConfig) => {
    checkTests(config, only);
  };
  return await withProject(
    context,
    { flags, writes: false, selects: (name) => key === undefined || name === key, check },
    async ({ config, warnings, session }) => {
      const { matching, history } = await observe(config.desired, session.view(config.desired), {
        filter: { only, exclude: [] },
        parallelism: DEFAULT_PARALLELISM,
      });
      const tests: History[] = [];
      for (const { declared, found } of matching.matches) {
        if (found.kind !== 'present') continue;
        const listed = history.get(found.test.id) ?? null;
        const kept = await wholeResults(session.connection.service, found.test.id, {
          listed,
          most: key === undefined ? 1 : MOST_WHOLE,
        });
        tests.push({ key: declared.key, test: found.test, declared, results: kept });
      }
      return told(context, tests, { config, warnings, session });
    },
  );
}

async function compared(
  context: Context,
  key: string,
  flags: ResultsFlags & { readonly compare: string },
): Promise<Outcome> {
  const check = (config: LoadedConfig) => {
    if (!config.desired.tests.some((test) => test.key === key)) checkTests(config, [key]);
  };
  const request = { flags, writes: false, selects: (name: string) => name === key, check };
  return await withProject(context, request, async ({ config, warnings, session }) => {
    const { compare, anyway = false } = flags;
    const made = await compareRuns(config, session, { key, with: compare, anyway });
    const { declared, testId, run, other, judgement, comparison, problems } = made;
    const { urlNames } = declared;
    const runs = [pastRun(run, judgement, urlNames)];
    if (other !== null) runs.push(pastRun(other, judge(declared, other), urlNames));
    const tests = [
      { address: testAddress(declared.key), test_id: testId, results: runs, ...declaredMembers(declared) },
    ];
    return outcome({
      problems: [
        ...warnings,
        ...problems,
        ...(comparison.verdict === null ? [] : problemsOfVerdict(declared, judgement)),
      ],
      text: `${resultsText(tests, context.paint)}\n${sideBySideText(comparison)}`,
      body: {
        command: 'results',
        project: config.desired.project,
        environment: config.desired.environment,
        service: session.connection.origin,
        ...{ tests, comparison },
      },
    });
  });
}

/** Of any tests of the account; nobody knows their thresholds. */
async function resultsById(context: Context, ids: readonly string[], flags: ResultsFlags): Promise<Outcome> {
  return await withService(context, { flags, writes: false }, async (opened) => {
    const { service } = opened.session.connection;
    const tests: History[] = [];
    for (const test of await findTests(service, ids)) {
      const listed = await service.listResults(test.id);
      const results = await wholeResults(service, test.id, { listed, most: MOST_WHOLE });
      tests.push({ key: testKey(test.id), test, declared: null, results });
    }
    return told(context, tests, opened);
  });
}

/** So many of a test that is named; of all tests at once the newest one each. */
const MOST_WHOLE = 20;

/** Lists leave out what is long: URLs, seconds, histograms. The newest results are read one by one. */
async function wholeResults(
  service: ServicePort,
  test: TestId,
  { listed, most }: { readonly listed: readonly RunResult[] | null; readonly most: number },
): Promise<readonly RunResult[] | null> {
  if (listed === null) return null;
  const whole: RunResult[] = [];
  for (const result of listed) {
    const wanted = result.status === 'ready' && whole.length < most;
    whole.push((wanted ? await service.getResult(test, result.id) : null) ?? result);
  }
  return whole;
}

function told(
  context: Context,
  kept: readonly History[],
  { config, warnings, session }: Opened<LoadedConfig | null>,
): Outcome {
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
    body: {
      command: 'results',
      project: config?.desired.project ?? null,
      environment: config?.desired.environment ?? null,
      service: session.connection.origin,
      tests,
    },
  });
}

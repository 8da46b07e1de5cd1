/** `run KEY --once`: the embedded service runs one iteration with one client. */
import { execute } from '../../apply/execute.ts';
import { problemsOfFailure, sourcesOfState } from '../../apply/source-locations.ts';
import { uploadPayloadFiles } from '../../apply/tests/payload-upload.ts';
import type { ApplyContext } from '../../apply/apply-context.ts';
import { encodeIteration } from '../../contract/iteration-codec.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { CallError } from '../../core/call-error.ts';
import type { TracedExchange, TracedIteration } from '../../core/load/run-report.ts';
import { counted, withCommas } from '../../core/counted.ts';
import { groupsWithin } from '../../core/model/group.ts';
import { iterationWith, startLength } from '../../core/model/iteration.ts';
import { testAddress } from '../../core/model/ids.ts';
import { pathInPhase } from '../../core/model/phase.ts';
import { URL_FIELDS } from '../../core/model/test-fields.ts';
import { urlLabels } from '../../core/model/url-label.ts';
import type { DeclaredTest, LoadTestSpec } from '../../core/model/load-test.ts';
import { exitCodeOfProblems, problem, type Problem } from '../../core/problem.ts';
import type { Plan } from '../../core/reconcile/plan.ts';
import { ONLY_APPS, openProgress } from './execute-plan.ts';
import { requestApproval } from '../terminal/approval.ts';
import type { Context } from '../terminal/context.ts';
import type { ApplyFlags } from '../terminal/flags.ts';
import { selectTests } from './key-selection.ts';
import { planProject } from './plan-project.ts';
import { usageError } from '../terminal/errors.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';
import { DEFAULT_PARALLELISM, planOptions } from './plan-flags.ts';
import { failureText } from '../../core/run-record/failure-text.ts';
import { exchangesText } from '../../report/exchanges-text.ts';
import type { Session } from '../session/session.ts';

export interface OnceRequest {
  readonly config: LoadedConfig;
  readonly session: Session;
  readonly patterns: readonly string[];
  readonly flags: OnceFlags;
}

export interface OnceFlags extends ApplyFlags {
  /** Name or label of the last URL to request. */
  readonly url?: string;
}

interface Selection {
  readonly test: DeclaredTest;
  readonly spec: LoadTestSpec;
  /** Indexes of the selected URLs in the test; empty if `--url` is not set. */
  readonly indexes: readonly number[];
}

type Iteration = Selection & TracedIteration;

export async function runOnce(context: Context, request: OnceRequest): Promise<Outcome> {
  const { config, session, patterns, flags } = request;
  const { runIteration } = session.connection;
  if (runIteration === null)
    throw usageError(
      `--once requires the embedded service, but ${session.connection.origin} generates the load`,
      'unset LOADTESTS_BASE_URL, or remove "base_url" from the file',
    );
  const tests = selectTests(config, patterns);
  const selections = selectionsOf(tests, flags.url);
  const refusal = await requestApproval(context, {
    question: `Run one iteration of ${tests.map(({ key }) => key).join(', ')}?`,
    approved: flags.yes === true,
  });
  if (refusal !== null) return createOutcome({ problems: [refusal] });
  context.interruption.handleGracefully();
  await session.startWebServer();
  const { problems, applyContext } = await prepareApps(context, request);
  if (exitCodeOfProblems(problems) !== 0) return createOutcome({ problems });
  const iterations: Iteration[] = [];
  for (const selection of selections) {
    const { test, spec, indexes } = selection;
    try {
      await uploadPayloadFiles(spec, applyContext);
      const { exchanges, ...iteration } = await runIteration(withoutFollowUps(spec));
      const numbered = exchanges.map((exchange) => ({
        ...exchange,
        target: (exchange.phase === undefined ? indexes[exchange.target] : undefined) ?? exchange.target,
      }));
      iterations.push({ ...selection, exchanges: numbered, ...iteration });
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      const sources = { sourceOf: sourcesOfState(config.desired), locateField: applyContext.locateField };
      const refused = problemsOfFailure(error, testAddress(test.key), sources);
      return createOutcome({ problems: [...problems, ...refused] });
    }
  }
  const verbose = flags.verbose === true;
  return createOutcome({
    problems: [
      ...problems,
      ...iterations.flatMap(({ test, exchanges, omitted }) => [
        ...exchangeProblems(test, exchanges, applyContext),
        ...omittedProblems(test, omitted),
      ]),
    ],
    text: iterations
      .map(({ test, spec, ...iteration }) => {
        const about = {
          delays: test.spec.targets.map(({ delay }) => delay),
          flows: spec.flows?.length ?? 0,
          showsSeed: verbose || flags.seed !== undefined,
        };
        return exchangesText(exchangeReportOf(test, iteration, verbose), context.paint, about);
      })
      .join('\n'),
    body: {
      command: 'run',
      iterations: iterations.map(({ test, ...iteration }) => exchangeReportOf(test, iteration, verbose)),
    },
  });
}

/** Maximum length of a response body without `-v`, in characters. */
const MAX_SHOWN_BODY_LENGTH = 4096;

function exchangeReportOf({ key }: DeclaredTest, iteration: TracedIteration, verbose: boolean) {
  const { exchanges, omitted, seed } = iteration;
  const shown = exchanges.map((exchange) => ({
    ...exchange,
    responseBody: verbose ? exchange.responseBody : shortenBody(exchange.responseBody),
  }));
  const { message: _, ...record } = encodeIteration({ exchanges: shown, omitted, seed });
  return { address: testAddress(key), ...record };
}

function shortenBody(body: string | null): string | null {
  if (body === null || body.length <= MAX_SHOWN_BODY_LENGTH) return body;
  const shown = body.slice(0, MAX_SHOWN_BODY_LENGTH).replace(/[\ud800-\udbff]$/, '');
  return `${shown}\n… (${counted(body.length - shown.length, 'more character')}; use -v to print the full body)`;
}

/** Registers and verifies the apps, because the service sends load only to verified hosts. */
async function prepareApps(
  context: Context,
  request: OnceRequest,
): Promise<{ readonly problems: readonly Problem[]; readonly applyContext: ApplyContext }> {
  const { config, session, patterns, flags } = request;
  const progress = await openProgress(context, flags);
  const applyContext = session.applyContext(config.desired, progress.emit);
  const options = { ...planOptions({}, Date.now(), context), only: patterns };
  const planRequest = { options, parallelism: DEFAULT_PARALLELISM, context: null };
  const { plan } = await planProject(session, config.desired, planRequest);
  const actions = plan.actions.filter(({ verb }) => verb === 'register' || verb === 'verify');
  const preparation: Plan = { ...plan, actions };
  const done = await execute(preparation, config.desired.apps, {
    context: applyContext,
    options: { ...ONLY_APPS, parallelism: DEFAULT_PARALLELISM },
  });
  progress.close();
  return { problems: done.problems, applyContext };
}

function omittedProblems(test: DeclaredTest, { requests, failed }: TracedIteration['omitted']): Problem[] {
  if (failed === 0) return [];
  const message = `"${test.key}": ${withCommas(failed)} of ${counted(requests, 'request')} that the output omits failed`;
  const hint = 'to print these requests, reduce the repetitions in the test';
  return [problem('LT_RUN_ONCE', message, { source: test.source, hint })];
}

/** Removes the callback, email and schedule, which do not apply to a single iteration. */
function withoutFollowUps(spec: LoadTestSpec): LoadTestSpec {
  return { ...spec, callback: null, callbackEmail: null, scheduledAt: null };
}

function exchangeProblems(
  test: DeclaredTest,
  exchanges: readonly TracedExchange[],
  { locateField }: Pick<ApplyContext, 'locateField'>,
): Problem[] {
  return exchanges.flatMap(({ phase, target, method, url, status, error, success, unexpected }) => {
    if (success) return [];
    const what = failureText(error) ?? unexpected?.error ?? `status ${status ?? 'unknown'}`;
    const path = ['urls', target, URL_FIELDS.url.name];
    const field = { path: phase === undefined ? path : pathInPhase(phase, path), about: 'value' } as const;
    const source = locateField(testAddress(test.key), field) ?? test.source;
    return [problem('LT_RUN_ONCE', `"${test.key}": ${method} ${url} failed: ${what}`, { source })];
  });
}

/**
 * Selects all URLs of each test. If `name` is set, selects that URL, the URLs that precede it in an iteration, and the
 * URLs of `on_start`.
 * @throws ProblemError LT_CLI_USAGE if the name does not identify one URL of one test.
 */
function selectionsOf(tests: readonly DeclaredTest[], name: string | undefined): readonly Selection[] {
  if (name === undefined) return tests.map((test) => ({ test, spec: test.spec, indexes: [] }));
  const [test, ...others] = tests;
  if (test === undefined || others.length > 0)
    throw usageError(
      '--url requires exactly one test',
      'name one test, such as: loadtests run KEY --once --url NAME',
    );
  const { targets, groups } = test.spec;
  const labels = urlLabels(
    targets.map(({ method, url }, index) => ({ name: test.urlNames[index] ?? null, method, url })),
  );
  const last = labels.indexOf(name);
  if (last === -1) {
    const known = labels.map((label) => `"${label}"`).join(', ');
    throw usageError(
      `--url: the test "${test.key}" has no URL "${name}"`,
      `the URLs of this test are ${known}`,
    );
  }
  const { flow, first } = iterationWith(test.spec, last);
  // A URL in `on_start` needs only the URLs that precede it.
  const start = flow < 0 ? 0 : startLength(test.spec);
  const indexes = [...targets.keys()].filter((index) => index < start || (first <= index && index <= last));
  const selected = {
    targets: indexes.flatMap((index) => targets[index] ?? []),
    groups:
      groupsWithin(groups, { first, end: last + 1 })?.map((group) => ({
        ...group,
        first: group.first + start,
      })) ?? null,
    onStart: start === 0 ? null : start,
  };
  return [{ test, spec: { ...test.spec, flows: null, ...selected }, indexes }];
}

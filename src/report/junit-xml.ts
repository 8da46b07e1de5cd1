/**
 * JUnit XML reporter. Each test is a suite, with a case for each threshold and for the completion of each run.
 * @remarks Source locations are part of the text, because the xUnit plugin of Jenkins rejects
 * attributes that are not in its schema, such as `file` and `line`.
 */
import { timeText } from '../core/instant.ts';
import { isStoppable } from '../core/model/test-state.ts';
import { printable, printableLines } from '../core/printable.ts';
import type {
  DoneAction,
  PlannedAction,
  Problem,
  Report,
  Source,
} from '../core/report/generated/documents.ts';
import { outcomeText, thresholdGroups, thresholdText } from '../core/report/threshold-text.ts';
import { problemsOfCommand } from '../core/report/several-projects.ts';
import { verdictSentence } from '../core/report/verdict-sentence.ts';
import { loadText } from '../core/report/load-text.ts';
import {
  generatorSummary,
  nameOfProject,
  selectEvaluatedRuns,
  secondsOf,
  reportedTestsOf,
  type ReportedRun,
  type ReportedTest,
} from '../core/report/reported-tests.ts';

/** Characters that XML 1.0 does not allow and `printable` does not replace. */
const INVALID_XML_CHARACTERS = /[\ufffe\uffff]/g;
const REPLACEMENT_CHARACTER = '\ufffd';

type Kind = 'failure' | 'error' | 'skipped';

interface CaseOutcome {
  readonly kind: Kind;
  /** The reason, such as `running` or a problem code. */
  readonly type: string;
  readonly text: string;
  readonly source: Source;
}

interface TestCase {
  readonly name: string;
  readonly seconds: number | null;
  /** Null if the case passed. */
  readonly outcome: CaseOutcome | null;
  /** Content of `system-out`; null to omit the element. */
  readonly output: string | null;
}

interface TestSuite {
  readonly name: string;
  readonly startedAt: string | null;
  readonly properties: readonly (readonly [name: string, value: string])[];
  readonly cases: readonly TestCase[];
}

export function toJunitXml(report: Report): string {
  const suites = withUniqueNames(suitesOf(report, ''));
  const cases = suites.flatMap((suite) => suite.cases);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    openTag('testsuites', { name: titleOf(report), ...countAttributes(cases, false) }),
    ...suites.flatMap(suiteLines),
    '</testsuites>',
    '',
  ].join('\n');
}

function titleOf(report: Report): string {
  return `loadtests ${report.command}`;
}

/** @param prefix - Prefix of the suite names; empty for a report on one file. */
function suitesOf(report: Report, prefix: string): readonly TestSuite[] {
  if ('projects' in report) {
    const ofFiles = report.projects.flatMap((project) =>
      suitesOf(project.report, `${nameOfProject(project)}/`),
    );
    return [...ofFiles, ...commandSuite({ ...report, problems: problemsOfCommand(report) }, [], '')];
  }
  const tests = reportedTestsOf(report);
  return [
    ...tests.map((test) => suiteOf({ ...test, key: `${prefix}${test.key}` }, report)),
    ...commandSuite(report, tests, prefix),
  ];
}

const RUN_COMPLETION_CASE = 'run completed';

function suiteOf(test: ReportedTest, report: Report): TestSuite {
  const { key, action, load } = test;
  const runs = selectEvaluatedRuns(test, report);
  const [first] = runs;
  const generator = first === undefined ? null : generatorSummary(first);
  const properties = [
    ...('project' in report && report.project !== null ? [['project', report.project] as const] : []),
    ...('environment' in report && report.environment !== null
      ? [['environment', report.environment] as const]
      : []),
    ...('service' in report ? [['service', report.service] as const] : []),
    ...(load === null ? [] : [['load', loadText(load)] as const]),
    ...(generator === null ? [] : [['generator', generator] as const]),
    ...runs.map((run) => ['verdict', run.state === 'running' ? 'running' : verdictSentence(run)] as const),
  ];
  const cases = runs.flatMap((run) => runCases(run, test));
  const notRun = {
    name: RUN_COMPLETION_CASE,
    seconds: null,
    outcome: notRunOutcome(action, test.source, report),
    output: null,
  };
  return {
    name: key,
    startedAt: first?.started_at ?? null,
    properties,
    cases: runs.length === 0 ? [notRun] : cases,
  };
}

function runCases(run: ReportedRun, { source }: ReportedTest): readonly TestCase[] {
  const seconds = secondsOf(run);
  return [
    ...thresholdGroups(run.thresholds)
      .flatMap(({ thresholds }) => thresholds)
      .map((threshold): TestCase => {
        const { verdict } = threshold;
        const at = threshold.source ?? source;
        const text = outcomeText(threshold, run);
        const outcome: CaseOutcome | null =
          verdict === 'pass'
            ? null
            : { kind: verdict === 'fail' ? 'failure' : 'error', type: verdict, text, source: at };
        return { name: thresholdText(threshold), seconds, outcome, output: text };
      }),
    {
      name: RUN_COMPLETION_CASE,
      seconds,
      outcome: endOutcome(run, source),
      output: run.state === 'running' ? null : verdictSentence(run),
    },
  ];
}

/** Returns the outcome of the run itself; null if the run was completed and is not inconclusive as a whole. */
function endOutcome(run: ReportedRun, source: Source): CaseOutcome | null {
  const { state, verdict, reason, record, thresholds } = run;
  const text = reason ?? 'the run was not completed';
  if (state === 'running') {
    const kind = verdict === 'inconclusive' ? 'error' : 'skipped';
    return { kind, type: 'running', text, source };
  }
  const aborted = record.abortReason;
  if (typeof aborted === 'string') {
    return { kind: verdict === 'fail' ? 'failure' : 'error', type: aborted, text, source };
  }
  const isInconclusive =
    verdict === 'inconclusive' && reason !== null && thresholds.every(({ verdict: one }) => one === verdict);
  return isInconclusive ? { kind: 'error', type: verdict, text, source } : null;
}

function notRunOutcome(action: ReportedTest['action'], source: Source, report: Report): CaseOutcome {
  if (action === null) return { kind: 'skipped', type: 'no run', text: 'the test has no results', source };
  const { verb, note, state } = action;
  if (verb === 'blocked') return { kind: 'error', type: verb, text: note ?? 'the test is blocked', source };
  if (verb === 'deferred')
    return { kind: 'skipped', type: verb, text: note ?? 'the test would start load', source };
  if (verb === 'no-op') {
    const text = isStoppable(state) ? `the test is ${state}` : 'the test is unchanged and was not run again';
    return { kind: 'skipped', type: 'unchanged', text, source };
  }
  return notAttemptedOutcome(action, source, report);
}

const NOT_ATTEMPTED = {
  done: 'the test has not been run',
  failed: 'the test could not be started',
  unknown: 'it is unknown whether the test was started',
  not_attempted: 'the command did not try to start the test',
} as const;

function notAttemptedOutcome(
  action: PlannedAction | DoneAction,
  source: Source,
  { problems, exit_code: exitCode }: Report,
): CaseOutcome {
  const outcome = 'outcome' in action ? action.outcome : 'not_attempted';
  if (outcome === 'done') {
    const scheduled =
      action.scheduled_at === null
        ? NOT_ATTEMPTED.done
        : `the test starts at ${timeText(Date.parse(action.scheduled_at))}`;
    return { kind: 'skipped', type: 'no run', text: scheduled, source };
  }
  const causes = problems.filter((one) => one.severity === 'error' && isAtLocation(one, source));
  const text = [
    `${NOT_ATTEMPTED[outcome]}; the command exited with code ${exitCode}`,
    ...causes.map(problemText),
  ].join('\n');
  return { kind: 'error', type: outcome, text, source };
}

function isAtLocation({ file, line }: Problem, source: Source): boolean {
  return file !== null && file === source.file && line === source.line;
}

function problemText({ code, message, hint }: Problem): string {
  return `${code}: ${message}${hint === null ? '' : ` (${hint})`}`;
}

/** Codes of problems that the cases of runs already report. */
const VERDICTS = ['LT_RUN_THRESHOLD', 'LT_RUN_INCONCLUSIVE'];

/** Returns a suite for errors that no case of a test reports, such as an invalid file. */
function commandSuite(report: Report, tests: readonly ReportedTest[], prefix: string): readonly TestSuite[] {
  const hasRuns = tests.some(({ runs }) => runs.length > 0);
  const testsWithoutRun = tests.filter(({ runs }) => runs.length === 0);
  const errors = report.problems.filter(
    (one) =>
      one.severity === 'error' &&
      !(hasRuns && VERDICTS.includes(one.code)) &&
      !testsWithoutRun.some(({ source }) => isAtLocation(one, source)),
  );
  if (errors.length === 0) return [];
  const cases = errors.map((one): TestCase => {
    const { code, file, line, column } = one;
    const source = { ...(file && { file }), ...(line && { line }), ...(column && { column }) };
    const name = `${code}${file === null ? '' : ` ${locationText(source)}`}`;
    const outcome = { kind: 'error', type: code, text: problemText(one), source } as const;
    return { name, seconds: null, outcome, output: null };
  });
  return [{ name: `${prefix}${titleOf(report)}`, startedAt: null, properties: [], cases }];
}

function locationText({ file, line, column }: Source): string {
  return [file, line, column].filter((part) => part !== undefined).join(':');
}

/** Makes names unique, because tools with a history identify suites and cases by name. */
function withUniqueNames(suites: readonly TestSuite[]): readonly TestSuite[] {
  return withUniqueCaseNames(suites).map((suite) => ({ ...suite, cases: withUniqueCaseNames(suite.cases) }));
}

function withUniqueCaseNames<Named extends { readonly name: string }>(
  all: readonly Named[],
): readonly Named[] {
  const seen = new Map<string, number>();
  return all.map((one) => {
    const name = printable(one.name).replaceAll(INVALID_XML_CHARACTERS, REPLACEMENT_CHARACTER);
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return { ...one, name: count === 1 ? name : `${name} (${count})` };
  });
}

function countAttributes(cases: readonly TestCase[], skipped: boolean): Readonly<Record<string, string>> {
  const count = (kind: Kind) => `${cases.filter(({ outcome }) => outcome?.kind === kind).length}`;
  return {
    tests: `${cases.length}`,
    failures: count('failure'),
    errors: count('error'),
    // The schema does not define `skipped` for the root element.
    ...(skipped ? { skipped: count('skipped') } : {}),
  };
}

function suiteLines({ name, startedAt, properties, cases }: TestSuite): readonly string[] {
  const longest = Math.max(0, ...cases.map(({ seconds }) => seconds ?? 0));
  const attributes = {
    name,
    ...countAttributes(cases, true),
    time: longest.toFixed(3),
    ...(startedAt === null ? {} : { timestamp: startedAt.replace(/(\.\d+)?Z$/, '') }),
  };
  const propertyLines = properties.map(
    ([key, value]) => `      ${emptyTag('property', { name: key, value })}`,
  );
  return [
    `  ${openTag('testsuite', attributes)}`,
    ...(propertyLines.length === 0 ? [] : ['    <properties>', ...propertyLines, '    </properties>']),
    ...cases.flatMap((one) => caseLines(name, one)),
    '  </testsuite>',
  ];
}

function caseLines(suite: string, { name, seconds, outcome, output }: TestCase): readonly string[] {
  const attributes = {
    classname: suite,
    name,
    ...(seconds === null ? {} : { time: seconds.toFixed(3) }),
  };
  const outputLines =
    output === null ? [] : [`      <system-out>${escapeXml(printableLines(output))}</system-out>`];
  if (outcome === null) {
    return outputLines.length === 0
      ? [`    ${emptyTag('testcase', attributes)}`]
      : [`    ${openTag('testcase', attributes)}`, ...outputLines, '    </testcase>'];
  }
  const { kind, type, text, source } = outcome;
  const location = locationText(source);
  const content = location === '' ? text : `${text}\n${location}`;
  const [message = ''] = text.split('\n', 1);
  return [
    `    ${openTag('testcase', attributes)}`,
    `      ${openTag(kind, { type, message })}${escapeXml(printableLines(content))}</${kind}>`,
    ...outputLines,
    '    </testcase>',
  ];
}

type Attributes = Readonly<Record<string, string>>;

function openTag(name: string, attributes: Attributes): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeXml(printable(value))}"`,
  );
  return `<${name}${written.join('')}>`;
}

function emptyTag(name: string, attributes: Attributes): string {
  return `${openTag(name, attributes).slice(0, -1)}/>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

function escapeXml(text: string): string {
  return text
    .replaceAll(INVALID_XML_CHARACTERS, REPLACEMENT_CHARACTER)
    .replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

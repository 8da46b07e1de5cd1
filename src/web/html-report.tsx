/**
 * Content of the HTML report: the overall outcome, a table of tests, a section for each run, the problems and
 * the plan.
 */
import { countText, withCommas } from '../core/counted.ts';
import { keyOfAddress } from '../core/model/ids.ts';
import type { DoneAction, PlannedAction, Problem, Report } from '../core/report/generated/documents.ts';
import { verdictReason } from '../core/report/verdict-sentence.ts';
import { loadText } from '../core/report/load-text.ts';
import { boundText, rateText } from '../core/report/result-text.ts';
import { hasMinimumCounts } from '../core/run-record/run-record.ts';
import type { ProjectsDocument } from '../core/report/several-projects.ts';
import { BidiIsolate } from './bidi-isolate.tsx';
import { ComparisonSection } from './comparison-section.tsx';
import { PlanReview } from './plan-review.tsx';
import { RunSection } from './run-section.tsx';
import { headline, titleElements, type ShownComparison, type ShownRun } from './shown-run.ts';
import { numberColumns, Table, textColumns } from './table.tsx';
import { metricTextOrDash } from './value-text.ts';
import { Verdict } from './verdict.tsx';

export function HtmlReport({
  report,
  runs,
  compared,
}: {
  readonly report: Report;
  readonly runs: readonly ShownRun[];
  readonly compared: ShownComparison | null;
}) {
  return (
    <main>
      <header>
        <p class="about">
          <BidiIsolate texts={titleElements(report)} />
        </p>
        <h1>{headline(compared === null ? runs : runs.slice(0, 1), report)}</h1>
      </header>
      {report.command === 'plan' && 'changes' in report ? <PlanReview plan={report} /> : null}
      {compared === null ? null : <ComparisonSection shown={compared} />}
      {runs.length < 2 || compared !== null ? null : <Summary runs={runs} />}
      {'projects' in report ? <Projects document={report} runs={runs} /> : <Runs runs={runs} />}
      <Problems problems={report.problems} />
      {'actions' in report && report.command !== 'plan' ? <Actions actions={report.actions} /> : null}
    </main>
  );
}

function Runs({ runs }: { readonly runs: readonly ShownRun[] }) {
  return runs.map((shown) => <RunSection shown={shown} />);
}

function Projects({
  document: { projects },
  runs,
}: {
  readonly document: ProjectsDocument;
  readonly runs: readonly ShownRun[];
}) {
  return projects.map(({ file, report }, index) => (
    <article>
      <h1>{`${index + 1}. ${file}`}</h1>
      <ProjectResult report={report} />
      <Runs runs={runs.filter((shown) => shown.file === file)} />
      {'actions' in report && report.command !== 'plan' ? <Actions actions={report.actions} /> : null}
    </article>
  ));
}

/** Shows the plan of a file. If the report contains neither a plan nor actions, shows a note instead. */
function ProjectResult({ report }: { readonly report: Report }) {
  if (report.command === 'plan' && 'changes' in report) return <PlanReview plan={report} />;
  if ('actions' in report) return null;
  return (
    <p class="note">
      {report.exit_code === 0
        ? 'The file is valid.'
        : `The command ended without a result (exit code ${report.exit_code}).`}
    </p>
  );
}

function Summary({ runs }: { readonly runs: readonly ShownRun[] }) {
  return (
    <Table
      name="Tests"
      cards
      columns={[
        ...textColumns('test', 'verdict'),
        ...numberColumns('requests', 'error rate', 'per second', 'p95'),
        ...textColumns('reason'),
      ]}
      rows={runs.map(({ id, name, record, run: { state, verdict, metrics, ...run } }) => [
        <a href={`#${id}`}>{name}</a>,
        <Verdict verdict={state === 'running' ? 'running' : verdict} />,
        countText(metrics?.requests, hasMinimumCounts(record)),
        metricTextOrDash('error_rate', metrics?.error_rate),
        metrics?.requests_per_second === undefined ? '–' : rateText(metrics.requests_per_second, record),
        metrics?.p95 === undefined ? '–' : boundText('p95', metrics.p95, record).replace(/ \(.*/, ''),
        state === 'running' ? '' : (verdictReason({ ...run, verdict, record }) ?? ''),
      ])}
    />
  );
}

function Problems({ problems }: { readonly problems: readonly Problem[] }) {
  if (problems.length === 0) return null;
  return (
    <section class="problems">
      <h2>Problems</h2>
      <ul>
        {problems.map(({ code, severity, message, file, line, hint }) => (
          <li class={severity}>
            <p>
              <b>{severity}</b> {message}
            </p>
            <p class="note">
              <BidiIsolate
                texts={[code, ...(file === null ? [] : [line === null ? file : `${file}:${line}`])]}
              />
            </p>
            {hint === null ? null : <p class="note">{hint}</p>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Actions({ actions }: { readonly actions: readonly (PlannedAction | DoneAction)[] }) {
  const acting = actions.filter(({ verb }) => verb !== 'no-op');
  const unchangedCount = actions.length - acting.length;
  if (actions.length === 0) return null;
  return (
    <section>
      <h2>Plan</h2>
      {acting.length === 0 ? null : (
        <Table
          name="Plan"
          columns={textColumns('resource', 'action', 'outcome', 'details')}
          rows={acting.map((action) => [
            keyOfAddress(action.address),
            action.verb,
            'outcome' in action ? action.outcome.replace('_', ' ') : 'planned',
            [action.host, action.load && loadText(action.load), action.note]
              .filter((part) => part !== null && part !== '')
              .join('; '),
          ])}
        />
      )}
      {unchangedCount === 0 ? null : <p class="note">{withCommas(unchangedCount)} unchanged.</p>}
    </section>
  );
}

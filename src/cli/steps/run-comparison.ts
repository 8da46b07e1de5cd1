import type { LoadedConfig } from '../../config/load-config.ts';
import type { BaselineMachine } from '../../core/model/baseline.ts';
import { machineOf } from '../../core/compare/regression-evaluation.ts';
import {
  findComparisonWarnings,
  compareMetrics,
  findComparisonObstacles,
} from '../../core/compare/compared-metrics.ts';
import { evaluateRun } from '../../core/compare/run-evaluation.ts';
import type { RunVerdict } from '../../core/model/run-verdict.ts';
import type { DeclaredTest } from '../../core/model/load-test.ts';
import type { Sample } from '../../core/model/sample.ts';
import type { RunResult } from '../../core/run-record/run-result.ts';
import { problem, ProblemError, type Problem } from '../../core/problem.ts';
import type { FieldChange } from '../../core/reconcile/differences.ts';
import type { ServicePort } from '../../core/ports/service-port.ts';
import type { Comparison } from '../../core/report/generated/documents.ts';
import { instantText } from '../../core/report/plan-document.ts';
import type { Session } from '../session/session.ts';
import { readBaselineState } from '../files/baselines.ts';
import { testCommand } from '../terminal/command-line.ts';
import { listRuns, versionsOf, fetchFullRun, type ListedRun, type TestVersion } from './past-runs.ts';

export interface RunComparison {
  readonly declared: DeclaredTest;
  readonly testId: TestVersion['id'];
  /** Newest completed run. `other` is the run to compare with; null for a baseline. */
  readonly run: RunResult;
  readonly other: RunResult | null;
  readonly verdict: RunVerdict;
  readonly comparison: Comparison;
  readonly problems: readonly Problem[];
}

export interface CompareRequest {
  readonly key: string;
  /** Reference: `previous`, `baseline`, or the beginning of a result ID. */
  readonly with: string;
  /** True to compare runs even if they differ in load or measurement method. Such a comparison has no verdict. */
  readonly anyway: boolean;
}

interface ComparisonSide {
  readonly kind: 'run' | 'baseline';
  readonly samples: readonly Sample[];
  readonly loadGenerator: BaselineMachine | null;
  readonly changes: readonly FieldChange[];
  readonly run: RunResult | null;
}

/**
 * @throws ProblemError LT_RUN_NOT_FOUND if a run is missing; LT_RUN_NOT_COMPARABLE if the runs cannot be compared;
 * CallError
 */
export async function compareTestRuns(
  config: LoadedConfig,
  session: Session,
  request: CompareRequest,
): Promise<RunComparison> {
  const { service } = session.connection;
  const runCommand = testCommand(['run', request.key], config);
  const [test] = await versionsOf(config, session, [request.key]);
  const { declared, versions = [] } = test ?? {};
  const ids = versions.map(({ id }) => id);
  const [newest, ...others] = await listRuns(service, ids, ({ status }) => status === 'ready');
  if (declared === undefined || newest === undefined) {
    throw notFound(`"${request.key}" has no completed run`, `to run the test: ${runCommand}`);
  }
  const run = await fetchFullRun(service, newest);
  const side = await sideOf(request.with, {
    config,
    runCommand,
    declared,
    versions,
    newest,
    others,
    service,
  });
  const obstacles = findComparisonObstacles(side.changes, side.loadGenerator, run.record);
  const hint = 'to compare the metrics without a verdict, pass --anyway';
  if (obstacles.length > 0 && !request.anyway) {
    throw new ProblemError(
      problem('LT_RUN_NOT_COMPARABLE', obstacles.join('; '), { source: declared.source, hint }),
    );
  }
  const names = [side.kind === 'run' ? 'the earlier run' : 'the baseline', 'the latest run'] as const;
  const warnings = [...obstacles, ...findComparisonWarnings(side.loadGenerator, run.record, names)];
  const verdict = obstacles.length > 0 ? NO_VERDICT : evaluateRun(declared, run);
  const hasRegression = verdict.thresholds.some(({ regression }) => regression !== undefined);
  return {
    declared,
    testId: newest.test,
    run,
    other: side.run,
    verdict,
    comparison: {
      with: side.kind,
      result_id: side.run?.id ?? null,
      started_at: instantText(side.run?.record.startedAt ?? null),
      runs: side.samples.length,
      metrics: [...compareMetrics(side.samples, run.record)],
      notes: warnings,
      verdict: side.kind === 'baseline' && hasRegression ? verdict.verdict : null,
    },
    problems: warnings.map((text) =>
      problem('LT_RUN_NOT_COMPARABLE', text, { severity: 'warning', source: declared.source }),
    ),
  };
}

const NO_VERDICT: RunVerdict = {
  verdict: 'none',
  thresholds: [],
  reason: 'the compared runs differ in load or measurement method',
};

async function sideOf(
  name: string,
  candidates: {
    readonly config: LoadedConfig;
    readonly runCommand: string;
    readonly declared: DeclaredTest;
    readonly versions: readonly TestVersion[];
    readonly newest: ListedRun;
    readonly others: readonly ListedRun[];
    readonly service: ServicePort;
  },
): Promise<ComparisonSide> {
  const { config, runCommand, declared, versions, newest, others, service } = candidates;
  const changesOf = ({ test }: ListedRun) => versions.find(({ id }) => id === test)?.changes ?? [];
  if (name === 'baseline') return baselineSide(config, declared, changesOf(newest));
  const found =
    name === 'previous'
      ? others[0]
      : others.find(({ result }) => result.id === name || result.id.startsWith(name));
  if (found === undefined) {
    throw name === 'previous'
      ? notFound(`"${declared.key}" has only one completed run`, `to run the test again: ${runCommand}`)
      : notFound(
          `no earlier completed run of "${declared.key}" has an ID that begins with "${name}"`,
          'run "loadtests results" to list the runs',
        );
  }
  const run = await fetchFullRun(service, found);
  // The changes of both runs are relative to the declared test.
  const changes = found.test === newest.test ? [] : [...changesOf(newest), ...changesOf(found)];
  return { kind: 'run', samples: [run.record], loadGenerator: machineOf(run.record), changes, run };
}

/** Reads the baseline here, because it is loaded with the file only if the test has regression thresholds. */
function baselineSide(
  config: LoadedConfig,
  declared: DeclaredTest,
  changes: ComparisonSide['changes'],
): ComparisonSide {
  const { state, problem: unusable } = readBaselineState(config, declared);
  if (state === null) throw new ProblemError(unusable);
  if (state.kind !== 'read') {
    const what = state.kind === 'stale' ? 'was recorded with a different load' : 'does not exist';
    const message = `the baseline of "${declared.key}" ${what}`;
    const hint = `to record a baseline: ${testCommand(['baseline', declared.key], config)}`;
    throw new ProblemError(problem('LT_RUN_NOT_COMPARABLE', message, { hint }));
  }
  const { runs } = state.baseline;
  const loadGenerator = runs.at(-1)?.machine ?? null;
  return { kind: 'baseline', samples: runs, loadGenerator, changes, run: null };
}

function notFound(message: string, hint: string): ProblemError {
  return new ProblemError(problem('LT_RUN_NOT_FOUND', message, { hint }));
}

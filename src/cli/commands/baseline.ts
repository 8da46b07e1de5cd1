/** The `baseline` command: records the latest runs of tests as their baselines. */
import type { LoadedConfig } from '../../config/load-config.ts';
import { createBaseline } from '../../contract/baseline-codec.ts';
import { evaluateRun } from '../../core/compare/run-evaluation.ts';
import { counted, withCommas } from '../../core/counted.ts';
import { NO_REGRESSION } from '../../core/model/regression.ts';
import type { DeclaredTest } from '../../core/model/load-test.ts';
import { describedRun } from '../../core/report/threshold-text.ts';
import { toEvaluatedThreshold } from '../../core/report/threshold-document.ts';
import { verdictReason } from '../../core/report/verdict-sentence.ts';
import type { RunResult } from '../../core/run-record/run-result.ts';
import { testAddress } from '../../core/model/ids.ts';
import { printable } from '../../core/printable.ts';
import { problem, type Problem } from '../../core/problem.ts';
import { loadDigest } from '../../core/reconcile/load-digest.ts';
import type { BaselineDocument } from '../../core/report/generated/documents.ts';
import { writeBaseline } from '../files/baselines.ts';
import { loadWithoutBaselines } from '../files/project.ts';
import { sha256 } from '../files/sha256.ts';
import { testCommand, type NamedConfig } from '../terminal/command-line.ts';
import { withProject } from '../session/open-session.ts';
import { selectTests } from '../steps/key-selection.ts';
import { fetchDeliveredRuns, versionsOf } from '../steps/past-runs.ts';
import type { Context } from '../terminal/context.ts';
import type { ServiceFlags } from '../terminal/flags.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';

export interface BaselineFlags extends ServiceFlags {
  readonly runs?: number;
}

const DEFAULT_RUNS = 5;

type BaselineRecord = BaselineDocument['baselines'][number];

/** @param keys - Keys or patterns of tests. */
export async function writeBaselines(
  context: Context,
  keys: readonly string[],
  flags: BaselineFlags,
): Promise<Outcome> {
  const max = flags.runs ?? DEFAULT_RUNS;
  const check = (config: LoadedConfig) => void selectTests(config, keys);
  const request = { flags, writes: false, check, load: loadWithoutBaselines };
  return await withProject(context, request, async ({ config, warnings, session }) => {
    const written: BaselineRecord[] = [];
    const problems: Problem[] = [...warnings];
    for (const { declared, versions } of await versionsOf(config, session, keys)) {
      const same = versions.filter(({ changes }) => changes.length === 0).map(({ id }) => id);
      const runs = await fetchDeliveredRuns(session.connection.service, same, max);
      if (runs.length < max) problems.push(tooFewRunsProblem(declared, { config, found: runs.length, max }));
      if (runs.length === 0) continue;
      problems.push(...failedRunsProblem(config, declared, runs));
      const file = writeBaseline(
        config,
        declared.key,
        createBaseline(loadDigest(declared.spec, sha256), runs),
      );
      written.push({ address: testAddress(declared.key), file, runs: runs.length });
    }
    return createOutcome({
      problems,
      text: written
        .map(({ file, runs }) => `Wrote ${printable(file)}: ${counted(runs, 'run')}. Review and commit it.\n`)
        .join(''),
      body: { command: 'baseline', baselines: written },
    });
  });
}

/** Returns a warning if runs in the baseline failed, because later runs are compared with the baseline. */
export function failedRunsProblem(
  config: NamedConfig,
  declared: DeclaredTest,
  runs: readonly RunResult[],
): readonly Problem[] {
  const { key, thresholds, urlNames, source } = declared;
  const failed = runs.flatMap((run) => {
    const { verdict, reason, ...evaluated } = evaluateRun({ thresholds, regression: NO_REGRESSION }, run);
    if (verdict !== 'fail') return [];
    const each = evaluated.thresholds.map(toEvaluatedThreshold);
    const described = describedRun(run.record, { reason, urlNames });
    return [verdictReason({ ...described, verdict, thresholds: each }) ?? 'no reason was recorded'];
  });
  const [first] = failed;
  if (first === undefined) return [];
  const message =
    runs.length === 1
      ? `the run in the baseline of "${key}" failed: ${first}`
      : `${withCommas(failed.length)} of the ${withCommas(runs.length)} runs in the baseline of "${key}" failed${failed.length === 1 ? '' : '; the newest failure'}: ${first}`;
  const hint = `to omit failed runs, run "${key}" again until its latest N runs pass, then record these runs: ${testCommand(['baseline', key, '--runs', 'N'], config)}`;
  return [problem('LT_CONFIG_BASELINE', message, { severity: 'warning', source, hint })];
}

function tooFewRunsProblem(
  { key, source }: { readonly key: string; readonly source: Problem['source'] },
  { config, found, max }: { readonly config: NamedConfig; readonly found: number; readonly max: number },
): Problem {
  const hint = `before you repeat this command, add runs: ${testCommand(['run', key, '--repeat', String(max - found)], config)}`;
  const message =
    found === 0
      ? `"${key}" has no completed run that delivered its current load, so no baseline was written`
      : `"${key}" has only ${counted(found, 'completed run')} that delivered its current load, so the baseline contains fewer than ${max} runs`;
  const severity = found === 0 ? 'error' : 'warning';
  return problem('LT_CONFIG_BASELINE', message, { severity, source, hint });
}

/** Runs, results and verdicts for people. */
import type { DoneRun } from '../../apply/runs.ts';
import { counted } from '../../core/counted.ts';
import { printable } from '../../core/printable.ts';
import type { Judgement } from '../../core/judge.ts';
import type { RunProgress } from '../../core/load/report.ts';
import type { RunResult } from '../../core/model/run.ts';
import { formatBytes, formatDuration, milliseconds } from '../../core/units.ts';
import { keyOfAddress } from '../../core/model/ids.ts';
import type { Paint } from './paint.ts';

export function verdictText(judgement: Judgement, paint: Paint): string {
  switch (judgement.verdict) {
    case 'pass':
      return paint.green('pass');
    case 'fail':
      return paint.red('FAIL');
    case 'inconclusive':
      return paint.yellow('inconclusive');
    case 'none':
      return paint.dim('no verdict');
  }
}

/** A run with its figures and each threshold beside its value. */
export function renderRun(run: DoneRun, paint: Paint): string {
  const { judgement, result } = run;
  const name = keyOfAddress(run.address);
  const reason = judgement.reason === null ? '' : ` (${printable(judgement.reason)})`;
  const lines = [`  ${paint.bold(name)}  ${verdictText(judgement, paint)}${reason}`];
  if (result?.status === 'ready') lines.push(`      ${figuresText(result)}`);
  for (const { metric, limit, value, verdict } of judgement.thresholds) {
    const mark =
      verdict === 'pass' ? paint.green('✓') : verdict === 'fail' ? paint.red('✗') : paint.yellow('?');
    lines.push(
      `      ${mark} ${metric} ${limit}   ${value === null ? 'not known' : valueText(metric, value)}`,
    );
  }
  return lines.join('\n') + '\n';
}

function valueText(metric: string, value: number): string {
  if (metric.endsWith('_rate')) return `${rounded(value)} %`;
  const times = ['avg_response_time', 'min', 'max'];
  if (times.includes(metric) || metric.startsWith('p')) return `${rounded(value)} ms`;
  return metric === 'data_received' ? formatBytes(value) : `${rounded(value)}`;
}

/** Three digits that say something. */
export function rounded(value: number): number {
  return Number(value.toPrecision(Math.max(3, Math.trunc(Math.abs(value)).toString().length)));
}

/** `12,345 requests, 0 errors, 205.7/s, p50 1.2 ms, p95 3.4 ms, 4.5 MB received` */
export function figuresText(result: RunResult): string {
  const { figures } = result;
  if (result.status !== 'ready') return 'the result is not ready';
  if (figures.requests === 0) return 'no samples';
  const parts: string[] = [];
  if (figures.requests !== undefined) parts.push(counted(figures.requests, 'request'));
  const failed = (figures.error ?? 0) + (figures.timeout_error ?? 0) + (figures.network_error ?? 0);
  const kinds = [
    [figures.error, 'error'],
    [figures.timeout_error, 'time-out'],
    [figures.network_error, 'network error'],
  ] as const;
  const named = kinds.flatMap(([count, name]) =>
    count !== undefined && count > 0 ? [counted(count, name)] : [],
  );
  parts.push(failed === 0 ? '0 failed' : named.join(', '));
  if (figures.requests_per_second !== undefined) parts.push(`${rounded(figures.requests_per_second)}/s`);
  if (figures.p95 === undefined && figures.avg_response_time !== undefined) {
    parts.push(`${rounded(figures.avg_response_time)} ms on average`);
  }
  for (const metric of ['p50', 'p95', 'p99'] as const) {
    const value = figures[metric];
    if (value !== undefined) parts.push(`${metric} ${rounded(value)} ms`);
  }
  if (figures.data_received !== undefined) parts.push(`${formatBytes(figures.data_received)} received`);
  return parts.join(', ');
}

/** One line of live progress. */
export function progressText(running: {
  readonly name: string;
  readonly elapsed: number;
  readonly duration: number;
  readonly progress: RunProgress | null;
}): string {
  const { elapsed, duration, progress } = running;
  const phase = elapsed > duration ? 'ending' : 'running';
  const seconds = formatDuration(milliseconds(Math.max(1000, Math.floor(elapsed / 1000) * 1000)));
  const head = `${running.name.padEnd(14)} ${phase.padEnd(8)} ${seconds} of ${formatDuration(milliseconds(duration))}`;
  if (progress === null) return head;
  const failed = progress.error + progress.timeoutError + progress.networkError;
  const p95 = progress.p95 === null ? '' : `, p95 ${rounded(progress.p95)} ms`;
  return `${head}  ${counted(progress.connections, 'connection')}, ${Math.round(progress.requestsPerSecond)}/s, ${failed} failed${p95}`;
}

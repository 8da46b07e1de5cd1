/**
 * Rows of text about the load generator and its performance, from which a reader can judge whether the
 * metrics are reliable.
 */
import type { Json } from '../canonical.ts';
import { counted, withCommas } from '../counted.ts';
import { metricText } from '../metric-text.ts';
import { formatBytes, formatDuration, milliseconds } from '../units.ts';
import { objectOf } from '../unknown-value.ts';
import { numberOf, textOf, type ResultRecord } from './record.ts';
import { workerRows } from './worker-text.ts';

/**
 * Returns `[['Load generator', '0.1.0, 1 thread'], …]`, without rows for data that the record does not
 * contain.
 */
export function generatorRows(record: ResultRecord): readonly (readonly [label: string, text: string])[] {
  const [generator, machine] = [objectOf(record?.['generator']), objectOf(record?.['machine'])];
  const rows: readonly (readonly [string, string | null])[] = [
    ['Load delivered', deliveryText(objectOf(record?.['delivery']))],
    ['Load generator', generatorText(generator)],
    ['Machine', machineText(machine)],
    ['Thread utilization', busyText(machine)],
    ['Stalls', stallText(machine)],
    ['Start lag', lagText(generator)],
    ['Connections', connectionsText(record)],
    ['Connection setup', connectionSetupText(objectOf(record?.['connect']))],
    ['TLS handshakes', connectionSetupText(objectOf(record?.['tls']))],
    ['Timeout', timeoutText(numberOf(record?.['timeout_ms']))],
    ['Data', dataText(record)],
  ];
  return [
    ...rows.flatMap(([label, text]) => (text === null ? [] : [[label, text] as const])),
    ...workerRows(record),
  ];
}

type Members = Readonly<Record<string, Json>>;

function deliveryText(delivery: Members): string | null {
  const held = numberOf(delivery['held_share']);
  if (held !== null) return `${percent(held)} of the declared connection time`;
  const due = numberOf(delivery['due']);
  if (due === null) return null;
  const [late, never] = [numberOf(delivery['late']) ?? 0, numberOf(delivery['never_started']) ?? 0];
  return `${counted(due, 'client')} due, ${withCommas(late)} late, ${withCommas(never)} never started`;
}

function generatorText(generator: Members): string | null {
  const [version, threads] = [textOf(generator['version']), numberOf(generator['threads'])];
  const parts = [
    ...(version === '' ? [] : [version]),
    ...(threads === null ? [] : [counted(threads, 'thread')]),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}

function machineText(machine: Members): string | null {
  const [cores, quota, node] = [
    numberOf(machine['cores']),
    numberOf(machine['quota']),
    textOf(machine['node']),
  ];
  if (cores === null) return null;
  return [
    counted(cores, 'core'),
    ...(quota === null
      ? []
      : [`CPU quota of ${quota === 1 ? '1 core' : `${Number(quota.toFixed(2))} cores`}`]),
    ...(node === '' ? [] : [`Node.js ${node}`]),
  ].join(', ');
}

function busyText({ thread_loads: loops }: Members): string | null {
  if (!Array.isArray(loops) || loops.length === 0) return null;
  const each = loops.map((loop: Json) => objectOf(loop));
  const [mean, maximum] = (['mean', 'most'] as const).map((name) =>
    Math.max(...each.map((loop) => numberOf(loop[name]) ?? 0)),
  );
  const which = loops.length === 1 ? '' : ` (the busiest of ${loops.length} threads)`;
  return `${percent(mean ?? 0)} on average, ${percent(maximum ?? 0)} in the busiest second${which}`;
}

function stallText(machine: Members): string | null {
  const [longest, seconds] = [numberOf(machine['longest_stall_ms']), numberOf(machine['seconds'])];
  if (longest === null || seconds === null) return null;
  const { stalled_seconds: stalledSeconds } = machine;
  const longestStalls = (Array.isArray(stalledSeconds) ? stalledSeconds : [])
    .map((one: Json) => objectOf(one))
    .findLast((one) => (numberOf(one['seconds']) ?? 0) > 0);
  const tolerance = numberOf(longestStalls?.['tolerance_ms']);
  const often =
    tolerance === null
      ? ''
      : `; longer than ${metricText('p99', tolerance)} in ${withCommas(numberOf(longestStalls?.['seconds']) ?? 0)} of ${counted(seconds, 'second')}`;
  return `up to ${metricText('max', longest)}${often}`;
}

function lagText(generator: Members): string | null {
  const lag = numberOf(generator['lag_p99_ms']);
  return lag === null ? null : `p99 ${metricText('p99', lag)}`;
}

function connectionsText(record: ResultRecord): string | null {
  const [peak, opened] = [
    numberOf(record?.['peak_connections']),
    numberOf(objectOf(record?.['connect'])['count']),
  ];
  if (peak === null) return null;
  return `at most ${withCommas(peak)} concurrent${opened === null ? '' : `, ${withCommas(opened)} opened`}`;
}

function connectionSetupText(times: Members): string | null {
  const parts = (['p50', 'p99', 'max'] as const).flatMap((metric) => {
    const value = numberOf(times[metric]);
    return value === null ? [] : [`${metric} ${metricText(metric, value)}`];
  });
  return parts.length === 0 ? null : parts.join(', ');
}

function timeoutText(timeout: number | null): string | null {
  return timeout === null ? null : formatDuration(milliseconds(timeout));
}

function dataText(record: ResultRecord): string | null {
  const [sent, received] = [numberOf(record?.['data_sent']), numberOf(record?.['data_received'])];
  const parts = [
    ...(sent === null ? [] : [`${formatBytes(sent)} sent`]),
    ...(received === null ? [] : [`${formatBytes(received)} received`]),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}

function percent(share: number): string {
  return `${Number((100 * share).toFixed(1))}%`;
}

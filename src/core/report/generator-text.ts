/** Rows of text about the load generator and its connections. */
import { counted, withCommas } from '../counted.ts';
import type { AddressReport } from '../load/run-report.ts';
import { metricText } from '../model/metric-text.ts';
import type {
  GeneratorRecord,
  MachineRecord,
  PoolRecord,
  RunRecord,
  SetupRecord,
} from '../run-record/run-record.ts';
import { formatBytes, formatDuration, milliseconds } from '../units.ts';
import { workerRows } from './worker-text.ts';

/** Returns rows such as `['Load generator', '0.1.0, 1 thread']`, without rows for missing data. */
export function generatorRows(record: RunRecord): readonly (readonly [label: string, text: string])[] {
  const { generator, machine, delivery, pool, connect, tls, timeout, seed } = record;
  const rows: readonly (readonly [string, string | null])[] = [
    ['Load delivered', delivery && deliveryText(delivery, record)],
    ['Load generator', generator && generatorText(generator)],
    ['Machine', machine && machineText(machine)],
    ['Thread utilization', machine && busyText(machine)],
    ['Stalls', machine && stallText(machine)],
    ['Scheduling lag', generator && lagText(generator)],
    ['Connections', connectionsText(record)],
    ['Waits for connections', pool && waitsText(pool)],
    ...record.addresses.map((use) => ['Address', addressText(use)] as const),
    ['Connection setup', connect && setupText(connect)],
    ['TLS handshakes', tls && setupText(tls)],
    ['Seed', seed === null ? null : String(seed)],
    ['Timeout', timeout === null ? null : formatDuration(milliseconds(timeout))],
    ['Data', dataText(record)],
  ];
  return [
    ...rows.flatMap(([label, text]) => (text === null ? [] : [[label, text] as const])),
    ...workerRows(record),
  ];
}

/** Describes the use of an address: `127.0.0.1:4443: 2 connections, 200 requests, 0 failed, TLSv1.3 http/1.1 (2)`. */
export function addressText({ address, connections, requests, failed, tls }: AddressReport): string {
  const parts = [
    counted(connections, 'connection'),
    counted(requests, 'request'),
    `${withCommas(failed)} failed`,
    ...Object.entries(tls).map(([protocol, count]) => `${protocol} (${withCommas(count)})`),
  ];
  return `${address}: ${parts.join(', ')}`;
}

function deliveryText(delivery: NonNullable<RunRecord['delivery']>, { abortReason }: RunRecord): string {
  // A partial record lacks the load that a lost worker or thread had not reported.
  if (abortReason === 'partial') return 'only part of the declared load';
  if (delivery.model === 'closed')
    return `${percent(delivery.heldShare)} of the declared connection time${abortReason == null ? '' : ' until the early end'}`;
  const { due, late, neverStarted } = delivery;
  // The record contains the number of clients that are due in a complete run.
  const clients = abortReason == null ? `${counted(due, 'client')} due,` : 'until the early end:';
  return `${clients} ${withCommas(late)} late, ${withCommas(neverStarted)} never started`;
}

function generatorText({ version, threads }: GeneratorRecord): string | null {
  const parts = [
    ...(version === null ? [] : [version]),
    ...(threads === null ? [] : [counted(threads, 'thread')]),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}

function machineText({ cores, quota, node }: MachineRecord): string | null {
  if (cores === null) return null;
  return [
    counted(cores, 'core'),
    ...(quota === null
      ? []
      : [`CPU quota of ${quota === 1 ? '1 core' : `${Number(quota.toFixed(2))} cores`}`]),
    ...(node === null ? [] : [`Node.js ${node}`]),
  ].join(', ');
}

function busyText({ threadLoads }: MachineRecord): string | null {
  if (threadLoads.length === 0) return null;
  const mean = Math.max(...threadLoads.map((thread) => thread.mean));
  const max = Math.max(...threadLoads.map((thread) => thread.max));
  const which = threadLoads.length === 1 ? '' : ` (the busiest of ${threadLoads.length} threads)`;
  return `${percent(mean)} on average, ${percent(max)} in the busiest second${which}`;
}

function stallText({ longestStall, seconds, stalledSeconds }: MachineRecord): string | null {
  if (longestStall === null || seconds === null) return null;
  const longest = stalledSeconds.findLast((stalled) => stalled.seconds > 0);
  const often =
    longest === undefined
      ? ''
      : `; longer than ${metricText('p99', longest.tolerance)} in ${withCommas(longest.seconds)} of ${counted(seconds, 'second')}`;
  return `up to ${metricText('max', longestStall)}${often}`;
}

function lagText({ lagP99 }: GeneratorRecord): string | null {
  return lagP99 === null ? null : `p99 ${metricText('p99', lagP99)}`;
}

function connectionsText({ peakConnections, connect }: RunRecord): string | null {
  if (peakConnections === null) return null;
  const opened = connect?.count ?? null;
  return `at most ${withCommas(peakConnections)} concurrent${opened === null ? '' : `, ${withCommas(opened)} opened`}`;
}

function waitsText({ waited, waitP99 }: PoolRecord): string | null {
  if (waited === null || waitP99 === null) return null;
  return `${counted(waited, 'request')}, p99 of all requests ${metricText('p99', waitP99)}`;
}

function setupText({ times }: SetupRecord): string | null {
  const parts = (['p50', 'p99', 'max'] as const).flatMap((metric) => {
    const value = times[metric];
    return value === undefined ? [] : [`${metric} ${metricText(metric, value)}`];
  });
  return parts.length === 0 ? null : parts.join(', ');
}

function dataText({ dataSent, metrics }: RunRecord): string | null {
  const received = metrics.data_received;
  const parts = [
    ...(dataSent === null ? [] : [`${formatBytes(dataSent)} sent`]),
    ...(received === undefined ? [] : [`${formatBytes(received)} received`]),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}

function percent(share: number): string {
  return `${Number((100 * share).toFixed(1))}%`;
}

/** Text about the load generator of a run, and the ledger of its requests. */
import { describe, expect, test } from 'vitest';
import { generatorRows } from '../../../../src/core/report/generator-text.ts';
import { describeLedger } from '../../../../src/core/report/ledger-text.ts';
import { readRunRecord } from '../../../../src/core/run-record/read-record.ts';
import type { LedgerRecord, RunRecord } from '../../../../src/core/run-record/run-record.ts';
import { createResult, STALL_FREE } from '../../../support/past-run.ts';

const GENERATOR = { version: null, threads: null, lagP99: null, overloaded: false };
const MACHINE = { ...STALL_FREE, threadLoads: [], longestStall: null };
const OPEN = {
  model: 'open',
  due: 1200,
  late: 3,
  neverStarted: 0,
  lagP99: 0,
  lagMax: 0,
  worstWindow: null,
} as const;

const rowsOf = (changes: Partial<RunRecord>) => generatorRows(createResult(changes).record);

test('generatorRows returns no rows for a record without data about the load generator', () => {
  expect(rowsOf({})).toEqual([]);
});

test.each<[changes: Partial<RunRecord>, label: string, text: string]>([
  [
    { delivery: { model: 'closed', heldShare: 0.9987 } },
    'Load delivered',
    '99.9% of the declared connection time',
  ],
  [
    { delivery: { model: 'closed', heldShare: 1 }, abortReason: 'stopped' },
    'Load delivered',
    '100% of the declared connection time until the early end',
  ],
  [{ delivery: OPEN }, 'Load delivered', '1,200 clients due, 3 late, 0 never started'],
  [
    { delivery: OPEN, abortReason: 'stopped' },
    'Load delivered',
    'until the early end: 3 late, 0 never started',
  ],
  [{ delivery: OPEN, abortReason: 'partial' }, 'Load delivered', 'only part of the declared load'],
  [{ generator: { ...GENERATOR, version: '1.2.3' } }, 'Load generator', '1.2.3'],
  [{ generator: { ...GENERATOR, version: '1.2.3', threads: 1 } }, 'Load generator', '1.2.3, 1 thread'],
  [{ generator: { ...GENERATOR, lagP99: 1.5 } }, 'Scheduling lag', 'p99 1.5 ms'],
  [{ machine: { ...MACHINE, node: null } }, 'Machine', '2 cores'],
  [
    { machine: { ...MACHINE, cores: 1, quota: 1 } },
    'Machine',
    '1 core, CPU quota of 1 core, Node.js v20.19.0',
  ],
  [{ machine: { ...MACHINE, quota: 1.504 } }, 'Machine', '2 cores, CPU quota of 1.5 cores, Node.js v20.19.0'],
  [
    { machine: { ...MACHINE, cores: null, threadLoads: [{ mean: 0.2, max: 0.9 }] } },
    'Thread utilization',
    '20% on average, 90% in the busiest second',
  ],
  [
    {
      machine: {
        ...MACHINE,
        cores: null,
        threadLoads: [
          { mean: 0.2, max: 0.9 },
          { mean: 0.3, max: 0.4 },
        ],
      },
    },
    'Thread utilization',
    '30% on average, 90% in the busiest second (the busiest of 2 threads)',
  ],
  [{ machine: { ...MACHINE, cores: null, longestStall: 12 } }, 'Stalls', 'up to 12 ms'],
  [
    {
      machine: {
        ...MACHINE,
        cores: null,
        longestStall: 12,
        stalledSeconds: [
          { tolerance: 1, seconds: 5 },
          { tolerance: 10, seconds: 2 },
          { tolerance: 100, seconds: 0 },
        ],
      },
    },
    'Stalls',
    'up to 12 ms; longer than 10 ms in 2 of 8 seconds',
  ],
  [{ peakConnections: 1500 }, 'Connections', 'at most 1,500 concurrent'],
  [
    { pool: { waited: 1200, waitP99: 2.5 } as RunRecord['pool'] },
    'Waits for connections',
    '1,200 requests, p99 of all requests 2.5 ms',
  ],
  [
    { connect: { count: null, times: { p50: 1, max: 3 }, histogram: null } },
    'Connection setup',
    'p50 1 ms, max 3 ms',
  ],
  [{ tls: { count: 9, times: { p99: 12 }, histogram: null } }, 'TLS handshakes', 'p99 12 ms'],
  [
    {
      addresses: [
        { address: '192.0.2.1:443', connections: 2, requests: 1, failed: 0, tls: { 'TLSv1.3 http/1.1': 2 } },
      ],
    },
    'Address',
    '192.0.2.1:443: 2 connections, 1 request, 0 failed, TLSv1.3 http/1.1 (2)',
  ],
  [{ seed: 7 }, 'Seed', '7'],
  [{ timeout: 2500 }, 'Timeout', '2.5s'],
  [{ dataSent: 2048 }, 'Data', '2.0 kB sent'],
  [{ metrics: { data_received: 2048 } }, 'Data', '2.0 kB received'],
  [{ dataSent: 1024, metrics: { data_received: 2048 } }, 'Data', '1.0 kB sent, 2.0 kB received'],
])('generatorRows returns the row $1 with the text $2', (changes, label, text) => {
  expect(rowsOf(changes)).toEqual([[label, text]]);
});

test('generatorRows returns the number of opened connections, and no rows for incomplete data', () => {
  const connect = { count: 2000, times: {}, histogram: null };
  expect(rowsOf({ peakConnections: 1500, connect })).toEqual([
    ['Connections', 'at most 1,500 concurrent, 2,000 opened'],
  ]);
  const pool = { waited: 1, waitP99: 2 } as RunRecord['pool'];
  expect(rowsOf({ pool: pool && { ...pool, waited: null } })).toEqual([]);
  expect(rowsOf({ pool: pool && { ...pool, waitP99: null } })).toEqual([]);
  expect(rowsOf({ machine: { ...MACHINE, cores: null, longestStall: 12, seconds: null } })).toEqual([]);
});

describe('the ledger of a record', () => {
  const none = readRunRecord({ ledger: { planned: 0, started: 0 } }).ledger;
  const description = (changes: Partial<LedgerRecord>, record: Partial<RunRecord> = {}) =>
    describeLedger(createResult({ ledger: none && { ...none, ...changes }, ...record }).record);

  test('a record without a ledger, or with a ledger without totals, has no description', () => {
    expect(describeLedger(createResult({ ledger: null }).record)).toBeNull();
    expect(description({ planned: null })).toBeNull();
    expect(description({ started: null })).toBeNull();
  });

  test('each outcome and each reason in a ledger has a line, and the ledger is balanced only if the counts add up', () => {
    const ledger = {
      ...{ planned: 40, started: 28, success: 10, abandoned: 1 },
      httpError: { 404: 2, 500: 3 },
      unexpected: { 'header etag': 1 },
      timeout: { connect: 1, tls: 2, response: 3, other: 1 },
      network: { ECONNRESET: 2 },
      protocol: { 'status 99': 2 },
      notStarted: { stopped: 5, no_socket: 4, quota: 3 },
    };
    expect(description(ledger)).toEqual({
      planned: 40,
      started: 28,
      outcomes: [
        { count: 10, text: 'succeeded' },
        { count: 3, text: 'received status 500' },
        { count: 2, text: 'received status 404' },
        { count: 1, text: 'received a response that was unexpected: header etag' },
        { count: 3, text: 'timed out waiting for the response' },
        { count: 2, text: 'timed out during the TLS handshake' },
        { count: 1, text: 'timed out while connecting' },
        { count: 1, text: 'timed out other' },
        { count: 2, text: 'failed with ECONNRESET' },
        { count: 2, text: 'received an invalid response: status 99' },
        { count: 1, text: 'were still in flight at the end' },
      ],
      rest: 'not started',
      reasons: [
        { count: 5, text: 'because the run was stopped' },
        { count: 4, text: 'because no socket was available on the load generator' },
        { count: 3, text: 'because of quota' },
      ],
      balanced: true,
    });
    expect(description({ ...ledger, started: 29 })?.balanced).toBe(false);
    expect(description({ ...ledger, planned: 41 })?.balanced).toBe(false);
  });

  test.each<readonly [string, Partial<RunRecord>]>([
    ['the service was interrupted', { knownUntil: 12 }],
    ['a worker or thread was lost', { abortReason: 'partial' }],
  ])('if %s, the state of the requests that were not started is unknown', (cause, record) => {
    const ledger = { planned: 5, started: 3, success: 3, notStarted: { aborted: 2 } };
    expect(description(ledger, record)).toMatchObject({
      rest: `unknown, because ${cause}`,
      reasons: [],
      balanced: false,
    });
  });
});

/** Text about the load of a test. */
import { expect, test } from 'vitest';
import type { TestLoad } from '../../../../src/core/report/generated/documents.ts';
import {
  loadLines,
  loadText,
  phaseRequestsText,
  runOrderText,
  scheduledStartsText,
} from '../../../../src/core/report/load-text.ts';

type Stages = readonly (readonly [seconds: number, to: number])[];

const OPEN: TestLoad = {
  test_type: 'per-second',
  initial: 0,
  total: 2.5,
  clients: 1500,
  requests: 3000,
  stages: null,
  warmup: null,
  connections: 25,
  seconds: 600,
  hosts: ['a.test'],
};
const CLOSED: TestLoad = { ...OPEN, test_type: 'cycling', total: 8, clients: null };

const withStages = (load: TestLoad, stages: Stages): TestLoad => ({
  ...load,
  stages: stages.map(([seconds, to]) => ({ seconds, to })),
});

test.each<[string, TestLoad, string]>([
  [
    'a fractional rate',
    OPEN,
    'per-second, 2.5 clients per second, 1,500 clients and 3,000 requests, up to 25 connections, 10m on a.test',
  ],
  [
    'stages that rise, stay, and change immediately',
    withStages({ ...OPEN, initial: 1 }, [
      [30, 2.5],
      [60, 2.5],
      [0, 1],
      [5, 1],
    ]),
    'per-second 1 → 2.5 in 30s, 2.5 for 1m, 1 immediately, 1 for 5s; 1,500 clients and 3,000 requests in 10m, up to 2.5/s and 25 connections on a.test',
  ],
  [
    'a closed model whose first stage is a step',
    withStages(CLOSED, [
      [0, 8],
      [60, 2],
    ]),
    'cycling 8 → 2 in 1m; up to 25 connections, 10m on a.test',
  ],
  [
    'a fixed number of iterations',
    { ...CLOSED, iterations: 2000, requests: 6000 },
    'cycling 0 → 8 connections, 2,000 iterations, 6,000 requests, at most 10m on a.test',
  ],
  [
    'a fixed number of iterations of flows',
    {
      ...CLOSED,
      iterations: 10,
      requests: 14,
      flows: [
        { name: 'browse', weight: 3, clients: 6, requests: 1 },
        { name: 'buy', weight: 2, clients: 4, requests: 2 },
      ],
    },
    'cycling 0 → 8 connections, at most 10m on a.test; 10 iterations: browse 6, buy 4; 14 requests',
  ],
  [
    'random arrivals',
    { ...OPEN, arrivals: 'random' },
    'per-second, 2.5 clients per second at random times, 1,500 clients and 3,000 requests, up to 25 connections, 10m on a.test',
  ],
  [
    'a pace',
    { ...CLOSED, pace_ms: 1500 },
    'cycling 0 → 8 connections, each starting at most one iteration every 1.5s, 10m on a.test',
  ],
  [
    'shared connections of one host',
    { ...OPEN, total: 51, clients: 15_300, requests: 15_300, connections: 200, pool: 200 },
    'per-second, 51 clients per second, 15,300 clients and 15,300 requests over at most 200 connections, 10m on a.test',
  ],
  [
    'shared connections of stages and several hosts',
    withStages({ ...OPEN, pool: 7, hosts: ['a.test', 'b.test'] }, [[30, 2.5]]),
    'per-second 0 → 2.5 in 30s; 1,500 clients and 3,000 requests in 10m, up to 2.5/s over at most 7 connections per host on a.test, b.test',
  ],
  [
    'a new connection for each request',
    { ...CLOSED, keep_alive: false },
    'cycling 0 → 8 connections, 10m on a.test, each request on a new connection',
  ],
  [
    'more than eight stages',
    withStages(
      CLOSED,
      Array.from({ length: 9 }, (_, index) => [1, index + 1] as const),
    ),
    'cycling 0 → 1 in 1s, 1 → 2 in 1s, 2 → 3 in 1s, 3 → 4 in 1s, 4 → 5 in 1s, 5 → 6 in 1s, …, 8 → 9 in 1s; up to 25 connections, 10m on a.test',
  ],
  [
    'flows of an open model',
    {
      ...OPEN,
      flows: [
        { name: 'browse', weight: 2, clients: 1000, requests: 1 },
        { name: 'buy', weight: 1, clients: 500, requests: 4 },
      ],
    },
    'per-second, 2.5 clients per second, up to 25 connections, 10m on a.test; 1,500 clients: browse 1,000, buy 500; 3,000 requests',
  ],
  [
    'flows of a closed model',
    {
      ...CLOSED,
      flows: [
        { name: 'browse', weight: 2, clients: null, requests: 1 },
        { name: 'buy', weight: 1, clients: null, requests: 4 },
      ],
    },
    'cycling 0 → 8 connections, 10m on a.test; iterations: browse 66.7%, buy 33.3%',
  ],
  [
    'exactly eight stages',
    withStages(
      CLOSED,
      Array.from({ length: 8 }, (_, index) => [1, index + 1] as const),
    ),
    'cycling 0 → 1 in 1s, 1 → 2 in 1s, 2 → 3 in 1s, 3 → 4 in 1s, 4 → 5 in 1s, 5 → 6 in 1s, 6 → 7 in 1s, 7 → 8 in 1s; up to 25 connections, 10m on a.test',
  ],
  [
    'stages of a fixed number of iterations with a pace',
    withStages({ ...CLOSED, iterations: 10, requests: 20, pace_ms: 500 }, [[60, 8]]),
    'cycling 0 → 8 in 1m; up to 25 connections, 10 iterations, 20 requests, each starting at most one iteration every 500ms, at most 10m on a.test',
  ],
  [
    'stages with random arrivals and connections per client',
    withStages({ ...OPEN, arrivals: 'random', connections_per_client: 2 }, [[30, 2.5]]),
    'per-second 0 → 2.5 in 30s at random times; 1,500 clients and 3,000 requests in 10m, up to 2.5/s and 25 connections on a.test; each client with up to 2 connections',
  ],
  [
    'connections per client of a closed model',
    { ...CLOSED, connections_per_client: 6 },
    'cycling 0 → 8 clients, up to 25 connections, 10m on a.test; each client with up to 6 connections',
  ],
  [
    'a fixed number of clients',
    { ...OPEN, test_type: 'non-cycling', arrivals: 'random' },
    'non-cycling, 1,500 clients and 3,000 requests in total at random times, up to 25 connections, 10m on a.test',
  ],
  [
    'clients without a number of requests',
    (({ requests: _, ...load }) => load)(OPEN),
    'per-second, 2.5 clients per second, 1,500 clients, up to 25 connections, 10m on a.test',
  ],
  [
    'iterations of different lengths in an open model',
    { ...OPEN, requests_per_iteration: 1200, min_requests_per_iteration: 3 },
    'per-second, 2.5 clients per second, 1,500 clients and up to 3,000 requests (3 to 1,200 per iteration), up to 25 connections, 10m on a.test',
  ],
  [
    'iterations of different lengths of flows in an open model',
    {
      ...OPEN,
      requests_per_iteration: 5,
      min_requests_per_iteration: 3,
      flows: [{ name: 'browse', weight: 1, clients: 1500, requests: 5 }],
    },
    'per-second, 2.5 clients per second, up to 25 connections, 10m on a.test; 1,500 clients: browse 1,500; up to 3,000 requests (3 to 5 per iteration)',
  ],
  [
    'iterations of different lengths of flows in a closed model',
    {
      ...CLOSED,
      iterations: 10,
      requests: 50,
      requests_per_iteration: 5,
      min_requests_per_iteration: 3,
      flows: [{ name: 'browse', weight: 1, clients: 10, requests: 5 }],
    },
    'cycling 0 → 8 connections, 3 to 5 requests per iteration, at most 10m on a.test; 10 iterations: browse 10; up to 50 requests',
  ],
  [
    'a fixed number of requests per iteration',
    { ...CLOSED, requests_per_iteration: 200 },
    'cycling 0 → 8 connections, 200 requests per iteration, 10m on a.test',
  ],
  [
    'a fixed number of iterations without a number of requests',
    (({ requests: _, ...load }) => ({ ...load, iterations: 10 }))(CLOSED),
    'cycling 0 → 8 connections, 10 iterations, at most 10m on a.test',
  ],
  [
    'a fixed number of iterations of different lengths',
    {
      ...CLOSED,
      iterations: 10,
      requests: 50,
      requests_per_iteration: 5000,
      min_requests_per_iteration: 1000,
    },
    'cycling 0 → 8 connections, 10 iterations, up to 50 requests, 1,000 to 5,000 requests per iteration, at most 10m on a.test',
  ],
  [
    'a warm-up and the time for the last iterations',
    { ...CLOSED, warmup: 30, drain_seconds: 90 },
    'cycling 0 → 8 connections, 10m (30s warm-up) plus up to 1m30s for the last iterations on a.test',
  ],
  [
    'that a run ends when its rows are used',
    { ...CLOSED, row_limit: 500 },
    'cycling 0 → 8 connections, at most 10m on a.test, ends when 500 rows are used',
  ],
  [
    'that a run ends when its only row is used',
    { ...CLOSED, row_limit: 1 },
    'cycling 0 → 8 connections, at most 10m on a.test, ends when 1 row is used',
  ],
  [
    'the requests before and after the load and their time limit',
    { ...CLOSED, setup_requests: 50, on_start_requests: 10, teardown_requests: 1, phase_seconds: 90 },
    'cycling 0 → 8 connections, 10m on a.test, + 50 setup requests, 10 on_start requests, 1 teardown request in up to 1m30s',
  ],
  [
    'the thresholds that end a run',
    {
      ...CLOSED,
      abort_rules: [
        { metric: 'p95', limit: '< 3s', after_seconds: 30 },
        { metric: 'error_rate', flow: 'buy', limit: '< 5%', after_seconds: 0 },
      ],
    },
    'cycling 0 → 8 connections, 10m on a.test; ends early if a threshold fails: p95 < 3s after 30s, error_rate of the flow "buy" < 5%',
  ],
])('the text of a load states %s', (_name, load, text) => {
  expect(loadText(load)).toBe(text);
});

test('a load without flows and thresholds that end the run has one line', () => {
  expect(loadLines(CLOSED)).toEqual(['cycling 0 → 8 connections, 10m on a.test']);
  expect(loadLines({ ...CLOSED, abort_rules: [] })).toHaveLength(1);
});

test('the number of requests before or after the load is a maximum if conditions can skip requests', () => {
  expect(phaseRequestsText({ teardown_requests: 2, phase_requests_vary: true })).toBe(
    ', + up to 2 teardown requests',
  );
  expect([phaseRequestsText({}), phaseRequestsText({ phase_requests_vary: true })]).toEqual(['', '']);
});

test('only scheduled tests that a plan creates or replaces start at the scheduled time', () => {
  const at = '2026-12-24 03:00:00';
  const created = { verb: 'create', scheduled_at: at } as const;
  const replaced = { verb: 'replace', scheduled_at: at } as const;
  const others = [
    { verb: 'no-op', scheduled_at: at },
    { verb: 'create', scheduled_at: null },
    { verb: 'replace', scheduled_at: null },
  ] as const;
  expect([others, [...others, replaced], [...others, replaced, created]].map(scheduledStartsText)).toEqual([
    '',
    '; 1 test starts at the scheduled time',
    '; 2 tests start at the scheduled time',
  ]);
});

test.each([
  [0, 3, ' one after another'],
  [1, 3, ' one after another'],
  [2, 3, ', up to 2 in parallel'],
  [3, 3, ' in parallel'],
  [1200, 1300, ', up to 1,200 in parallel'],
])('the order of a plan with %d concurrent tests of %d is written as "%s"', (concurrent, starts, text) => {
  expect(runOrderText({ concurrent_tests: concurrent, starts })).toBe(text);
});

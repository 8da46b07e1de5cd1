/** Text about the load of a test. */
import { expect, test } from 'vitest';
import type { TestLoad } from '../../../../src/core/report/generated/documents.ts';
import { loadText } from '../../../../src/core/report/load-text.ts';

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
])('the text of a load states %s', (_name, load, text) => {
  expect(loadText(load)).toBe(text);
});

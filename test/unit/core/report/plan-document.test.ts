/** The load of tests, and the actions of plans, in report documents. */
import { describe, expect, test } from 'vitest';
import { delayOf } from '../../../../src/core/model/delay.ts';
import { appId, testId } from '../../../../src/core/model/ids.ts';
import type { Phase } from '../../../../src/core/model/phase.ts';
import type { TargetSpec } from '../../../../src/core/model/load-test.ts';
import type { Action } from '../../../../src/core/reconcile/action.ts';
import type { PlannedLoad } from '../../../../src/core/reconcile/planned-load.ts';
import { simulateApply } from '../../../../src/core/reconcile/simulated-apply.ts';
import {
  instantText,
  planDigestOf,
  reviewMembers,
  testLoad,
  toCompletedAction,
  toPlannedAction,
  toUnattemptedAction,
} from '../../../../src/core/report/plan-document.ts';
import type { TestLoad } from '../../../../src/core/report/generated/documents.ts';
import { sha256 } from '../../../../src/cli/files/sha256.ts';
import { milliseconds } from '../../../../src/core/units.ts';
import { declaredTest, declareState, type TestFields } from '../../../support/declared-state.ts';

const ms = milliseconds;
const { apps } = declareState().app('shop').state;
const declaredOf = (fields: TestFields) => declaredTest('home', fields, apps);

const phase = (...urls: NonNullable<TestFields['urls']>): Phase<TargetSpec> => ({
  targets: declaredOf({ urls }).spec.targets,
});

const rows = (path: string, count: number, order?: 'once') => ({
  sha256: path,
  declared: { path, rows: count, columns: 2, variables: ['a', 'b'] },
  ...(order === undefined ? {} : { options: { order } }),
});

const file = (path: string) => ({ sha256: path, declared: { path, bytes: 5 } });

/** The load of a cycling test with 60 connections for a minute. */
const CYCLING: TestLoad = {
  test_type: 'cycling',
  initial: 0,
  total: 60,
  clients: null,
  stages: null,
  warmup: null,
  connections: 60,
  seconds: 60,
  hosts: ['shop.example'],
};

/** The load of a per-second test with 2 clients per second for a minute, and a timeout of 10 s. */
const OPEN: TestLoad = {
  ...CYCLING,
  ...{ test_type: 'per-second', initial: 2, total: 2, clients: 120, requests: 120, connections: 20 },
};

const PER_SECOND: TestFields = { type: 'per-second', initial: 2, total: 2 };

describe('the load of a test', () => {
  test.each<readonly [string, TestFields, TestLoad]>([
    ['only the required fields', {}, CYCLING],
    [
      'all simple fields',
      { initial: 5, total: 9, duration: '90s', warmup: '30s', keepAlive: false, pace: ms(1500) },
      {
        ...CYCLING,
        ...{
          initial: 5,
          total: 9,
          connections: 9,
          seconds: 90,
          warmup: 30,
          pace_ms: 1500,
          keep_alive: false,
        },
      },
    ],
    [
      'stages',
      {
        initial: 1,
        stages: [
          { duration: ms(0), to: 8 },
          { duration: ms(1500), to: 2 },
          { duration: ms(28_500), to: 4 },
        ],
      },
      {
        ...CYCLING,
        ...{ initial: 1, total: 8, connections: 8, seconds: 30 },
        stages: [
          { seconds: 0, to: 8 },
          { seconds: 1.5, to: 2 },
          { seconds: 28.5, to: 4 },
        ],
      },
    ],
    [
      'a number of iterations',
      { iterations: 90, urls: ['/', '/a'] },
      { ...CYCLING, iterations: 90, requests: 180, drain_seconds: 10 },
    ],
    [
      'rows that are used once',
      { urls: [{ url: '/', payloadFile: rows('a.csv', 40, 'once') }] },
      {
        ...CYCLING,
        ...{ iterations: 40, row_limit: 40, requests: 40 },
        payload_files: [{ path: 'a.csv', sha256: 'a.csv', rows: 40, columns: 2 }],
      },
    ],
    ['a number of clients per second', PER_SECOND, OPEN],
    [
      'clients with random start times that share connections',
      { ...PER_SECOND, arrivals: 'random', connections: 7 },
      { ...OPEN, arrivals: 'random', connections: 7, pool: 7, drain_seconds: 10 },
    ],
    [
      'more rows than clients',
      { ...PER_SECOND, urls: [{ url: '/', payloadFile: rows('a.csv', 121, 'once') }] },
      { ...OPEN, payload_files: [{ path: 'a.csv', sha256: 'a.csv', rows: 121, columns: 2 }] },
    ],
    [
      'flows and delays',
      {
        ...PER_SECOND,
        connections: 7,
        flows: [
          { name: 'browse', weight: 2, urls: 2 },
          { name: 'buy', weight: 1, urls: 1 },
        ],
        urls: [{ url: '/', delay: delayOf(ms(1000), ms(3000)) }, '/a', '/b'],
      },
      {
        ...OPEN,
        ...{ requests: 200, connections: 7, pool: 7, drain_seconds: 13 },
        flows: [
          { name: 'browse', weight: 2, clients: 80, requests: 2 },
          { name: 'buy', weight: 1, clients: 40, requests: 1 },
        ],
      },
    ],
    [
      'groups that repeat requests under a condition',
      {
        urls: ['/', '/a', '/b'],
        groups: [
          { first: 0, count: 2, repeat: 3 },
          { first: 2, count: 1, when: [{ name: 'x', value: '1' }] },
        ],
      },
      { ...CYCLING, requests_per_iteration: 7, min_requests_per_iteration: 6, drain_seconds: 10 },
    ],
    [
      'parallel requests',
      { urls: ['/', '/a', '/b'], groups: [{ first: 0, count: 3, parallel: true }] },
      {
        ...CYCLING,
        connections: 180,
        requests_per_iteration: 3,
        connections_per_client: 3,
        drain_seconds: 10,
      },
    ],
    [
      'a setup, requests of new connections, and a teardown',
      {
        onStart: 1,
        urls: ['/', '/a'],
        setup: phase('/login', { url: '/rows', method: 'POST', bodyFile: file('b.json') }),
        teardown: phase('http://other.example/logout'),
      },
      {
        ...CYCLING,
        ...{ setup_requests: 2, on_start_requests: 60, teardown_requests: 1, phase_seconds: 30 },
        hosts: ['shop.example', 'other.example'],
        body_files: [{ path: 'b.json', sha256: 'b.json', bytes: 5 }],
      },
    ],
    [
      'files, of which one is used by two requests',
      {
        urls: [
          { url: '/', payloadFile: rows('a.csv', 3) },
          { url: '/', payloadFile: rows('a.csv', 3) },
          { url: '/', payloadFile: { sha256: 'x', declared: null } },
          {
            url: '/',
            method: 'POST',
            multipart: [{ name: 'a', file: file('c.png'), contentType: null, filename: null }],
          },
          { url: '/', method: 'POST', bodyFile: { sha256: 'x', declared: null } },
        ],
      },
      {
        ...CYCLING,
        drain_seconds: 10,
        payload_files: [{ path: 'a.csv', sha256: 'a.csv', rows: 3, columns: 2 }],
        body_files: [{ path: 'c.png', sha256: 'c.png', bytes: 5 }],
      },
    ],
    [
      'thresholds that end a run',
      {
        abortRules: [
          { metric: 'p95', limit: '< 3s', after: ms(30_000) },
          { metric: 'p99', limit: '< 4s', after: ms(5000), minSamples: 7, url: 0 },
          { metric: 'p99', limit: 'invalid', after: ms(5000) },
        ],
      },
      {
        ...CYCLING,
        abort_rules: [
          { metric: 'p95', limit: '< 3s', after_seconds: 30 },
          { metric: 'p99', url: 'GET /', limit: '< 4s', after_seconds: 5 },
        ],
      },
    ],
  ])('testLoad returns the expected load of a test with %s', (_, fields, load) => {
    expect(testLoad(declaredOf(fields))).toEqual(load);
  });
});

describe('actions', () => {
  const test1 = declaredOf({ total: 5, scheduledAt: '2026-12-24 03:00:00' });
  const state = { ...declareState().app('shop').state, tests: [test1] };
  const [observed] = simulateApply(state, sha256, 0).tests;
  if (observed === undefined) throw new Error('no test');
  const [app] = apps;
  if (app === undefined) throw new Error('no app');
  const address = 'test.home';
  const changes = [{ field: '/total', from: 4, to: 5, readable: true }];
  const load = { ...CYCLING, total: 5, connections: 5 };
  const actionOf = (action: object) => action as Action; // the members that are read

  const PLANNED = {
    ...{ address, id: null, test_id: null, starts_load: false, changes: [], note: null, host: null },
    ...{ verification: null, load: null, scheduled_at: null, state: null, verdict: null, not_compared: [] },
    source: {},
  };

  test.each<readonly [string, object, object]>([
    [
      'create',
      { verb: 'create', test: test1, previous: null, changes, note: 'new' },
      { load, changes, note: 'new', scheduled_at: '2026-12-24T03:00:00.000Z' },
    ],
    [
      'replace',
      { verb: 'replace', test: test1, previous: observed, replaces: testId('t1'), changes, note: null },
      { load, load_before: load, changes, id: 't1', test_id: 't1', scheduled_at: '2026-12-24T03:00:00.000Z' },
    ],
    [
      'run',
      { verb: 'run', test: test1, observed, note: null, uncomparedSecrets: ['/a'] },
      { load, id: 'home', test_id: 'home', starts_load: true, not_compared: ['/a'] },
    ],
    [
      'no-op',
      { verb: 'no-op', observed, note: null, state: 'ended', verdict: { verdict: 'fail' } },
      { id: 'home', test_id: 'home', state: 'ended', verdict: 'fail' },
    ],
    ['blocked', { verb: 'blocked', test: test1, reason: 'a reason' }, { note: 'a reason' }],
    [
      'verify',
      {
        ...{ verb: 'verify', address: 'app.shop', appId: appId('a1'), note: null },
        app: { ...app, publish: { kind: 'directory', directory: 'public' } },
      },
      {
        ...{ address: 'app.shop', id: 'a1', host: 'shop.example' },
        verification: { method: 'http', publish: 'directory', directory: 'public', command: null },
      },
    ],
    [
      'register',
      {
        verb: 'register',
        address: 'app.shop',
        note: null,
        app: { ...app, publish: { kind: 'command', command: './x' } },
      },
      { address: 'app.shop', host: 'shop.example' },
    ],
  ])(
    'toPlannedAction and toUnattemptedAction return the expected members for the action "%s"',
    (verb, action, expected) => {
      const planned = toPlannedAction(actionOf({ address, ...action }));
      expect({ ...planned, starts_load: undefined }).toEqual({
        ...PLANNED,
        verb,
        ...expected,
        starts_load: undefined,
      });
      expect(toUnattemptedAction(planned)).toEqual({ ...planned, result_id: null, outcome: 'not_attempted' });
    },
  );

  test('a completed action on a test has the ID of the created test, and an action on an app has the ID of the app and no test ID', () => {
    const create = actionOf({
      address,
      verb: 'create',
      test: test1,
      previous: null,
      changes: [],
      note: null,
    });
    const end = { outcome: 'done' as const, id: testId('t9'), resultId: 'r1' };
    expect(toCompletedAction({ action: create, ...end })).toMatchObject({
      ...{ id: 't9', test_id: 't9', result_id: 'r1', outcome: 'done' },
    });
    const verify = actionOf({ address: 'app.shop', verb: 'verify', appId: appId('a1'), app, note: null });
    expect(toCompletedAction({ action: verify, ...end, id: null })).toMatchObject({
      id: 'a1',
      test_id: null,
    });
  });

  test('the digest of a plan depends on its actions, but not on notes and locations', () => {
    const planned = toPlannedAction(
      actionOf({ address, verb: 'create', test: test1, previous: null, changes, note: null }),
    );
    const digest = planDigestOf([planned], sha256);
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(planDigestOf([{ ...planned, note: 'a', source: { file: 'b' } }], sha256)).toBe(digest);
    const [change] = planned.changes;
    for (const other of [
      [],
      [planned, planned],
      [{ ...planned, verb: 'run' as const }],
      [{ ...planned, address: 'test.other' }],
      [{ ...planned, id: 'x' }],
      [{ ...planned, starts_load: !planned.starts_load }],
      [{ ...planned, changes: [] }],
      ...[{ field: '/a' }, { from: 1 }, { to: 1 }, { readable: false }].map((one) => [
        { ...planned, changes: change === undefined ? [] : [{ ...change, ...one }] },
      ]),
    ])
      expect(planDigestOf(other, sha256)).not.toBe(digest);
  });

  test('instantText formats an instant according to RFC 3339, and returns null for null', () => {
    expect([instantText(0), instantText(null)]).toEqual(['1970-01-01T00:00:00.000Z', null]);
  });
});

describe('the review of changes in a report', () => {
  const LOAD: PlannedLoad = {
    starts: 2,
    peakConnections: new Map([['shop.example', 7]]),
    machines: [{ hosts: ['shop.example'], peakConnections: 7 }],
    requests: null,
    phaseRequests: { setup: 0, onStart: 0, teardown: 0, vary: false },
    seconds: 60,
    concurrentTests: 1,
  };
  const REPORTED = { starts: 2, peak_connections: { 'shop.example': 7 }, seconds: 60, concurrent_tests: 1 };
  const REVISION = { revision: 'main', commit: 'c0ffee', oldFile: 'read', note: null } as const;

  test('changes and dangers have their location and their environments', () => {
    const source = { file: 'loadtests.yaml', line: 7, column: 3 };
    const change = {
      address: 'test.home',
      url: 'cart',
      field: 'total',
      kind: 'changed',
      before: 1,
      after: 2,
    } as const;
    const danger = { kind: 'longer', message: 'm', address: 'test.home' } as const;
    const parts = { source: null, environments: null };
    const rowCounts = { added: 1, removed: 2 };
    const review = {
      changes: [
        { ...change, ...parts, rows: null, secrets: null },
        {
          ...change,
          source,
          rows: rowCounts,
          secrets: null,
          environments: ['a', null],
          rotated: true as const,
        },
      ],
      danger: [
        { ...danger, ...parts },
        { ...danger, source, environments: ['a'] },
      ],
    };
    const [nowhere, place] = [
      { file: null, line: null },
      { file: 'loadtests.yaml', line: 7 },
    ];
    expect(reviewMembers(review, null)).toStrictEqual({
      changes: [
        { ...change, ...nowhere },
        { ...change, rows: rowCounts, rotated: true, environments: ['a', null], ...place },
      ],
      danger: [
        { ...danger, ...nowhere },
        { ...danger, environments: ['a'], ...place },
      ],
    });
  });

  test('a comparison with an earlier version of the file contains the loads of both versions', () => {
    const after: PlannedLoad = {
      ...LOAD,
      machines: [...LOAD.machines, { hosts: ['a.example', 'b.example'], peakConnections: 9 }],
      requests: 50,
      requestsVary: true,
      phaseRequests: { setup: 1, onStart: 2, teardown: 3, vary: true },
      secondsVary: true,
      rounds: 4,
    };
    const loadsOf = (before: PlannedLoad) =>
      reviewMembers({ changes: [], danger: [] }, { ...REVISION, before, after });
    expect(loadsOf(LOAD)).toStrictEqual({
      changes: [],
      danger: [],
      against: {
        ...{ revision: 'main', commit: 'c0ffee', old_file: 'read', note: null },
        load: {
          before: REPORTED,
          after: {
            ...REPORTED,
            shared_machines: [{ hosts: ['a.example', 'b.example'], connections: 9 }],
            ...{ requests: 50, requests_vary: true },
            ...{ setup_requests: 1, on_start_requests: 2, teardown_requests: 3, phase_requests_vary: true },
            ...{ seconds_vary: true, rounds: 4 },
          },
        },
      },
    });
    const [exact, unknown] = [
      { ...LOAD, requests: 50 },
      { ...LOAD, requestsVary: true as const },
    ].map((before) => loadsOf(before).against?.load.before);
    expect([exact, unknown]).toStrictEqual([{ ...REPORTED, requests: 50 }, REPORTED]);
  });
});

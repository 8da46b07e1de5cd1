import { describe, expect, test } from 'vitest';
import { problem } from '../../../src/core/problem.ts';
import type { DoneAction, Run } from '../../../src/core/report/generated/documents.ts';
import { reportOf, type BodyOf } from '../../../src/core/report/report.ts';
import { markdown } from '../../../src/report/markdown.ts';
import { reportMisfit } from '../../rig/schemas.ts';

const action: DoneAction = {
  verb: 'create',
  address: 'test.home',
  id: 'a1',
  test_id: 'a1',
  starts_load: true,
  changes: [],
  note: null,
  host: null,
  verification: null,
  load: {
    test_type: 'cycling',
    initial: 0,
    total: 5,
    clients: null,
    stages: null,
    connections: 5,
    seconds: 10,
    hosts: ['shop.example'],
  },
  scheduled_at: null,
  state: null,
  verdict: null,
  not_compared: [],
  source: {},
  result_id: 'r1',
  outcome: 'done',
};

const run: Run = {
  address: 'test.home',
  test_id: 'a1',
  result_id: 'r1',
  started_at: '2026-03-02T09:00:00.000Z',
  status: 'complete',
  state: 'ended',
  started_by_us: true,
  verdict: 'fail',
  reason: null,
  thresholds: [{ metric: 'p95', limit: '< 300ms', value: 412.4, verdict: 'fail' }],
  figures: { requests: 300, p95: 412.4 },
  result: {},
};

const applied: BodyOf<'apply'> = {
  command: 'apply',
  has_changes: true,
  project: 'shop',
  environment: 'staging',
  service: 'embedded',
  summary: {
    ...{ register: 0, verify: 0, create: 1, replace: 0, run: 0, stop: 0, blocked: 0, deferred: 0 },
    ...{ unchanged: 0, superseded: 0, orphaned: 0, unmanaged: 0, drift: 0 },
  },
  actions: [action],
  drift: [],
  load: { starts: 1, peak_connections: { 'shop.example': 5 }, seconds: 10, one_after_another: true },
  basis: `sha256:${'0'.repeat(64)}`,
  runs: [run],
  pins: [],
};

function markdownOf(body: BodyOf<'apply'>, message = 'p95 is too high'): string {
  const report = reportOf('apply', { exitCode: 10, problems: [problem('LT_RUN_THRESHOLD', message)], body });
  expect(reportMisfit(report)).toBeNull();
  return markdown(report);
}

describe('the Markdown of a report', () => {
  test('has the verdict, the actions, the load, the thresholds and the problems', () => {
    expect(markdownOf(applied)).toBe(`### loadtests apply · shop · staging · embedded

Exit code 10: a threshold failed.

| action | what | starts load | outcome |
| --- | --- | --- | --- |
| create | <code>test.home</code> | yes | done |

Load: 1 started, 10 s in total, at most 5 on <code>shop.example</code> connections.

| run | verdict | requests | thresholds |
| --- | --- | --- | --- |
| <code>test.home</code> | **fail** | 300 | ✗ <code>p95 &#60; 300ms</code> 412 ms |

- error <code>LT&#95;RUN&#95;THRESHOLD</code>: p95 is too high
`);
  });

  test('says so where nothing changes', () => {
    expect(markdownOf({ ...applied, actions: [], runs: [] })).toContain('No changes.');
  });

  test.each(['<img src=x>', '[a](b)', '@all', '`x`', 'a | b', '::error::x'])(
    'shows %s as text',
    (message) => {
      expect(markdownOf(applied, message)).not.toContain(message);
    },
  );

  test('leaves out rows beyond 200, and counts them', () => {
    expect(markdownOf({ ...applied, actions: Array<DoneAction>(203).fill(action) })).toContain(
      '… and 3 more.',
    );
  });
});

/** The messages of applies: the events and problems of whole applies, with exit codes. */
import { expect, test } from 'vitest';
import { testId } from '../../../src/core/model/ids.ts';
import { milliseconds } from '../../../src/core/units.ts';
import { declareState, type DeclaredStateBuilder } from '../../support/declared-state.ts';
import { createMemoryService, faultOnCall, type MemoryOptions } from '../../support/memory-service.ts';
import {
  createMachine,
  type MachineApplyOptions,
  type SimulatedMachine,
} from '../../support/simulated-machine.ts';
import { createVirtualClock, START_TIME } from '../../support/virtual-clock.ts';

function stage(options: Partial<MemoryOptions> = {}) {
  const clock = createVirtualClock();
  let tests = 0;
  const service = createMemoryService({
    clock,
    verified: ['shop.example'],
    nextTestId: () => `test${++tests}`,
    ...options,
  });
  return { clock, service, laptop: createMachine(service, { clock }) };
}

type Stage = ReturnType<typeof stage>;

const shop = declareState().app('shop').test('home', { duration: '1m' });
const evaluated = declareState()
  .app('shop')
  .test('home', { thresholds: { error_rate: '< 1%' } });

/** The messages of one apply. Progress is omitted. */
async function messagesOf(
  machine: SimulatedMachine,
  declared: DeclaredStateBuilder,
  options: MachineApplyOptions = {},
): Promise<readonly string[]> {
  const { exit, settled, plan, execution, events } = await machine.apply(declared, options);
  return [
    ...events.flatMap((event) => {
      switch (event.kind) {
        case 'end':
          return [`${event.verb} ${event.address} ${event.outcome}: ${event.text}`];
        case 'ended':
          return [`ended ${event.address} ${event.judgement.verdict}: ${event.judgement.reason ?? ''}`];
        case 'running':
          return [];
        case 'publish':
        case 'left':
        case 'note':
        case 'detail':
          return [`${event.kind}: ${event.text}`];
      }
    }),
    ...[...settled, ...plan.problems, ...(execution?.problems ?? [])].map(
      ({ code, severity, message, hint }) =>
        `${severity} ${code} ${message}${hint === null ? '' : ` (${hint})`}`,
    ),
    `exit ${exit}`,
  ];
}

const DETACHED: MachineApplyOptions = { execute: { wait: false } };
const lost = (operation: 'createTest' | 'runTest' | 'stopTest') => ({
  faults: faultOnCall(operation, 1, { kind: 'lost' }),
});

const SCENARIOS: readonly (readonly [
  name: string,
  options: Partial<MemoryOptions>,
  play: (at: Stage) => Promise<readonly string[]>,
  messages: readonly string[],
])[] = [
  [
    'creates a test and waits for its run',
    {},
    (at) => messagesOf(at.laptop, shop),
    ['create test.home done: created test1', 'ended test.home none: ', 'exit 0'],
  ],
  [
    'creates a test whose run meets the thresholds',
    {},
    (at) => messagesOf(at.laptop, evaluated),
    ['create test.home done: created test1', 'ended test.home pass: ', 'exit 0'],
  ],
  [
    'creates a test whose run violates the thresholds',
    { metrics: { success: 290, error: 10, timeout_error: 0, network_error: 0, avg_response_time: 12 } },
    (at) => messagesOf(at.laptop, evaluated),
    [
      'create test.home done: created test1',
      'ended test.home fail: ',
      'error LT_RUN_THRESHOLD "home": error_rate is 3.333%, which does not meet < 1%',
      'exit 10',
    ],
  ],
  [
    'creates a test and does not wait',
    {},
    (at) => messagesOf(at.laptop, shop, DETACHED),
    ['create test.home done: created test1', 'exit 0'],
  ],
  [
    'registers and verifies an app',
    { verified: [], verifyFails: 1 },
    (at) => messagesOf(at.laptop, shop),
    [
      'register app.shop done: shop.example',
      'publish: publish a text file that contains only memory-a08ff49b6f77 at http://shop.example/memory-a08ff49b6f77.txt (app.shop)',
      'note: shop.example is not verified yet: the token is not there',
      'verify app.shop done: shop.example is verified',
      'create test.home done: created test1',
      'ended test.home none: ',
      'exit 0',
    ],
  ],
  [
    'changes nothing',
    {},
    async (at) => {
      await at.laptop.apply(shop);
      return messagesOf(at.laptop, shop);
    },
    ['exit 0'],
  ],
  [
    'finds a running test',
    {},
    async (at) => {
      await at.laptop.apply(evaluated, DETACHED);
      return messagesOf(at.laptop, evaluated);
    },
    ['ended test.home pass: ', 'exit 0'],
  ],
  [
    'starts a test whose result is old',
    {},
    async (at) => {
      await at.laptop.apply(evaluated);
      await at.clock.sleep(3_600_000);
      return messagesOf(at.laptop, evaluated, { plan: { maxAge: milliseconds(1000) } });
    },
    ['run test.home done: started test1', 'ended test.home pass: ', 'exit 0'],
  ],
  [
    'sends a start request that is lost',
    {},
    async (at) => {
      await at.laptop.apply(evaluated);
      await at.clock.sleep(3_600_000);
      at.service.configure(lost('runTest'));
      return messagesOf(at.laptop, evaluated, { plan: { maxAge: milliseconds(1000) } });
    },
    [
      'run test.home unknown: the outcome of starting test.home is unknown: the service returned no response',
      'error LT_API_UNKNOWN the outcome of starting test.home is unknown: the service returned no response (run apply again; it searches for the run before it sends a request)',
      'exit 8',
    ],
  ],
  [
    'sends a start request that the service refuses',
    {},
    async (at) => {
      await at.laptop.apply(evaluated);
      await at.clock.sleep(3_600_000);
      at.service.configure({ faults: faultOnCall('runTest', 1, { kind: 'refused', status: 422 }) });
      return messagesOf(at.laptop, evaluated, { plan: { maxAge: milliseconds(1000) } });
    },
    [
      'run test.home failed: the service returned status 422',
      'error LT_API_REFUSED test.home: the service returned status 422',
      'exit 7',
    ],
  ],
  [
    'replaces a changed test',
    {},
    async (at) => {
      await at.laptop.apply(shop);
      return messagesOf(at.laptop, shop.test('home', { duration: '2m' }));
    },
    ['replace test.home done: created test2', 'ended test.home none: ', 'exit 0'],
  ],
  [
    'replaces a scheduled test',
    {},
    async (at) => {
      await at.laptop.apply(shop.test('home', { scheduledAt: START_TIME + 86_400_000 }));
      return messagesOf(at.laptop, shop.test('home', { total: 5, scheduledAt: START_TIME + 86_400_000 }));
    },
    ['stop test.home done: stopped', 'replace test.home done: created test2', 'exit 0'],
  ],
  [
    'cannot stop the earlier version of a scheduled test',
    {},
    async (at) => {
      await at.laptop.apply(shop.test('home', { scheduledAt: START_TIME + 86_400_000 }));
      at.service.configure({ ignoresStop: true });
      return messagesOf(at.laptop, shop.test('home', { total: 5, scheduledAt: START_TIME + 86_400_000 }));
    },
    [
      'stop test.home failed: the earlier version of test.home (test1) did not stop; it is scheduled to start at 2026-03-03 09:00:00 UTC',
      'error LT_PLAN_BLOCKED the earlier version of test.home (test1) did not stop; it is scheduled to start at 2026-03-03 09:00:00 UTC',
      'exit 12',
    ],
  ],
  [
    'stops a test that is no longer declared',
    {},
    async (at) => {
      await at.laptop.apply(shop.test('cart', { duration: '1h', parallel: true }), DETACHED);
      return messagesOf(at.laptop, shop);
    },
    ['stop test.cart done: stopped', 'exit 0'],
  ],
  [
    'sends a create request that is lost',
    lost('createTest'),
    (at) => messagesOf(at.laptop, shop),
    [
      'create test.home unknown: the outcome of creating "home" is unknown (nonce a0000001): the service returned no response',
      'error LT_API_UNKNOWN the outcome of creating "home" is unknown (nonce a0000001): the service returned no response (run apply again; it searches for the test before it sends a request)',
      'exit 8',
    ],
  ],
  [
    'runs after a create request that was executed late',
    { faults: faultOnCall('createTest', 1, { kind: 'late', after: 100_000 }) },
    async (at) => {
      await at.laptop.apply(shop);
      await at.clock.sleep(60_000);
      return messagesOf(at.laptop, shop);
    },
    [
      'warning LT_API_UNKNOWN the create request for test.home of 2026-03-02 09:00:00 UTC, whose outcome was unknown, created the test test1',
      'exit 0',
    ],
  ],
  [
    'runs after a create request that was never executed',
    lost('createTest'),
    async (at) => {
      await at.laptop.apply(shop);
      await at.clock.sleep(600_000);
      return messagesOf(at.laptop, shop);
    },
    [
      'create test.home done: created test1',
      'ended test.home none: ',
      'warning LT_API_UNKNOWN the create request for test.home of 2026-03-02 09:00:00 UTC, whose outcome was unknown, was not executed, so it created no test',
      'exit 0',
    ],
  ],
  [
    'creates no test because the list of tests may be incomplete',
    { ...lost('createTest'), maybeTruncated: true },
    async (at) => {
      await at.laptop.apply(shop);
      await at.clock.sleep(600_000);
      return messagesOf(at.laptop, shop);
    },
    [
      'warning LT_PLAN_LIST_TRUNCATED the list of tests may be incomplete, so a test that appears to be missing may exist',
      'warning LT_PLAN_LIST_TRUNCATED "home" is blocked: the list of tests may be incomplete, so the test may exist (check whether the test exists on the service: if it does, add its "id:" to the file; if not, pass --allow-unmarked to create the test)',
      'exit 8',
    ],
  ],
  [
    'runs after a lost start request on a service that no longer provides results',
    {},
    async (at) => {
      await at.laptop.apply(evaluated);
      await at.clock.sleep(3_600_000);
      at.service.configure({ ...lost('runTest'), results: 'missing' });
      await at.laptop.apply(evaluated, { plan: { maxAge: milliseconds(1000) } });
      await at.clock.sleep(600_000);
      return messagesOf(at.laptop, evaluated);
    },
    [
      'error LT_API_UNKNOWN the outcome of the start request for test.home of 2026-03-02 10:01:03 UTC is still unknown: the service provides no results, so a completed run cannot be detected (run "loadtests recover" to inspect the evidence and to resolve the request manually)',
      'exit 8',
    ],
  ],
  [
    'sends a create request that the service refuses',
    { faults: faultOnCall('createTest', 1, { kind: 'refused', status: 422 }) },
    (at) => messagesOf(at.laptop, shop.test('cart', { needs: ['home'] })),
    [
      'create test.home failed: the service returned status 422',
      'error LT_API_REFUSED test.home: the service returned status 422',
      'exit 7',
    ],
  ],
  [
    'uses a rejected API key',
    { faults: faultOnCall('createTest', 1, { kind: 'refused', status: 401 }) },
    (at) => messagesOf(at.laptop, shop.test('cart')),
    [
      'create test.home failed: the service returned status 401',
      'error LT_API_KEY test.home: the service returned status 401',
      'exit 4',
    ],
  ],
  [
    'cannot send a create request',
    { faults: ({ operation }) => (operation === 'createTest' ? { kind: 'not_sent' } : null) },
    (at) => messagesOf(at.laptop, shop),
    [
      'create test.home failed: the service returned no response',
      'error LT_API_UNREACHABLE test.home: the service returned no response',
      'exit 9',
    ],
  ],
  [
    'creates a test twice because its create request is delivered again',
    { faults: faultOnCall('createTest', 1, { kind: 'twice', after: 10_000 }) },
    (at) => messagesOf(at.laptop, shop),
    [
      'create test.home done: created test1',
      'ended test.home none: ',
      'error LT_PLAN_DUPLICATE test.home exists twice: the duplicate test2 was stopped; it generated additional load for 671ms',
      'exit 7',
    ],
  ],
  [
    'creates a test on a service that drops notes',
    { spelling: { notes: 'dropped' } },
    (at) => messagesOf(at.laptop, shop.test('cart')),
    [
      'create test.home done: created test1',
      'ended test.home none: ',
      'create test.cart failed: "cart" is not created: the service does not store notes',
      'error LT_PLAN_UNMARKED the service does not store notes, so "home" (test1) can be recognized only from this directory (add "id: test1" to the test)',
      'error LT_PLAN_BLOCKED "cart" is not created: the service does not store notes (first add the printed "id:" lines to the file, or pass --allow-unmarked to create the test anyway)',
      'exit 7',
    ],
  ],
  [
    'follows a run that does not end',
    { runFor: 86_400_000 },
    (at) => messagesOf(at.laptop, evaluated),
    [
      'create test.home done: created test1',
      'left: is still running (test1)',
      'error LT_RUN_TIMEOUT "home" did not end in time; it is still running (test1)',
      'exit 9',
    ],
  ],
  [
    'follows a run whose result is never ready',
    { notReadyFor: 86_400_000 },
    (at) => messagesOf(at.laptop, evaluated),
    [
      'create test.home done: created test1',
      'ended test.home inconclusive: the result is not ready',
      'error LT_RUN_TIMEOUT the result of "home" (test1) was not available in time',
      'error LT_RUN_INCONCLUSIVE "home" has no verdict: the result is not ready',
      'exit 9',
    ],
  ],
  [
    'follows a run on a service without results',
    { results: 'missing' },
    (at) => messagesOf(at.laptop, evaluated),
    [
      'create test.home done: created test1',
      'ended test.home none: the service does not provide results',
      'warning LT_PLAN_NO_RESULTS the thresholds of "home" cannot be evaluated: the service does not provide results',
      'exit 0',
    ],
  ],
  [
    'requires a verdict on a service without results',
    { results: 'missing' },
    (at) => messagesOf(at.laptop, evaluated, { execute: { requireVerdict: true } }),
    [
      'create test.home done: created test1',
      'ended test.home none: the service does not provide results',
      'error LT_PLAN_NO_RESULTS the thresholds of "home" cannot be evaluated: the service does not provide results',
      'exit 11',
    ],
  ],
  [
    'follows the run of a test that another client deletes',
    {},
    (at) => {
      at.clock.at(START_TIME + 20_000, () => {
        at.service.remove('test1');
      });
      return messagesOf(at.laptop, evaluated);
    },
    [
      'create test.home done: created test1',
      'ended test.home inconclusive: the result is missing',
      'error LT_RUN_INCONCLUSIVE "home" (test1) no longer exists on the service',
      'error LT_RUN_INCONCLUSIVE "home" has no verdict: the result is missing',
      'exit 11',
    ],
  ],
  [
    'follows a run whose results disappear',
    {},
    (at) => {
      at.clock.at(START_TIME + 59_000, () => {
        at.service.configure({ results: 'missing' });
      });
      return messagesOf(at.laptop, evaluated);
    },
    [
      'create test.home done: created test1',
      'ended test.home none: the service does not provide results',
      'warning LT_PLAN_NO_RESULTS the thresholds of "home" cannot be evaluated: the service does not provide results',
      'exit 0',
    ],
  ],
  [
    'follows a run that another client stops',
    { reportsAbort: true },
    (at) => {
      at.clock.at(START_TIME + 20_000, () => void at.service.port.stopTest(testId('test1')));
      return messagesOf(at.laptop, evaluated);
    },
    [
      'create test.home done: created test1',
      'ended test.home inconclusive: the run ended early (stopped)',
      'error LT_RUN_INCONCLUSIVE "home" has no verdict: the run ended early (stopped)',
      'exit 11',
    ],
  ],
  [
    'follows a run that ends early without a reason',
    { runFor: 20_000 },
    (at) => messagesOf(at.laptop, evaluated),
    [
      'create test.home done: created test1',
      'ended test.home inconclusive: the run ended after 21.5 of 60 s',
      'error LT_RUN_INCONCLUSIVE "home" has no verdict: the run ended after 21.5 of 60 s',
      'exit 11',
    ],
  ],
  [
    'follows a run that ends early with many errors',
    {
      runFor: 20_000,
      metrics: {
        success: 10,
        error: 290,
        timeout_error: 0,
        network_error: 0,
        avg_response_time: 12,
        error_rate: 96,
      },
    },
    (at) => messagesOf(at.laptop, evaluated),
    [
      'create test.home done: created test1',
      'ended test.home fail: the error threshold was reached',
      'error LT_RUN_THRESHOLD "home": error_rate is 96.667%, which does not meet < 1%',
      'exit 10',
    ],
  ],
  [
    'is interrupted and stops its run',
    {},
    (at) => interrupted(at, { onInterrupt: 'stop' }),
    [
      'create test.home done: created test1',
      'note: stopping test.home (test1)',
      'ended test.home inconclusive: the run ended early (stopped)',
      'error LT_RUN_INCONCLUSIVE "home" has no verdict: the run ended early (stopped)',
      'exit 11',
    ],
  ],
  [
    'is interrupted and does not stop its run',
    {},
    (at) => interrupted(at, { onInterrupt: 'detach' }),
    ['create test.home done: created test1', 'left: is still running (test1)', 'exit 0'],
  ],
  [
    'is interrupted and cannot stop its run',
    { ignoresStop: true },
    (at) => interrupted(at, { onInterrupt: 'stop' }),
    [
      'create test.home done: created test1',
      'note: stopping test.home (test1)',
      'left: is still running (test1)',
      'error LT_RUN_TIMEOUT "home" did not end in time; it is still running (test1)',
      'exit 9',
    ],
  ],
  [
    'repeats a test in three rounds',
    {},
    (at) => messagesOf(at.laptop, evaluated, { plan: { repeat: 3 } }),
    [
      'note: round 1 of 3',
      'create test.home done: created test1',
      'ended test.home pass: ',
      'note: round 2 of 3',
      'run test.home done: started test1',
      'ended test.home pass: ',
      'note: round 3 of 3',
      'run test.home done: started test1',
      'ended test.home pass: ',
      'exit 0',
    ],
  ],
];

function interrupted(at: Stage, execute: MachineApplyOptions['execute']): Promise<readonly string[]> {
  const interruption = new AbortController();
  at.clock.at(START_TIME + 20_000, () => {
    interruption.abort();
  });
  return messagesOf(at.laptop, evaluated.test('cart'), {
    interrupted: interruption.signal,
    execute: execute ?? {},
  });
}

test.each(SCENARIOS)(
  'apply reports the expected events, problems and exit code when it %s',
  async (_, options, play, messages) => {
    expect(await play(stage(options))).toEqual(messages);
  },
);

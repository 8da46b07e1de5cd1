/** Callbacks of many runs while the service is killed and a third of the attempts fail. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { useServiceChild } from '../support/killable-service.ts';
import { openCallbackReceiver } from '../support/callback-receiver.ts';
import { sendRaw } from '../support/raw-request.ts';
import { scaleCount } from '../support/test-scale.ts';
import { callAt, smallTestFields, waitUntil } from '../support/test-service.ts';
import { createSeededRandom } from '../support/virtual-clock.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const HOST = '127.0.0.1:4080';

const startChild = useServiceChild();

const RUNS = scaleCount(1000);
const KILLS = [0, 0.25 * RUNS, 0.6 * RUNS];
/** Speed of the clock: days of attempts take seconds. */
const SPEED = 20_000;
/** Upper bound of concurrent attempts; the killed service may not have stored the responses to these. */
const MAX_CONCURRENT = 8;

test('even if the service is killed three times, callbacks are signed and delivered, and are not repeated after the service has stored a 410 response', async () => {
  const dataDirectory = createTestDirectory();
  const receiver = await openCallbackReceiver();
  const since = Date.now();
  const start = async () => await startChild(dataDirectory, 'in-process', { speed: SPEED, since });
  let running = await start();
  const { app_id: app } = (await callAt(running.url, 'POST', '/v2/apps', { form: { app: HOST } })).json;
  await callAt(running.url, 'POST', `/v2/apps/${app}/verify`);
  const ids: string[] = [];
  const json = smallTestFields(`http://${HOST}/`, { callback: receiver.url });
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (ids.length < RUNS) {
        const position = ids.push('') - 1;
        ids[position] = (await callAt(running.url, 'POST', '/v2/tests', { json })).json.test_id;
      }
    }),
  );
  const refusing = new Set(ids.filter((_, index) => index % 20 === 0));
  const stubborn = ids[1] ?? '';

  const random = createSeededRandom(17);
  /**
   * State of each event: the number of attempts, whether one was accepted, and whether one received a 410.
   */
  const events = new Map<string, { testId: string; count: number; accepted: boolean; isRefused: boolean }>();
  const afterGone: string[] = [];
  /** Events whose 410 the service may not have stored before it was killed. */
  const uncertain = new Set<string>();
  receiver.respondWith(({ event, testId }, response) => {
    const state = events.get(event) ?? { testId, count: 0, accepted: false, isRefused: false };
    events.set(event, state);
    state.count++;
    if (state.isRefused && !uncertain.has(event)) afterGone.push(event);
    if (refusing.has(testId)) {
      state.isRefused = true;
      response.writeHead(410).end();
    } else if (testId === stubborn || (state.count < 5 && random() < 0.3)) {
      if (random() < 0.5) response.writeHead(500).end();
      else response.destroy();
    } else {
      state.accepted = true;
      response.writeHead(200).end();
    }
  });

  // The next process finds the unfinished runs, ends them and sends their callbacks.
  for (const minimum of KILLS) {
    await waitUntil(() => (events.size >= minimum ? true : null));
    const exited = once(running.child, 'exit');
    running.child.kill('SIGKILL');
    await exited;
    // The receiver accepts connections in order, so it then has received all callbacks of the killed service.
    expect((await sendRaw(receiver.target.port, 'not HTTP\r\n\r\n')).status).toBe(400);
    for (const { event } of receiver.received.slice(-MAX_CONCURRENT)) {
      if (events.get(event)?.isRefused === true) uncertain.add(event);
    }
    running = await start();
  }
  const undelivered = async () => (await callAt(running.url, 'GET', '/v2/callbacks')).list;
  for (const fraction of [0.8, 1]) await waitUntil(() => (events.size >= fraction * RUNS ? true : null));
  const remaining = await waitUntil(async () => {
    const list = await undelivered();
    return list.every(({ state }) => state !== 'pending') ? list : null;
  });

  // There is one event for each run. Each is accepted, except by receivers that always fail or respond with
  // 410.
  const all = [...events.values()];
  expect(new Set(all.map(({ testId }) => testId))).toEqual(new Set(ids));
  expect(all).toHaveLength(RUNS);
  const deliverable = all.filter(({ testId }) => !refusing.has(testId) && testId !== stubborn);
  expect(deliverable.filter(({ accepted }) => !accepted)).toEqual([]);
  expect(afterGone).toEqual([]);
  expect(refusing.size - uncertain.size).toBeGreaterThan(refusing.size / 3);
  const ends = new Map(remaining.map(({ test_id: id, state, attempts }) => [id, { state, attempts }]));
  expect(ends.get(stubborn)).toEqual({ state: 'expired', attempts: 8 });
  const refused = [...ends].filter(([, { state }]) => state === 'refused').map(([id]) => id);
  expect(new Set(refused)).toEqual(refusing);
  expect(ends.size).toBe(refusing.size + 1);

  const secret = readFileSync(`${dataDirectory}/callback-secret`, 'utf8').trim();
  const invalid = receiver.received.filter(({ headers, body }) => {
    const signature = String(headers['x-loadtests-signature']);
    const [, time = '', digest = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
    const valid = digest === createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
    return !valid || Number(time) * 1000 < since - 1000;
  });
  expect(invalid).toEqual([]);
  expect(receiver.received.length).toBeGreaterThan(RUNS * 1.2);
});

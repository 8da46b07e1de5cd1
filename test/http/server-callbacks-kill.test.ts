/** Callbacks of many runs, though the service is killed and a third of its attempts fail. */
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { useServiceChild } from '../support/killable-service.ts';
import { openCallbackReceiver } from '../support/callback-receiver.ts';
import { scaleCount } from '../support/test-scale.ts';
import { callAt, smallTestFields, createTemporaryDirectory, waitUntil } from '../support/test-service.ts';
import { createSeededRandom } from '../support/virtual-clock.ts';

const HOST = '127.0.0.1:4080';

const startChild = useServiceChild();

const RUNS = scaleCount(1000);
const KILLS = [0, 0.25 * RUNS, 0.6 * RUNS];
/** How long a busy machine may take for a part of it, in ms. */
const PATIENCE = 100_000;
/** Days of attempts pass in seconds. */
const SPEED = 20_000;
/** More attempts than one receiver gets at once: of these the service may not have kept the answer when it was killed. */
const MOST_OPEN = 8;

test('each is told at least once and signed, and nothing is told after a 410', async () => {
  const dataDirectory = createTemporaryDirectory();
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
        const place = ids.push('') - 1;
        ids[place] = (await callAt(running.url, 'POST', '/v2/tests', { json })).json.test_id;
      }
    }),
  );
  const gone = new Set(ids.filter((_, index) => index % 20 === 0));
  const stubborn = ids[1] ?? '';

  const random = createSeededRandom(17);
  /** By event: how often it came, whether it was taken, and whether it was answered with 410. */
  const events = new Map<string, { testId: string; count: number; taken: boolean; gone: boolean }>();
  const afterGone: string[] = [];
  /** Events whose 410 the service may not have kept, since it was killed. */
  const inDoubt = new Set<string>();
  receiver.respondWith(({ event, testId }, response) => {
    const seen = events.get(event) ?? { testId, count: 0, taken: false, gone: false };
    events.set(event, seen);
    seen.count++;
    if (seen.gone && !inDoubt.has(event)) afterGone.push(event);
    if (gone.has(testId)) {
      seen.gone = true;
      response.writeHead(410).end();
    } else if (testId === stubborn || (seen.count < 5 && random() < 0.3)) {
      if (random() < 0.5) response.writeHead(500).end();
      else response.destroy();
    } else {
      seen.taken = true;
      response.writeHead(200).end();
    }
  });

  // The next start finds the runs unfinished, ends them, and has much to tell.
  for (const enough of KILLS) {
    await waitUntil(() => (events.size >= enough ? true : null), PATIENCE);
    const exited = once(running.child, 'exit');
    running.child.kill('SIGKILL');
    await exited;
    for (const { event } of receiver.received.slice(-MOST_OPEN)) {
      if (events.get(event)?.gone === true) inDoubt.add(event);
    }
    running = await start();
  }
  const undelivered = async () => (await callAt(running.url, 'GET', '/v2/callbacks')).list;
  for (const share of [0.8, 1]) await waitUntil(() => (events.size >= share * RUNS ? true : null), PATIENCE);
  const left = await waitUntil(async () => {
    const list = await undelivered();
    return list.every(({ state }) => state !== 'pending') ? list : null;
  }, PATIENCE);

  // One event for each run, taken by its receiver but where it was refused or never was.
  const all = [...events.values()];
  expect(new Set(all.map(({ testId }) => testId))).toEqual(new Set(ids));
  expect(all).toHaveLength(RUNS);
  const wanted = all.filter(({ testId }) => !gone.has(testId) && testId !== stubborn);
  expect(wanted.filter(({ taken }) => !taken)).toEqual([]);
  expect(afterGone).toEqual([]);
  expect(gone.size - inDoubt.size).toBeGreaterThan(gone.size / 3);
  const ends = new Map(left.map(({ test_id: id, state, attempts }) => [id, { state, attempts }]));
  expect(ends.get(stubborn)).toEqual({ state: 'expired', attempts: 8 });
  const refused = [...ends].filter(([, { state }]) => state === 'refused').map(([id]) => id);
  expect(new Set(refused)).toEqual(gone);
  expect(ends.size).toBe(gone.size + 1);

  const secret = readFileSync(`${dataDirectory}/callback-secret`, 'utf8').trim();
  const wrong = receiver.received.filter(({ headers, body }) => {
    const signature = String(headers['x-loadtests-signature']);
    const [, time = '', digest = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(signature) ?? [];
    const valid = digest === createHmac('sha256', secret).update(`${time}.${body}`).digest('hex');
    return !valid || Number(time) * 1000 < since - 1000;
  });
  expect(wrong).toEqual([]);
  expect(receiver.received.length).toBeGreaterThan(RUNS * 1.2);
}, 300_000);

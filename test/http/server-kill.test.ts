/** Killed services: every acknowledged write is on disk. */
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { formatInstant } from '../../src/core/instant.ts';
import { callAt, openTestService, smallTestFields, waitUntil } from '../support/test-service.ts';
import { useServiceChild } from '../support/killable-service.ts';
import { openTestTarget, servePages } from '../support/test-target.ts';
import { sampleRows } from '../support/test-scale.ts';
import { SECOND } from '../support/test-clock.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const HOST = '127.0.0.1:4080';
const WRITERS = 4;
/** Numbers of acknowledged tests after which the service is killed. */
const KILLS_AFTER = sampleRows([20, 27, 34, 41], 2);

const startChild = useServiceChild();

test('no acknowledged test is lost when the service is killed repeatedly during create requests', async () => {
  const dataDirectory = createTestDirectory();
  /** Test ids by idempotency key. */
  const acknowledged = new Map<string, string>();
  for (const [round, count] of KILLS_AFTER.entries()) {
    const { child, url } = await startChild(dataDirectory);
    const { app_id: app } = (await callAt(url, 'POST', '/v2/apps', { form: { app: HOST } })).json;
    await callAt(url, 'POST', `/v2/apps/${app}/verify`);
    const limit = acknowledged.size + count;
    let alive = true;
    const write = async (writer: number) => {
      for (let index = 0; alive; index++) {
        const key = `${round}-${writer}-${index}`;
        const call = callAt(url, 'POST', '/v2/tests', {
          json: smallTestFields(`http://${HOST}/`, { name: key }),
          headers: { 'idempotency-key': key },
        });
        const response = await call.catch(() => null);
        if (response === null) return;
        expect(response.status).toBe(200);
        acknowledged.set(key, response.json.test_id);
        if (acknowledged.size >= limit) {
          alive = false;
          child.kill('SIGKILL');
        }
      }
    };
    const exited = once(child, 'exit');
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        await write(writer);
      }),
    );
    await exited;
  }

  const rig = await openTestService({ dataDirectory });
  const { list } = await rig.call('GET', '/v2/tests');
  const found = new Set(list.map((record) => record.test_id));
  expect([...acknowledged.values()].filter((id) => !found.has(id))).toEqual([]);
  expect(new Set(list.map((record) => record.status))).toEqual(new Set(['complete']));
  // The unacknowledged tests are at most those in flight at the kills.
  expect(list.length).toBeLessThanOrEqual(acknowledged.size + KILLS_AFTER.length * WRITERS);
  for (const [key, id] of acknowledged) {
    const again = await rig.call('POST', '/v2/tests', {
      json: smallTestFields(`http://${HOST}/`, { name: key }),
      headers: { 'idempotency-key': key },
    });
    expect(again.json.test_id).toBe(id);
    const results = (await rig.call('GET', `/v2/tests/${id}/results`)).list;
    expect(results.map(({ status, abort_reason: reason }) => [status, reason])).toEqual([
      ['ready', 'partial'],
    ]);
  }
  expect((await rig.call('GET', '/v2/tests')).list).toHaveLength(list.length);
});

test('if the service is killed while scheduled tests start, each test still has exactly one result', async () => {
  const dataDirectory = createTestDirectory();
  const target = await openTestTarget(servePages({}));
  // The clock of the first service does not advance, so that no test is due before all are created.
  const since = Date.now();
  const first = await startChild(dataDirectory, 'serve', { speed: 0, since });
  const { app_id: app, verification_id: token } = (
    await callAt(first.url, 'POST', '/v2/apps', { form: { app: target.host } })
  ).json;
  const content = { [`/${token}.txt`]: token };
  target.respondWith(servePages(content));
  expect((await callAt(first.url, 'POST', `/v2/apps/${app}/verify`)).status).toBe(200);
  const due = formatInstant(since + SECOND);
  const json = smallTestFields(`${target.url}/`, { scheduled_at: due });
  const ids: string[] = [];
  for (let count = 0; count < 40; count++) {
    const created = await callAt(first.url, 'POST', '/v2/tests', { json });
    expect(created.status, created.text).toBe(200);
    ids.push(created.json.test_id);
  }

  // The second kill is during the host check of the first test, the third during the check of the others.
  let running = first;
  let requests = 0;
  target.respondWith(() => {
    requests++;
  });
  for (let kills = 0; kills < 3; kills++) {
    await waitUntil(() => (requests >= kills ? true : null));
    const exited = once(running.child, 'exit');
    running.child.kill('SIGKILL');
    await exited;
    if (kills === 2) target.respondWith(servePages(content));
    running = await startChild(dataDirectory, 'serve');
  }
  const { child, url } = running;
  const results = async (id: string) => (await callAt(url, 'GET', `/v2/tests/${id}/results`)).list;
  await waitUntil(async () => {
    const all = (await callAt(url, 'GET', '/v2/tests')).list;
    return all.every(({ status }) => status !== 'pending') ? true : null;
  });
  for (const id of ids) expect(await results(id)).toHaveLength(1);
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  const rig = await openTestService({ dataDirectory, mode: 'serve' });
  for (const id of ids) {
    const list = (await rig.call('GET', `/v2/tests/${id}/results`)).list;
    expect(list.map(({ abort_reason: reason }) => reason)).toEqual(['partial']);
  }
  expect(rig.runner.runs).toEqual([]);
});

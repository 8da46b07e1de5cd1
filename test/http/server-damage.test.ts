/** Data that is spoiled under a service, or behind its back: it is noticed, told, and ends no process. */
import { openSync, closeSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useServiceChild } from '../rig/killable-service.ts';
import { callAt, smallTest, temporaryFolder } from '../rig/service.ts';

const HOST = '127.0.0.1:4080';

const startChild = useServiceChild();

/** Overwrites each occurrence of a text in a file that somebody has open, with what is no UTF-8. */
function spoil(file: string, text: string): number {
  const bytes = readFileSync(file);
  const open = openSync(file, 'r+');
  let count = 0;
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + 1)) {
    writeSync(open, Buffer.alloc(text.length, 0xff), 0, text.length, at);
    count++;
  }
  closeSync(open);
  return count;
}

test('text that is damaged while the service runs is told as damage, and ends nothing else', async () => {
  const dataFolder = temporaryFolder();
  const { child, url } = await startChild(dataFolder);
  const { app_id: app } = (await callAt(url, 'POST', '/v2/apps', { form: { app: HOST } })).json;
  await callAt(url, 'POST', `/v2/apps/${app}/verify`);
  const ids: string[] = [];
  // More than SQLite keeps in memory, and more than stays in its log.
  for (let count = 0; count < 40; count++) {
    const urls = [
      { url: `http://${HOST}/`, request_type: 'POST', raw_post_body: 'spoil me '.repeat(20_000) },
    ];
    const json = smallTest(`http://${HOST}/`, { urls });
    ids.push((await callAt(url, 'POST', '/v2/tests', { json })).json.test_id);
  }
  expect(spoil(join(dataFolder, 'service.db'), 'spoil me')).toBeGreaterThan(1000);
  for (const path of ['/v2/tests', `/v2/tests/${ids[0]}`]) {
    const answer = await callAt(url, 'GET', path);
    expect([answer.status, answer.json.errors]).toEqual([
      500,
      ['the database of the service is damaged; restore a backup'],
    ]);
  }
  expect((await callAt(url, 'GET', '/v2/apps')).status).toBe(200);
  expect(child.exitCode).toBeNull();
});

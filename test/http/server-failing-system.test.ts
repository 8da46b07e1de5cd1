/**
 * A service whose system calls fail: its process reaches limits that the test sets with `prlimit`. Every request that
 * cannot be carried out has the same kind of response, and the service works again when the limit is raised.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { API_KEY, callAt, smallTestFields } from '../support/test-service.ts';
import { useServiceChild } from '../support/killable-service.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const HOST = '127.0.0.1:4080';

const startChild = useServiceChild();

interface Answer {
  readonly status: number | undefined;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** Starts a service with one verified host, and sends requests to it on one connection. */
async function openLimited() {
  const { child, url } = await startChild(createTestDirectory());
  const { app_id: app } = (await callAt(url, 'POST', '/v2/apps', { form: { app: HOST } })).json;
  await callAt(url, 'POST', `/v2/apps/${app}/verify`);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const send = async (method: string, path: string, json?: object) =>
    await new Promise<Answer>((resolve, reject) => {
      const headers = { 'service-auth': API_KEY, ...(json && { 'content-type': 'application/json' }) };
      const sent = request(`${url}${path}`, { method, agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const { statusCode: status, headers } = response;
          resolve({ status, retryAfter: headers['retry-after'], body: Buffer.concat(chunks).toString() });
        });
      });
      sent.once('error', reject).end(json && JSON.stringify(json));
    });
  const create = async () => await send('POST', '/v2/tests', smallTestFields(`http://${HOST}/`));
  const limit = (name: string, count: number | 'unlimited') => {
    execFileSync('prlimit', ['--pid', String(child.pid), `--${name}=${count}:`]);
  };
  /** Returns the lowest free descriptor, which is the limit at which no more files can be opened. */
  const freeDescriptor = () => {
    const used = new Set(readdirSync(`/proc/${child.pid}/fd`).map(Number));
    let lowest = 0;
    while (used.has(lowest)) lowest++;
    return lowest;
  };
  return { send, create, limit, freeDescriptor };
}

function hasPrlimit(): boolean {
  return process.platform === 'linux' && spawnSync('prlimit', ['--version']).error === undefined;
}

describe.skipIf(!hasPrlimit())('a service whose system calls fail', () => {
  test('while files cannot be written, write requests and the health check fail with 503 and a reason, and a create request succeeds afterward', async () => {
    const { send, create, limit } = await openLimited();
    expect((await create()).status).toBe(200);
    limit('fsize', 0);
    for (const write of [create, async () => await send('POST', '/v2/apps', { app: 'other.example' })]) {
      const { status, retryAfter, body } = await write();
      expect([status, retryAfter, body]).toEqual([
        503,
        '5',
        expect.stringMatching(
          /(the data directory of the service cannot be read or written \(SQLITE_\w+\)|the disk of the service is full)/,
        ),
      ]);
    }
    expect(await send('GET', '/healthz')).toMatchObject({
      status: 503,
      body: expect.stringContaining('reason') as string,
    });
    limit('fsize', 'unlimited');
    expect((await create()).status).toBe(200);
  });

  test('while no more files can be opened, write requests and the health check fail with 503 and a reason, and a create request succeeds afterward', async () => {
    const { send, create, limit, freeDescriptor } = await openLimited();
    expect((await create()).status).toBe(200);
    limit('nofile', freeDescriptor());
    for (const write of [create, async () => await send('POST', '/v2/apps', { app: 'other.example' })]) {
      const { status, retryAfter, body } = await write();
      expect([status, retryAfter, body]).toEqual([
        503,
        '5',
        expect.stringContaining('the service cannot open more files or connections; nothing was stored'),
      ]);
    }
    expect(await send('GET', '/healthz')).toMatchObject({
      status: 503,
      body: expect.stringContaining('cannot open more files') as string,
    });
    limit('nofile', 1024);
    expect((await create()).status).toBe(200);
    const { body } = await send('GET', '/v2/tests');
    expect(JSON.parse(body)).toHaveLength(2);
  });
});

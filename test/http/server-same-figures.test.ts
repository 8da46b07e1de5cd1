/** One run, told in many ways: every one of them tells the integers that the target itself counted. */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createEngine } from '../../src/engine/run.ts';
import { run, ownFolder } from '../rig/cli.ts';
import { openReceiver } from '../rig/receiver.ts';
import { openRelay } from '../rig/relay.ts';
import { KEY, until } from '../rig/service.ts';
import { openShop } from '../rig/shop.ts';

const WORKER = new URL('../../dist/engine/worker.js', import.meta.url);

/** The four counts that every way of telling has. */
interface Counts {
  readonly success: number;
  readonly error: number;
  readonly timeout_error: number;
  readonly network_error: number;
}

/** What a result holds beside them, as its schema has it. */
interface Result extends Counts {
  readonly result_id: string;
  readonly requests: number;
  readonly status_codes: Readonly<Record<string, number>>;
  readonly data_sent: number;
  readonly data_received: number;
  readonly ledger: Readonly<Record<string, unknown>>;
  readonly urls: readonly Result[];
  readonly timeline: readonly Result[];
}

function countsOf({ success, error, timeout_error, network_error }: Counts): Counts {
  return { success, error, timeout_error, network_error };
}

function sumOf(
  many: readonly Result[],
  of: 'success' | 'error' | 'timeout_error' | 'network_error' | 'data_sent' | 'data_received',
): number {
  return many.reduce((sum, one) => sum + one[of], 0);
}

function addedUp(many: readonly Result[]): Counts & Pick<Result, 'data_sent' | 'data_received'> {
  return {
    success: sumOf(many, 'success'),
    error: sumOf(many, 'error'),
    timeout_error: sumOf(many, 'timeout_error'),
    network_error: sumOf(many, 'network_error'),
    data_sent: sumOf(many, 'data_sent'),
    data_received: sumOf(many, 'data_received'),
  };
}

/** So few that the last one's time-out comes well before the drain is over. */
const CLIENTS = 12;

test('the API, its URLs and seconds, the callback, the mail, the metrics and the command line agree', async () => {
  if (!existsSync(WORKER)) throw new Error('dist is not built; run "npm run build" first');
  const [relay, receiver] = [await openRelay(), await openReceiver()];
  const runner = createEngine({ workerUrl: WORKER, version: '0.0.0-test' });
  const { rig, target, proof } = await openShop({ runner, smtp: relay.url, allowMail: ['*'] });

  let bytes = { connections: 0, sent: 0, received: 0 };
  const asked = new Map<string, number>();
  target.answerWith((request, response) => {
    const path = request.url ?? '';
    // Before the load, the service asks whether the host consents.
    if (path.endsWith('.txt')) {
      response.writeHead(path === proof ? 200 : 404).end(proof.slice(1, -'.txt'.length));
      return;
    }
    asked.set(path, (asked.get(path) ?? 0) + 1);
    const { socket } = request;
    socket.once('close', () => {
      bytes = {
        connections: bytes.connections + 1,
        sent: bytes.sent + socket.bytesWritten,
        received: bytes.received + socket.bytesRead,
      };
    });
    response.setHeader('Connection', 'close');
    if (path === '/missing') response.writeHead(404).end('no');
    else if (path === '/broken') response.writeHead(503).end();
    else if (path === '/reset') socket.resetAndDestroy();
    else if (path === '/garbage') socket.end('garbage\r\n\r\n');
    else if (path !== '/silent') response.end('hello');
  });

  const urls = ['/', '/missing', '/broken', '/reset', '/garbage', '/silent'].map((path) => ({
    url: target.url + path,
  }));
  const { json: ids } = await rig.call('POST', '/v2/tests', {
    json: {
      ...{ test_type: 'non-cycling', duration: 3, total: CLIENTS, timeout: 1000, error_threshold: 100, urls },
      ...{ callback: `${receiver.url}/ended`, callback_email: 'team@shop.example' },
    },
  });
  expect(ids.errors).toBeUndefined();
  const mail = await until(() => relay.mails[0] ?? null);
  const callback = await until(() => receiver.received[0] ?? null);

  // What the target counted decides.
  expect(Object.fromEntries(asked)).toEqual(
    Object.fromEntries(urls.map(({ url }) => [url.slice(target.url.length), CLIENTS])),
  );
  const expected: Counts = {
    success: CLIENTS,
    error: 2 * CLIENTS,
    timeout_error: CLIENTS,
    network_error: 2 * CLIENTS,
  };

  // The callback leads to the result.
  const told = new URLSearchParams(callback.body);
  expect(told.get('test_id')).toBe(ids.test_id);
  const path = `/v2/tests/${ids.test_id}/results`;
  const detail = JSON.parse((await rig.call('GET', `${path}/${told.get('result_id') ?? ''}`)).text) as Result;
  const [listed] = JSON.parse((await rig.call('GET', path)).text) as readonly Result[];
  expect(countsOf(detail)).toEqual(expected);
  expect(listed).toMatchObject({ ...expected, result_id: detail.result_id, ledger: detail.ledger });
  expect(detail.requests).toBe(6 * CLIENTS);
  expect(detail.status_codes).toEqual({ 200: CLIENTS, 404: CLIENTS, 503: CLIENTS });
  expect(detail.ledger).toMatchObject({
    ...{ planned: 6 * CLIENTS, started: 6 * CLIENTS, success: CLIENTS, abandoned: 0 },
    http_error: { 404: CLIENTS, 503: CLIENTS },
    timeout: { connect: 0, tls: 0, response: CLIENTS },
    network: { ECONNRESET: CLIENTS },
    protocol: { status_line: CLIENTS },
  });
  const { data_sent, data_received } = detail;
  expect(addedUp(detail.urls)).toEqual({ ...expected, data_sent, data_received });
  expect(addedUp(detail.timeline)).toEqual({ ...expected, data_sent, data_received });
  await until(() => (bytes.connections === 6 * CLIENTS ? true : null));
  expect(bytes).toMatchObject({ sent: data_received, received: data_sent });

  for (const [label, count] of [
    ['Requests', 6 * CLIENTS],
    ['Success', expected.success],
    ['Errors', expected.error],
    ['Time-outs', expected.timeout_error],
    ['Network errors', expected.network_error],
    ['Bytes sent', data_sent],
    ['Bytes received', data_received],
  ] as const) {
    expect(mail.raw).toMatch(new RegExp(`^${label}: +${count}\\r$`, 'm'));
  }

  const { text: metrics } = await rig.call('GET', '/metrics');
  for (const [outcome, count] of Object.entries(expected)) {
    expect(metrics).toContain(`loadtests_load_requests_total{outcome="${outcome}"} ${count}\n`);
  }

  const folder = ownFolder();
  const env = { LOADTESTS_BASE_URL: rig.service.url, LOADTESTS_API_KEY: KEY };
  const { stdout } = await run(['results', `id:${ids.test_id}`, '--json'], { folder, env });
  const document = JSON.parse(stdout) as { tests: [{ results: [{ result: Result }] }] };
  expect(document.tests[0].results[0].result).toEqual(detail);
  const { stdout: text } = await run(['results', `id:${ids.test_id}`], { folder, env });
  expect(text).toContain(`24 network errors: 12 ECONNRESET, 12 status_line`);
  expect(text).toContain(`24 errors: 12 × 404, 12 × 503`);
  expect(text).toContain('p99 ≥ 1 s (12 timed out)');
  expect(text).toMatch(/^ +GET \/silent +12 +12 +≥ 1 s +≥ 1 s +≥ 1 s$/m);
});

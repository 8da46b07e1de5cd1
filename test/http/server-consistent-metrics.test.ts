/** One run in every output: all outputs contain the integers that the target counted. */
// @module-tag load
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createEngine } from '../../src/engine/engine.ts';
import { runCli } from '../support/cli.ts';
import { openCallbackReceiver } from '../support/callback-receiver.ts';
import { openEmailRelay } from '../support/email-relay.ts';
import { API_KEY, waitUntil } from '../support/test-service.ts';
import { openShop } from '../support/shop.ts';
import { parseCommands } from '../support/workflow-commands.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const WORKER = new URL('../../dist/engine/thread.js', import.meta.url);

/** The four counts that every output contains. */
interface Counts {
  readonly success: number;
  readonly error: number;
  readonly timeout_error: number;
  readonly network_error: number;
}

/** Other fields of a result that this test reads. */
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

function totalsOf(many: readonly Result[]): Counts & Pick<Result, 'data_sent' | 'data_received'> {
  return {
    success: sumOf(many, 'success'),
    error: sumOf(many, 'error'),
    timeout_error: sumOf(many, 'timeout_error'),
    network_error: sumOf(many, 'network_error'),
    data_sent: sumOf(many, 'data_sent'),
    data_received: sumOf(many, 'data_received'),
  };
}

/** The last client starts 1.5 s before the end of the load, so that its timeout comes well before the end of the drain. */
const CLIENTS = 4;
const FAILURES = `${CLIENTS} ECONNRESET, ${CLIENTS} status_line`;
const ERRORS = `${CLIENTS} × 404, ${CLIENTS} × 503`;

test('the API, email, metrics, command output and reports of a run contain the request counts that the target recorded', async () => {
  if (!existsSync(WORKER)) throw new Error('dist is not built; run "npm run build" first');
  const [relay, receiver] = [await openEmailRelay(), await openCallbackReceiver()];
  const runner = createEngine({ threadUrl: WORKER, version: '0.0.0-test' });
  const { service, target, proof } = await openShop({ runner, smtp: relay.url, allowEmail: ['*'] });

  let bytes = { connections: 0, sent: 0, received: 0 };
  const requestCounts = new Map<string, number>();
  let firstRequestAt = Infinity;
  target.respondWith((request, response) => {
    const path = request.url ?? '';
    // Before the load, the service requests the verification file.
    if (path.endsWith('.txt')) {
      response.writeHead(path === proof ? 200 : 404).end(proof.slice(1, -'.txt'.length));
      return;
    }
    firstRequestAt = Math.min(firstRequestAt, Date.now());
    requestCounts.set(path, (requestCounts.get(path) ?? 0) + 1);
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
  const { json: ids } = await service.call('POST', '/v2/tests', {
    json: {
      test_type: 'non-cycling',
      duration: 6,
      total: CLIENTS,
      timeout: 3000,
      error_threshold: 100,
      urls,
      callback: `${receiver.url}/ended`,
      callback_email: 'team@shop.example',
    },
  });
  expect(ids.errors).toBeUndefined();
  const email = await waitUntil(() => relay.emails[0] ?? null);
  const callback = await waitUntil(() => receiver.received[0] ?? null);
  const starts = (await service.call('GET', `/v2/tests/${ids.test_id}/results/${ids.result_id}`))
    .json as unknown as {
    readonly load_started_at: string;
  }; // according to its schema
  // The timeline counts from the start of the load, which precedes the first request that the target received.
  expect(Date.parse(starts.load_started_at)).toBeLessThanOrEqual(firstRequestAt);

  // The counts of the target are the reference.
  expect(Object.fromEntries(requestCounts)).toEqual(
    Object.fromEntries(urls.map(({ url }) => [url.slice(target.url.length), CLIENTS])),
  );
  const expected: Counts = {
    success: CLIENTS,
    error: 2 * CLIENTS,
    timeout_error: CLIENTS,
    network_error: 2 * CLIENTS,
  };

  // The callback identifies the result.
  const options = new URLSearchParams(callback.body);
  expect(options.get('test_id')).toBe(ids.test_id);
  const path = `/v2/tests/${ids.test_id}/results`;
  const detail = JSON.parse(
    (await service.call('GET', `${path}/${options.get('result_id') ?? ''}`)).text,
  ) as Result;
  const [listed] = JSON.parse((await service.call('GET', path)).text) as readonly Result[];
  expect(countsOf(detail)).toEqual(expected);
  expect(listed).toMatchObject({ ...expected, result_id: detail.result_id, ledger: detail.ledger });
  expect(detail.requests).toBe(6 * CLIENTS);
  expect(detail.status_codes).toEqual({ 200: CLIENTS, 404: CLIENTS, 503: CLIENTS });
  expect(detail.ledger).toMatchObject({
    planned: 6 * CLIENTS,
    started: 6 * CLIENTS,
    success: CLIENTS,
    abandoned: 0,
    http_error: { 404: CLIENTS, 503: CLIENTS },
    timeout: { connect: 0, tls: 0, response: CLIENTS },
    network: { ECONNRESET: CLIENTS },
    protocol: { status_line: CLIENTS },
  });
  const { data_sent, data_received } = detail;
  expect(totalsOf(detail.urls)).toEqual({ ...expected, data_sent, data_received });
  expect(totalsOf(detail.timeline)).toEqual({ ...expected, data_sent, data_received });
  await waitUntil(() => (bytes.connections === 6 * CLIENTS ? true : null));
  expect(bytes).toMatchObject({ sent: data_received, received: data_sent });

  for (const [label, count] of [
    ['Requests', 6 * CLIENTS],
    ['Success', expected.success],
    ['Errors', expected.error],
    ['Timeouts', expected.timeout_error],
    ['Network errors', expected.network_error],
    ['Bytes sent', data_sent],
    ['Bytes received', data_received],
  ] as const) {
    expect(email.raw).toMatch(new RegExp(`^${label}: +${count}\\r$`, 'm'));
  }

  const { text: metrics } = await service.call('GET', '/metrics');
  for (const [outcome, count] of Object.entries(expected)) {
    expect(metrics).toContain(`loadtests_load_requests_total{outcome="${outcome}"} ${count}\n`);
  }

  const directory = createTestDirectory();
  const env = { LOADTESTS_BASE_URL: service.service.url, LOADTESTS_API_KEY: API_KEY };
  const { stdout } = await runCli(['results', `id:${ids.test_id}`, '--json'], { directory, env });
  const document = JSON.parse(stdout) as { tests: [{ results: [{ result: Result }] }] };
  expect(document.tests[0].results[0].result).toEqual(detail);
  const { stdout: text } = await runCli(['results', `id:${ids.test_id}`], { directory, env });
  expect(text).toContain(`${2 * CLIENTS} network errors: ${FAILURES}`);
  expect(text).toContain(`${2 * CLIENTS} failed responses: ${ERRORS}`);
  // A busy machine detects a timeout late.
  expect(text).toMatch(/p99 ≥ 3(?: s|,\d{3} ms) \(4 timed out\)/);
  expect(text).toMatch(/^ +GET \/silent +4 +4(?: +≥ 3(?: s|,\d{3} ms)){3}$/m);

  // The file adopts the test, so that its thresholds are evaluated.
  writeFileSync(
    join(directory, 'loadtests.yaml'),
    fileOf({
      id: ids.test_id,
      host: target.host,
      urls,
      service: service.service.url,
      callback: `${receiver.url}/ended`,
    }),
  );
  const reports = ['--junit=junit.xml', '--markdown=report.md', '--csv=series.csv', '--html=report.html'];
  const readers = await runCli(['results', 'home', '--json-into=all.json', '--github', ...reports], {
    directory,
    env: { ...env, GITHUB_WORKSPACE: directory, GITHUB_STEP_SUMMARY: join(directory, 'summary.md') },
  });
  expect(readers).toMatchObject({ exit: 0, stderr: '' });
  const written = (name: string) => readFileSync(join(directory, name), 'utf8');
  const all = JSON.parse(written('all.json')) as typeof document;
  expect(all.tests[0].results[0].result).toEqual(detail);

  const { stdout: status } = await runCli(['status'], { directory, env });
  const [times] = /p50 .*, p99 .* timed out\)/.exec(text) ?? ['no times'];
  expect(times).toContain('(4 timed out)');
  expect(status).toContain(times);

  const failureMessage = 'error is 8, which does not meet < 1';
  const [annotation] = parseCommands(readers.stdout);
  expect(annotation).toEqual({
    name: 'error',
    properties: { file: 'loadtests.yaml', line: '16', col: '26', title: 'home: error < 1' },
    message: failureMessage,
  });
  expect(written('junit.xml')).toContain(
    `${failureMessage.replace('<', '&lt;')}\nloadtests.yaml:16:26</failure>`,
  );
  expect(written('junit.xml')).toContain('tests="3" failures="1" errors="0"');
  expect(written('junit.xml')).toContain('name="requests &gt;= 24" time=');

  const markdown = written('report.md');
  expect(`\n${markdown}`).toBe(written('summary.md'));
  expect(markdown).toContain(failureMessage.replace('<', '\\<'));
  const [, requests, failed] =
    /^\| `home` .*? UTC \| ✗ \*\*fail\*\* \| (\d+) \| (\d+) \|/m.exec(markdown) ?? [];
  expect([requests, failed]).toEqual(['24', '20']);
  expect(markdown).toContain('8 network errors: 4 ECONNRESET, 4 status\\_line');
  expect(markdown).toMatch(/\| `GET \/silent` \| 4 \| 4 \| ≥ 3(?: s|,\d{3} ms) \|/);

  const [header = '', ...rows] = written('series.csv').trim().split('\r\n');
  const columns = header.split(',');
  const added = (column: string) =>
    rows.reduce((sum, row) => sum + Number(row.split(',')[columns.indexOf(column)]), 0);
  for (const [outcome, count] of Object.entries(expected)) expect(added(outcome)).toBe(count);
  expect(added('started')).toBe(6 * CLIENTS);
  expect([added('data_sent_bytes'), added('data_received_bytes')]).toEqual([data_sent, data_received]);

  const html = written('report.html');
  const [, seconds = ''] = /<details[^>]*><summary>Second by second<(.*?)<\/details>/s.exec(html) ?? [];
  const rowsOfSeconds = [...seconds.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell]) => Number(cell)),
  );
  // The first cell of a row is its header, the time at which the second began.
  const totalOf = (column: number) => rowsOfSeconds.reduce((sum, cells) => sum + (cells[column] ?? 0), 0);
  expect([totalOf(0), totalOf(1), totalOf(2)]).toEqual([24, 24, 20]);
  const shown = html
    .replaceAll(/<(style|script)[^]*?<\/\1>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
  for (const text of ['fail 8', 'requests 24 failed 20', FAILURES, ERRORS]) {
    expect(shown).toContain(text);
  }
});

/** Returns a file in which the threshold on line 16 fails. */
function fileOf(options: {
  readonly id: string;
  readonly host: string;
  readonly urls: readonly { readonly url: string }[];
  readonly service: string;
  readonly callback: string;
}): string {
  return `version: 1
project: shop
service: { base_url: '${options.service}' }
apps: { shop: '${options.host}' }
tests:
  home:
    id: ${options.id}
    test_type: non-cycling
    total: ${CLIENTS}
    duration: 6s
    timeout: 3s
    error_threshold: 100
    callback: ${options.callback}
    callback_email: team@shop.example
    urls: ${JSON.stringify(options.urls)}
    thresholds: { error: '< 1', requests: '>= ${6 * CLIENTS}' }
`;
}

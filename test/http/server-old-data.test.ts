/** Data of an earlier version: the service reads it and recognizes repeated requests. */
import { join } from 'node:path';
import Libsql from 'libsql';
import { expect, test } from 'vitest';
import { openTestService } from '../support/test-service.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const HOST = '127.0.0.1:4080';
const TEST = 'a'.repeat(32);
const RESULT = 'b'.repeat(32);

/**
 * Body of a create as received: with unusual member order, and a URL with a space, which is refused today.
 */
const BODY =
  `{"urls":[{"variables":[{"source":"header","name":"csrf","property":"X-Csrf"}],"url":"http://${HOST}/a b",` +
  '"credentials":{"login":"ci","password":"secret"},"headers":{"accept":"text/html"}},' +
  `{"raw_post_body":"t={{csrf}}","request_type":"POST","url":"http://${HOST}/cart"}],` +
  '"test_type":"per-second","duration":5,"timeout":2500,"error_threshold":12.5,' +
  '"scheduled_at":"2099-01-01T00:00:00+01:00","tls_verify":false,"notes":"two\\r\\nlines"}';
/** SHA-256 of the canonical JSON of `{"body": …, "route": "create"}`, as the earlier version computed it. */
const DIGEST = 'd4eb25301f7e8dd992a28d998e1bbc4f599f7d9ba9b86ba972a5fc8980b3bb2b';
const RECORD = `{"result_id":"${RESULT}","started_at":"2026-01-02T03:04:05.000Z","status":"ready","success":7,"later_field":1}`;

test('the service reads tests, results and responses for idempotency keys that an earlier version stored', async () => {
  const dataDirectory = createTestDirectory();
  const before = await openTestService({ dataDirectory });
  const app = await before.verifiedApp(HOST);
  await before.service.close();
  const database = new Libsql(join(dataDirectory, 'service.db'));
  const first = JSON.stringify({ message: 'success', test_id: TEST, status: 'running', result_id: RESULT });
  database
    .prepare(
      'INSERT INTO tests (test_id, app_id, definition, status, due_at_ms, created_at_ms) VALUES (?, ?, ?, ?, ?, ?)',
    )
    .run(TEST, app, BODY, 'complete', null, 1);
  database
    .prepare('INSERT INTO results (result_id, test_id, started_at_ms, record, detail) VALUES (?, ?, ?, ?, ?)')
    .run(RESULT, TEST, 1767323045000, RECORD, '{"urls":null,"timeline":[],"error_samples":null}');
  database
    .prepare(
      'INSERT INTO idempotency (idempotency_key, request, status, answer, created_at_ms) VALUES (?, ?, ?, ?, ?)',
    )
    .run('nonce', DIGEST, 200, first, Date.now());
  database.close();

  const rig = await openTestService({ dataDirectory });
  expect((await rig.call('GET', `/v2/tests/${TEST}`)).json).toEqual({
    test_id: TEST,
    domain: HOST,
    test_type: 'Clients per second',
    status: 'complete',
    duration: 5,
    initial: 0,
    total: 60,
    timeout: 2500,
    error_threshold: 12.5,
    name: '',
    notes: 'two\r\nlines',
    callback: null,
    callback_email: null,
    scheduled_at: '2098-12-31 23:00:00',
    tls_verify: false,
    urls: [
      {
        url: `http://${HOST}/a b`,
        request_type: 'GET',
        authentication: { type: 'basic', login: 'ci' },
        headers: { accept: 'text/html' },
        request_params: {},
        raw_post_body: null,
        payload_file_url: null,
        variables: [{ name: 'csrf', property: 'X-Csrf', source: 'header' }],
      },
      {
        url: `http://${HOST}/cart`,
        request_type: 'POST',
        authentication: null,
        headers: {},
        request_params: {},
        raw_post_body: 't={{csrf}}',
        payload_file_url: null,
        variables: [],
      },
    ],
  });
  const record = JSON.parse(RECORD) as object;
  expect((await rig.call('GET', `/v2/tests/${TEST}/results`)).json).toEqual([record]);
  expect((await rig.call('GET', `/v2/tests/${TEST}/results/${RESULT}`)).json).toEqual({
    ...record,
    urls: null,
    timeline: [],
    error_samples: null,
  });

  const headers = { 'idempotency-key': 'nonce' };
  const repeated = await rig.call('POST', '/v2/tests', {
    raw: { type: 'application/json', body: BODY },
    headers,
  });
  expect([repeated.status, repeated.text]).toEqual([200, first]);
  const other = await rig.call('POST', '/v2/tests', { json: { ...JSON.parse(BODY), duration: 6 }, headers });
  expect(other.status).toBe(422);

  expect((await rig.call('PUT', `/v2/tests/${TEST}/run`)).status).toBe(200);
  const { job } = rig.runner.latest();
  expect(job).toMatchObject({ testType: 'per-second', total: 60, timeout: 2500, tlsVerify: false });
  expect(job.targets.map(({ path, credentials, body }) => [path, credentials, body])).toEqual([
    ['/a%20b', { login: 'ci', password: 'secret' }, null],
    ['/cart', null, { kind: 'text', text: 't={{csrf}}' }],
  ]);
});

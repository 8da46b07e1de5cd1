/** The key and the secrets of a test never appear in output of the client, however a call ends. */
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import type { ServiceClient } from '../../src/client/client.ts';
import type { CallError } from '../../src/core/call-error.ts';
import { appId, testId } from '../../src/core/model/ids.ts';
import { Secret } from '../../src/core/model/secret.ts';
import { milliseconds } from '../../src/core/units.ts';
import { findFreePort } from '../support/free-port.ts';
import { createHostedClient, expectFailure, homeSpec } from '../support/hosted-client.ts';
import { responseText, createSelfSigned, startRawTarget, type RawReply } from '../support/raw-target.ts';

const open: { close(): Promise<void> }[] = [];

afterEach(() => Promise.all(open.splice(0).map((one) => one.close())));

const KEY = 'canary-7f3a+b/c"d';
const PASSWORD = 'hunter2-canary & more';

/** Returns every representation of an error that a program could print. */
function allRepresentationsOf(error: CallError): string {
  return [
    inspect(error, { depth: Infinity, showHidden: true, getters: true }),
    JSON.stringify(error),
    String(error),
    error.stack,
    error.message,
    inspect(error.cause, { depth: Infinity, showHidden: true }),
    JSON.stringify(error.problem),
    error.errors.join(' '),
  ].join('\n');
}

const FORMS = [KEY, encodeURIComponent(KEY), JSON.stringify(KEY).slice(1, -1)];

const replyWith =
  (text: string): RawReply =>
  (_request, write) =>
    write(text);

const CALLS: readonly [string, (client: ServiceClient) => Promise<unknown>][] = [
  ['a read', (client) => client.listTests()],
  ['a register', (client) => client.registerApp('www.example.com')],
  ['a create', (client) => client.createTest({ spec: secretSpec(), notes: '', nonce: 'n' })],
  ['a start', (client) => client.runTest(testId('t'), 'n')],
  ['a stop', (client) => client.stopTest(testId('t'))],
  ['a delete', (client) => client.deleteApp(appId('a'))],
];

function secretSpec() {
  const [target] = homeSpec.targets;
  if (target === undefined) throw new Error('the spec has no target');
  const password = { parts: [new Secret('SHOP_PASSWORD', PASSWORD)] };
  return { ...homeSpec, targets: [{ ...target, credentials: { login: 'ci', password } }] };
}

const echo = (status: number): string =>
  responseText(
    status,
    JSON.stringify({ message: 'error', errors: [`wrong api key(${KEY})`, `password "${PASSWORD}"`] }),
  );

const FAULTS: readonly [string, RawReply][] = [
  ['a reset', (_request, _write, socket) => void socket.resetAndDestroy()],
  ['a closed connection', (_request, _write, socket) => void socket.end()],
  ['no response', () => undefined],
  [
    'a truncated response',
    (_request, write, socket) => {
      write(`HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n[{"key":"${KEY}"`);
      socket.end();
    },
  ],
  ['an invalid response', replyWith(`${KEY}\r\n\r\n`)],
  ['an echo of the API key with status 200', replyWith(echo(200))],
  ['an echo of the API key with status 400', replyWith(echo(400))],
  ['an echo of the API key with status 401', replyWith(echo(401))],
  ['an echo of the API key with status 404', replyWith(echo(404))],
  ['an echo of the API key with status 422', replyWith(echo(422))],
  ['an echo of the API key with status 429', replyWith(echo(429))],
  ['an echo of the API key with status 500', replyWith(echo(500))],
  ['an echo of the API key in an HTML page', replyWith(responseText(200, `<html>${KEY}</html>`))],
  [
    'an echo of the API key in a reason phrase',
    replyWith(responseText(500, '').replace('500 X', `500 ${KEY}`)),
  ],
  [
    'an echo of the API key in a location',
    replyWith(responseText(302, '', [`Location: /${encodeURIComponent(KEY)}/x?k=${KEY}`])),
  ],
  [
    'an echo of the API key in a content encoding',
    replyWith(responseText(200, '[]', [`Content-Encoding: ${KEY}`])),
  ],
  [
    'an echo of the API key as a field',
    replyWith(responseText(200, JSON.stringify([{ [KEY]: 1, test_id: [KEY] }]))),
  ],
];

describe.each(FAULTS)('client errors after %s', (fault, reply) => {
  it.each(CALLS)(
    'the error from %s request contains neither the API key nor a password that the request contains',
    async (operation, call) => {
      const target = await startRawTarget(reply);
      const client = createHostedClient(`http://127.0.0.1:${target.port}`, {
        key: new Secret('LOADTESTS_API_KEY', KEY),
        requestTimeout: milliseconds(fault === 'no response' ? 1000 : 60_000),
        tuning: { backoff: milliseconds(0) },
      });
      open.push(client, target);
      const text = allRepresentationsOf(await expectFailure(call(client)));
      for (const form of [...FORMS, PASSWORD]) {
        if (form === PASSWORD && operation !== 'a create') continue;
        expect(text).not.toContain(form);
      }
      // A busy target may read a request only after the client has given up.
      await expect.poll(() => target.requests[0]?.headers).toContainEqual(['acme-auth', KEY]);
    },
  );
});

it('connection errors do not contain the API key', async () => {
  const tls = await startRawTarget(undefined, { tls: createSelfSigned() });
  open.push(tls);
  for (const url of [
    `http://127.0.0.1:${await findFreePort()}`,
    `https://localhost:${tls.port}`,
    'https://shop.invalid',
  ]) {
    const client = createHostedClient(url, { key: new Secret('LOADTESTS_API_KEY', KEY) });
    open.push(client);
    for (const [, call] of CALLS) {
      const text = allRepresentationsOf(await expectFailure(call(client)));
      for (const form of FORMS) expect(text).not.toContain(form);
    }
  }
});

it('util.inspect does not reveal the API key of a client', () => {
  const client = createHostedClient('http://127.0.0.1:9', { key: new Secret('LOADTESTS_API_KEY', KEY) });
  open.push(client);
  expect(inspect(client, { depth: Infinity, showHidden: true })).not.toContain(KEY);
});

it('the errors of a failed verification do not contain the API key', async () => {
  // The second reason contains the key only after the invisible character is removed.
  const errors = [`no file for ${KEY}`, `no ${KEY.slice(0, 5)}\u200b${KEY.slice(5)}`];
  const body = JSON.stringify({ message: 'error', errors });
  const target = await startRawTarget(replyWith(responseText(422, body)));
  const client = createHostedClient(`http://127.0.0.1:${target.port}`, {
    key: new Secret('LOADTESTS_API_KEY', KEY),
  });
  open.push(client, target);
  expect(await client.verifyApp(appId('a'), 'http')).toEqual({
    verified: false,
    errors: ['no file for ***', 'no ***'],
  });
});

/**
 * Secrets appear in no output: one table of scenes, each with its outputs, and one of the places of secrets.
 * Every place has its own string, so a failure names the output and the place.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { acceptsSecret, TEST_FIELDS, URL_FIELDS } from '../../src/core/model/test-fields.ts';
import { openCallbackReceiver } from '../support/callback-receiver.ts';
import { runCli } from '../support/cli.ts';
import { openEmailRelay } from '../support/email-relay.ts';
import { createFakeRunner } from '../support/fake-runner.ts';
import { startHostedService } from '../support/hosted-service.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { encryptKey } from '../support/certificate-authority.ts';
import { createSelfSigned } from '../support/raw-target.ts';
import { openShop } from '../support/shop.ts';
import { HOUR } from '../support/test-clock.ts';
import { API_KEY, waitUntil } from '../support/test-service.ts';
import { openTestTarget } from '../support/test-target.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

/** Text by name of the output. */
type Outputs = Readonly<Record<string, string>>;

function canary(place: string): string {
  return `canary-${place}`;
}

/** Places that an output may show, because its reader has the API key. */
const SHOWN: Readonly<Record<string, readonly string[]>> = {
  'GET /v2/tests': [
    ...['callback', 'header', 'notes', 'param', 'path', 'payload', 'query', 'body', 'variable'],
    ...['part', 'setup', 'teardown', 'value', 'certificate', 'authority'],
  ],
};

function leaksOf(outputs: Outputs): readonly string[] {
  return Object.entries(outputs).flatMap(([output, text]) => {
    const encoded = text.matchAll(/[A-Za-z0-9+/]{16,}/g);
    const decoded = Array.from(encoded, ([base64]) => Buffer.from(base64, 'base64').toString('latin1'));
    const places = [text, ...decoded].flatMap((one) =>
      Array.from(one.matchAll(/canary-([a-z]+)/gi), ([, place = '']) => place),
    );
    return Array.from(new Set(places), (place) => [output, place] as const)
      .filter(([, place]) => SHOWN[output]?.includes(place) !== true)
      .map(([, place]) => `${output}: ${place}`);
  });
}

function textOfFiles(directory: string): string {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('');
}

function newDirectory(): string {
  const directory = createTemporaryDirectory();
  onTestFinished(directory.remove);
  return directory.path;
}

// --- commands

const KEY = 'canary-apikey000000000000000001';

/** By field of a URL that accepts secrets; `json` is sent as a body. */
const REFERENCES: Readonly<Record<string, string>> = {
  credentials: "{ login: ci, password: '${secret:PASSWORD}' }",
  aws_sigv4:
    "{ region: eu-central-1, service: execute-api, access_key_id: AKIA, secret_access_key: '${secret:AWS_KEY}', session_token: '${secret:AWS_TOKEN}' }",
  request_params: "{ token: '${secret:PARAM}' }",
  headers: "{ authorization: 'Bearer ${secret:HEADER}' }",
  raw_post_body: '\'{"secret":"${secret:BODY}"}\'',
  json: "{ secret: '${secret:JSON}' }",
  multipart: "{ token: '${secret:PART}' }",
};

const SECRETS = {
  PASSWORD: canary('password'),
  AWS_KEY: canary('signature'),
  AWS_TOKEN: canary('session'),
  PARAM: canary('param'),
  HEADER: canary('header'),
  BODY: canary('body'),
  JSON: canary('json'),
  PART: canary('part'),
};

/** Returns a file with a URL for each reference, because a request has one body. */
function fileFor(host: string, url: string, service = ''): string {
  const urls = Object.entries(REFERENCES).map(
    ([field, value]) => `      - { url: '${url}/${field}', request_type: POST, ${field}: ${value} }\n`,
  );
  return `version: 1
project: shop
${service}apps: { shop: "${host}" }
tests:
  cart:
    test_type: cycling
    total: 5
    duration: 10s
    urls:
${urls.join('')}    thresholds: { error_rate: '< 1%' }
`;
}

const UNTIL_APPLIED = [
  ['plan', '-o', 'plan.json', '--json-into', 'again.json'],
  ['apply', '--yes', '--json'],
];

const COMMANDS = [
  ['validate', '--json'],
  ...UNTIL_APPLIED,
  ['plan', '-f', 'changed.yaml', '--json'],
  ['plan', '-f', 'changed.yaml'],
  // The service now contains the secrets, but the following files do not refer to them.
  ['plan', '-f', 'plain.yaml', '-v'],
  ['plan', '-f', 'plain.yaml', '--json', '-o', 'old.json'],
  ['plan', '-f', 'emptied.yaml', '--json'],
  ['import', '-f', 'plain.yaml', '--json'],
  ['import', '-f', 'emptied.yaml', '-o', 'imported.yaml'],
  ['apply', '--yes', '--run', '-v'],
  ['status', '--json'],
  ['results', '--json'],
  ['run', 'cart', '--yes'],
  ['stop', '--all', '--yes'],
];

async function commandOutputs(fault: 'refuse' | 'reset' | 'key' | null): Promise<Outputs> {
  const service = await startHostedService({
    key: KEY,
    echoPasswords: true,
    extensions: ['multipart', 'aws_sigv4'],
  });
  onTestFinished(() => service.close());
  if (fault === 'reset')
    service.injectFault({ on: 'createTest', times: 50, executed: false, response: 'reset' });
  if (fault === 'refuse') {
    const errors = [KEY, ...Object.values(SECRETS)].map((text) => `cannot use ${text}`);
    const response = { status: 422, body: { message: 'error', errors } };
    service.injectFault({ on: 'createTest', times: 50, executed: false, response });
  }
  const directory = newDirectory();
  const write = (name: string, text: string) => {
    writeFileSync(join(directory, name), text);
  };
  const settings = `service: { base_url: '${service.url}', auth_header: acme-auth, settle: 100ms }\n`;
  const file = fileFor('www.example.com', 'http://www.example.com', settings);
  // A plan for this file changes and removes the values on the service.
  const plain = file
    .replaceAll(/\$\{secret:\w+\}/g, 'plain')
    .replace(/, request_params: \{[^}]*\}/, '')
    .replace('    urls:', '    urls:\n      - http://www.example.com/first');
  write('loadtests.yaml', file);
  write('changed.yaml', file.replace('Bearer', 'Token').replace('"secret"', '"other"'));
  write('plain.yaml', plain);
  write('emptied.yaml', plain.replace(/tests:[^]*/, 'tests: {}\n'));
  const env = { LOADTESTS_API_KEY: fault === 'key' ? `${KEY}x` : KEY, ...SECRETS };
  const outputs: Record<string, string> = {};
  for (const args of fault === null ? COMMANDS : UNTIL_APPLIED) {
    const { stdout, stderr } = await runInProcess(args, { directory, env });
    outputs[args.join(' ')] = stdout + stderr;
  }
  const sent = service.calls('createTest').map(({ body }) => body);
  if (fault === null) for (const secret of Object.values(SECRETS)) expect(sent[0]).toContain(secret);
  return { ...outputs, 'the files of the project': textOfFiles(directory) };
}

async function singleIterationOutputs(): Promise<Outputs> {
  const target = await openTestTarget((request, response) => {
    response.setHeader('X-Echo', request.headers.authorization ?? '');
    request.pipe(response);
  });
  const directory = newDirectory();
  writeFileSync(join(directory, 'loadtests.yaml'), fileFor(target.host, target.url));
  const outputs: Record<string, string> = {};
  // One of the commands runs in the built program, whose threads also write to its streams.
  for (const [run, more] of [[runCli, []] as const, [runInProcess, ['--json']] as const]) {
    const args = ['run', 'cart', '--once', '--yes', ...more];
    const { stdout, stderr } = await run(args, { directory, env: SECRETS });
    expect(stdout).toContain('***');
    outputs[args.join(' ')] = stdout + stderr;
  }
  return { ...outputs, 'the files of the project': textOfFiles(directory) };
}

// --- the service

/** A test with a secret in every confidential field that contains text. */
function confidentialFields(url: string, hooks: string, files: string) {
  // Text before a certificate or key is a comment.
  const pair = createSelfSigned();
  const passphrase = canary('passphrase');
  const connection = {
    cert: `${canary('certificate')}\n${pair.cert}`,
    key: `${canary('privatekey')}\n${encryptKey(pair.key, passphrase)}`,
    passphrase,
    ca: `${canary('authority')}\n${pair.cert}`,
  };
  const urls = [
    {
      url: `${url}/?q=${canary('query')}`,
      headers: { Authorization: canary('header') },
      request_params: { token: canary('param') },
      payload_file_url: `${files}/?t=${canary('payload')}`,
      variables: [{ name: 'v', property: `X-${canary('variable')}`, source: 'header' }],
    },
    {
      url: `${url}/`,
      request_type: 'POST',
      credentials: { login: 'ci', password: canary('password') },
      raw_post_body: canary('body'),
    },
    {
      url: `${url}/`,
      request_type: 'POST',
      multipart: [{ name: 'token', value: canary('part') }],
    },
    {
      url: `${url}/`,
      aws_sigv4: {
        ...{ region: 'eu-central-1', service: 'execute-api', access_key_id: 'AKIA' },
        secret_access_key: canary('signature'),
        session_token: canary('session'),
      },
    },
  ];
  return {
    ...{ test_type: 'non-cycling', duration: 1, urls, notes: canary('notes') },
    values: { note: canary('value') },
    // The target knows only its verification file.
    setup: {
      urls: [{ url: `${url}/`, headers: { authorization: canary('setup') }, expect: { status: [404] } }],
    },
    teardown: { urls: [{ url: `${url}/`, request_type: 'POST', raw_post_body: canary('teardown') }] },
    callback: `${hooks}/${canary('path')}?t=${canary('callback')}`,
    connection: { [new URL(url).host]: connection },
  };
}

async function serviceOutputs(): Promise<Outputs> {
  const relay = await openEmailRelay();
  const smtp = relay.url.replace('smtp://', `smtp://user:${canary('smtp')}@`);
  const shop = await openShop({ smtp, allowEmail: ['shop.example'] });
  const { service } = shop;
  const receiver = await openCallbackReceiver();
  receiver.respondWith((_, response) => {
    response.writeHead(receiver.received.length % 2 === 1 ? 500 : 200, { 'x-response': canary('response') });
    response.end(canary('response'));
  });
  const files = await openTestTarget((_, response) => {
    response.end(JSON.stringify({ keys: ['a'], values: [[canary('row')]] }));
  });
  const refusals: string[] = [];
  const create = async (changes: object = {}) => {
    const fields = confidentialFields(shop.target.url, receiver.url, files.url);
    const json = { ...fields, callback_email: 'team@shop.example', ...changes };
    return await service.call('POST', '/v2/tests', { json });
  };
  const refuse = async (response: ReturnType<typeof service.call>) => {
    const { status, text } = await response;
    expect(status).toBeGreaterThanOrEqual(400);
    refusals.push(text);
  };
  expect((await create()).json.errors).toBeUndefined();
  await waitUntil(() => service.runner.runs.length > 0 || null);
  service.runner.latest().fail(new Error('the generator died'));
  await waitUntil(() =>
    service.log.some(({ event, channel }) => event === 'notice-failed' && channel === 'callback')
      ? true
      : null,
  );
  shop.clock.advance(HOUR);
  await waitUntil(() => (receiver.received.length === 2 && relay.emails.length > 0 ? true : null));
  await refuse(create({ callback: `http://user:${canary('user')}@127.0.0.1/` }));
  await refuse(
    create({ urls: [{ url: shop.target.url, credentials: { login: 1, password: [canary('password')] } }] }),
  );
  await refuse(
    service.call('POST', '/v2/apps', { form: { app: `http://u:${canary('user')}@shop.example/` } }),
  );
  await refuse(service.call('GET', '/v2/apps', { key: canary('key') }));
  const raw = { type: 'application/json', body: `{"a":"${canary('raw')}` };
  await refuse(service.call('POST', '/v2/tests', { raw }));
  // These responses repeat their own request, so only the log is checked.
  await create({ [canary('field')]: 1 });
  await service.call('GET', `/v2/${canary('route')}?key=${API_KEY}`);
  await waitUntil(() => (service.log.some(({ event }) => event === 'notice-delivered') ? true : null));
  const log = JSON.stringify(service.log);
  expect(log).not.toContain(API_KEY);
  const read = async (path: string) => (await service.call('GET', path)).text;
  return {
    'the log': log,
    'the refusals': refusals.join(),
    'GET /v2/callbacks': await read('/v2/callbacks'),
    'GET /metrics': await read('/metrics'),
    'GET /v2/overview': await read('/v2/overview'),
    'GET /v2/keys': await read('/v2/keys'),
    'GET /v2/tests': await read('/v2/tests'),
    'the callbacks': receiver.received.map(({ body }) => body).join(),
    'the emails': relay.emails.map((email) => email.raw).join(),
  };
}

async function storedIterationOutputs(): Promise<Outputs> {
  const shop = await openShop({ fake: createFakeRunner({ endsIterations: true }) });
  const { service } = shop;
  const files = await openTestTarget((_, response) => {
    response.end(JSON.stringify({ keys: ['a'], values: [[canary('row')]] }));
  });
  const fields = confidentialFields(shop.target.url, files.url, files.url);
  const [first, ...others] = fields.urls;
  // The URLs are stored.
  const json = { ...fields, urls: [{ ...first, url: shop.target.url }, ...others] };
  const response = await service.call('POST', '/v2/iterations', { json });
  expect([response.status, response.json.errors]).toEqual([200, undefined]);
  const stored = textOfFiles(service.dataDirectory);
  expect(stored).toContain(shop.target.host);
  return { 'the data of the service': stored };
}

test.each<[string, () => Promise<Outputs>]>([
  ['commands', () => commandOutputs(null)],
  ['commands, if the service includes the secrets in an error', () => commandOutputs('refuse')],
  ['commands, if responses are lost', () => commandOutputs('reset')],
  ['commands, if the API key is rejected', () => commandOutputs('key')],
  ['run --once', singleIterationOutputs],
  ['a service, except in fields that the list of tests returns unmasked', serviceOutputs],
  ['a service that has run a single iteration', storedIterationOutputs],
])('secrets do not appear in the output of %s', async (_scene, open) => {
  const outputs = await open();
  expect(Object.values(outputs).filter((text) => text === '')).toEqual([]);
  expect(leaksOf(outputs)).toEqual([]);
});

test('the secrecy tests put a secret into every field that can contain one', () => {
  const urlFields = Object.values(URL_FIELDS);
  const referring = urlFields.filter(
    ({ name }) =>
      acceptsSecret([name]) || ['a', 'session_token'].some((member) => acceptsSecret([name, member])),
  );
  expect(Object.keys(REFERENCES).sort()).toEqual([...referring.map(({ name }) => name), 'json'].sort());
  const fields = confidentialFields('http://a', 'http://b', 'http://c');
  const used = new Set([...Object.keys(fields), ...fields.urls.flatMap(Object.keys)]);
  // An address, a flag and digests.
  const others = ['callback_email', 'raw_post_body_json', 'body_file', 'payload_file'];
  const confidential = [...Object.values(TEST_FIELDS), ...urlFields].filter((row) => !('isPublic' in row));
  expect(confidential.map(({ name }) => name).filter((name) => !used.has(name))).toEqual(others);
});

/** Secrets of recorded requests appear in no output of `record`. Every place has its own canary. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { openTestTarget } from '../support/test-target.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const canary = (place: string) => `canary-${place}-5up3r`;

/** Places of secrets in the requests and responses of the client below. */
const SENT = [
  ...['bearer', 'basic', 'cookie', 'query', 'form', 'json', 'nested', 'part', 'header', 'xml', 'large'],
  ...['environment', 'argument'],
];
const RECEIVED = ['received', 'answer', 'trailing'];

const CLIENT = `
const [url, argument] = process.argv.slice(2);
console.log('key', process.env.API_KEY, process.env.BASE);
console.error(process.env.API_KEY);
const canary = (place) => 'canary-' + place + '-5up3r';
const send = async (path, options) => await (await fetch(url + path, options)).text();
const json = { 'content-type': 'application/json' };
await send('/bearer', { headers: { authorization: 'Bearer ' + canary('bearer') } });
await send('/basic', { headers: { authorization: 'Basic ' + btoa('ann:' + canary('basic')) } });
await send('/cookie', { headers: { cookie: 'sid=' + canary('cookie') } });
await send('/query?page=2&access_token=' + canary('query'));
await send('/form', { method: 'POST', body: new URLSearchParams({ user: 'ann', password: canary('form') }) });
await send('/json', { method: 'POST', headers: json, body: JSON.stringify({ password: canary('json'), a: [{ client_secret: canary('nested') }] }) });
const form = new FormData();
form.append('password', canary('part'));
form.append('file', new Blob(['{"api_key": "' + canary('part') + '"}'], { type: 'application/json' }), 'a.json');
await send('/upload', { method: 'POST', body: form });
await send('/header', { headers: { 'x-api-key': canary('header') } });
await send('/xml', { method: 'POST', headers: { 'content-type': 'text/xml' }, body: '<a><password>' + canary('xml') + '</password></a>' });
await send('/environment', { headers: { 'x-api-key': process.env.API_KEY } });
await send('/argument', { headers: { 'x-api-key': argument } });
await send('/large?api_key=' + canary('large'), { method: 'POST', body: Buffer.alloc(65 * 1024 * 1024) });
process.kill(process.pid, 'SIGKILL');
`;

function leaksIn(text: string): readonly string[] {
  const decoded = Array.from(text.matchAll(/[A-Za-z0-9+/]{16,}/g), ([base64]) =>
    Buffer.from(base64, 'base64').toString('latin1'),
  );
  return [...SENT, ...RECEIVED].filter((place) =>
    [text, ...decoded].some((one) => one.toLowerCase().includes(canary(place))),
  );
}

describe('record', () => {
  test('no output of the record command contains a secret of a request or a response, even if the recorded command prints secrets that --env sets, and crashes', async () => {
    const target = await openTestTarget((request, response) => {
      response.setHeader('set-cookie', `sid=${canary('received')}; Path=/`);
      response.setHeader('content-type', 'application/json');
      request.resume().once('end', () => {
        response.end(JSON.stringify({ token: canary('answer'), user: { apiKey: canary('trailing') } }));
      });
    });
    const directory = createTestDirectory();
    const temporary = createTestDirectory();
    writeFileSync(join(directory, 'client.mjs'), CLIENT);
    const ran = await runCli(
      [
        ...['record', '--target', target.url, '--har', 'shop.har', '-o', 'loadtests.yaml'],
        ...['--env', `API_KEY=${canary('environment')}`, '--env', 'BASE=base'],
        ...['--', process.execPath, 'client.mjs', '{url}', canary('argument')],
      ],
      { directory, env: { TMPDIR: temporary } },
    );
    expect(target.requests).toHaveLength(12);
    expect(ran.stderr).toMatch(/^key .* base$/m);
    expect(ran.stderr).toContain('The recorded command failed: terminated by SIGKILL');
    expect(ran.stderr).toContain('the body of POST /large?api_key=LT_API_KEY');
    const read = (name: string) => readFileSync(join(directory, name), 'utf8');
    expect(readdirSync(directory).sort()).toEqual(['client.mjs', 'loadtests.yaml', 'shop.har']);
    expect(readdirSync(temporary)).toEqual([]);
    const outputs = [ran.stdout, ran.stderr, read('loadtests.yaml'), read('shop.har')];
    expect(outputs.map(leaksIn)).toEqual([[], [], [], []]);
    expect(read('loadtests.yaml').match(/\$\{secret:/g)?.length).toBeGreaterThanOrEqual(SENT.length - 2);
    expect(read('shop.har')).toContain('password=LT_PASSWORD');
  });

  test.each([
    ['--env', `=${canary('environment')}`],
    ['--env', `API KEY=${canary('environment')}`],
    ['--map', `x=http://ann:${canary('form')}@shop.example`],
    ['--map', `8081=http://ann:${canary('form')}@shop.example`],
    ['--target', `http://ann:${canary('form')}@shop.example`],
  ])('the error of the record command about an invalid %s does not show the value', async (flag, value) => {
    const target = flag === '--target' ? [] : ['--target', 'http://127.0.0.1:8080'];
    const ran = await runInProcess(['record', ...target, flag, value, '--', 'true'], {
      directory: createTestDirectory(),
    });
    expect([ran.exit, leaksIn(ran.stdout + ran.stderr)]).toEqual([3, []]);
  });
});

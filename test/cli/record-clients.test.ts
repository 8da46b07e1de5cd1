/** Recordings of clients of a shop with sessions: the written tests are accepted by the shop. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CUSTOMER, openFormShop, openLinkShop } from '../../scripts/recorded-shops.mjs';
import { runInProcess } from '../support/in-process-cli.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const NODE_CLIENT = `
let cookie = '';
const send = async (path, fields) => {
  const body = fields && new URLSearchParams(fields);
  const response = await fetch(new URL(path, process.argv[2]), { method: fields ? 'POST' : 'GET', redirect: 'manual', headers: { cookie }, body });
  cookie = response.headers.get('set-cookie')?.split(';')[0] ?? cookie;
  const page = await response.text();
  if (response.status >= 400) throw new Error(path + ': ' + response.status);
  return response.status === 303 ? await send(response.headers.get('location')) : page;
};
const part = (page, pattern) => pattern.exec(page)[1];
const token = (page) => part(page, /name="_csrf" value="(\\w+)"/);
const [user, password] = process.argv.slice(3);
const login = await send('/login');
const products = await send('/login', { _csrf: token(login), user, password });
const cart = await send('/cart', { _csrf: token(products), product: '2', qty: '3' });
const ordered = await send(part(cart, /action="([^"]+)"/), { _csrf: token(cart) });
await send(part(ordered, /href="([^"]+)"/));
`;

/** Requests one page after another, with the cookies of the responses. */
const SHELL_CLIENT = `
set -e
url=$1
page() { curl -sS --fail --location --cookie cookies --cookie-jar cookies "$@"; }
token() { sed -n 's/.*name="_csrf" value="\\([a-z0-9]*\\)".*/\\1/p' | head -n 1; }
login=$(page "$url/login" | token)
form=$(page "$url/login" --data-urlencode "_csrf=$login" --data-urlencode "user=$2" --data-urlencode "password=$3" | token)
cart=$(page "$url/cart" --data "_csrf=$form" --data product=2 --data qty=3)
action=$(printf %s "$cart" | sed 's/.*action="\\([^"]*\\)".*/\\1/')
order=$(page "$url$action" --data "_csrf=$(printf %s "$cart" | token)" | sed 's/.*href="\\([^"]*\\)".*/\\1/')
for receipt in "$order"; do page "$url$receipt" > /dev/null; done
`;

/** Follows the URLs in the responses of an API. */
const LINK_CLIENT = `
const headers = {};
const send = async (href, value) => {
  if (value) headers['content-type'] = 'application/json';
  // An absolute URL in a response is that of the target.
  const path = new URL(href, process.argv[2]).pathname;
  const response = await fetch(process.argv[2] + path, { method: value ? 'POST' : 'GET', headers, body: value && JSON.stringify(value) });
  if (!response.ok) throw new Error(href + ': ' + response.status);
  return { location: response.headers.get('location'), ...(await response.json()) };
};
const [user, password] = process.argv.slice(3);
const api = await send('/api');
const session = await send(api._links.sessions.href, { user, password });
headers.authorization = 'Bearer ' + session.token;
const catalog = await send(session._links.catalog.href);
const page = await send(catalog._links.next.href);
const cart = await send(page.items[1]._links.add.href, { quantity: 2 });
const order = await send(cart._links.checkout.href, {});
await send(order.location);
`;

const FORM_REQUESTS = ['GET 200', 'POST 303', 'GET 200', 'POST 200', 'POST 200', 'GET 200'];
const LINK_REQUESTS = ['GET 200', 'POST 201', 'GET 200', 'GET 200', 'POST 200', 'POST 201', 'GET 200'];

const CLIENTS = [
  {
    client: 'a Node.js script that sends forms',
    shop: { open: openFormShop, requests: FORM_REQUESTS },
    script: { file: 'client.mjs', text: NODE_CLIENT, program: process.execPath },
  },
  {
    client: 'a shell script with curl',
    shop: { open: openFormShop, requests: FORM_REQUESTS },
    script: { file: 'client.sh', text: SHELL_CLIENT, program: 'bash' },
  },
  {
    client: 'a Node.js script that follows links',
    shop: { open: openLinkShop, requests: LINK_REQUESTS },
    script: { file: 'client.mjs', text: LINK_CLIENT, program: process.execPath },
  },
];

describe('record', () => {
  test.each(CLIENTS)(
    'each client of a test that was recorded from $client sends the recorded requests once without failures, in runs with 1 and with 10 clients',
    async ({ shop: { open, requests }, script: { file, text, program } }) => {
      const shop = await open();
      onTestFinished(shop.close);
      const directory = createTestDirectory();
      writeFileSync(join(directory, file), text);
      const cli = async (...args: readonly string[]) => {
        const ran = await runInProcess(args, { directory, env: { LT_PASSWORD: CUSTOMER.password } });
        expect(ran.exit, ran.stderr).toBe(0);
        return ran.stdout;
      };
      const command = [program, file, '{url}', CUSTOMER.user, CUSTOMER.password];
      await cli('record', '--target', shop.url, '-o', 'loadtests.yaml', '--', ...command);
      const recorded = shop.log.map(({ method, status }) => `${method} ${status}`);
      expect(recorded).toEqual(requests);
      await cli('validate');
      await cli('plan');
      const path = join(directory, 'loadtests.yaml');
      const written = readFileSync(path, 'utf8');
      expect(written).not.toContain(CUSTOMER.password);
      for (const clients of [1, 10]) {
        const load = `    initial: ${clients}\n    total: ${clients}\n    iterations_per_client: 1\n    duration: 60s\n    timeout: 60s\n`;
        const changed = written.replace(/ {4}initial: 1\n {4}total: 10\n {4}duration: 10s\n/, load);
        expect(changed).toContain(load);
        writeFileSync(path, changed);
        const before = shop.log.length;
        const { runs } = JSON.parse(await cli('run', 'recording', '--yes', '--json')) as Ran;
        const sent = shop.log.slice(before).map(({ method, status }) => `${method} ${status}`);
        expect(sent.sort()).toEqual(recorded.flatMap((line) => Array<string>(clients).fill(line)).sort());
        expect(runs.map(({ metrics }) => [metrics.requests, metrics.success])).toEqual([
          [sent.length, sent.length],
        ]);
      }
    },
  );
});

interface Ran {
  readonly runs: readonly { readonly metrics: { readonly requests: number; readonly success: number } }[];
}

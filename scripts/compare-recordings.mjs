/**
 * Records tools in front of two example shops, and runs the written tests with 1 and with 10 clients. The shops refuse
 * requests with the values of another session.
 *
 *     node scripts/compare-recordings.mjs [DIRECTORY]
 *
 * DIRECTORY contains an installation of Artillery. By default, the script installs it into a temporary directory.
 * CHROMIUM is the path of Chromium.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { artilleryCommand } from './artillery-command.mjs';
import { CUSTOMER, openFormShop, openLinkShop } from './recorded-shops.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium-headless-shell';
const { user, password } = CUSTOMER;

const token = 'capture: [{ regexp: \'name="_csrf" value="(\\w+)"\', group: 1, as: csrf }';
const artilleryOf = (flow) =>
  `config: { target: 'http://127.0.0.1', phases: [{ duration: 1, arrivalCount: 3 }] }\nscenarios:\n  - flow:\n${flow}\n`;
const FORM_FLOW = artilleryOf(`
      - get: { url: /login, ${token}] }
      - post: { url: /login, form: { _csrf: "{{ csrf }}", user: ${user}, password: ${password} }, ${token}] }
      - post: { url: /cart, form: { _csrf: "{{ csrf }}", product: "2", qty: "3" }, ${token}, { regexp: 'action="([^"]+)"', group: 1, as: action }] }
      - post: { url: "{{ action }}", form: { _csrf: "{{ csrf }}" }, capture: [{ regexp: 'href="([^"]+)"', group: 1, as: order }] }
      - get: { url: "{{ order }}" }`);
const LINK_FLOW = artilleryOf(`
      - get: { url: /api }
      - post: { url: /api/sessions, json: { user: ${user}, password: ${password} }, capture: [{ json: $.token, as: token }, { json: $._links.cart.href, as: cart }, { json: $._links.catalog.href, as: catalog }] }
      - get: { url: "{{ catalog }}", headers: { authorization: "Bearer {{ token }}" }, capture: [{ regexp: '(/api/page/\\w+)', group: 1, as: page }] }
      - get: { url: "{{ page }}", headers: { authorization: "Bearer {{ token }}" }, capture: [{ json: "$.items[1]._links.add.href", as: add }] }
      - post: { url: "{{ add }}", json: { quantity: 2 }, headers: { authorization: "Bearer {{ token }}" }, capture: [{ json: $._links.checkout.href, as: checkout }] }
      - post: { url: "{{ checkout }}", json: {}, headers: { authorization: "Bearer {{ token }}" }, capture: [{ header: location, as: order }] }
      - get: { url: "{{ order }}", headers: { authorization: "Bearer {{ token }}" } }`);

/** A browser that uses the forward proxy. `visit` is executed in it. */
const browser = (visit) => `
import { chromium } from ${JSON.stringify(import.meta.resolve('playwright-core'))};
const [url, proxy] = process.argv.slice(2);
const args = ['--no-sandbox', '--proxy-server=' + proxy, '--proxy-bypass-list=<-loopback>'];
const browser = await chromium.launch({ executablePath: ${JSON.stringify(CHROMIUM)}, args });
const page = await browser.newPage();
${visit}
await browser.close();
`;
const FORM_VISIT = browser(`
await page.goto(url + '/login');
await page.fill('[name=user]', ${JSON.stringify(user)});
await page.fill('[name=password]', ${JSON.stringify(password)});
await page.click('button');
await page.click('#add-2');
await page.click('#order');
await page.click('#receipt');
await page.waitForSelector('text=Thank you');`);
const LINK_VISIT = browser(`
await page.goto(url + '/api');
await page.evaluate(async (login) => {
  const headers = {};
  const send = async (href, value) => {
    if (value) headers['content-type'] = 'application/json';
    const response = await fetch(href, { method: value ? 'POST' : 'GET', headers, body: value && JSON.stringify(value) });
    return { location: response.headers.get('location'), ...(await response.json()) };
  };
  const session = await send('/api/sessions', login);
  headers.authorization = 'Bearer ' + session.token;
  const page = await send((await send(session._links.catalog.href))._links.next.href);
  const order = await send((await send(page.items[1]._links.add.href, { quantity: 2 }))._links.checkout.href, {});
  await send(order.location);
}, ${JSON.stringify(CUSTOMER)});`);

const FORMS = { open: openFormShop, marker: 'GET /login' };
const LINKS = { open: openLinkShop, marker: 'GET /api' };

const directory = mkdtempSync(join(tmpdir(), 'compare-recordings-'));
const artillery = [...artilleryCommand(directory), '--target', '{url}'];
const autocannon = [join(ROOT, 'node_modules/autocannon/autocannon.js'), '-c', '3', '-a', '30'];
const SCENES = [
  {
    tool: 'Artillery, forms',
    shop: FORMS,
    files: { 'flow.yml': FORM_FLOW },
    command: [...artillery, 'flow.yml'],
  },
  {
    tool: 'Artillery, links',
    shop: LINKS,
    files: { 'flow.yml': LINK_FLOW },
    command: [...artillery, 'flow.yml'],
  },
  { tool: 'autocannon', shop: LINKS, files: {}, command: [...autocannon, '{url}/api'] },
  {
    tool: 'Chromium, forms',
    shop: FORMS,
    files: { 'visit.mjs': FORM_VISIT },
    command: ['visit.mjs', 'SHOP', '{url}'],
  },
  {
    tool: 'Chromium, links',
    shop: LINKS,
    files: { 'visit.mjs': LINK_VISIT },
    command: ['visit.mjs', 'SHOP', '{url}'],
  },
];

async function loadtests(cwd, ...args) {
  const env = { ...process.env, ARTILLERY_DISABLE_TELEMETRY: 'true', LT_PASSWORD: password };
  const child = spawn(process.execPath, [join(ROOT, 'dist/cli/main.js'), ...args], { cwd, env });
  const ended = new Promise((done) => child.once('close', done));
  const [stdout, stderr, exit] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (exit !== 0) throw new Error(`loadtests ${args[0]} failed: exit code ${exit}\n${stdout}${stderr}`);
  return stdout;
}

/** Returns the result of a scene. It throws if a command fails. */
async function play({ shop: { open, marker }, files, command }, cwd) {
  const shop = await open();
  const taken = () => shop.log.splice(0).map(({ method, status }) => `${method} ${status}`);
  mkdirSync(cwd);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  const program = command.map((word) => (word === 'SHOP' ? shop.url : word));
  const flags = ['--target', shop.url, '--iterations-marker', marker, '-o', 'loadtests.yaml'];
  await loadtests(cwd, 'record', ...flags, '--', process.execPath, ...program);
  const recorded = taken();
  await loadtests(cwd, 'validate');
  await loadtests(cwd, 'plan');
  const file = join(cwd, 'loadtests.yaml');
  const written = readFileSync(file, 'utf8');
  const result = [`recorded ${recorded.length}`];
  let isRight = !recorded.some((line) => / [45]/.test(line));
  for (const clients of [1, 10]) {
    const load = `initial: ${clients}\n    total: ${clients}\n    iterations_per_client: 1\n    duration: 60s`;
    writeFileSync(file, written.replace(/initial: 1\n {4}total: 10\n {4}duration: 10s/, load));
    const { runs } = JSON.parse(await loadtests(cwd, 'run', 'recording', '--yes', '--json'));
    const sent = taken();
    const { requests, success } = runs[0].metrics;
    const refused = sent.filter((line) => / [45]/.test(line)).length;
    result.push(`${clients} clients: ${requests} requests, ${sent.length} in the log, ${refused} refused`);
    isRight &&= requests === sent.length && success === sent.length && refused === 0;
  }
  await shop.close();
  return { isRight, result };
}

const selected = process.env.TOOLS?.split(',');
for (const [index, scene] of SCENES.entries()) {
  if (selected !== undefined && !selected.some((name) => scene.tool.startsWith(name))) continue;
  const { isRight, result } = await play(scene, join(directory, String(index)));
  console.log(`${isRight ? 'ok   ' : 'WRONG'} ${scene.tool}: ${result.join('; ')}`);
  if (!isRight) {
    console.log(readFileSync(join(directory, String(index), 'loadtests.yaml'), 'utf8'));
    process.exitCode = 1;
  }
}
rmSync(directory, { recursive: true });

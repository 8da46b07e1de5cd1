/** Attacks of other origins in a browser with an open web UI: they change nothing and read nothing. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { ATTACK_PAGES, EFFECTIVE_ATTACK_PAGES, PRELUDE, type AttackPage } from '../support/attack-pages.ts';
import { startChromium, SKIP_WITHOUT_CHROMIUM } from '../support/chromium.ts';
import { findFreePort } from '../support/free-port.ts';
import {
  API_KEY,
  openTestService,
  smallTestFields,
  waitUntil,
  type TestService,
} from '../support/test-service.ts';
import { onScopeEnd, useShared } from '../support/shared.ts';
import { openShop } from '../support/shop.ts';
import { sampleRows } from '../support/test-scale.ts';
import { openTestTarget } from '../support/test-target.ts';

const EVIL = 'evil.example';
/** Name that points to the service, as after DNS rebinding. */
const REBOUND = 'rebound.example';
/** Public name of a service. */
const PUBLIC = 'loads.example';

let browser: Browser | null = null;

beforeAll(async () => {
  if (SKIP_WITHOUT_CHROMIUM !== null) return;
  browser = await startChromium([
    `--host-resolver-rules=${[EVIL, REBOUND, PUBLIC].map((name) => `MAP ${name} 127.0.0.1`).join()}`,
    // Some browsers allow pages of other sites to access local addresses.
    '--disable-features=LocalNetworkAccessChecks',
  ]);
});

afterAll(() => browser?.close());

/** Secret text in the name of a test, and therefore in most responses. */
const CANARY = 'canary-of-a-title';

/** Opens a browser context that shares no data with other contexts. It is closed with the test or group. */
async function newContext(): Promise<BrowserContext> {
  if (browser === null) throw new Error('Bug: no browser');
  const context = await browser.newContext();
  onScopeEnd(() => context.close());
  return context;
}

/** Opens a service with a completed and a running test, and its web UI in a browser. */
async function openVictim() {
  const shop = await openShop();
  const { service, target, appId } = shop;
  const create = async (changes: object) => {
    const json = smallTestFields(`${target.url}/`, { name: CANARY, ...changes });
    const { test_id: testId, result_id: resultId } = (await service.call('POST', '/v2/tests', { json })).json;
    return { testId, resultId };
  };
  const ended = await create({});
  service.runner.latest().end();
  await waitUntil(async () => {
    const { status } = (await service.call('GET', `/v2/tests/${ended.testId}`)).json;
    return status === 'complete' ? true : null;
  });
  const running = await create({ name: `${CANARY} running` });
  const context = await newContext();
  const dialogs: string[] = [];
  context.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const page = await openAt(context, service.service.createSignInLink() ?? '');
  await page.getByText(`${CANARY} running`).first().waitFor();
  const token = (await page.evaluate(() => Object.values(sessionStorage).join())).slice(-64);
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  return { rig: service, context, page, token, appId, ended, running, dialogs };
}

type Victim = Awaited<ReturnType<typeof openVictim>>;

/** Returns all data of the service and the number of stops of each run. */
async function stateOf({ rig }: Victim): Promise<unknown> {
  const get = async (path: string) => (await rig.call('GET', path)).text;
  const tests = (await rig.call('GET', '/v2/tests')).list;
  return {
    lists: await Promise.all(['/v2/apps', '/v2/tests', '/v2/keys', '/v2/callbacks'].map(get)),
    results: await Promise.all(tests.map(async ({ test_id: id }) => await get(`/v2/tests/${id}/results`))),
    runs: rig.runner.runs.map(({ stops }) => stops.length),
  };
}

/** Returns the successful writes in the log. */
function writesOf({ log }: TestService): readonly unknown[] {
  return log.filter(
    ({ event, method, status }) => event === 'request' && method !== 'GET' && Number(status) < 300,
  );
}

/** Opens the server of an attacker with an empty page or with attack pages, and records its requests. */
async function openAttacker(target: AttackTarget | null = null) {
  const received: string[] = [];
  const server = await openTestTarget((request, response) => {
    const { url = '' } = request;
    received.push(JSON.stringify([url, request.headers]));
    const [, status, path = ''] = /^\/on(30\d)(.*)/.exec(url) ?? [];
    if (target !== null && status !== undefined) {
      response.writeHead(Number(status), { location: target.base + path });
      response.end();
      return;
    }
    response.setHeader('content-type', 'text/html');
    const { body = '' } = ATTACK_PAGES[Number(/^\/attack\/(\d+)$/.exec(url)?.[1] ?? -1)] ?? {};
    response.end(
      `<!doctype html><title>attack</title><body>${body === '' ? '' : PRELUDE}${fillIn(body, target)}`,
    );
  });
  return { port: server.port, received };
}

function fillIn(body: string, target: AttackTarget | null): string {
  if (target === null) return body;
  const { base, testId, resultId, appId } = target;
  const known = { BASE: base, TEST: testId, RESULT: resultId, APP: appId, BACK: '/on' };
  return body.replaceAll(
    /\b(?:BASE|TEST|RESULT|APP)\b|\bBACK(?=30\d)/g,
    (word) => known[word as keyof typeof known],
  ); // one of them
}

/**
 * Opens attack pages in frames, waits until they are done, and returns the strings that they could read.
 * @param isDone - true if these strings, or the received requests, are enough; a slow machine needs more time
 */
async function runAttackPages(
  context: BrowserContext,
  origin: string,
  pages: readonly AttackPage[],
  isDone: (read: readonly string[]) => boolean,
): Promise<readonly string[]> {
  const page = await openAt(context, `${origin}/`);
  await page.evaluate(
    async (indexes) => {
      // A browser has few connections to a host, so only some frames are loaded concurrently.
      for (let first = 0; first < indexes.length; first += 13) {
        await Promise.all(
          indexes.slice(first, first + 13).map(async (index) => {
            const frame = Object.assign(document.createElement('iframe'), { src: `/attack/${index}` });
            document.body.append(frame);
            // A blocked frame may never finish loading.
            await Promise.race([
              new Promise((resolve) => frame.addEventListener('load', resolve)),
              new Promise((resolve) => setTimeout(resolve, 2000)),
            ]);
          }),
        );
      }
      await new Promise((resolve) => setTimeout(resolve, 1000));
    },
    pages.map((page) => ATTACK_PAGES.indexOf(page)),
  );
  const result = await waitUntil(async () => {
    const read = await page.evaluate(readAttackFrames);
    if (read === null) return null;
    expect(read).toHaveLength(pages.length);
    const texts = read.flatMap((got, at) => got.map((text) => `${pages[at]?.name}: ${text}`));
    return isDone(texts) ? texts : null;
  });
  await page.close();
  return result;
}

/**
 * Runs in the page with the frames, which have its origin. Returns the strings that each frame could read; null if
 * the scripts of a frame have not started.
 */
async function readAttackFrames(): Promise<readonly (readonly string[])[] | null> {
  await new Promise((resolve) => setTimeout(resolve, 100));
  const read = [...document.querySelectorAll('iframe')].map(
    ({ contentWindow }) => (contentWindow as { readonly got?: readonly string[] } | null)?.got, // of the prelude
  );
  return read.every((got) => got !== undefined) ? read : null;
}

/** Target of the attacks; it contains more than a real attacker can know. */
interface AttackTarget {
  readonly base: string;
  readonly testId: string;
  readonly resultId: string;
  readonly appId: string;
}

/** Requests that the attacks of one page send. */
interface AttackRequests {
  readonly base: string;
  readonly reads: readonly string[];
  readonly writes: readonly (readonly [method: string, path: string, body: string])[];
}

/** Returns requests to all routes. */
function allRequests({ base, testId, resultId, appId }: AttackTarget): AttackRequests {
  return {
    base,
    reads: [
      ...['/', '/healthz', '/metrics', '/v2/overview', '/v2/tests', '/v2/apps', '/v2/keys'],
      ...['/v2/openapi.json', `/v2/tests/${testId}`, `/v2/tests/${testId}/results/${resultId}/progress`],
      '/v2/callbacks',
    ],
    writes: [
      ['PUT', `/v2/tests/${testId}/run`, ''],
      ['PUT', `/v2/tests/${testId}/stop`, ''],
      ['PUT', `/v2/tests/${testId}/results/${resultId}/verdict`, '{"verdict":"passed"}'],
      ['DELETE', `/v2/apps/${appId}`, ''],
      ['DELETE', '/v2/sessions', ''],
      ['POST', '/v2/sign-in-codes', ''],
      ['POST', '/v2/sessions', `{"code":"${'f'.repeat(32)}"}`],
      ['POST', '/v2/apps', '{"app":"evil.example"}'],
      ['POST', `/v2/apps/${appId}/verify`, '{}'],
      ['POST', '/v2/tests', '{"test_type":"non-cycling","duration":1,"urls":[{"url":"http://127.0.0.1/"}]}'],
      ['POST', '/v2/iterations', '{"urls":[]}'],
    ],
  };
}

/**
 * Runs in the page of the attacker, without access to this module. Returns the names of all attacks and the
 * strings that they could read.
 */
async function attack({ base, reads, writes }: AttackRequests) {
  const read: string[] = [];
  const attempts: string[] = [];
  const loaded = ['/', '/v2/overview'];
  const tries = async (name: string, work: () => unknown) => {
    attempts.push(name);
    try {
      const result = await Promise.race([
        Promise.resolve(work()),
        new Promise((resolve) => setTimeout(resolve, 3000)),
      ]);
      if (typeof result === 'string' && result !== '') read.push(`${name}: ${result}`);
    } catch {
      // The browser refused the attack.
    }
  };
  /** Adds an element that loads a URL. */
  const element = async (tag: string, fields: object) => {
    await new Promise<void>((resolve) => {
      const node = Object.assign(document.createElement(tag), fields);
      node.addEventListener('load', () => resolve());
      node.addEventListener('error', () => resolve());
      document.body.append(node);
      setTimeout(resolve, 1500);
    });
  };
  const textOf = async (response: Promise<Response>) => await (await response).text();
  const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'];
  const all: Promise<void>[] = [];

  for (const path of reads) {
    const url = base + path;
    for (const credentials of ['omit', 'include'] as const) {
      all.push(tries(`fetch cors ${path}`, async () => await textOf(fetch(url, { credentials }))));
      all.push(
        tries(
          `fetch no-cors ${path}`,
          async () => await textOf(fetch(url, { mode: 'no-cors', credentials })),
        ),
      );
    }
    all.push(
      tries(`fetch with a token ${path}`, async () => {
        return await textOf(fetch(url, { headers: { authorization: `Bearer ${'0'.repeat(64)}` } }));
      }),
    );
    // Loading these elements does not depend on the path.
    if (!loaded.includes(path)) continue;
    all.push(
      tries(`image ${path}`, async () => {
        await element('img', { src: url });
      }),
      tries(`script ${path}`, async () => {
        await element('script', { src: url });
      }),
      tries(`module ${path}`, async () => JSON.stringify(await import(url))),
      tries(`style ${path}`, async () => {
        await element('link', { rel: 'stylesheet', href: url });
        return [...document.styleSheets].map((sheet) => String(sheet.cssRules.length)).join('');
      }),
      tries(`frame ${path}`, async () => {
        const frame = document.createElement('iframe');
        frame.src = url;
        document.body.append(frame);
        await new Promise((resolve) => setTimeout(resolve, 800));
        return frame.contentDocument?.body.innerText ?? '';
      }),
      tries(`object ${path}`, async () => {
        await element('object', { data: url });
      }),
      tries(`events ${path}`, async () => {
        return await new Promise((resolve) => {
          const events = new EventSource(url);
          events.onmessage = ({ data }) => resolve(String(data));
          events.onerror = () => {
            events.close();
            resolve('');
          };
        });
      }),
      tries(`socket ${path}`, async () => {
        return await new Promise((resolve) => {
          const socket = new WebSocket(url.replace('http', 'ws'));
          socket.onopen = () => resolve('open');
          socket.onmessage = ({ data }) => resolve(String(data));
          socket.onerror = () => resolve('');
        });
      }),
      tries(`worker ${path}`, async () => {
        const text = `try { importScripts(${JSON.stringify(url)}); postMessage('loaded'); } catch { postMessage(''); }`;
        const worker = new Worker(URL.createObjectURL(new Blob([text])));
        return await new Promise((resolve) => {
          worker.onmessage = ({ data }) => resolve(data);
        });
      }),
    );
  }

  for (const [method, path, body] of writes) {
    const url = base + path;
    for (const type of [...types, 'application/json']) {
      const headers = { 'content-type': type };
      const init = { body: body === '' ? null : body, headers };
      all.push(
        tries(`${method} cors ${path}`, async () => await textOf(fetch(url, { ...init, method }))),
        tries(`POST no-cors ${path}`, async () => {
          await fetch(url, { ...init, method: 'POST', mode: 'no-cors', credentials: 'include' });
        }),
        tries(`beacon ${path}`, () => {
          navigator.sendBeacon(url, new Blob([body], { type }));
        }),
      );
    }
    all.push(
      tries(`${method} with a key ${path}`, async () => {
        return await textOf(fetch(url, { method, headers: { 'service-auth': 'f'.repeat(32) } }));
      }),
      tries(`override ${path}`, async () => {
        return await textOf(fetch(url, { method: 'POST', headers: { 'x-http-method-override': method } }));
      }),
      tries(`XMLHttpRequest ${path}`, async () => {
        return await new Promise((resolve) => {
          const request = new XMLHttpRequest();
          request.open(method, url);
          request.withCredentials = true;
          request.onloadend = () => resolve(request.responseText);
          request.send(body);
        });
      }),
    );
    for (const [formMethod, enctype] of [
      ['post', 'text/plain'],
      ['post', 'application/x-www-form-urlencoded'],
      ['post', 'multipart/form-data'],
      ['get', 'application/x-www-form-urlencoded'],
    ] as const) {
      all.push(
        tries(`form ${formMethod} ${enctype} ${path}`, async () => {
          const frame = Object.assign(document.createElement('iframe'), { name: `f${Math.random()}` });
          const form = document.createElement('form');
          Object.assign(form, { action: url, method: formMethod, enctype, target: frame.name });
          // Encoded as text/plain, the form is valid JSON: {"app":"evil.example","x":"="}.
          const field = document.createElement('input');
          field.name = body.replace(/\}$/, `${body === '{}' ? '' : ','}"x":"`);
          field.value = '"}';
          const override = document.createElement('input');
          Object.assign(override, { name: '_method', value: method });
          form.append(field, ...(enctype === 'text/plain' ? [] : [override]));
          document.body.append(frame, form);
          form.submit();
          await new Promise((resolve) => setTimeout(resolve, 800));
          return frame.contentDocument?.body.innerText ?? '';
        }),
      );
    }
  }

  // This number of wrong links would lock out the user if the attempts counted.
  for (let count = 0; count < 40; count++) {
    all.push(
      tries('wrong links', async () => {
        const body = JSON.stringify({ code: String(count).padStart(32, '0') });
        await fetch(`${base}/v2/sessions`, { method: 'POST', mode: 'no-cors', body });
      }),
    );
  }

  all.push(
    tries('channel', async () => {
      const channel = new BroadcastChannel('loadtests-session');
      channel.postMessage({ kind: 'who-has-a-token' });
      return await new Promise((resolve) => {
        channel.onmessage = ({ data }) => resolve(JSON.stringify(data));
        setTimeout(resolve, 1000);
      });
    }),
    tries('storage', () => [...Object.keys(sessionStorage), ...Object.keys(localStorage)].join()),
    tries('cookies', () => document.cookie),
  );
  await Promise.all(all);
  return { attempts, read };
}

/**
 * Opens a service without any protection.
 * @param written - Receives the lines of all writes.
 */
async function openWeakService(written: string[]) {
  return await openTestTarget((request, response) => {
    const { method = '', url = '' } = request;
    if (method !== 'GET' && method !== 'OPTIONS') written.push(`${method} ${url}`);
    response.setHeader('access-control-allow-origin', request.headers.origin ?? '*');
    response.setHeader('access-control-allow-credentials', 'true');
    response.setHeader(
      'access-control-allow-headers',
      'content-type, authorization, service-auth, x-http-method-override',
    );
    response.setHeader('access-control-allow-methods', 'PUT, DELETE');
    response.end(CANARY);
  });
}

function attackTargetOf({ rig, ended, appId }: Victim, base = rig.service.url): AttackTarget {
  return { base, ...ended, appId };
}

/** Checks that the data, the web UI in the other tab and the sign-in are unchanged. */
async function expectUnharmed(victim: Victim, before: unknown): Promise<void> {
  expect(await stateOf(victim)).toEqual(before);
  expect(victim.dialogs).toEqual([]);
  const { page, rig, token } = victim;
  expect(await page.evaluate(() => Object.values(sessionStorage).join())).toContain(token);
  expect(await page.getByText(`${CANARY} running`).count()).toBeGreaterThan(0);
  // A sign-in link still works.
  const other = await victim.context.newPage();
  const exchanged = other.waitForResponse((response) => response.url().endsWith('/v2/sessions'));
  await other.goto(rig.service.createSignInLink() ?? '');
  expect((await exchanged).status()).toBe(200);
  await other.close();
}

/** Opens a page that is closed with the test or group. */
async function openAt(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  onScopeEnd(() => page.close());
  await page.goto(url);
  return page;
}

describe.skipIf(SKIP_WITHOUT_CHROMIUM !== null)('attacks from other origins', () => {
  const sharedVictim = useShared(openVictim);

  test('scripts of another origin cannot read or change the data of the service', async () => {
    const victim = sharedVictim();
    const { rig, context, token } = victim;
    const attacker = await openAttacker();
    const before = await stateOf(victim);
    const writes = writesOf(rig).length;
    const [visible] = [rig.log.length];
    const page = await openAt(context, `http://${EVIL}:${attacker.port}/`);
    const { attempts, read } = await page.evaluate(attack, allRequests(attackTargetOf(victim)));
    expect(attempts.length).toBeGreaterThan(250);
    expect(read).toEqual([]);
    // The requests arrive and are refused.
    await expect.poll(() => rig.log.length - visible).toBeGreaterThan(100);
    await page.close();
    expect(writesOf(rig)).toHaveLength(writes);
    await expectUnharmed(victim, before);
    for (const received of attacker.received)
      expect(received).not.toMatch(new RegExp(`${token}|"cookie"|${API_KEY}`));
  });

  test('at least sixty attack pages on another site, and some of them on another port, cannot read or change the data of the service', async () => {
    expect(new Set(ATTACK_PAGES.map(({ body }) => body)).size).toBeGreaterThanOrEqual(60);
    const victim = sharedVictim();
    const { rig, context, token } = victim;
    const attacker = await openAttacker(attackTargetOf(victim));
    const before = await stateOf(victim);
    const [writes, visible] = [writesOf(rig).length, rig.log.length];
    const arrived = () => rig.log.length - visible;
    const read = await Promise.all(
      [
        [EVIL, ATTACK_PAGES] as const,
        // Another port of the same site: only the headers of the requests differ. `TEST_SCALE=1` opens all pages.
        ['127.0.0.1', sampleRows(ATTACK_PAGES, 21)] as const,
      ].map(
        // The requests arrive and are refused.
        async ([host, pages]) =>
          await runAttackPages(context, `http://${host}:${attacker.port}`, pages, () => arrived() > 60),
      ),
    );
    expect(read.flat()).toEqual([]);
    expect(writesOf(rig)).toHaveLength(writes);
    await expectUnharmed(victim, before);
    for (const received of attacker.received)
      expect(received).not.toMatch(new RegExp(`${token}|"cookie"|${API_KEY}`));
  });

  test('more than ten attack pages read the data of an unprotected service, and more than ten different write requests arrive', async () => {
    const written: string[] = [];
    const weak = await openWeakService(written);
    const target = { base: weak.url, testId: 'a1', resultId: 'b2', appId: 'c3' };
    const attacker = await openAttacker(target);
    const namesOf = (read: readonly string[]) => new Set(read.map((text) => text.split(': ')[0]));
    const isDone = (read: readonly string[]) => namesOf(read).size > 10 && new Set(written).size > 10;
    const origin = `http://127.0.0.1:${attacker.port}`;
    const read = await runAttackPages(await newContext(), origin, EFFECTIVE_ATTACK_PAGES, isDone);
    expect(isDone(read)).toBe(true);
  });

  test('scripts of another origin can read and change the data of an unprotected service', async () => {
    const written: string[] = [];
    const weak = await openWeakService(written);
    const attacker = await openAttacker();
    const context = await newContext();
    const page = await openAt(context, `http://127.0.0.1:${attacker.port}/`);
    // Responses do not depend on the path, so these few are enough.
    const requests: AttackRequests = {
      base: weak.url,
      reads: ['/', '/healthz'],
      writes: [
        ['PUT', '/v2/tests/1/run', ''],
        ['DELETE', '/v2/apps/1', ''],
        ['POST', '/v2/apps', '{"app":"evil.example"}'],
      ],
    };
    const methods = () => [...new Set(written.map((line) => line.split(' ')[0]))].sort();
    const readTexts = new Set<string>();
    // A busy machine completes only some of the attacks in time, so they are repeated.
    await waitUntil(async () => {
      const { read } = await page.evaluate(attack, requests);
      for (const text of read) readTexts.add(text);
      return readTexts.size > 10 && methods().length === 3 ? true : null;
    });
    expect(methods()).toEqual(['DELETE', 'POST', 'PUT']);
  });

  test('DNS rebinding does not give access to the service, even with a stolen token', async () => {
    const victim = sharedVictim();
    const { rig, context, token } = victim;
    const before = await stateOf(victim);
    const origin = `http://${REBOUND}:${rig.service.port}`;
    // Content of the name before it was rebound.
    await context.route(`${origin}/attack`, async (route) => {
      await route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>attack</title>' });
    });
    const page = await openAt(context, `${origin}/attack`);
    const responses = await page.evaluate(
      async ([authorization, testId]) => {
        const calls = [
          ...['/', '/nothing', '/healthz', '/metrics', '/v2/overview', '/v2/tests'].map((path) => [
            'GET',
            path,
          ]),
          ...[`/v2/tests/${testId}/run`, `/v2/tests/${testId}/stop`].map((path) => ['PUT', path]),
          ...['/v2/apps', '/v2/sessions', '/v2/sign-in-codes'].map((path) => ['POST', path]),
        ];
        return await Promise.all(
          calls.map(async ([method = '', path = '']) => {
            const headers = { authorization, 'content-type': 'application/json' };
            const body = method === 'POST' ? '{"app":"evil.example"}' : null;
            const response = await fetch(path, { method, headers, body });
            return [response.status, await response.text()] as const;
          }),
        );
      },
      [`Bearer ${token}`, victim.running.testId] as const,
    );
    expect(responses).toHaveLength(11);
    for (const [status, text] of responses) {
      expect(status).toBe(421);
      expect(text).toMatch(
        /^\{"message":"error","errors":\["the Host header is not an address of this service; [^"]+\\"loadtests serve\\""\]\}$/,
      );
    }
    await expectUnharmed(victim, before);
  });

  test('cookies do not give access to the service, and the service sets no cookies', async () => {
    const victim = sharedVictim();
    const { rig, context, page, token } = victim;
    const before = await stateOf(victim);
    const attacker = await openAttacker();
    onTestFinished(() => context.clearCookies());
    const other = await openAt(context, `http://127.0.0.1:${attacker.port}/`);
    const logged = rig.log.length;
    const result = await other.evaluate(
      async ([base, authorization, key, testId]) => {
        const names = ['authorization', 'token', 'loadtests-token', 'session', 'sid', '__Host-token', 'code'];
        for (const name of names) document.cookie = `${name}=${authorization}; path=/; samesite=lax`;
        for (const name of ['service-auth', 'key', 'api_key']) document.cookie = `${name}=${key}; path=/`;
        for (const [path, method] of [
          ['/v2/overview', 'GET'],
          [`/v2/tests/${testId}/stop`, 'POST'],
          ['/v2/sign-in-codes', 'POST'],
        ] as const)
          await fetch(`${base}${path}`, { method, mode: 'no-cors', credentials: 'include' }).catch(
            () => null,
          );
        return [...Object.keys(sessionStorage), ...Object.keys(localStorage)].join();
      },
      // These values simulate a leak.
      [rig.service.url, `Bearer ${token}`, API_KEY, victim.running.testId] as const,
    );
    expect(result).toBe('');
    // The other requests are those of the web UI.
    await expect
      .poll(() => rig.log.slice(logged).filter(({ event, status }) => event === 'request' && status === 401))
      .toHaveLength(3);
    const cookieNames = (await context.cookies()).map(({ name }) => name).sort();
    expect(cookieNames.length).toBeGreaterThan(5);
    // The web UI neither sets nor changes cookies, and a tab without a token cannot sign in with them.
    await page.reload();
    await page.getByText(CANARY).first().waitFor();
    expect((await context.cookies()).map(({ name }) => name).sort()).toEqual(cookieNames);
    const otherPage = await newContext();
    await otherPage.addCookies(await context.cookies());
    await (await openAt(otherPage, `${rig.service.url}/`)).getByText('loadtests open').first().waitFor();
    await expectUnharmed(victim, before);
  });

  test('an attacker can neither control a window of the web UI nor display the web UI in a frame', async () => {
    const victim = sharedVictim();
    const { rig, context } = victim;
    const before = await stateOf(victim);
    const attacker = await openAttacker();
    const page = await openAt(context, `http://127.0.0.1:${attacker.port}/`);
    const opened = context.waitForEvent('page');
    await page.evaluate((url) => {
      Object.assign(globalThis, { victim: window.open(url, 'victim') });
    }, `${rig.service.url}/#/tests`);
    const victimPage = await opened;
    await victimPage.waitForURL(`${rig.service.url}/#/tests`);
    await page.waitForFunction(() => (globalThis as unknown as { victim: Window }).victim.closed);
    const result = await page.evaluate(() => {
      const { victim } = globalThis as unknown as { victim: Window }; // set above
      const tries = [
        () => victim.location.href,
        () => victim.document.title,
        () => victim.sessionStorage.length,
        () => {
          victim.postMessage({ kind: 'who-has-a-token' }, '*');
          victim.location.hash = '#/';
          return '';
        },
      ];
      return tries.map((work) => {
        try {
          return String(work());
        } catch {
          return '';
        }
      });
    });
    expect(result).toEqual(['', '', '', '']);
    expect(await victimPage.evaluate(() => [opener === null, window.name])).toEqual([true, '']);
    expect(victimPage.url()).toBe(`${rig.service.url}/#/tests`);
    const framed = await page.evaluate(async (url) => {
      const frame = Object.assign(document.createElement('iframe'), { src: url });
      document.body.append(frame);
      await new Promise((resolve) => frame.addEventListener('load', resolve));
      return frame.contentDocument;
    }, rig.service.url);
    expect(framed).toBeNull();
    for (const frame of page.frames().slice(1)) expect(frame.url()).toMatch(/^chrome-error:/);
    await expectUnharmed(victim, before);
  });

  test('a sign-in code in a query does not give access, and the web UI removes codes from its URL and the browser history', async () => {
    const { rig } = sharedVictim();
    const context = await newContext();
    const page = await openAt(context, rig.service.createSignInLink() ?? '');
    await page.getByText(CANARY).first().waitFor();
    const code = (rig.service.createSignInLink() ?? '').slice(-32);
    const other = await newContext();
    for (const query of [`?code=${code}`, `?${code}`, `?token=${code}&#/`]) {
      const otherPage = await openAt(other, `${rig.service.url}/${query}`);
      await otherPage.getByText('loadtests open').first().waitFor();
      expect(await otherPage.evaluate(() => sessionStorage.length)).toBe(0);
    }
    const exchanged = page.waitForResponse((response) => response.url().endsWith('/v2/sessions'));
    await page.goto(`${rig.service.url}/#${code}`);
    expect((await exchanged).status()).toBe(200);
    await waitUntil(() => (page.url() === `${rig.service.url}/#/` ? true : null));
    await page.reload();
    await page.getByText(CANARY).first().waitFor();
    await page.goBack();
    expect(page.url()).not.toContain(code);
    expect(
      await (await openAt(other, `${rig.service.url}/#${code}`)).evaluate(() => sessionStorage.length),
    ).toBe(0);
    expect(await context.cookies()).toEqual([]);
    expect(JSON.stringify(rig.log)).not.toContain(code);
  });

  test('in the web UI, scripts cannot load files from other origins or create markup from strings', async () => {
    const { rig, context, dialogs } = sharedVictim();
    const page = await openAt(context, `${rig.service.url}/`);
    await page.getByText(CANARY).first().waitFor();
    const attacker = await openAttacker();
    const directives = ['style-src-elem', 'img-src', 'frame-src', 'base-uri', 'connect-src', 'form-action'];
    const result = await page.evaluate(
      async ([elsewhere, expected]) => {
        const violations: string[] = [];
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
          violations.push(effectiveDirective);
        });
        const names: string[] = [];
        const tries = (work: () => unknown) => {
          try {
            work();
            names.push('done');
          } catch (error) {
            names.push(error instanceof Error ? error.name : '');
          }
        };
        const add = (tag: string, fields: object) => {
          document.body.append(Object.assign(document.createElement(tag), fields));
        };
        tries(() => (document.body.innerHTML = '<img src=x onerror=alert(1)>'));
        tries(() => document.body.insertAdjacentHTML('beforeend', '<svg onload=alert(1)>'));
        tries(() => new DOMParser().parseFromString('<p>', 'text/html'));
        tries(() => (document.createElement('script').text = 'alert(1)'));
        tries(() => (document.createElement('script').src = elsewhere));
        // oxlint-disable-next-line typescript/no-implied-eval -- the call must be refused
        tries(() => setTimeout('alert(1)'));
        tries(() => document.body.setAttribute('onclick', 'alert(1)'));
        tries(() => {
          // A policy of another script could create markup again.
          const { trustedTypes } = globalThis as unknown as {
            trustedTypes: { createPolicy: (name: string, rules: object) => unknown };
          };
          trustedTypes.createPolicy('mine', { createHTML: (text: string) => text });
        });
        add('style', { textContent: 'body { display: none }' });
        add('link', { rel: 'stylesheet', href: elsewhere });
        add('img', { src: elsewhere });
        add('iframe', { src: elsewhere });
        add('base', { href: elsewhere });
        add('a', { href: 'javascript:alert(1)' });
        (document.body.lastElementChild as HTMLElement).click();
        await fetch(elsewhere).catch(() => null);
        const form = Object.assign(document.createElement('form'), { action: elsewhere });
        document.body.append(form);
        form.submit();
        // The browser reports each violation in its own task, some after a message from another process.
        for (let waits = 0; waits < 600 && expected.some((name) => !violations.includes(name)); waits++)
          await new Promise((resolve) => setTimeout(resolve, 100));
        return { names, violations, shown: getComputedStyle(document.body).display };
      },
      [`http://${EVIL}:${attacker.port}/`, directives] as const,
    );
    expect(result.names.slice(0, 5)).toEqual(Array(5).fill('TypeError'));
    expect(result.names.filter((name) => name === 'done')).toEqual([]);
    expect(result.violations).toEqual(expect.arrayContaining(directives));
    expect(result.shown).not.toBe('none');
    expect(attacker.received).toEqual([]);
    expect(dialogs).toEqual([]);
  });
});

describe.skipIf(SKIP_WITHOUT_CHROMIUM !== null)('the web UI', () => {
  test('the web UI opens at its public address if the browser sends an Origin header but no Sec-Fetch-Site header', async () => {
    const port = await findFreePort();
    // For the browser, this address is neither secure nor local, so it sends no Sec-Fetch-Site.
    const rig = await openTestService({ mode: 'serve', port, publicUrl: `http://${PUBLIC}:${port}` });
    const page = await openAt(await newContext(), rig.service.createSignInLink() ?? '');
    await page.locator('nav').waitFor();
    const exchanged = rig.log.filter(({ route }) => route === '/v2/sessions');
    expect(exchanged).toMatchObject([{ method: 'POST', status: 200 }]);
  });
});

describe.skipIf(SKIP_WITHOUT_CHROMIUM !== null)('expired sessions', () => {
  test('when a session ends, fewer than eight requests of the open tabs are refused, and a sign-in link in a new tab signs in an expired tab', async () => {
    const port = await findFreePort();
    const rig = await openTestService({ mode: 'serve', port });
    const context = await newContext();
    const [visible, hidden] = [
      await openAt(context, rig.service.createSignInLink() ?? ''),
      await openAt(context, `${rig.service.url}/`),
    ];
    const overview = (page: Page) => page.locator('nav');
    for (const page of [visible, hidden]) await overview(page).waitFor();
    // A hidden tab sends no requests, so it does not notice the end of the session.
    await hidden.evaluate(() => {
      Object.defineProperty(document, 'hidden', { value: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await rig.service.close();
    const again = await openTestService({ mode: 'serve', port, dataDirectory: rig.dataDirectory });
    await visible.getByText('This session has ended').waitFor();
    const other = await openAt(context, again.service.createSignInLink() ?? '');
    await overview(other).waitFor();
    await visible.getByText('This session has ended').waitFor({ state: 'detached' });
    const refused = again.log.filter(({ status }) => status === 401);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(8);
  });
});

/** Pages of other origins, in a real browser in which the page of a service is open: nothing changes, nothing is read. */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startChromium, WITHOUT_CHROMIUM } from '../rig/chromium.ts';
import { fakeRunner } from '../rig/fake-runner.ts';
import { freePort } from '../rig/free-port.ts';
import { HOSTILE_TEXTS } from '../rig/hostile-texts.ts';
import { KEY, openRig, smallTest, until, type ServiceRig } from '../rig/service.ts';
import { openShop } from '../rig/shop.ts';
import { openTarget } from '../rig/target.ts';

const EVIL = 'evil.example';
/** A name that leads to the service, as after DNS rebinding. */
const REBOUND = 'rebound.example';
/** What operators may call a service by. */
const PUBLIC = 'loads.example';

let browser: Browser | null = null;

beforeAll(async () => {
  if (WITHOUT_CHROMIUM !== null) return;
  browser = await startChromium([
    `--host-resolver-rules=${[EVIL, REBOUND, PUBLIC].map((name) => `MAP ${name} 127.0.0.1`).join()}`,
    // Not all browsers keep pages of elsewhere from this machine.
    '--disable-features=LocalNetworkAccessChecks',
  ]);
});

afterAll(async () => {
  await browser?.close();
});

/** What must be read by nobody: it stands in a test, and so in most answers. */
const CANARY = 'canary-of-a-title';

/** Nothing of one is known in another. It is closed when the test ends. */
async function newContext(): Promise<BrowserContext> {
  if (browser === null) throw new Error('Bug: no browser');
  const context = await browser.newContext();
  onTestFinished(async () => {
    await context.close();
  });
  return context;
}

/** A service with a test that has run, one that runs, and one that waits; and its page in a browser. */
async function openVictim() {
  const shop = await openShop();
  const { rig, target, appId } = shop;
  const make = async (changes: object) => {
    const json = smallTest(`${target.url}/`, { name: CANARY, ...changes });
    const { test_id: testId, result_id: resultId } = (await rig.call('POST', '/v2/tests', { json })).json;
    return { testId, resultId };
  };
  const ended = await make({});
  rig.runner.latest().end();
  await until(async () => {
    const { status } = (await rig.call('GET', `/v2/tests/${ended.testId}`)).json;
    return status === 'complete' ? true : null;
  });
  const running = await make({ name: `${CANARY} running` });
  const context = await newContext();
  const dialogs: string[] = [];
  context.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const page = await context.newPage();
  await page.goto(rig.service.newPageLink() ?? '');
  await page.getByText(`${CANARY} running`).first().waitFor();
  const token = (await page.evaluate(() => Object.values(sessionStorage).join())).slice(-64);
  expect(token).toMatch(/^[0-9a-f]{64}$/);
  return { rig, context, page, token, appId, ended, running, dialogs };
}

type Victim = Awaited<ReturnType<typeof openVictim>>;

/** All that the service says, and what it was asked to do. */
async function stateOf({ rig }: Victim): Promise<unknown> {
  const get = async (path: string) => (await rig.call('GET', path)).text;
  const tests = (await rig.call('GET', '/v2/tests')).list;
  return {
    lists: await Promise.all(['/v2/apps', '/v2/tests', '/v2/keys', '/v2/callbacks'].map(get)),
    results: await Promise.all(tests.map(async ({ test_id: id }) => await get(`/v2/tests/${id}/results`))),
    runs: rig.runner.runs.map(({ stops }) => stops.length),
  };
}

/** Writes that were carried out, by the log. */
function writesOf({ log }: ServiceRig): readonly unknown[] {
  return log.filter(
    ({ event, method, status }) => event === 'request' && method !== 'GET' && Number(status) < 300,
  );
}

/** A server of somebody else with an empty page, and what it was sent. */
async function openAttacker() {
  const sent: string[] = [];
  const server = await openTarget((request, response) => {
    sent.push(JSON.stringify([request.url, request.headers]));
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><title>attack</title><body>');
  });
  return { port: server.port, sent };
}

/** What the attacks are told: more than an attacker can know. */
interface Aim {
  readonly base: string;
  readonly testId: string;
  readonly resultId: string;
  readonly appId: string;
}

/**
 * Runs in the attacker's page. Gives the names of all attacks that were made, and all texts that they could read.
 * Nothing of this module is there.
 */
async function attack({ base, testId, resultId, appId }: Aim) {
  const read: string[] = [];
  const made: string[] = [];
  const reads = [
    ...['/', '/healthz', '/metrics', '/v2/overview', '/v2/tests', '/v2/apps', '/v2/keys', '/v2/openapi.json'],
    ...[`/v2/tests/${testId}`, `/v2/tests/${testId}/results/${resultId}/progress`, '/v2/callbacks'],
  ];
  const loaded = ['/', '/v2/overview'];
  const writes: (readonly [method: string, path: string, body: string])[] = [
    ['PUT', `/v2/tests/${testId}/run`, ''],
    ['PUT', `/v2/tests/${testId}/stop`, ''],
    ['PUT', `/v2/tests/${testId}/results/${resultId}/judgement`, '{"verdict":"passed"}'],
    ['DELETE', `/v2/apps/${appId}`, ''],
    ['DELETE', '/v2/page-sessions', ''],
    ['POST', '/v2/page-codes', ''],
    ['POST', '/v2/page-sessions', `{"code":"${'f'.repeat(32)}"}`],
    ['POST', '/v2/apps', '{"app":"evil.example"}'],
    ['POST', `/v2/apps/${appId}/verify`, '{}'],
    ['POST', '/v2/tests', '{"test_type":"non-cycling","duration":1,"urls":[{"url":"http://127.0.0.1/"}]}'],
    ['POST', '/v2/passes', '{"urls":[]}'],
  ];
  const tries = async (name: string, work: () => unknown) => {
    made.push(name);
    try {
      const got = await Promise.race([
        Promise.resolve(work()),
        new Promise((resolve) => setTimeout(resolve, 3000)),
      ]);
      if (typeof got === 'string' && got !== '') read.push(`${name}: ${got}`);
    } catch {
      // Refused by the browser.
    }
  };
  /** An element that loads something. */
  const element = async (tag: string, fields: object) => {
    await new Promise<void>((resolve) => {
      const made = Object.assign(document.createElement(tag), fields);
      made.addEventListener('load', () => {
        resolve();
      });
      made.addEventListener('error', () => {
        resolve();
      });
      document.body.append(made);
      setTimeout(resolve, 1500);
    });
  };
  const textOf = async (answer: Promise<Response>) => await (await answer).text();
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
    // These load the same way whatever they load.
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
          events.onmessage = ({ data }) => {
            resolve(String(data));
          };
          events.onerror = () => {
            events.close();
            resolve('');
          };
        });
      }),
      tries(`socket ${path}`, async () => {
        return await new Promise((resolve) => {
          const socket = new WebSocket(url.replace('http', 'ws'));
          socket.onopen = () => {
            resolve('open');
          };
          socket.onmessage = ({ data }) => {
            resolve(String(data));
          };
          socket.onerror = () => {
            resolve('');
          };
        });
      }),
      tries(`worker ${path}`, async () => {
        const text = `try { importScripts(${JSON.stringify(url)}); postMessage('loaded'); } catch { postMessage(''); }`;
        const worker = new Worker(URL.createObjectURL(new Blob([text])));
        return await new Promise((resolve) => {
          worker.onmessage = ({ data }) => {
            resolve(data);
          };
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
          request.onloadend = () => {
            resolve(request.responseText);
          };
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
          // As text/plain it is JSON: {"app":"evil.example","x":"="}.
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

  // Enough wrong links that somebody would have to wait for his turn.
  for (let count = 0; count < 40; count++) {
    all.push(
      tries('wrong links', async () => {
        const body = JSON.stringify({ code: String(count).padStart(32, '0') });
        await fetch(`${base}/v2/page-sessions`, { method: 'POST', mode: 'no-cors', body });
      }),
    );
  }

  all.push(
    tries('channel', async () => {
      const channel = new BroadcastChannel('loadtests-session');
      channel.postMessage({ kind: 'who-has-a-token' });
      return await new Promise((resolve) => {
        channel.onmessage = ({ data }) => {
          resolve(JSON.stringify(data));
        };
        setTimeout(resolve, 1000);
      });
    }),
    tries('storage', () => [...Object.keys(sessionStorage), ...Object.keys(localStorage)].join()),
    tries('cookies', () => document.cookie),
  );
  await Promise.all(all);
  return { made, read };
}

function aimAt({ rig, ended, appId }: Victim, base = rig.service.url): Aim {
  return { base, ...ended, appId };
}

/** The page in the other tab works, and what it shows is what it was. */
async function expectUnharmed(victim: Victim, before: unknown): Promise<void> {
  expect(await stateOf(victim)).toEqual(before);
  expect(victim.dialogs).toEqual([]);
  const { page, rig, token } = victim;
  expect(await page.evaluate(() => Object.values(sessionStorage).join())).toContain(token);
  expect(await page.getByText(`${CANARY} running`).count()).toBeGreaterThan(0);
  // A link opens at once.
  const other = await victim.context.newPage();
  const traded = other.waitForResponse((answer) => answer.url().endsWith('/v2/page-sessions'));
  await other.goto(rig.service.newPageLink() ?? '');
  expect((await traded).status()).toBe(200);
  await other.close();
}

async function openAt(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

describe.skipIf(WITHOUT_CHROMIUM !== null)('pages of other origins', () => {
  test('change nothing and read nothing, from another site and from another port of this machine', async () => {
    const victim = await openVictim();
    const { rig, context, token } = victim;
    const attacker = await openAttacker();
    const before = await stateOf(victim);
    const writes = writesOf(rig).length;
    const [seen] = [rig.log.length];
    await Promise.all(
      [EVIL, '127.0.0.1'].map(async (host) => {
        const page = await openAt(context, `http://${host}:${attacker.port}/`);
        const { made, read } = await page.evaluate(attack, aimAt(victim));
        expect(made.length).toBeGreaterThan(250);
        expect(read).toEqual([]);
        await page.close();
      }),
    );
    // They did come, and were refused.
    expect(rig.log.length - seen).toBeGreaterThan(200);
    expect(writesOf(rig)).toHaveLength(writes);
    await expectUnharmed(victim, before);
    for (const sent of attacker.sent) expect(sent).not.toMatch(new RegExp(`${token}|"cookie"|${KEY}`));
  });

  test('would read and change a service without these defences', async () => {
    const written: string[] = [];
    const weak = await openTarget((request, response) => {
      if (request.method !== 'GET' && request.method !== 'OPTIONS') written.push(request.method ?? '');
      response.setHeader('access-control-allow-origin', request.headers.origin ?? '*');
      response.setHeader('access-control-allow-credentials', 'true');
      response.setHeader('access-control-allow-headers', 'content-type, authorization, service-auth');
      response.setHeader('access-control-allow-methods', 'PUT, DELETE');
      response.end(CANARY);
    });
    const attacker = await openAttacker();
    const context = await newContext();
    const page = await openAt(context, `http://127.0.0.1:${attacker.port}/`);
    const { read } = await page.evaluate(attack, { base: weak.url, testId: '1', resultId: '1', appId: '1' });
    expect(read.length).toBeGreaterThan(30);
    expect([...new Set(written)].sort()).toEqual(['DELETE', 'POST', 'PUT']);
  });

  test('get nothing by a name that was pointed at this machine, with a stolen token either', async () => {
    const victim = await openVictim();
    const { rig, context, token } = victim;
    const before = await stateOf(victim);
    const origin = `http://${REBOUND}:${rig.service.port}`;
    // What the name led to before.
    await context.route(`${origin}/attack`, async (route) => {
      await route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>attack</title>' });
    });
    const page = await openAt(context, `${origin}/attack`);
    const answers = await page.evaluate(
      async ([authorization, testId]) => {
        const calls = [
          ...['/', '/nothing', '/healthz', '/metrics', '/v2/overview', '/v2/tests'].map((path) => [
            'GET',
            path,
          ]),
          ...[`/v2/tests/${testId}/run`, `/v2/tests/${testId}/stop`].map((path) => ['PUT', path]),
          ...['/v2/apps', '/v2/page-sessions', '/v2/page-codes'].map((path) => ['POST', path]),
        ];
        return await Promise.all(
          calls.map(async ([method = '', path = '']) => {
            const headers = { authorization, 'content-type': 'application/json' };
            const body = method === 'POST' ? '{"app":"evil.example"}' : null;
            const answer = await fetch(path, { method, headers, body });
            return [answer.status, await answer.text()] as const;
          }),
        );
      },
      [`Bearer ${token}`, victim.running.testId] as const,
    );
    expect(answers).toHaveLength(11);
    for (const [status, text] of answers) {
      expect(status).toBe(421);
      expect(text).toBe('{"message":"error","errors":["the Host header does not name this service"]}');
    }
    await expectUnharmed(victim, before);
  });

  test('are cut off from a window of the page that they open, and cannot frame it', async () => {
    const victim = await openVictim();
    const { rig, context } = victim;
    const before = await stateOf(victim);
    const attacker = await openAttacker();
    const page = await openAt(context, `http://127.0.0.1:${attacker.port}/`);
    const opened = context.waitForEvent('page');
    await page.evaluate((url) => {
      Object.assign(globalThis, { victim: window.open(url, 'victim') });
    }, `${rig.service.url}/#/tests`);
    const victimPage = await opened;
    await victimPage.waitForLoadState();
    await page.waitForFunction(() => (globalThis as unknown as { victim: Window }).victim.closed);
    const got = await page.evaluate(() => {
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
    expect(got).toEqual(['', '', '', '']);
    expect(await victimPage.evaluate(() => [opener === null, window.name])).toEqual([true, '']);
    expect(victimPage.url()).toBe(`${rig.service.url}/#/tests`);
    const framed = await page.evaluate(async (url) => {
      const frame = Object.assign(document.createElement('iframe'), { src: url });
      document.body.append(frame);
      await new Promise((resolve) => {
        frame.addEventListener('load', resolve);
      });
      return frame.contentDocument;
    }, rig.service.url);
    expect(framed).toBeNull();
    for (const frame of page.frames().slice(1)) expect(frame.url()).toMatch(/^chrome-error:/);
    await expectUnharmed(victim, before);
  });

  test('get nowhere with a code in a query, and the page leaves none in its address and history', async () => {
    const { rig, page, context } = await openVictim();
    const code = (rig.service.newPageLink() ?? '').slice(-32);
    const other = await newContext();
    for (const query of [`?code=${code}`, `?${code}`, `?token=${code}&#/`]) {
      const stranger = await openAt(other, `${rig.service.url}/${query}`);
      await stranger.getByText('loadtests open').first().waitFor();
      expect(await stranger.evaluate(() => sessionStorage.length)).toBe(0);
    }
    await page.goto(`${rig.service.url}/#${code}`);
    await until(() => (page.url() === `${rig.service.url}/#/` ? true : null));
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
});

describe.skipIf(WITHOUT_CHROMIUM !== null)('the page', () => {
  test('opens at its public address, where the browser tells only the origin', async () => {
    const port = await freePort();
    // Neither TLS nor this machine, as far as the browser knows: it sends no Sec-Fetch-Site.
    const rig = await openRig({ mode: 'serve', port, publicUrl: `http://${PUBLIC}:${port}` });
    const page = await openAt(await newContext(), rig.service.newPageLink() ?? '');
    await page.locator('nav').waitFor();
    const traded = rig.log.filter(({ route }) => route === '/v2/page-sessions');
    expect(traded).toMatchObject([{ method: 'POST', status: 200 }]);
  });

  test('runs and loads nothing that is not its own, and makes no markup of texts', async () => {
    const { page, dialogs } = await openVictim();
    const attacker = await openAttacker();
    const got = await page.evaluate(async (elsewhere) => {
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
      tries(() => {
        document.body.insertAdjacentHTML('beforeend', '<svg onload=alert(1)>');
      });
      tries(() => new DOMParser().parseFromString('<p>', 'text/html'));
      tries(() => (document.createElement('script').text = 'alert(1)'));
      tries(() => (document.createElement('script').src = elsewhere));
      // eslint-disable-next-line @typescript-eslint/no-implied-eval -- it is to be refused
      tries(() => setTimeout('alert(1)'));
      tries(() => {
        document.body.setAttribute('onclick', 'alert(1)');
      });
      tries(() => {
        // Whoever could make a policy could make markup again.
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
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { names, violations, shown: getComputedStyle(document.body).display };
    }, `http://${EVIL}:${attacker.port}/`);
    expect(got.names.slice(0, 5)).toEqual(Array(5).fill('TypeError'));
    expect(got.names.filter((name) => name === 'done')).toEqual([]);
    expect(got.violations).toEqual(
      expect.arrayContaining([
        'style-src-elem',
        'img-src',
        'frame-src',
        'base-uri',
        'connect-src',
        'form-action',
      ]),
    );
    expect(got.shown).not.toBe('none');
    expect(attacker.sent).toEqual([]);
    expect(dialogs).toEqual([]);
  });
});

/** What is in the page, and what would be there only if some text had been taken for markup. */
function contentOf() {
  const texts: string[] = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
    texts.push(node.nodeValue ?? '');
  const elements = [...document.querySelectorAll('*')];
  const odd = elements.flatMap((element) => {
    const attributes = [...element.attributes];
    const isOdd =
      element.matches(
        'img, iframe, object, embed, base, meta[http-equiv], style, video, audio, math, template',
      ) ||
      (element.matches('script') &&
        !/^assets\/page-[0-9a-f]{16}\.js$/.test(element.getAttribute('src') ?? '')) ||
      attributes.some(
        ({ name, value }) =>
          name.startsWith('on') || (['href', 'src', 'action'].includes(name) && !/^(#|assets\/)/.test(value)),
      );
    return isOdd ? [element.outerHTML.slice(0, 200)] : [];
  });
  return { text: texts.join('\n'), odd };
}

describe.skipIf(WITHOUT_CHROMIUM !== null)('a session that has ended', () => {
  test('is not handed from tab to tab, and a new link in one tab opens all of them again', async () => {
    const port = await freePort();
    const rig = await openRig({ mode: 'serve', port });
    const context = await newContext();
    const [seen, hidden] = [
      await openAt(context, rig.service.newPageLink() ?? ''),
      await openAt(context, `${rig.service.url}/`),
    ];
    const overview = (page: Page) => page.locator('nav');
    for (const page of [seen, hidden]) await overview(page).waitFor();
    // It asks the service for nothing, and so does not notice.
    await hidden.evaluate(() => {
      Object.defineProperty(document, 'hidden', { value: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await rig.service.close();
    const again = await openRig({ mode: 'serve', port, dataFolder: rig.dataFolder });
    await seen.getByText('This session has ended').waitFor();
    const other = await openAt(context, again.service.newPageLink() ?? '');
    await overview(other).waitFor();
    await seen.getByText('This session has ended').waitFor({ state: 'detached' });
    const refused = again.log.filter(({ status }) => status === 401);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(8);
  });
});

describe.skipIf(WITHOUT_CHROMIUM !== null)('a hostile text', () => {
  test('is shown as what it is, in every view and field, and does nothing', async () => {
    const fake = fakeRunner({
      report: (report) => ({
        ...report,
        errorSamples: HOSTILE_TEXTS.map((text) => ({ url: text, error: text, count: 1 })),
        generator: { ...report.generator, version: HOSTILE_TEXTS[0] ?? '' },
      }),
    });
    const { rig, target } = await openShop({ fake });
    const create = async (json: object) => (await rig.call('POST', '/v2/tests', { json })).json;
    // Several to a test: each test that starts takes its time.
    const names = Array.from({ length: Math.ceil(HOSTILE_TEXTS.length / 4) }, (_, index) =>
      HOSTILE_TEXTS.slice(4 * index, 4 * index + 4).join(' '),
    );
    const [first = '', ...others] = names;
    const named = async (text: string) =>
      await create(
        smallTest(`${target.url}/`, {
          ...{ name: text, notes: text },
          // Braces would name a variable.
          urls: [{ url: `${target.url}/?${encodeURIComponent(text.replaceAll(/[{}]/g, ''))}` }],
        }),
      );
    const ids = [await named(first)];
    ids.push(...(await Promise.all(others.map(named))));
    expect(ids.map(({ message }) => message)).toEqual(names.map(() => 'success'));
    const running = fake.runs.length;
    const [run = ids[0], second = ids[0]] = ids;
    for (const { job } of [...fake.runs]) expect(job.runId).toMatch(/^[0-9a-f]{32}$/);

    const context = await newContext();
    const wrong: string[] = [];
    context.on('dialog', (dialog) => {
      wrong.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    context.on('console', (message) => {
      if (message.type() === 'error') wrong.push(`console: ${message.text()}`);
    });
    context.on('weberror', (error) => wrong.push(`error: ${error.error().message}`));
    context.on('request', (request) => {
      const { origin, pathname } = new URL(request.url());
      const isOurs = /^\/($|assets\/|v2\/(overview|keys|tests|apps|workers|page-sessions)(\/|$))/.test(
        pathname,
      );
      if (origin !== rig.service.url || !isOurs) wrong.push(`request: ${request.url()}`);
    });
    const page = await openAt(context, rig.service.newPageLink() ?? '');
    const shows = async (texts: readonly string[], place: string) => {
      const content = await until(async () => {
        const now = await page.evaluate(contentOf);
        return texts.every((text) => now.text.includes(text)) ? now : null;
      }).catch(async () => await page.evaluate(contentOf));
      expect(texts.filter((text) => !content.text.includes(text)).map((text) => `${place}: ${text}`)).toEqual(
        [],
      );
      expect(content.odd.map((element) => `${place}: ${element}`)).toEqual([]);
    };
    const go = async (place: string) => {
      await page.evaluate((fragment) => {
        location.hash = fragment;
      }, place);
    };

    // All of them run.
    expect(running).toBe(names.length);
    await shows(HOSTILE_TEXTS, 'overview, running');
    await go(`#/runs/${run?.test_id ?? ''}/${run?.result_id ?? ''}`);
    await shows([first], 'a run that goes on');
    for (const one of fake.runs) one.end();
    await until(async () => {
      const list = (await rig.call('GET', '/v2/tests')).list;
      return list.every(({ status }) => status === 'complete') ? true : null;
    });
    for (const [index, { test_id: id, result_id: result }] of ids.slice(0, 2).entries()) {
      const text = names[index] ?? '';
      const limits = index === 0 ? HOSTILE_TEXTS : [text];
      const thresholds = limits.map((one) => ({
        ...{ metric: 'p95', limit: one.slice(0, 100), url: one, value: 1 },
        ...{ verdict: 'inconclusive', reason: one },
      }));
      const json = { verdict: 'inconclusive', reason: text, thresholds };
      const answer = await rig.call('PUT', `/v2/tests/${id}/results/${result}/judgement`, { json });
      expect([text, answer.status]).toEqual([text, 200]);
    }
    await shows(HOSTILE_TEXTS, 'a run that has ended');
    await go('#/');
    await shows(names.slice(0, 2), 'overview');
    await go('#/tests');
    await shows([first], 'tests');
    const compared = [run, second].map((one) => `${one?.test_id ?? ''}/${one?.result_id ?? ''}`);
    await go(`#/compare/${compared.join('/')}`);
    await shows([], 'compare');
    await go('#/apps');
    await shows([target.host], 'apps');
    await context.route(/\/v2\/apps\/[0-9a-f]{32}$/, async (route) => {
      const record = (await (await route.fetch()).json()) as object;
      const checks = HOSTILE_TEXTS.map((text) => ({
        ...{ at: new Date().toISOString(), method: text, purpose: text, outcome: text, reason: text },
      }));
      const [file, txt] = [HOSTILE_TEXTS[1], HOSTILE_TEXTS[2]];
      await route.fulfill({ json: { ...record, checks, verification_id: file, verification_record: txt } });
    });
    await page.getByText(target.host).first().click();
    await shows(HOSTILE_TEXTS, 'an app');
    for (const text of HOSTILE_TEXTS) await go(`#/${encodeURIComponent(text)}/${text}`);
    for (const place of ['runs/../..', 'runs/%2e%2e/x', 'tests/..', 'compare/../../../..', 'runs/./.']) {
      await go(`#/${place}`);
      // What the view has asked for was sent before this.
      await Promise.all([page.waitForResponse(/overview$/), go('#/')]);
    }
    await shows([], 'nowhere');
    expect(wrong).toEqual([]);
  });
});

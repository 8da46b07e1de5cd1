/**
 * Thousands of hostile texts in every field that the page of a real service shows, and in reports: each is shown letter
 * by letter, and nothing else happens.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { printable } from '../../src/core/printable.ts';
import { formatMarker } from '../../src/core/reconcile/ownership-marker.ts';
import { createReport, type BodyOf } from '../../src/core/report/command-report.ts';
import { toHtml } from '../../src/report/html-report.ts';
import { SKIP_WITHOUT_CHROMIUM, withChromium } from '../support/chromium.ts';
import { DAY } from '../support/test-clock.ts';
import { createFakeRunner } from '../support/fake-runner.ts';
import { HOSTILE_MARKUP } from '../support/hostile-markup.ts';
import { HOSTILE_SAMPLES } from '../support/hostile-samples.ts';
import { AWKWARD_TEXTS } from '../support/awkward-texts.ts';
import { openWebUi } from '../support/web-ui.ts';
import { createResultRecord, createRunResult } from '../support/result-records.ts';
import { scaleCount } from '../support/test-scale.ts';
import {
  openTestService,
  smallTestFields,
  createTemporaryDirectory,
  waitUntil,
} from '../support/test-service.ts';
import { openShop } from '../support/shop.ts';
import { openTestTarget } from '../support/test-target.ts';
import { EAST_WORKER, createWorkerPool } from '../support/fake-worker-pool.ts';

const EVERY = [...new Set([...HOSTILE_MARKUP, ...AWKWARD_TEXTS])];
/** So many on a page at once: more rows take longer than that many times as long. */
const AT_ONCE = 1000;
/** All of them in CI, and else every so many. */
const COUNT = Math.min(EVERY.length, scaleCount(2 * EVERY.length));
const TEXTS = Array.from({ length: COUNT }, (_, at) => EVERY[Math.floor((at * EVERY.length) / COUNT)] ?? '');

/** Each look reads a long page. In ms. */
const SELDOM = { timeout: 30_000, interval: 200 };

let browser: Browser;

/** What is there in thousands is laid out for nobody: that alone takes most of the time. */
async function withoutLayout(page: Page): Promise<void> {
  await page.evaluate(() => {
    document.body.style.display = 'none';
  });
}

/** What happens in the pages of a browser that texts alone never do. */
function watch(context: BrowserContext, isOurs: (url: URL) => boolean): readonly string[] {
  const wrong: string[] = [];
  context.on('dialog', (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  // Whatever the content security policy refuses is told there.
  context.on('console', (message) => wrong.push(`console: ${message.text()}`));
  context.on('weberror', (error) => wrong.push(`error: ${error.error().message}`));
  context.on('request', (request) => {
    if (!isOurs(new URL(request.url()))) wrong.push(`request: ${request.url()}`);
  });
  return wrong;
}

/** Rows of a table by its name, as the texts of their cells. */
async function rowsOf(page: Page, name: string): Promise<readonly (readonly string[])[]> {
  return await page.evaluate((label) => {
    const rows = document.querySelectorAll<HTMLTableRowElement>(`[aria-label="${label}"] tbody tr`);
    return [...rows].map((row) => [...row.cells].map((cell) => cell.textContent));
  }, name);
}

/** Elements and attributes that are there only if some text was taken for markup. */
async function oddIn(page: Page): Promise<readonly string[]> {
  return await page.evaluate(() => {
    const known =
      /^(a|b|bdi|body|br|button|canvas|code|dd|details|div|dl|dt|figcaption|figure|form|h[1-6]|head|header|html|input|kbd|label|li|link|main|meta|nav|noscript|p|path|progress|rect|script|section|span|style|summary|svg|table|tbody|td|th|thead|time|title|tr|ul)$/;
    return [...document.querySelectorAll('*')].flatMap((element) => {
      const isOdd =
        !known.test(element.localName) ||
        (element.localName === 'svg' && element.namespaceURI !== 'http://www.w3.org/2000/svg') ||
        [...element.attributes].some(
          ({ name, value }) =>
            name.startsWith('on') ||
            (['href', 'src', 'action', 'formaction'].includes(name) && !/^(#|assets\/)/.test(value)),
        );
      return isOdd ? [element.outerHTML.slice(0, 200)] : [];
    });
  });
}

/** Lists of so many. */
function cut<Value>(list: readonly Value[], most: number): readonly (readonly Value[])[] {
  return Array.from({ length: Math.ceil(list.length / most) }, (_, at) =>
    list.slice(most * at, most * (at + 1)),
  );
}

/** The start of a text, in characters as JSON Schema counts them. */
function startOf(text: string, most: number): string {
  return Array.from(text).slice(0, most).join('');
}

/** As few names as hold all of the texts. */
function namesOf(texts: readonly string[]): readonly string[] {
  const names: string[] = [];
  let name = '';
  for (const text of texts) {
    if (name !== '' && name.length + 1 + text.length > 1000) {
      names.push(name);
      name = '';
    }
    name = name === '' ? text : `${name}\u00b6${text}`;
  }
  return [...names, name];
}

/** What a mark may say of whose a test is: no text with its own signs in it. */
const OWNERS = TEXTS.filter((text) => /^[^ [\]\n\r]{1,150}$/.test(text));

function withoutZeros(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}

/** What was answered. Errors: throws it where that is no success. */
function accepted({
  status,
  text,
  json,
}: Awaited<ReturnType<Awaited<ReturnType<typeof openTestService>>['call']>>) {
  if (status !== 200) throw new Error(text);
  return json;
}

// A busy machine takes long for so many.
describe.skipIf(SKIP_WITHOUT_CHROMIUM !== null)('hostile texts', { timeout: 180_000 }, () => {
  withChromium(
    (opened) => {
      browser = opened;
    },
    ['--host-resolver-rules=MAP * 127.0.0.1'],
  );

  test('are as many as are promised, and all different', () => {
    expect(new Set(HOSTILE_MARKUP).size).toBeGreaterThanOrEqual(6613);
    expect(new Set(AWKWARD_TEXTS).size).toBeGreaterThanOrEqual(515);
    expect(EVERY.length).toBeGreaterThanOrEqual(6613 + 275);
  });

  test('as names of tests and of whose they are', async () => {
    const { service, target, clock } = await openShop();
    const scheduled = { scheduled_at: new Date(clock.now() + DAY).toISOString() };
    const expected = new Map<string, readonly string[]>();
    const owner = (at: number) => OWNERS[at % OWNERS.length] ?? '';
    let at = 0;
    for (const title of namesOf(TEXTS)) {
      const [project, environment, key] = [owner(at++), owner(at++), owner(at++)];
      const mark = { listed: '0'.repeat(12), unlisted: 'a.b', repetition: 0, nonce: String(at) };
      const notes = formatMarker({ project, environment, key, ...mark });
      const json = smallTestFields(`${target.url}/`, { name: title, notes, ...scheduled });
      const { test_id: id } = accepted(await service.call('POST', '/v2/tests', { json }));
      // No column that is searched holds a zero: the database would end there.
      expected.set(id, [`${project} · ${environment}`, key, title].map(withoutZeros));
    }
    const { page, context, errors } = await openWebUi(browser, service.service.url, '#/tests');
    const seen = watch(context, ({ origin }) => origin === service.service.url);
    const shown = new Map<string, readonly string[]>();
    for (let first = 1; shown.size < expected.size; first += 100) {
      const last = Math.min(first + 99, expected.size);
      await page.waitForFunction(
        (count) => {
          const links = document.querySelectorAll('.keys tr:not(.owner) th a');
          const range = document.querySelector('.pages span')?.textContent;
          return links.length === count.rows && (range === undefined || range === count.range);
        },
        { rows: last - first + 1, range: `${first}–${last} of ${expected.size}` },
      );
      const rows = await page.evaluate(() =>
        [...document.querySelectorAll('.keys tbody')].flatMap((group) =>
          [...group.querySelectorAll('tr:not(.owner) th')].map((cell) => [
            cell.querySelector('a')?.getAttribute('href') ?? '',
            group.querySelector('.owner')?.textContent ?? '',
            cell.querySelector('a')?.textContent ?? '',
            // Behind a space.
            cell.querySelector('.note')?.textContent.slice(1) ?? '',
          ]),
        ),
      );
      for (const [href = '', ofWhom = '', key = '', title = ''] of rows)
        shown.set(href.replace('#/tests/', ''), [ofWhom, key, title]);
      expect(await oddIn(page)).toEqual([]);
      if (shown.size < expected.size) await page.getByRole('button', { name: 'Next' }).click();
    }
    expect(shown).toEqual(expected);
    // In the heading, and in the title of the window.
    for (const id of [...expected.keys()].slice(0, 5)) {
      await page.goto(`${service.service.url}/#/tests/${id}`);
      await page.waitForFunction(
        (key) => document.querySelector('h1')?.textContent === key,
        expected.get(id)?.[1],
      );
    }
    expect([errors, seen]).toEqual([[], []]);
    await context.close();
  });

  test('turn nothing round that stands beside them', async () => {
    const { service, target, clock } = await openShop();
    const mark = { listed: '0'.repeat(12), unlisted: 'a.b', repetition: 0, nonce: '1' };
    const notes = formatMarker({ project: 'shop\u202e', environment: 'here', key: '\u202eabc', ...mark });
    const when = { scheduled_at: new Date(clock.now() + DAY).toISOString() };
    const json = smallTestFields(`${target.url}/`, { name: 'xyz 123', notes, ...when });
    accepted(await service.call('POST', '/v2/tests', { json }));
    const { page, context } = await openWebUi(browser, service.service.url, '#/');
    await page.locator('.name a').waitFor();
    const [name, about] = await Promise.all([
      page.locator('.name a').boundingBox(),
      page.locator('.name .note').boundingBox(),
    ]);
    // From left to right, whatever the name says.
    expect((name?.x ?? NaN) + (name?.width ?? NaN)).toBeLessThanOrEqual(1 + (about?.x ?? NaN));
    await context.close();
  });

  test('as failures and their URLs, limits, reasons and workers of runs', async () => {
    let texts: readonly string[] = [];
    const fake = createFakeRunner({
      report: (report) => ({
        ...report,
        errorSamples: texts.map((text) => ({ url: text, error: text, count: 1 })),
        generator: { ...report.generator, version: texts[0] ?? '' },
        workers: texts.map((text) => ({
          ...{ name: text, threads: 1, started: 1, finished: 1, lagP99: null, startSkew: null },
          ...{ clockUncertainty: null, lossReason: text },
        })),
      }),
    });
    const { service, target } = await openShop({ fake });
    const { test_id: id } = accepted(
      await service.call('POST', '/v2/tests', { json: smallTestFields(`${target.url}/`) }),
    );
    const { page, context, errors } = await openWebUi(browser, service.service.url, '#/');
    const seen = watch(context, ({ origin }) => origin === service.service.url);
    await withoutLayout(page);
    for (const part of cut(TEXTS, AT_ONCE)) {
      texts = part;
      fake.latest().end();
      const [latest] = await waitUntil(async () => {
        const { list } = await service.call('GET', `/v2/tests/${id}/results`);
        return list.every(({ status }) => status === 'ready') ? list : null;
      });
      const result = latest?.result_id ?? '';
      const thresholds = part.map((text) => ({
        ...{ metric: startOf(text, 100), limit: startOf(text, 100), url: text, value: null },
        ...{ verdict: 'inconclusive', reason: text },
      }));
      const json = { verdict: 'inconclusive', reason: part.at(-1) ?? null, thresholds };
      accepted(await service.call('PUT', `/v2/tests/${id}/results/${result}/verdict`, { json }));
      await page.goto(`${service.service.url}/#/runs/${id}/${result}`);
      await page.waitForFunction(
        (count) => document.querySelectorAll('[aria-label="Limits"] tbody tr').length === count,
        part.length,
      );
      expect(await rowsOf(page, 'Failures')).toEqual(part.map((text) => [text, '1', text]));
      expect(await rowsOf(page, 'Limits')).toEqual(
        part.map((text) => [
          `${startOf(text, 100)} of "${text}" ${startOf(text, 100)}`,
          ...['? inconclusive', 'unknown', text],
        ]),
      );
      const facts = await page.evaluate(() =>
        [...document.querySelectorAll('.facts > div')].map((fact) =>
          [...fact.children].map((child) => child.textContent),
        ),
      );
      expect(facts.slice(facts.findIndex(([name]) => name === 'Workers') + 1)).toEqual(
        part.map((text) => [
          `Worker ${text === '' ? 'without a name' : text}`,
          `1 thread, 1 request started, 1 finished${text === '' ? '' : `; lost: ${text}`}`,
        ]),
      );
      expect(await page.locator('.reason').textContent()).toBe(part.at(-1));
      expect(await oddIn(page)).toEqual([]);
      accepted(await service.call('PUT', `/v2/tests/${id}/run`));
    }
    expect([errors, seen]).toEqual([[], []]);
    await context.close();
  });

  test('as names and versions of workers', async () => {
    const workers = TEXTS.map((text, at) => ({
      ...EAST_WORKER,
      ...{ id: at.toString(16).padStart(16, '0'), name: text, version: text, state: 'draining' as const },
    }));
    let present: typeof workers = [];
    const rig = await openTestService({
      mode: 'serve',
      workerPool: { ...createWorkerPool([]), list: () => present },
    });
    const { page, context, errors } = await openWebUi(browser, rig.service.url, '#/workers');
    const seen = watch(context, ({ origin }) => origin === rig.service.url);
    await withoutLayout(page);
    for (const part of cut(workers, AT_ONCE)) {
      present = [...part];
      const expected = part.map(({ name }) => [name, name]);
      // The page asks for them again and again.
      await expect
        .poll(
          async () => (await rowsOf(page, 'Workers')).map(([name, , , , , , , version]) => [name, version]),
          SELDOM,
        )
        .toEqual(expected);
      expect(await oddIn(page)).toEqual([]);
    }
    expect([errors, seen]).toEqual([[], []]);
    await context.close();
  });

  test('in every view, in the fields that are told in few words', async () => {
    const fake = createFakeRunner({
      report: (report) => ({
        ...report,
        errorSamples: HOSTILE_SAMPLES.map((text) => ({ url: text, error: text, count: 1 })),
        generator: { ...report.generator, version: HOSTILE_SAMPLES[0] ?? '' },
      }),
    });
    const { service, target } = await openShop({ fake });
    const create = async (json: object) => (await service.call('POST', '/v2/tests', { json })).json;
    // Several to a test: each test that starts takes its time.
    const names = namesOf(HOSTILE_SAMPLES);
    const [first = '', ...others] = names;
    const named = async (text: string) =>
      await create(
        smallTestFields(`${target.url}/`, {
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

    const { page, context, errors: told } = await openWebUi(browser, service.service.url, '#/');
    const wrong = watch(
      context,
      ({ origin, pathname }) =>
        origin === service.service.url &&
        /^\/($|assets\/|v2\/(overview|keys|tests|apps|workers|comparison|sessions)(\/|$))/.test(pathname),
    );
    const textOf = async () => await page.evaluate(() => document.body.textContent);
    const shows = async (texts: readonly string[], place: string) => {
      const missing = (text: string) => texts.filter((one) => !text.includes(one));
      await expect
        .poll(async () => missing(await textOf()).map((text) => `${place}: ${text}`), SELDOM)
        .toEqual([]);
      expect(await oddIn(page)).toEqual([]);
    };
    const go = async (place: string) => {
      await page.evaluate((fragment) => {
        location.hash = fragment;
      }, place);
    };

    // All of them run.
    expect(running).toBe(names.length);
    await shows(HOSTILE_SAMPLES, 'overview, running');
    await go(`#/runs/${run?.test_id ?? ''}/${run?.result_id ?? ''}`);
    await shows([first], 'a run that goes on');
    for (const one of fake.runs) one.end();
    await waitUntil(async () => {
      const list = (await service.call('GET', '/v2/tests')).list;
      return list.every(({ status }) => status === 'complete') ? true : null;
    });
    for (const [index, { test_id: id, result_id: result }] of ids.slice(0, 2).entries()) {
      const text = names[index] ?? '';
      const limits = index === 0 ? HOSTILE_SAMPLES : [text];
      const thresholds = limits.map((one) => ({
        ...{ metric: 'p95', limit: one.slice(0, 100), url: one, value: 1 },
        ...{ verdict: 'inconclusive', reason: one },
      }));
      const json = { verdict: 'inconclusive', reason: text, thresholds };
      const response = await service.call('PUT', `/v2/tests/${id}/results/${result}/verdict`, { json });
      expect([text, response.status]).toEqual([text, 200]);
    }
    await shows(HOSTILE_SAMPLES, 'a run that has ended');
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
      const checks = HOSTILE_SAMPLES.map((text) => ({
        ...{ at: new Date().toISOString(), method: text, purpose: text, outcome: text, reason: text },
      }));
      const [file, txt] = [HOSTILE_SAMPLES[1], HOSTILE_SAMPLES[2]];
      await route.fulfill({ json: { ...record, checks, verification_id: file, verification_record: txt } });
    });
    await page.getByText(target.host).first().click();
    await shows(HOSTILE_SAMPLES, 'an app');
    for (const text of HOSTILE_SAMPLES) await go(`#/${encodeURIComponent(text)}/${text}`);
    for (const place of ['runs/../..', 'runs/%2e%2e/x', 'tests/..', 'compare/../../../..', 'runs/./.']) {
      await go(`#/${place}`);
      // What the view has asked for was sent before this.
      await Promise.all([page.waitForResponse(/overview$/), go('#/')]);
    }
    await shows([], 'nowhere');
    expect([told, wrong]).toEqual([[], []]);
    await context.close();
  });

  test('do what they say where they are taken for more than texts', async () => {
    const { url } = await openTestTarget((request, response) => {
      response.setHeader('content-type', 'text/html');
      response.statusCode = request.url === '/' ? 200 : 404;
      response.end('<!doctype html><title>twin</title><body>');
    });
    const context = await browser.newContext();
    const asked = new Set<string>();
    context.on('dialog', (dialog) => void dialog.dismiss());
    context.on('request', (request) => asked.add(new URL(request.url()).hostname));
    const page = await context.newPage();
    await page.goto(`${url}/`);
    // Those that lead the page away would end the count.
    const some = HOSTILE_MARKUP.filter((text, at) => at % 25 === 0 && !/refresh|location/.test(text));
    const done = await page.evaluate(async (texts) => {
      const did = new Set<number>();
      let current = -1;
      window.alert = () => {
        did.add(current);
      };
      for (const [at, text] of texts.entries()) {
        current = at;
        const place = document.createElement('div');
        document.body.append(place);
        place.append(document.createRange().createContextualFragment(text));
        // Somebody points, clicks and types everywhere.
        for (const element of place.querySelectorAll('*'))
          for (const { name } of [...element.attributes])
            if (name.startsWith('on')) element.dispatchEvent(new Event(name.slice(2)));
        // What fails to load tells so soon, one after the other.
        await new Promise((resolve) => setTimeout(resolve));
        place.remove();
      }
      return did.size;
    }, some);
    expect(done).toBeGreaterThan(some.length / 5);
    expect([...asked]).toContain('evil.example');
    await context.close();
  });

  test('in a report in HTML', async () => {
    const context = await browser.newContext();
    const directory = createTemporaryDirectory();
    const page = await context.newPage();
    const seen = watch(context, ({ href }) => href.startsWith(pathToFileURL(directory).href));
    // It shows the components of the page.
    const some = TEXTS.filter((_, at) => at % 5 === 0);
    for (const [at, part] of cut(some, AT_ONCE).entries()) {
      const file = join(directory, `${at}.html`);
      writeFileSync(file, reportWith(part));
      await page.goto(pathToFileURL(file).href);
      const told = part.map(printable);
      expect(await rowsOf(page, 'Failures')).toEqual(told.map((text) => [text, '1', text]));
      expect(await rowsOf(page, 'Limits')).toEqual(
        told.map((text) => [`p95 of "${text}" ${text}`, '? inconclusive', 'unknown', text]),
      );
      expect((await rowsOf(page, 'URLs')).map(([name]) => name)).toEqual(told);
      expect(await page.title()).toContain('loadtests results');
      expect(await oddIn(page)).toEqual([]);
    }
    expect(seen).toEqual([]);
    await context.close();
  });
});

/** A report in HTML that says each of the texts as a failure, its URL, a limit with its URL and reason, and the name of a URL. */
function reportWith(texts: readonly string[]): string {
  const thresholds = texts.map((text) => ({
    ...{ metric: 'p95', limit: text, url: text, value: null },
    ...{ verdict: 'inconclusive' as const, reason: text },
  }));
  const result = {
    ...createResultRecord({ seconds: 2, urls: texts.length }),
    error_samples: texts.map((text) => ({ url: text, error: text, count: 1 })),
    workers: texts.slice(0, 10).map((text) => ({ name: text, lost: text })),
  };
  const [first = ''] = texts;
  const run = createRunResult({
    thresholds,
    result,
    reason: first,
    url_names: [...texts],
    metrics: { requests: 20 },
  });
  const body: BodyOf<'results'> = {
    ...{ command: 'results', project: first, environment: first, service: first },
    tests: [{ address: `test.${first}`, test_id: first, results: [{ ...run, result_id: 'r1' }] }],
  };
  return toHtml(createReport('results', { exitCode: 0, problems: [], body }));
}

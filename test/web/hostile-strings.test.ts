/**
 * Displays thousands of hostile texts in every field of the web UI and in HTML reports, and checks that each
 * is shown verbatim and has no effect.
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
import { sampleRows } from '../support/test-scale.ts';
import { openTestService, smallTestFields, waitUntil } from '../support/test-service.ts';
import { openShop } from '../support/shop.ts';
import { openTestTarget } from '../support/test-target.ts';
import { EAST_WORKER, createWorkerPool } from '../support/fake-worker-pool.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const ALL_TEXTS = [...new Set([...HOSTILE_MARKUP, ...AWKWARD_TEXTS])];
/** Maximum number of texts in one document, because the time per row grows with the number of rows. */
const MAX_TEXTS_PER_PAGE = 1000;
const TEXTS = sampleRows(ALL_TEXTS, Math.ceil(ALL_TEXTS.length / 10));

/** Polling intervals in ms. Each poll reads a long document. */
const SLOW_POLL = { interval: 200 };

let browser: Browser;

/** Hides the content, because layout would take most of the time of a test with thousands of rows. */
async function withoutLayout(page: Page): Promise<void> {
  await page.evaluate(() => {
    document.body.style.display = 'none';
  });
}

/**
 * Collects dialogs, console messages, script errors and unexpected requests. Plain text causes none of them.
 */
function watch(context: BrowserContext, isExpected: (url: URL) => boolean): readonly string[] {
  const events: string[] = [];
  context.on('dialog', (dialog) => {
    events.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  // The console contains violations of the content security policy.
  context.on('console', (message) => events.push(`console: ${message.text()}`));
  context.on('weberror', (error) => events.push(`error: ${error.error().message}`));
  context.on('request', (request) => {
    if (!isExpected(new URL(request.url()))) events.push(`request: ${request.url()}`);
  });
  return events;
}

/** Returns the texts of the cells of a table. */
async function rowsOf(page: Page, name: string): Promise<readonly (readonly string[])[]> {
  return await rowsIn(page, `[aria-label="${name}"]`);
}

/** Returns the texts of the cells in all tables of the elements that a selector matches. */
async function rowsIn(page: Page, selector: string): Promise<readonly (readonly string[])[]> {
  return await page.evaluate((within) => {
    const rows = document.querySelectorAll<HTMLTableRowElement>(`${within} tbody tr`);
    return [...rows].map((row) => [...row.cells].map((cell) => cell.textContent));
  }, selector);
}

/** Returns elements that exist only if a text was interpreted as markup. */
async function unexpectedElements(page: Page): Promise<readonly string[]> {
  return await page.evaluate(() => {
    const known =
      /^(a|b|bdi|body|br|button|canvas|code|dd|details|div|dl|dt|figcaption|figure|form|h[1-6]|head|header|html|input|kbd|label|li|link|main|meta|nav|noscript|option|p|path|progress|rect|script|section|select|span|style|summary|svg|table|tbody|td|th|thead|time|title|tr|ul)$/;
    return [...document.querySelectorAll('*')].flatMap((element) => {
      const isUnexpected =
        !known.test(element.localName) ||
        (element.localName === 'svg' && element.namespaceURI !== 'http://www.w3.org/2000/svg') ||
        [...element.attributes].some(
          ({ name, value }) =>
            name.startsWith('on') ||
            (['href', 'src', 'action', 'formaction'].includes(name) && !/^(#|assets\/)/.test(value)),
        );
      return isUnexpected ? [element.outerHTML.slice(0, 200)] : [];
    });
  });
}

/** Splits a list into chunks of at most `maximum` entries. */
function chunksOf<Value>(list: readonly Value[], maximum: number): readonly (readonly Value[])[] {
  return Array.from({ length: Math.ceil(list.length / maximum) }, (_, index) =>
    list.slice(maximum * index, maximum * (index + 1)),
  );
}

/** Truncates a text to a number of code points, which is how JSON Schema counts characters. */
function truncate(text: string, maximum: number): string {
  return Array.from(text).slice(0, maximum).join('');
}

/** Joins the texts into as few names as possible. */
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

/** Texts that are valid in an ownership marker, whose delimiters they do not contain. */
const MARKER_TEXTS = TEXTS.filter((text) => /^[^ [\]\n\r]{1,150}$/.test(text));

function replaceNulls(text: string): string {
  return text.replaceAll('\0', '\ufffd');
}

/**
 * Returns the body of a successful response.
 * @throws Error if the response is not successful.
 */
function expectSuccess({
  status,
  text,
  json,
}: Awaited<ReturnType<Awaited<ReturnType<typeof openTestService>>['call']>>) {
  if (status !== 200) throw new Error(text);
  return json;
}

// A busy machine needs a long time for thousands of texts.
describe.skipIf(SKIP_WITHOUT_CHROMIUM !== null)('hostile texts in the web UI and HTML reports', () => {
  withChromium(
    (opened) => {
      browser = opened;
    },
    ['--host-resolver-rules=MAP * 127.0.0.1'],
  );

  test('the test data contain at least 6,613 different strings of hostile markup and 515 different awkward strings', () => {
    expect(new Set(HOSTILE_MARKUP).size).toBeGreaterThanOrEqual(6613);
    expect(new Set(AWKWARD_TEXTS).size).toBeGreaterThanOrEqual(515);
    expect(ALL_TEXTS.length).toBeGreaterThanOrEqual(6613 + 275);
  });

  test('the test list shows hostile names of tests, projects and environments verbatim, except for replaced null characters', async () => {
    const { service, target, clock } = await openShop();
    const scheduled = { scheduled_at: new Date(clock.now() + DAY).toISOString() };
    const expected = new Map<string, readonly string[]>();
    const markerText = (index: number) => MARKER_TEXTS[index % MARKER_TEXTS.length] ?? '';
    let next = 0;
    for (const title of namesOf(TEXTS)) {
      const [project, environment, key] = [markerText(next++), markerText(next++), markerText(next++)];
      const digests = { listed: '0'.repeat(12), unlisted: 'a.b', repetition: 0, nonce: String(next) };
      const notes = formatMarker({ project, environment, key, ...digests });
      const json = smallTestFields(`${target.url}/`, { name: title, notes, ...scheduled });
      const { test_id: id } = expectSuccess(await service.call('POST', '/v2/tests', { json }));
      // Searchable columns replace null characters, because SQLite strings would end there.
      expected.set(id, [key, `${project} · ${environment} · ${title}`].map(replaceNulls));
    }
    const { page, errors } = await openWebUi(browser, service.service.url, '#/tests');
    const events = watch(page.context(), ({ origin }) => origin === service.service.url);
    const shown = new Map<string, readonly string[]>();
    for (let first = 1; shown.size < expected.size; first += 100) {
      const last = Math.min(first + 99, expected.size);
      await page.waitForFunction(
        (count) => {
          const links = document.querySelectorAll('.keys tbody th a');
          const range = document.querySelector('.pages span')?.textContent;
          return links.length === count.rows && (range === undefined || range === count.range);
        },
        { rows: last - first + 1, range: `${first}–${last} of ${expected.size}` },
      );
      const rows = await page.evaluate(() =>
        [...document.querySelectorAll('.keys tbody th')].map((cell) => [
          cell.querySelector('a')?.getAttribute('href') ?? '',
          cell.querySelector('a')?.textContent ?? '',
          // The note begins with a space.
          cell.querySelector('.note')?.textContent.slice(1) ?? '',
        ]),
      );
      for (const [href = '', key = '', note = ''] of rows)
        shown.set(href.replace('#/tests/', ''), [key, note]);
      expect(await unexpectedElements(page)).toEqual([]);
      if (shown.size < expected.size) await page.getByRole('button', { name: 'Next' }).click();
    }
    expect(shown).toEqual(expected);
    // The heading of the view.
    for (const id of [...expected.keys()].slice(0, 5)) {
      await page.goto(`${service.service.url}/#/tests/${id}`);
      await page.waitForFunction(
        (key) => document.querySelector('h1')?.textContent === key,
        expected.get(id)?.[0],
      );
    }
    expect([errors, events]).toEqual([[], []]);
  });

  test('a right-to-left override in the name of a test does not move the text next to the name', async () => {
    const { service, target, clock } = await openShop();
    const digests = { listed: '0'.repeat(12), unlisted: 'a.b', repetition: 0, nonce: '1' };
    const notes = formatMarker({
      project: 'shop\u202e',
      environment: 'here',
      key: '\u202eabc',
      ...digests,
    });
    const scheduled = { scheduled_at: new Date(clock.now() + DAY).toISOString() };
    const json = smallTestFields(`${target.url}/`, { name: 'xyz 123', notes, ...scheduled });
    expectSuccess(await service.call('POST', '/v2/tests', { json }));
    const { page } = await openWebUi(browser, service.service.url, '#/');
    await page.locator('.name a').waitFor();
    const [name, about] = await Promise.all([
      page.locator('.name a').boundingBox(),
      page.locator('.name .note').boundingBox(),
    ]);
    // The note follows the name from left to right.
    expect((name?.x ?? NaN) + (name?.width ?? NaN)).toBeLessThanOrEqual(1 + (about?.x ?? NaN));
  });

  test('the run view shows hostile strings in failures, URLs, thresholds, reasons and workers verbatim', async () => {
    let texts: readonly string[] = [];
    const fake = createFakeRunner({
      report: (report) => ({
        ...report,
        errorSamples: texts.map((text) => ({ url: text, error: text, count: 1 })),
        generator: { ...report.generator, version: texts[0] ?? '' },
        workers: texts.map((text) => ({
          name: text,
          threads: 1,
          started: 1,
          finished: 1,
          lagP99: null,
          startSkew: null,
          clockUncertainty: null,
          lossReason: text,
        })),
      }),
    });
    const { service, target } = await openShop({ fake });
    const { test_id: id } = expectSuccess(
      await service.call('POST', '/v2/tests', { json: smallTestFields(`${target.url}/`) }),
    );
    const { page, errors } = await openWebUi(browser, service.service.url, '#/');
    const events = watch(page.context(), ({ origin }) => origin === service.service.url);
    await withoutLayout(page);
    for (const chunk of chunksOf(TEXTS, MAX_TEXTS_PER_PAGE)) {
      texts = chunk;
      fake.latest().end();
      const [latest] = await waitUntil(async () => {
        const { list } = await service.call('GET', `/v2/tests/${id}/results`);
        return list.every(({ status }) => status === 'ready') ? list : null;
      });
      const result = latest?.result_id ?? '';
      const thresholds = chunk.map((text) => ({
        metric: truncate(text, 100),
        limit: truncate(text, 100),
        url: text,
        value: null,
        verdict: 'inconclusive',
        reason: text,
      }));
      const json = { verdict: 'inconclusive', reason: chunk.at(-1) ?? null, thresholds };
      expectSuccess(await service.call('PUT', `/v2/tests/${id}/results/${result}/verdict`, { json }));
      // The previous run may have the same number of thresholds.
      await page.goto(`${service.service.url}/#/`);
      await page.waitForFunction(() => document.querySelector('.thresholds') === null);
      await page.goto(`${service.service.url}/#/runs/${id}/${result}`);
      await page.waitForFunction(
        (count) => document.querySelectorAll('.thresholds tbody tr').length === count,
        chunk.length,
      );
      expect(await rowsOf(page, 'Failed requests')).toEqual(chunk.map((text) => [text, '1', text]));
      expect(await rowsIn(page, '.thresholds')).toEqual(
        chunk.map((text) => [
          `${truncate(text, 100)} of "${text}" ${truncate(text, 100)}`,
          '? inconclusive',
          'unknown',
          text,
        ]),
      );
      const facts = await page.evaluate(() =>
        [...document.querySelectorAll('.facts > div')].map((fact) =>
          [...fact.children].map((child) => child.textContent),
        ),
      );
      expect(facts.slice(facts.findIndex(([name]) => name === 'Workers') + 1)).toEqual(
        chunk.map((text) => [
          `Worker ${text === '' ? 'unnamed' : text}`,
          `1 thread, 1 request started, 1 finished${text === '' ? '' : `; lost: ${text}`}`,
        ]),
      );
      expect(await page.locator('.reason').textContent()).toBe(chunk.at(-1));
      expect(await unexpectedElements(page)).toEqual([]);
      expectSuccess(await service.call('PUT', `/v2/tests/${id}/run`));
    }
    expect([errors, events]).toEqual([[], []]);
  });

  test('the workers view shows hostile names and versions of workers verbatim', async () => {
    const workers = TEXTS.map((text, index) => ({
      ...EAST_WORKER,
      id: index.toString(16).padStart(16, '0'),
      name: text,
      version: text,
      state: 'draining' as const,
    }));
    let connected: typeof workers = [];
    const rig = await openTestService({
      mode: 'serve',
      workerPool: { ...createWorkerPool([]), list: () => connected },
    });
    const { page, errors } = await openWebUi(browser, rig.service.url, '#/workers');
    const events = watch(page.context(), ({ origin }) => origin === rig.service.url);
    await withoutLayout(page);
    for (const chunk of chunksOf(workers, MAX_TEXTS_PER_PAGE)) {
      connected = [...chunk];
      const expected = chunk.map(({ name }) => [name, name]);
      // The web UI polls the list.
      await expect
        .poll(
          async () => (await rowsOf(page, 'Workers')).map(([name, , , , , , , version]) => [name, version]),
          SLOW_POLL,
        )
        .toEqual(expected);
      expect(await unexpectedElements(page)).toEqual([]);
    }
    expect([errors, events]).toEqual([[], []]);
  });

  test('the overview and the views of runs, tests and apps show hostile strings verbatim', async () => {
    const fake = createFakeRunner({
      report: (report) => ({
        ...report,
        errorSamples: HOSTILE_SAMPLES.map((text) => ({ url: text, error: text, count: 1 })),
        generator: { ...report.generator, version: HOSTILE_SAMPLES[0] ?? '' },
      }),
    });
    const { service, target } = await openShop({ fake });
    const create = async (json: object) => (await service.call('POST', '/v2/tests', { json })).json;
    // A test has several texts in its name, because each start takes time.
    const names = namesOf(HOSTILE_SAMPLES);
    const [first = '', ...others] = names;
    const createNamed = async (text: string) =>
      await create(
        smallTestFields(`${target.url}/`, {
          name: text,
          notes: text,
          // Braces would refer to a variable.
          urls: [{ url: `${target.url}/?${encodeURIComponent(text.replaceAll(/[{}]/g, ''))}` }],
        }),
      );
    const ids = [await createNamed(first)];
    ids.push(...(await Promise.all(others.map(createNamed))));
    expect(ids.map(({ message }) => message)).toEqual(names.map(() => 'success'));
    const running = fake.runs.length;
    const [run = ids[0], second = ids[0]] = ids;
    for (const { job } of [...fake.runs]) expect(job.runId).toMatch(/^[0-9a-f]{32}$/);

    const { page, errors } = await openWebUi(browser, service.service.url, '#/');
    const events = watch(
      page.context(),
      ({ origin, pathname }) =>
        origin === service.service.url &&
        /^\/($|assets\/|v2\/(overview|keys|tests|apps|workers|comparison|sessions)(\/|$))/.test(pathname),
    );
    const pageText = async () => await page.evaluate(() => document.body.textContent);
    const expectTexts = async (texts: readonly string[], view: string) => {
      const missingIn = (content: string) => texts.filter((text) => !content.includes(text));
      await expect
        .poll(async () => missingIn(await pageText()).map((text) => `${view}: ${text}`), SLOW_POLL)
        .toEqual([]);
      expect(await unexpectedElements(page)).toEqual([]);
    };
    const go = async (route: string) => {
      await page.evaluate((fragment) => {
        location.hash = fragment;
      }, route);
    };

    // All tests are running.
    expect(running).toBe(names.length);
    await expectTexts(HOSTILE_SAMPLES, 'overview, running');
    await go(`#/runs/${run?.test_id ?? ''}/${run?.result_id ?? ''}`);
    await expectTexts([first], 'active run');
    for (const fakeRun of fake.runs) fakeRun.end();
    await waitUntil(async () => {
      const list = (await service.call('GET', '/v2/tests')).list;
      return list.every(({ status }) => status === 'complete') ? true : null;
    });
    for (const [index, { test_id: id, result_id: result }] of ids.slice(0, 2).entries()) {
      const text = names[index] ?? '';
      const thresholdTexts = index === 0 ? HOSTILE_SAMPLES : [text];
      const thresholds = thresholdTexts.map((thresholdText) => ({
        metric: 'p95',
        limit: thresholdText.slice(0, 100),
        url: thresholdText,
        value: 1,
        verdict: 'inconclusive',
        reason: thresholdText,
      }));
      const json = { verdict: 'inconclusive', reason: text, thresholds };
      const response = await service.call('PUT', `/v2/tests/${id}/results/${result}/verdict`, { json });
      expect([text, response.status]).toEqual([text, 200]);
    }
    await expectTexts(HOSTILE_SAMPLES, 'ended run');
    await go('#/');
    await expectTexts(names.slice(0, 2), 'overview');
    await go('#/tests');
    await expectTexts([first], 'tests');
    const compared = [run, second].map((ended) => `${ended?.test_id ?? ''}:${ended?.result_id ?? ''}`);
    await go(`#/compare/${compared.join('/')}`);
    await expectTexts(names.slice(0, 2), 'compare');
    await go('#/apps');
    await expectTexts([target.host], 'apps');
    await page.route(/\/v2\/apps\/[0-9a-f]{32}$/, async (route) => {
      const record = (await (await route.fetch()).json()) as object;
      const checks = HOSTILE_SAMPLES.map((text) => ({
        at: new Date().toISOString(),
        method: text,
        purpose: text,
        outcome: text,
        reason: text,
      }));
      const [file, txt] = [HOSTILE_SAMPLES[1], HOSTILE_SAMPLES[2]];
      await route.fulfill({ json: { ...record, checks, verification_id: file, verification_record: txt } });
    });
    await page.getByText(target.host).first().click();
    await expectTexts(HOSTILE_SAMPLES, 'app');
    for (const text of HOSTILE_SAMPLES) await go(`#/${encodeURIComponent(text)}/${text}`);
    await expectTexts(['This page does not exist.'], 'unknown route');
    for (const route of ['runs/../..', 'runs/%2e%2e/x', 'tests/..', 'compare/../../../..', 'runs/./.']) {
      await go(`#/${route}`);
      // Requests of the previous view are sent before the request of the overview.
      await Promise.all([page.waitForResponse(/overview$/), go('#/')]);
    }
    await expectTexts(names.slice(0, 2), 'overview');
    expect([errors, events]).toEqual([[], []]);
  });

  test('more than a fifth of a sample of hostile strings execute code if a page inserts them as markup', async () => {
    const { url } = await openTestTarget((request, response) => {
      response.setHeader('content-type', 'text/html');
      response.statusCode = request.url === '/' ? 200 : 404;
      response.end('<!doctype html><title>control</title><body>');
    });
    const context = await browser.newContext();
    const requestedHosts = new Set<string>();
    context.on('dialog', (dialog) => void dialog.dismiss());
    context.on('request', (request) => requestedHosts.add(new URL(request.url()).hostname));
    const page = await context.newPage();
    await page.goto(`${url}/`);
    // Texts that navigate to a different page would abort the test.
    const sample = HOSTILE_MARKUP.filter((text, index) => index % 25 === 0 && !/refresh|location/.test(text));
    const effectCount = await page.evaluate(async (texts) => {
      const effective = new Set<number>();
      let current = -1;
      window.alert = () => {
        effective.add(current);
      };
      for (const [index, text] of texts.entries()) {
        current = index;
        const container = document.createElement('div');
        document.body.append(container);
        container.append(document.createRange().createContextualFragment(text));
        // Simulates a user who points, clicks and types everywhere.
        for (const element of container.querySelectorAll('*'))
          for (const { name } of [...element.attributes])
            if (name.startsWith('on')) element.dispatchEvent(new Event(name.slice(2)));
        // Load errors are reported in a later task.
        await new Promise((resolve) => setTimeout(resolve));
        container.remove();
      }
      return effective.size;
    }, sample);
    expect(effectCount).toBeGreaterThan(sample.length / 5);
    expect([...requestedHosts]).toContain('evil.example');
    await context.close();
  });

  test('the HTML report shows hostile strings as text, with control and format characters replaced', async () => {
    const context = await browser.newContext();
    const directory = createTestDirectory();
    const page = await context.newPage();
    const events = watch(context, ({ href }) => href.startsWith(pathToFileURL(directory).href));
    // A sample is sufficient, because the report shares its components with the web UI.
    const sample = TEXTS.filter((_, index) => index % 5 === 0);
    for (const [index, chunk] of chunksOf(sample, MAX_TEXTS_PER_PAGE).entries()) {
      const file = join(directory, `${index}.html`);
      writeFileSync(file, reportWith(chunk));
      await page.goto(pathToFileURL(file).href);
      const expected = chunk.map(printable);
      expect(await rowsOf(page, 'Failed requests')).toEqual(expected.map((text) => [text, '1', text]));
      expect(await rowsIn(page, '.thresholds')).toEqual(
        expected.map((text) => [`p95 of "${text}" ${text}`, '? inconclusive', 'unknown', text]),
      );
      expect((await rowsOf(page, 'URLs')).map(([name]) => name)).toEqual(expected);
      expect(await page.title()).toContain('loadtests results');
      expect(await unexpectedElements(page)).toEqual([]);
    }
    expect(events).toEqual([]);
    await context.close();
  });
});

/**
 * Creates an HTML report that contains each text as a failure, its URL, a threshold with URL and reason, and
 * the name of a URL.
 */
function reportWith(texts: readonly string[]): string {
  const thresholds = texts.map((text) => ({
    metric: 'p95',
    limit: text,
    url: text,
    value: null,
    verdict: 'inconclusive' as const,
    reason: text,
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
    command: 'results',
    project: first,
    environment: first,
    service: first,
    tests: [{ address: `test.${first}`, test_id: first, results: [{ ...run, result_id: 'r1' }] }],
  };
  return toHtml(createReport('results', { exitCode: 0, problems: [], body }));
}

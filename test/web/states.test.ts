/** States that people meet on the page of a service: each says what is the case, and is for everybody. */
import type { Browser, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { SKIP_WITHOUT_CHROMIUM, withChromium } from '../support/chromium.ts';
import { MINUTE, createTestClock } from '../support/test-clock.ts';
import { expectFocus, expectAccessible, openWebUi } from '../support/web-ui.ts';
import { callAt, openTestService, smallTestFields, waitUntil } from '../support/test-service.ts';
import { openShop } from '../support/shop.ts';
import { servePages } from '../support/test-target.ts';

let browser: Browser;

describe.skipIf(SKIP_WITHOUT_CHROMIUM !== null)('the page', () => {
  withChromium((opened) => {
    browser = opened;
  });

  test('says in each view what to do where nothing is, or nothing is any more', async () => {
    const rig = await openTestService({ mode: 'serve' });
    const { page, context, errors } = await openWebUi(browser, rig.service.url, '#/tests');
    const [one, other] = ['e'.repeat(32), 'f'.repeat(32)];
    for (const [state, place, text] of [
      ['tests-none', '#/tests', 'No test has been sent to this service yet'],
      ['workers-none', '#/workers', 'There are no workers'],
      ['run-unknown', `#/runs/${one}/${one}`, 'The service has no such run'],
      ['test-unknown', `#/tests/${one}`, 'The service has no such test'],
      ['compare-unknown', `#/compare/${one}:${one}/${other}:${other}`, 'The service does not compare these'],
      ['compare-nothing', '#/compare/this/that', 'This address does not name runs'],
      ['nowhere', '#/nowhere', 'No view has this address'],
    ] as const) {
      await go(page, place);
      await page.getByText(text).waitFor();
      await expectAccessible(page, state);
    }
    expect(errors).toEqual([]);
    await context.close();
  });

  test('says how to get in: without a link, with an old one, with a used one, after the session', async () => {
    const clock = createTestClock();
    const rig = await openTestService({ mode: 'serve', now: clock.now, ticker: clock.ticker });
    const { page, context, errors } = await openWebUi(browser, rig.service.url, '#/');
    const strangers = await browser.newContext();
    const stranger = await strangers.newPage();
    const asks = async (name: string): Promise<void> => {
      await stranger.getByRole('heading', { name }).waitFor();
      await stranger.getByText(`loadtests open --service ${rig.service.url}`).waitFor();
    };
    await stranger.goto(rig.service.url);
    await asks('This page needs a link');
    await expectAccessible(stranger, 'no-link');
    const used = rig.service.createSignInLink() ?? '';
    await context.newPage().then(async (tab) => await tab.goto(used));
    await stranger.goto(used);
    await asks('This link no longer works');
    const old = rig.service.createSignInLink() ?? '';
    clock.advance(10 * MINUTE);
    await stranger.goto('about:blank');
    await stranger.goto(old);
    await asks('This link no longer works');
    await expectAccessible(stranger, 'old-link');
    await rig.call('DELETE', '/v2/sessions');
    await page.getByText('This session has ended').waitFor();
    await expectAccessible(page, 'session-ended');
    expect(errors).toEqual([]);
    await context.close();
    await strangers.close();
  });

  test('shows a run that has just begun, and how runs ended', async () => {
    const { begun, stopped, partial, failed, rig } = await shopWithEnds();
    const { page, context, errors } = await openWebUi(browser, rig.service.url, '#/');
    await page.getByText('1 test running, 2 need attention').waitFor();
    await page.getByText('ended early: the error threshold was reached').waitFor();
    await page.getByText('ended early: not all of its load could be made').waitFor();
    await expectAccessible(page, 'overview-ends');
    for (const [state, { test_id: test, result_id: result }, text] of [
      ['run-begun', begun, 'running'],
      ['run-stopped', stopped, 'the run ended early'],
      ['run-partial', partial, 'a worker was lost'],
      ['run-over-threshold', failed, 'fail'],
    ] as const) {
      await go(page, `#/runs/${test}/${result}`);
      await page.locator('section.run').getByText(text).first().waitFor();
      await expectAccessible(page, state);
    }
    expect(errors).toEqual([]);
    await context.close();
  });

  test('leads to the run of a test that runs, and says why none starts', async () => {
    const { begun, stopped, rig, target } = await shopWithEnds();
    const { page, context, errors } = await openWebUi(browser, rig.service.url, `#/tests/${begun.test_id}`);
    await page.getByRole('link', { name: 'Watch the run' }).waitFor();
    await expectAccessible(page, 'test-running');
    await go(page, `#/tests/${stopped.test_id}`);
    await page.getByRole('button', { name: 'Run' }).press('Enter');
    // Its host no longer agrees.
    target.respondWith(servePages({}));
    await page.getByRole('button', { name: 'Start the load' }).press('Enter');
    await page.getByRole('alert').getByText('Not started').waitFor();
    await expectAccessible(page, 'not-started');
    expect(errors).toEqual([]);
    await context.close();
  });

  test('ends the session in all tabs where somebody signs out, and says how to get in again', async () => {
    const rig = await openTestService({ mode: 'serve' });
    const { page, context } = await openWebUi(browser, rig.service.url, '#/');
    await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor();
    const further = await context.newPage();
    await further.goto(`${rig.service.url}/#/tests`);
    await further.getByRole('searchbox').waitFor();
    // It was opened by a link of its own, and has a token of its own.
    const { page: own } = await openWebUi(browser, rig.service.url, '#/apps', {}, context);
    const tokens = await Promise.all([page, further, own].map(tokenOf));
    expect(new Set(tokens).size).toBe(2);
    await page.getByRole('button', { name: 'Sign out' }).focus();
    await page.keyboard.press('Enter');
    for (const tab of [page, further, own]) {
      await tab.getByRole('heading', { name: 'You are signed out' }).waitFor();
      expect(await tab.locator('nav').count()).toBe(0);
      expect(await tokenOf(tab)).toBeNull();
      expect(await tab.title()).toBe('loadtests');
    }
    await expectFocus(page, 'You are signed out');
    await expectAccessible(page, 'signed-out');
    const revocations = () =>
      rig.log.filter(({ route, status }) => route === '/v2/sessions' && status === 200);
    await waitUntil(() =>
      revocations().filter(({ method }) => method === 'DELETE').length === 2 ? true : null,
    );
    for (const token of new Set(tokens)) {
      const headers = { authorization: `Bearer ${token ?? ''}` };
      expect(await callAt(rig.service.url, 'GET', '/v2/overview', { key: null, headers })).toMatchObject({
        status: 401,
      });
    }
    await page.reload();
    await page.getByRole('heading', { name: 'This page needs a link' }).waitFor();
    // One new link is enough for all of them.
    await own.goto(rig.service.createSignInLink() ?? '');
    for (const tab of [own, further, page]) await tab.locator('nav').waitFor();
    await further.getByRole('searchbox').waitFor();
    await context.close();
  });
});

async function tokenOf(page: Page): Promise<string | null> {
  return await page.evaluate<string | null>('sessionStorage.getItem("loadtests-token")');
}

async function go(page: Page, place: string): Promise<void> {
  await page.evaluate((fragment) => {
    location.hash = fragment;
  }, place);
}

/** A run that goes on, and three that ended before their time. */
async function shopWithEnds() {
  const { service, target } = await openShop();
  const create = async (name: string) =>
    (
      await service.call('POST', '/v2/tests', {
        json: smallTestFields(`${target.url}/`, { duration: 60, name }),
      })
    ).json;
  const begun = await create('Begun');
  const [stopped, partial, failed] = [
    await create('Stopped'),
    await create('Partial'),
    await create('Failed'),
  ];
  (['stopped', 'partial', 'error_threshold'] as const).forEach((reason, index) =>
    service.runner.runs[index + 1]?.end(reason),
  );
  await waitUntil(async () => {
    const { list } = await service.call('GET', '/v2/tests');
    return list.filter(({ status }) => status === 'complete').length === 3 ? true : null;
  });
  for (const [{ test_id: test, result_id: result }, verdict] of [
    [partial, 'inconclusive'],
    [failed, 'fail'],
  ] as const) {
    const json = { verdict, reason: 'a worker was lost', thresholds: [] };
    await service.call('PUT', `/v2/tests/${test}/results/${result}/verdict`, { json });
  }
  return { rig: service, target, begun, stopped, partial, failed };
}

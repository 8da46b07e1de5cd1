/** Rare states of the web UI in a browser: each of them explains itself and is accessible. */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { notesWithMarker } from '../../src/core/reconcile/ownership-marker.ts';
import { SKIP_WITHOUT_CHROMIUM, withChromium } from '../support/chromium.ts';
import { MINUTE, createTestClock } from '../support/test-clock.ts';
import { expectFocus, expectAccessible, openWebUi } from '../support/web-ui.ts';
import { callAt, openTestService, smallTestFields, waitUntil } from '../support/test-service.ts';
import { publishVerdict } from '../support/published-verdict.ts';
import { openShop } from '../support/shop.ts';
import { servePages } from '../support/test-target.ts';

let browser: Browser;

describe.skipIf(SKIP_WITHOUT_CHROMIUM !== null)('states of the web UI', () => {
  withChromium((opened) => {
    browser = opened;
  });

  test('the web UI shows a message for empty lists, missing runs and tests, runs that cannot be compared, and invalid URLs', async () => {
    const rig = await openTestService({ mode: 'serve' });
    const { page, errors } = await openWebUi(browser, rig.service.url, '#/tests');
    const [one, other] = ['e'.repeat(32), 'f'.repeat(32)];
    for (const [state, route, text] of [
      ['tests-none', '#/tests', 'This service has no tests yet'],
      ['workers-none', '#/workers', 'No workers are connected'],
      ['run-unknown', `#/runs/${one}/${one}`, 'The run was not found. It may have been deleted with its app'],
      ['test-unknown', `#/tests/${one}`, 'The test was not found. It may have been deleted with its app'],
      [
        'compare-unknown',
        `#/compare/${one}:${one}/${other}:${other}`,
        'The service cannot compare these runs',
      ],
      ['compare-nothing', '#/compare/this/that', 'This URL contains an invalid run name'],
      ['nowhere', '#/nowhere', 'This page does not exist'],
    ] as const) {
      await go(page, route);
      await page.getByText(text).waitFor();
      if (state === 'workers-none') await page.getByRole('button', { name: 'Copy command' }).waitFor();
      await expectAccessible(page, state);
    }
    expect(errors).toEqual([]);
  });

  test('the sign-in page shows a command if the link is missing, used or expired, and reports that a session has ended', async () => {
    const clock = createTestClock();
    const rig = await openTestService({ mode: 'serve', now: clock.now, ticker: clock.ticker });
    const { page, errors } = await openWebUi(browser, rig.service.url, '#/');
    const otherBrowser = await browser.newContext();
    const visitor = await otherBrowser.newPage();
    const expectInstructions = async (name: string): Promise<void> => {
      await visitor.getByRole('heading', { name }).waitFor();
      await visitor.getByText(`loadtests open --service ${rig.service.url}`).waitFor();
    };
    await visitor.goto(rig.service.url);
    await expectInstructions('Sign-in link required');
    await expectAccessible(visitor, 'no-link');
    const used = rig.service.createSignInLink() ?? '';
    const tab = await page.context().newPage();
    onTestFinished(() => tab.close());
    await tab.goto(used);
    await tab.locator('nav').waitFor();
    await visitor.goto(used);
    await expectInstructions('This link is no longer valid');
    const expired = rig.service.createSignInLink() ?? '';
    clock.advance(10 * MINUTE);
    await visitor.goto('about:blank');
    await visitor.goto(expired);
    await expectInstructions('This link is no longer valid');
    await expectAccessible(visitor, 'old-link');
    await rig.call('DELETE', '/v2/sessions');
    await page.getByText('This session has ended').waitFor();
    await page.getByRole('button', { name: 'Copy command', exact: true }).waitFor();
    await expectAccessible(page, 'session-ended');
    expect(errors).toEqual([]);
    await otherBrowser.close();
  });

  test('the web UI shows an active run, states that a stopped run ended early, and shows the reasons for the verdicts of a partial and a failed run', async () => {
    const { active, stopped, partial, failed, rig } = await shopWithEndedRuns();
    const { page, errors } = await openWebUi(browser, rig.service.url, '#/');
    await page.getByText('1 test running, 2 tests need attention').waitFor();
    await page.getByText('a worker was lost').first().waitFor();
    // The reason of a failed run is its threshold, even if it also lost a worker.
    await page.getByText('p95 4 ms, threshold < 3ms').waitFor();
    await expectAccessible(page, 'overview-ends');
    for (const [state, { test_id: test, result_id: result }, name, text] of [
      ['run-begun', active, 'Begun', 'running'],
      ['run-stopped', stopped, 'Stopped', 'the run ended early'],
      ['run-partial', partial, 'Partial', 'a worker was lost'],
      ['run-over-threshold', failed, 'Failed', 'Failed: p95 4 ms, threshold < 3ms'],
    ] as const) {
      await go(page, `#/runs/${test}/${result}`);
      // The previous run may contain the same text.
      await page.getByRole('heading', { level: 1, name }).waitFor();
      await page.locator('section.run').getByText(text).first().waitFor();
      await expectAccessible(page, state);
    }
    expect(errors).toEqual([]);
  });

  test('the run view links to the test and to other runs, compares runs, downloads the result, saves a note, and asks before a new run', async () => {
    const { service, target } = await openShop();
    const created = await service.call('POST', '/v2/tests', {
      json: smallTestFields(`${target.url}/`, {
        name: 'Checkout',
        notes: notesWithMarker(null, {
          project: 'shop',
          environment: null,
          key: 'checkout',
          listed: '9f2c41d07ab3',
          unlisted: '50.51be0c9e',
          repetition: 0,
          nonce: '5tq0mZ8c',
        }),
      }),
    });
    const { test_id: id, result_id: first } = created.json;
    const endRun = async (count: number): Promise<void> => {
      service.runner.latest().end();
      await waitUntil(async () => {
        const { list } = await service.call('GET', `/v2/tests/${id}/results`);
        return list.filter(({ status }) => status === 'ready').length === count ? true : null;
      });
    };
    await endRun(1);
    await service.call('PUT', `/v2/tests/${id}/results/${first}/verdict`, {
      json: { verdict: 'pass', reason: null, thresholds: [] },
    });
    const second = (await service.call('PUT', `/v2/tests/${id}/run`)).json.result_id;
    await endRun(2);
    await service.call('PUT', `/v2/tests/${id}/results/${second}/verdict`, {
      json: { verdict: 'none', reason: null, thresholds: [], baseline: [first, 'f'.repeat(32)] },
    });
    const { page, errors } = await openWebUi(browser, service.service.url, `#/runs/${id}/${second}`);
    const link = (name: string) => page.getByRole('link', { name, exact: true });
    await link('Compare with last passed run').waitFor();
    const hint = page.getByText('For a verdict, run loadtests results checkout in the directory');
    await hint.waitFor();
    expect(await link('Compare with baseline').getAttribute('href')).toBe(
      await link('Compare with last passed run').getAttribute('href'),
    );
    await expectAccessible(page, 'run-actions');
    await link('Previous run').click();
    await link('Next run').waitFor();
    await page.waitForURL((url) => url.href.includes(first));
    await page.getByText('Passed: no thresholds were evaluated').waitFor();
    expect(await hint.count()).toBe(0);
    await expect.poll(() => page.title()).toMatch(/^Passed: .* · checkout · loadtests$/);
    await link('Next run').click();
    await link('Previous run').waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download JSON' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(`${second}.json`);
    expect(JSON.parse(readFileSync(await download.path(), 'utf8'))).toMatchObject({ result_id: second });
    const downloadingCsv = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    const csv = readFileSync(await (await downloadingCsv).path(), 'utf8');
    expect(csv.startsWith('test,result_id,started_at,second,span_s,')).toBe(true);
    expect(csv.split('\r\n')[1]).toContain(`checkout,${second},`);
    const downloadingReport = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download HTML report' }).click();
    const report = await downloadingReport;
    expect(report.suggestedFilename()).toBe(`${second}.html`);
    expect(readFileSync(await report.path(), 'utf8')).toContain('<title>checkout: no verdict');
    const chart = page.getByRole('figure', { name: 'Requests per second' });
    const downloadingPicture = page.waitForEvent('download');
    await chart.getByRole('button', { name: 'PNG' }).click();
    const picture = await downloadingPicture;
    expect(picture.suggestedFilename()).toBe('run-rates.png');
    expect(
      readFileSync(await picture.path())
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    // With the time of day, the cursor of a chart has the start of the load in the zone of the browser.
    await page.getByRole('button', { name: 'Axis: elapsed' }).click();
    await page.waitForURL(/\?time=clock$/);
    await expect
      .poll(async () => await chart.getByRole('slider').getAttribute('aria-valuetext'))
      .toMatch(/^\d\d:\d\d:\d\d: /);
    await page.getByRole('button', { name: 'Axis: time of day' }).click();
    await page.getByRole('button', { name: 'Add a note' }).click();
    await page.getByRole('textbox', { name: 'Note' }).fill('with the new cache');
    await expectAccessible(page, 'run-note-form');
    await page.getByRole('textbox', { name: 'Note' }).focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await expectFocus(page, 'Save');
    await page.keyboard.press('Enter');
    await page.getByText('with the new cache').waitFor();
    await page.reload();
    await page.getByText('with the new cache').waitFor();
    await expectAccessible(page, 'run-note');
    await link('Compare with previous').click();
    await page.getByRole('heading', { name: 'Changes since A' }).waitFor();
    await link('Run A').waitFor();
    await page.goBack();
    const runs = service.runner.runs.length;
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.getByRole('dialog').getByText('This starts the following load').waitFor();
    await expectAccessible(page, 'run-again');
    expect(service.runner.runs).toHaveLength(runs);
    await page.keyboard.press('Escape');
    await link('checkout').click();
    await page.waitForURL(`**/#/tests/${id}`);
    expect(errors).toEqual([]);
  });

  test('the test view contains a link to the active run, and reports that a run is not started if its host is no longer verified', async () => {
    const { active, stopped, rig, target } = await shopWithEndedRuns();
    const { page, errors } = await openWebUi(browser, rig.service.url, `#/tests/${active.test_id}`);
    await page.getByRole('link', { name: 'Watch the run' }).waitFor();
    await expectAccessible(page, 'test-running');
    await go(page, `#/tests/${stopped.test_id}`);
    await page.getByRole('button', { name: 'Run', exact: true }).press('Enter');
    // The host is no longer verified.
    target.respondWith(servePages({}));
    await page.getByRole('button', { name: 'Start the load' }).press('Enter');
    await page.getByRole('alert').getByText('Not started').waitFor();
    await expectAccessible(page, 'not-started');
    expect(errors).toEqual([]);
  });

  test('signing out in one tab signs out all tabs, and one new link signs in all tabs again', async () => {
    const rig = await openTestService({ mode: 'serve' });
    const { page } = await openWebUi(browser, rig.service.url, '#/');
    await page.getByRole('heading', { name: 'No runs yet' }).waitFor();
    const sharedTab = await page.context().newPage();
    onTestFinished(() => sharedTab.close());
    await sharedTab.goto(`${rig.service.url}/#/tests`);
    await sharedTab.getByRole('searchbox').waitFor();
    // This tab is opened with a separate link, so it has its own token.
    const { page: separateTab } = await openWebUi(browser, rig.service.url, '#/apps');
    const tokens = await Promise.all([page, sharedTab, separateTab].map(tokenOf));
    expect(new Set(tokens).size).toBe(2);
    await page.getByRole('button', { name: 'Sign out' }).focus();
    await page.keyboard.press('Enter');
    for (const tab of [page, sharedTab, separateTab]) {
      await tab.getByRole('heading', { name: 'You are signed out' }).waitFor();
      await tab.locator('nav').waitFor({ state: 'detached' });
      await expect.poll(() => tokenOf(tab)).toBeNull();
      await expect.poll(() => tab.title()).toBe('loadtests');
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
    await page.getByRole('heading', { name: 'Sign-in link required' }).waitFor();
    // One new link signs in all tabs.
    await separateTab.goto(rig.service.createSignInLink() ?? '');
    for (const tab of [separateTab, sharedTab, page]) await tab.locator('nav').waitFor();
    await sharedTab.getByRole('searchbox').waitFor();
  });
});

async function tokenOf(page: Page): Promise<string | null> {
  return await page.evaluate<string | null>('sessionStorage.getItem("loadtests-token")');
}

async function go(page: Page, route: string): Promise<void> {
  await page.evaluate((fragment) => {
    location.hash = fragment;
  }, route);
}

/** Creates an active run and three runs that ended early. */
async function shopWithEndedRuns() {
  const { service, target } = await openShop();
  const create = async (name: string) =>
    (
      await service.call('POST', '/v2/tests', {
        json: smallTestFields(`${target.url}/`, { duration: 60, name }),
      })
    ).json;
  const active = await create('Begun');
  const [stopped, partial, failed] = [
    await create('Stopped'),
    await create('Partial'),
    await create('Failed'),
  ];
  (['stopped', 'partial', 'partial'] as const).forEach((reason, index) =>
    service.runner.runs[index + 1]?.end(reason),
  );
  await waitUntil(async () => {
    const { list } = await service.call('GET', '/v2/tests');
    return list.filter(({ status }) => status === 'complete').length === 3 ? true : null;
  });
  const reason = 'a worker was lost';
  await publishVerdict(service, partial, 'inconclusive', [], reason);
  await publishVerdict(service, failed, 'fail', [{ metric: 'p95', limit: '< 3ms' }], reason);
  return { rig: service, target, active, stopped, partial, failed };
}

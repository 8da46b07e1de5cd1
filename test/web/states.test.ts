/** States that people meet on the page of a service: each says what is the case, and is for everybody. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startChromium, WITHOUT_CHROMIUM } from '../rig/chromium.ts';

import { expectForEverybody, openPage, pictures } from '../rig/page.ts';
import { callAt, openRig, until } from '../rig/service.ts';

let browser: Browser;

if (WITHOUT_CHROMIUM !== null) process.stdout.write(`${WITHOUT_CHROMIUM}\n`);

describe.skipIf(WITHOUT_CHROMIUM !== null)('the page', () => {
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser.close();
  });

  test('ends the session in all tabs where somebody signs out, and says how to get in again', async () => {
    const rig = await openRig({ mode: 'serve' });
    const { page, context } = await openPage(browser, rig.service.url, '#/');
    await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor();
    const further = await context.newPage();
    await further.goto(`${rig.service.url}/#/tests`);
    await further.getByRole('searchbox').waitFor();
    // It was opened by a link of its own, and has a token of its own.
    const { page: own } = await openPage(browser, rig.service.url, '#/apps', {}, context);
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
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    await pictures(page, 'signed-out');
    await expectForEverybody(page);
    const revocations = () =>
      rig.log.filter(({ route, status }) => route === '/v2/page-sessions' && status === 200);
    await until(() => (revocations().filter(({ method }) => method === 'DELETE').length === 2 ? true : null));
    for (const token of new Set(tokens)) {
      const headers = { authorization: `Bearer ${token ?? ''}` };
      expect(await callAt(rig.service.url, 'GET', '/v2/overview', { key: null, headers })).toMatchObject({
        status: 401,
      });
    }
    await page.reload();
    await page.getByRole('heading', { name: 'This page needs a link' }).waitFor();
    // One new link is enough for all of them.
    await own.goto(rig.service.newPageLink() ?? '');
    for (const tab of [own, further, page]) await tab.locator('nav').waitFor();
    await further.getByRole('searchbox').waitFor();
    await context.close();
  });
});

async function tokenOf(page: Page): Promise<string | null> {
  return await page.evaluate<string | null>('sessionStorage.getItem("loadtests-token")');
}

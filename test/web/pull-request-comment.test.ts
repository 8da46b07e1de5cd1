/** The comment on a pull request in a real browser, with the Markdown and the styles of GitHub. */
import { join } from 'node:path';
import type { Browser, BrowserContext } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { evaluateEnvironments } from '../../src/config/environment-contents.ts';
import { sha256 } from '../../src/cli/files/sha256.ts';
import { printable } from '../../src/core/printable.ts';
import { declaredLoadOf, planAgainstState } from '../../src/core/reconcile/file-comparison.ts';
import { reviewFile } from '../../src/core/reconcile/file-review.ts';
import { createReport } from '../../src/core/report/command-report.ts';
import { comparisonMembers, reviewMembers } from '../../src/core/report/plan-document.ts';
import { toMarkdown } from '../../src/report/markdown-report.ts';
import { keepProcess, SKIP_WITHOUT_CHROMIUM, withChromium } from '../support/chromium.ts';
import { HOSTILE_SAMPLES } from '../support/hostile-samples.ts';
import { commentPage } from '../support/rendered-comment.ts';
import { inputOf, loaded } from '../unit/config/load-text.ts';
import { planOptions } from '../support/simulated-machine.ts';

/** Directory for a picture of each comment; undefined to take none. */
const PICTURES = process.env['PAGE_PICTURES'];

/** GitHub's maximum is 65,536. */
const MAX_LENGTH = 65_000;
const FILES_URL = 'https://forge.example/team/shop/blob/3f2c1ab/';
const OPTIONS = planOptions(Date.parse('2026-11-23T09:41:00Z'));

/** Elements that a report consists of. */
const ELEMENTS = [
  ...[
    'ARTICLE',
    'B',
    'BR',
    'CODE',
    'DETAILS',
    'DIV',
    'H3',
    'HR',
    'LI',
    'P',
    'PRE',
    'STRONG',
    'SUMMARY',
    'UL',
  ],
  ...['A', 'TABLE', 'TBODY', 'TD', 'TH', 'THEAD', 'TR'],
];

interface Written {
  readonly name: string;
  readonly url: string;
  readonly total: number;
  readonly headers?: readonly string[];
  readonly notes?: string;
}

function fileText(tests: readonly Written[]): string {
  const text = tests.map(({ name, url, total, headers = [], notes = '' }) => {
    const urls = [
      {
        url: 'http://www.example.com/',
        name: url,
        headers: Object.fromEntries(headers.map((value, at) => [`x-${at}`, value])),
      },
    ];
    return `  ${JSON.stringify(name)}: { test_type: non-cycling, total: ${total}, duration: 10s, notes: ${JSON.stringify(notes)}, urls: ${JSON.stringify(urls)}, thresholds: { p95: '< ${total * 10}ms' } }\n`;
  });
  const tree = text.join('').replaceAll('${', () => '$${');
  return `version: 1\nproject: shop\napps: { shop: www.example.com }\ntests:\n${tree}`;
}

/** Returns the comment for a pull request that changes a file. */
function commentFor(before: readonly Written[], after: readonly Written[]): string {
  const [earlier, later] = [before, after].map((tests) => {
    const text = fileText(tests);
    const side = evaluateEnvironments(inputOf(text, {})).get(null) ?? null;
    // If the text is not valid, `loaded` throws an error with its problems.
    const desired = side?.desired() ?? loaded(text).desired;
    return { side, desired };
  });
  if (earlier === undefined || later === undefined) throw new Error('Bug: there are two files');
  const review = reviewFile({ name: null, before: earlier.side, after: later.side }, [], () => true);
  const plan = planAgainstState(earlier.desired, later.desired, { options: OPTIONS, sha256 });
  const compared = {
    revision: 'origin/main',
    commit: 'a'.repeat(40),
    oldFile: 'read' as const,
    note: null,
    before: declaredLoadOf(earlier.desired, OPTIONS),
    after: declaredLoadOf(later.desired, OPTIONS),
  };
  return toMarkdown(
    createReport('plan', {
      exitCode: 0,
      problems: plan.problems,
      body: {
        command: 'plan',
        ...comparisonMembers(plan, 'embedded', sha256),
        ...reviewMembers(review, compared),
      },
      origin: { created_at: '2026-11-23T09:41:00Z', commit: '3f2c1ab'.padEnd(40, '0'), files_url: FILES_URL },
    }),
  );
}

const numbered = (count: number, total: number): readonly Written[] =>
  Array.from({ length: count }, (_, index) => ({ name: `test-${index}`, url: 'home', total: total + index }));

/** Texts for names and values, without characters and references that are not valid in a file. */
const hostileTexts = HOSTILE_SAMPLES.map((text) => printable(text).trim()).filter(
  (text) => text !== '' && text.length <= 60 && !/[%{]\{|[\ufffd\ufffe\uffff]/.test(text),
);

const hostile = (total: number): readonly Written[] =>
  hostileTexts.slice(0, 20).map((text, index) => ({
    name: `test-${index}`,
    url: text,
    total,
    notes: total === 10 ? '' : text,
    headers: total === 10 ? [] : hostileTexts.slice(20 + index * 4, 24 + index * 4),
  }));

const large = (total: number): readonly Written[] =>
  Array.from({ length: 10 }, (_, index) => ({
    name: `test-${index}`,
    url: 'home',
    total,
    headers: Array.from({ length: 20 }, (__, at) => `${total} ${at} `.padEnd(300, 'x')),
  }));

interface Rendered {
  readonly elements: readonly string[];
  readonly links: readonly string[];
  readonly folds: number;
  readonly footerInFold: boolean;
  readonly unequalRows: number;
  readonly text: string;
}

describe.skipIf(SKIP_WITHOUT_CHROMIUM !== null)('the comment on a pull request, as GitHub renders it', () => {
  let browser: Browser;
  // Each context starts a renderer process.
  let context: BrowserContext;
  withChromium((started) => {
    browser = started;
  });
  beforeAll(async () => {
    context = await browser.newContext();
    await keepProcess(context, 'about:blank');
  });

  async function render(markdown: string, name?: string): Promise<Rendered> {
    const page = await context.newPage();
    const events: string[] = [];
    page.on('dialog', (dialog) => {
      events.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (request) => events.push(request.url()));
    await page.setContent(commentPage(markdown));
    const rendered = await page.evaluate(() => {
      const article = document.querySelector('article');
      const all = [...(article?.querySelectorAll('*') ?? [])];
      const tables = [...document.querySelectorAll('table')];
      return {
        elements: [...new Set(all.map(({ tagName }) => tagName))],
        links: all.flatMap((one) => (one instanceof HTMLAnchorElement ? [one.href] : [])),
        folds: document.querySelectorAll('article > details').length,
        footerInFold: [...document.querySelectorAll('details')].some((fold) =>
          fold.textContent.includes('created 2026-11-23'),
        ),
        unequalRows: tables.flatMap((table) =>
          [...table.rows].filter(({ cells }) => cells.length !== table.rows[0]?.cells.length),
        ).length,
        text: article?.textContent ?? '',
      };
    });
    if (PICTURES !== undefined && name !== undefined)
      await page.screenshot({ path: join(PICTURES, `comment, ${name}.png`), fullPage: true });
    await page.close();
    expect(events).toEqual([]);
    return rendered;
  }

  test.each([
    ['1 changed test', numbered(1, 10), numbered(1, 80)],
    ['5 changed tests', numbered(5, 10), numbered(5, 80)],
    ['50 changed tests', numbered(50, 10), numbered(50, 80)],
    // With this number, the report omits the links of the folded changes.
    ['200 changed tests', numbered(200, 10), numbered(200, 80)],
    ['hostile texts', hostile(10), hostile(80)],
    ['60 kB of changes', large(10), large(80)],
  ])(
    'a pull-request comment with %s contains only expected elements and complete table rows, and fits the maximum length',
    async (name, before, after) => {
      const markdown = commentFor(before, after);
      expect(markdown.length).toBeLessThan(MAX_LENGTH);
      const rendered = await render(markdown, name);
      expect(rendered.elements.filter((name) => !ELEMENTS.includes(name))).toEqual([]);
      expect(rendered.links.filter((link) => !link.startsWith(FILES_URL))).toEqual([]);
      expect(rendered.folds).toBe(markdown.match(/^<details/gm)?.length);
      expect([rendered.footerInFold, rendered.unequalRows]).toEqual([false, 0]);
      expect(rendered.text).toContain(`${after.length} test`);
      expect(rendered.text).toContain('created 2026-11-23 09:41:00 UTC.');
      const written = JSON.stringify(after);
      const entities = rendered.text.match(/&(?:#\d+|#x[\da-f]+|lt|gt|amp|quot);/gi) ?? [];
      expect(entities.filter((entity) => !written.includes(entity))).toEqual([]);
    },
  );

  test('the pull-request comment shows the hostile notes of 20 tests verbatim', async () => {
    const { text } = await render(commentFor(hostile(10), hostile(80)));
    const shown = hostile(80).filter(({ notes }) => notes !== undefined && text.includes(notes));
    expect(shown.length).toBe(20);
  });
});

/** Requests whose URL is the value of a variable: the counts are those of the targets, on one thread and on four. */
// @module-tag load
import { expect, test } from 'vitest';
import { openRawTarget, responseText } from '../support/raw-target.ts';
import { jobOf, useTestEngine, runJob, targetOf } from '../support/test-engine.ts';

const testEngine = useTestEngine();

const NAMES = ['next', 'file', 'evil'];

const LOADS = {
  open: { testType: 'per-second', total: 20, duration: 1000 },
  closed: { testType: 'cycling', initial: 4, total: 4, duration: 2000, iterations: 20 },
} as const;

test.each([
  ['open', 1],
  ['open', 2],
  ['closed', 1],
  ['closed', 2],
] as const)(
  'in the %s model with a thread count of %i, requests whose URL is a variable are sent to hosts of the test, and a URL with another host counts as the error invalid_url',
  async (model, threads) => {
    const files = await openRawTarget(({ path }, write) => write(responseText(200, path)));
    const shop = await openRawTarget(({ path }, write) => {
      const links = [`X-File: http://shop.test:${files.port}/file`, 'X-Evil: http://127.0.0.1:1/'];
      write(responseText(200, '', path === '/' ? ['Location: /next?a=b', ...links] : []));
    });
    const first = targetOf(shop.port, {
      variables: NAMES.map((name) => ({ name, header: name === 'next' ? 'location' : `x-${name}` })),
    });
    const targets = [
      first,
      ...NAMES.map((name) => targetOf(shop.port, { path: `/{{${name}}}`, resolveUrl: true })),
      targetOf(files.port, { path: '/end' }),
    ];
    const { report, ledger } = await runJob(testEngine.engine, jobOf(targets, { threads, ...LOADS[model] }));
    const count = (requests: typeof shop.requests, path: string) =>
      requests.filter((request) => request.path === path).length;
    expect(count(shop.requests, '/next?a=b')).toBe(20);
    expect(count(files.requests, '/file')).toBe(20);
    expect(shop.requests).toHaveLength(40);
    expect(files.requests).toHaveLength(40);
    expect(ledger).toMatchObject({ planned: 100, started: 100, success: 80, network: { invalid_url: 20 } });
    expect(report.targets[3]?.ledger).toMatchObject({ started: 20, success: 0 });
    expect(
      new Set(files.requests.map(({ headers }) => headers.find(([name]) => name === 'Host')?.[1])),
    ).toEqual(new Set([`shop.test:${files.port}`]));
  },
);

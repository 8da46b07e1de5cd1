/** Values of answers in JSON bodies: they arrive as the text that they were. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jobOf, openTestEngine, runJob, targetOf, type TestEngine } from '../support/test-engine.ts';
import { responseText, openRawTarget } from '../support/raw-target.ts';

let rig: TestEngine;
beforeAll(async () => {
  rig = await openTestEngine();
});
afterAll(() => rig.close());

const VALUES = [
  'say "hi"\\',
  'a\r\nb\tc',
  'ü🛒\u2028',
  '\u0000\u001f',
  '"}],"admin":true,"x":"',
  '{{v}}%{1:3}',
  'x'.repeat(9000),
];

test('a value from one answer is the same text in the next body', async () => {
  let given = 0;
  const shop = await openRawTarget((request, write) => {
    const body = request.path === '/login' ? JSON.stringify({ v: VALUES[given++ % VALUES.length] }) : 'ok';
    write(responseText(200, body));
  });
  const login = targetOf(shop.port, { path: '/login', variables: [{ name: 'v', json: '/v' }] });
  const order = targetOf(shop.port, {
    ...{ path: '/order', method: 'POST', jsonBody: true },
    body: '{"v":"{{v}}","{{v}}":["<{{ v }}>"],"n":%{7}}',
  });
  const total = 2 * VALUES.length;
  const { ledger } = await runJob(rig.engine, jobOf([login, order], { total }));
  expect(ledger.success).toBe(2 * total);
  const bodies = shop.requests
    .filter(({ path }) => path === '/order')
    .map(({ body }): unknown => JSON.parse(Buffer.from(body, 'latin1').toString('utf8')));
  const wanted = [...VALUES, ...VALUES].map((v) => ({ v, [v]: [`<${v}>`], n: 7 }));
  const sorted = (all: readonly unknown[]) => all.map((one) => JSON.stringify(one)).sort();
  expect(sorted(bodies)).toEqual(sorted(wanted));
});

/** Values of responses in JSON bodies: they arrive with the same text. */
// @module-tag load
import { expect, test } from 'vitest';
import { jobOf, targetOf } from '../support/test-engine.ts';
import { responseText, openRawTarget } from '../support/raw-target.ts';
import { runInVirtualTime } from '../support/virtual-run.ts';

const VALUES = [
  'say "hi"\\',
  'a\r\nb\tc',
  'ü🛒\u2028',
  '\u0000\u001f',
  '"}],"admin":true,"x":"',
  '{{v}}%{1:3}',
  'x'.repeat(9000),
];

test('a string from a JSON response arrives unchanged when the next request inserts the string into its JSON body', async () => {
  let valueCount = 0;
  const shop = await openRawTarget((request, write) => {
    const body =
      request.path === '/login' ? JSON.stringify({ v: VALUES[valueCount++ % VALUES.length] }) : 'ok';
    write(responseText(200, body));
  });
  const login = targetOf(shop.port, { path: '/login', variables: [{ name: 'v', json: '/v' }] });
  const order = targetOf(shop.port, {
    path: '/order',
    method: 'POST',
    body: { kind: 'json', text: '{"v":"{{v}}","{{v}}":["<{{ v }}>"],"n":%{7}}' },
  });
  const total = 2 * VALUES.length;
  const { ledger } = (await runInVirtualTime(jobOf([login, order], { total }), shop)).total;
  expect(ledger.success).toBe(2 * total);
  const bodies = shop.requests
    .filter(({ path }) => path === '/order')
    .map(({ body }): unknown => JSON.parse(Buffer.from(body, 'latin1').toString('utf8')));
  const expected = [...VALUES, ...VALUES].map((v) => ({ v, [v]: [`<${v}>`], n: 7 }));
  const sortedJson = (values: readonly unknown[]) => values.map((value) => JSON.stringify(value)).sort();
  expect(sortedJson(bodies)).toEqual(sortedJson(expected));
});

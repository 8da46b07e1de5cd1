/** Correlation of values in responses with values in later requests. */
import { describe, expect, test } from 'vitest';
import { correlate } from '../../../../src/core/intake/correlation.ts';
import { EMPTY_REQUEST, type IntakeCapture, type IntakeRequest } from '../../../../src/core/intake/intake.ts';
import { SHOPS, valuesOf, type Shop } from './shops.ts';

/** Returns the names of the generated values that a correlation replaces, and how many other values it replaces. */
function foundIn(
  shop: Shop,
  withSecond: boolean,
): { readonly found: ReadonlySet<string>; readonly wrong: number } {
  const { valueOf, values } = valuesOf(1);
  const requests = shop.record(valueOf);
  const second = withSecond ? shop.record(valuesOf(2).valueOf) : null;
  const correlated = correlate(requests, second).requests;
  const captured = correlated.flatMap(({ captures }) => captures);
  const sentBy = (all: readonly IntakeRequest[]) =>
    JSON.stringify(all.map(({ url, headers, body }) => ({ url, headers, body })));
  const [before, after] = [sentBy(requests), sentBy(correlated)];
  const found = [...values]
    .filter(([, value]) => before.includes(value) && !after.includes(value))
    .map(([name]) => name);
  return { found: new Set(found), wrong: captured.length - found.length };
}

/** Returns the value that a variable takes from a response. */
function capturedValue({ source, property }: IntakeCapture, request: IntakeRequest | undefined): string {
  const { headers, body } = request?.response ?? { headers: [], body: null };
  const header = (name: string) =>
    headers.find((one) => one.name.toLowerCase() === name.toLowerCase())?.value ?? '';
  if (source === 'body') return new RegExp(property).exec(body ?? '')?.[1] ?? '';
  if (source === 'header') return header(property);
  if (source === 'cookie') return /=([^;]*)/.exec(header('set-cookie'))?.[1] ?? '';
  let value: unknown = JSON.parse(body ?? 'null');
  for (const key of property.split('/').slice(1)) value = (value as Readonly<Record<string, unknown>>)[key];
  return String(value);
}

describe('correlation', () => {
  test.each(SHOPS)(
    'if one recording of a shop with $name is correlated, only generated values are replaced',
    (shop) => {
      const { found, wrong } = foundIn(shop, false);
      expect(wrong).toBe(0);
      for (const name of found) expect(shop.correlated).toContain(name);
    },
  );

  test.each(SHOPS)(
    'if two recordings of a shop with $name are compared, exactly the generated values are replaced',
    (shop) => {
      const { found, wrong } = foundIn(shop, true);
      expect(wrong).toBe(0);
      expect([...found].sort()).toEqual([...shop.correlated].sort());
    },
  );

  test.each(SHOPS)(
    'the captures found in a recording of a shop with $name extract the corresponding values from a second recording',
    (shop) => {
      const [one, two] = [valuesOf(1), valuesOf(2)];
      const [first, second] = [shop.record(one.valueOf), shop.record(two.valueOf)];
      for (const again of [null, second])
        correlate(first, again).requests.forEach(({ captures }, index) => {
          for (const capture of captures) {
            const value = capturedValue(capture, first[index]);
            const [name = '', generated = ''] =
              [...one.values].find(([, part]) => value.includes(part)) ?? [];
            expect(shop.correlated).toContain(name);
            const other = value.replace(generated, two.valueOf(name));
            expect(capturedValue(capture, second[index])).toBe(other);
          }
        });
    },
  );

  test('correlation without a second recording finds at least 90% of the generated values', () => {
    const counts = SHOPS.map((shop) => ({
      all: shop.correlated.length,
      found: foundIn(shop, false).found.size,
    }));
    const all = counts.reduce((sum, one) => sum + one.all, 0);
    expect(counts.reduce((sum, one) => sum + one.found, 0)).toBeGreaterThanOrEqual(0.9 * all);
  });

  const request = (path: string, response: unknown): IntakeRequest => ({
    ...EMPTY_REQUEST,
    at: { line: 1, column: 1 },
    method: 'GET',
    url: [`https://shop.example.com${path}`],
    response: { status: 200, headers: [], body: JSON.stringify(response) },
  });

  test.each([
    ['a short value with a different name', '17', '/items/17'],
    ['a word', 'available', '/items?state=available'],
    ['words', 'Blue Shirt', '/items?name=Blue%20Shirt'],
    ['a date', '2026-11-27', '/items?day=2026-11-27'],
    ['a version', '1.12.01', '/items/1.12.01'],
  ])('correlation does not replace %s without a second recording', (_, value, path) => {
    expect(correlate([request('/', { key: value }), request(path, {})], null).requests[1]?.url).toEqual([
      `https://shop.example.com${path}`,
    ]);
  });

  test('correlation does not replace a value that an earlier request has already sent', () => {
    const requests = [request('/?q=abcdef123', { q: 'abcdef123' }), request('/abcdef123', {})];
    expect(correlate(requests, null).requests).toEqual(requests);
  });

  test('a value that differs between recordings but does not occur in an earlier response is reported as not converted', () => {
    const requests = (value: string) => [request('/', { a: 1 }), request(`/?nonce=${value}`, {})];
    const { notes } = correlate(requests('abc123456'), requests('def654321'));
    expect(notes.map(({ kind, message }) => `${kind} ${message}`)).toEqual([
      'loss the value of "nonce" differs between the recordings, but no earlier response contains it; the value of the first recording is used',
    ]);
  });

  test.each([
    ['three places of a response is replaced', 3, 1, true],
    ['four places of a response is not replaced', 4, 1, false],
    ['two places of each of two responses is replaced', 2, 2, true],
  ])('a short value that occurs in %s', (_, places, responses, replaced) => {
    const value = 'abc-12345';
    const keys = Array.from({ length: places }, (__, at) => [`key${at}`, value] as const);
    const requests = Array.from({ length: responses }, () => request('/', Object.fromEntries(keys)));
    const correlated = correlate([...requests, request(`/x/${value}`, {})], null).requests;
    expect(correlated.at(-1)?.url).toEqual(
      replaced
        ? ['https://shop.example.com/x/', { variable: 'key0' }]
        : [`https://shop.example.com/x/${value}`],
    );
  });

  test('a value that differs in the first request of the second recording is reported, regardless of earlier requests', () => {
    const [login, page] = [request('/login', {}), request('/?nonce=abc123456', {})];
    expect(correlate([login, page], [request('/?nonce=def654321', {})], 1).notes).toHaveLength(1);
  });

  test('a variable is named after the field of the first response that contains the value', () => {
    const requests = [
      request('/', { data: [{ 'order-id': 'abc-123456' }] }),
      request('/', { id: 'abc-123456' }),
      request('/x/abc-123456', {}),
    ];
    const correlated = correlate(requests, null).requests;
    expect(correlated[0]?.captures).toEqual([
      { name: 'order_id', source: 'json', property: '/data/0/order-id' },
    ]);
    expect(correlated[2]?.url).toEqual(['https://shop.example.com/x/', { variable: 'order_id' }]);
  });
});

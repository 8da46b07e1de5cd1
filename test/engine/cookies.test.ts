/** Cookies go back to the host that set them, within the pass, and no further. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CookieAttributeReader, CookieJar } from '../../src/engine/cookie-jar.ts';
import {
  jobOf as longJobOf,
  openTestEngine,
  runJob,
  targetOf,
  type TestEngine,
} from '../support/test-engine.ts';
import { responseText, openRawTarget, type RawReply, type RawRequest } from '../support/raw-target.ts';

const SET_AT = { hostname: 'shop.test', path: '/a/b', secure: false };
const NOW = () => Date.UTC(2030, 0, 1);

/** What goes to `path` after some answers to `/a/b`. */
function sent(lines: readonly string[], path = '/a/b', changes: Partial<typeof SET_AT> = {}): string {
  const jar = new CookieJar(new CookieAttributeReader());
  for (const line of lines) jar.store(line, { ...SET_AT, ...changes }, NOW);
  return jar.pairsFor({ ...SET_AT, ...changes, path });
}

describe('CookieJar', () => {
  test.each([
    ['one', ['a=1'], 'a=1'],
    ['attributes do not go back', ['a=1; Path=/; HttpOnly; SameSite=Lax'], 'a=1'],
    ['several, in their order', ['a=1', 'b=2'], 'a=1; b=2'],
    ['a new value', ['a=1', 'b=2', 'a=3'], 'a=3; b=2'],
    ['spaces around', ['  a =  1 2  ; path = / '], 'a=1 2'],
    ['an equals sign in the value', ['a=b=c'], 'a=b=c'],
    ['quotes stay', ['a="x"'], 'a="x"'],
    ['no value', ['a='], 'a='],
    ['no name', ['=1'], ''],
    ['no pair', ['a', '', ';', 'Path=/'], 'Path=/'],
    ['names are told apart by case', ['a=1', 'A=2'], 'a=1; A=2'],
    ['the same domain', ['a=1; Domain=shop.test'], 'a=1'],
    ['the same domain with a dot, in capitals', ['a=1; domain=.SHOP.test'], 'a=1'],
    ['an empty domain', ['a=1; Domain='], 'a=1'],
    ['a parent domain', ['a=1; Domain=test'], ''],
    ['a subdomain', ['a=1; Domain=x.shop.test'], ''],
    ['another domain', ['a=1; Domain=elsewhere.test'], ''],
    ['the last domain counts', ['a=1; Domain=test; Domain=shop.test'], 'a=1'],
    ['removed by age 0', ['a=1', 'a=2; Max-Age=0'], ''],
    ['removed by an age below 0', ['a=1', 'a=2; max-age=-5'], ''],
    ['an age to come', ['a=1; Max-Age=60'], 'a=1'],
    ['an age that is none', ['a=1; Max-Age=x'], 'a=1'],
    ['removed by a date', ['a=1', 'a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT'], ''],
    ['removed by a date with dashes', ['a=1', 'a=; Expires=Thu, 01-Jan-1970 00:00:00 GMT'], ''],
    ['a date to come', ['a=1; Expires=Thu, 01 Jan 2032 00:00:00 GMT'], 'a=1'],
    ['a date that is none', ['a=1; Expires=tomorrow'], 'a=1'],
    ['age goes before date', ['a=1; Max-Age=9; Expires=Thu, 01 Jan 1970 00:00:00 GMT'], 'a=1'],
    ['removing what is not there', ['a=1; Max-Age=0'], ''],
    ['removing with another path removes another one', ['a=1', 'a=; Max-Age=0; Path=/'], 'a=1'],
    ['Secure over a plain connection', ['a=1; Secure'], ''],
    ['longer paths first', ['a=1; Path=/', 'b=2; Path=/a', 'c=3; Path=/'], 'b=2; a=1; c=3'],
    ['the same name at two paths', ['a=1; Path=/', 'a=2; Path=/a'], 'a=2; a=1'],
    ['very long', [`a=${'x'.repeat(5000)}`], ''],
  ])('%s', (_name, lines, expected) => {
    expect(sent(lines)).toBe(expected);
  });

  test.each([
    ['a=1', '/a/b', true],
    ['a=1', '/a', true],
    ['a=1', '/a/', true],
    ['a=1', '/', false],
    ['a=1', '/ab', false],
    ['a=1; Path=/a/b', '/a/b/c', true],
    ['a=1; Path=/a/b', '/a/bc', false],
    ['a=1; Path=/a/b/', '/a/b', false],
    ['a=1; Path=/', '/x', true],
    ['a=1; Path=x', '/a/x', true],
    ['a=1; Path=/x', '/x', true],
  ])('%s goes to %s: %s', (line, path, goes) => {
    expect(sent([line], path)).toBe(goes ? 'a=1' : '');
  });

  test('without a path it goes to where it was set and below', () => {
    expect(sent(['a=1'], '/x', { path: '/login' })).toBe('a=1');
  });

  test('Secure goes over TLS only, and is not replaced from outside of it', () => {
    const jar = new CookieJar(new CookieAttributeReader());
    const secure = { ...SET_AT, secure: true };
    jar.store('a=1; Secure', secure, NOW);
    jar.store('a=2', SET_AT, NOW);
    expect(jar.pairsFor(secure)).toBe('a=1');
    expect(jar.pairsFor(SET_AT)).toBe('');
  });

  test('another host gets none, and sets its own', () => {
    const jar = new CookieJar(new CookieAttributeReader());
    const stock = { ...SET_AT, hostname: 'stock.test' };
    jar.store('a=1', SET_AT, NOW);
    expect(jar.pairsFor(stock)).toBe('');
    jar.store('a=2', stock, NOW);
    expect([jar.pairsFor(SET_AT), jar.pairsFor(stock)]).toEqual(['a=1', 'a=2']);
  });

  test('a flood of cookies stays bounded', () => {
    const pairs = sent(Array.from({ length: 1000 }, (_, index) => `c${index}=1`)).split('; ');
    expect(pairs).toHaveLength(50);
  });
});

/** Short, unless a test says otherwise. */
const jobOf: typeof longJobOf = (targets, changes) => longJobOf(targets, { duration: 100, ...changes });

let rig: TestEngine;
beforeAll(async () => {
  rig = await openTestEngine();
});
afterAll(() => rig.close());

const cookiesOf = (request: RawRequest | undefined): readonly string[] =>
  (request?.headers ?? []).filter(([name]) => name.toLowerCase() === 'cookie').map(([, value]) => value);

describe('cookies of a pass', () => {
  test.each(['non-cycling', 'cycling'] as const)(
    'in a %s test each pass gets its own back, and begins without any',
    async (testType) => {
      let logins = 0;
      const shop = await openRawTarget((request, write) => {
        const set = request.path === '/login' ? [`Set-Cookie: sid=s${logins++}; Path=/`] : [];
        write(responseText(200, '', set));
      });
      const job = jobOf(
        [
          targetOf(shop.port, { path: '/login' }),
          targetOf(shop.port, { path: '/cart' }),
          targetOf(shop.port, { path: '/pay', method: 'POST', body: 'x=%{1:9}' }),
        ],
        { testType, initial: 3, total: 6, duration: 300 },
      );
      const { ledger, report } = await runJob(rig.engine, job);
      expect(ledger.success).toBe(shop.requests.length);
      const seen = (path: string) => shop.requests.filter((request) => request.path === path);
      expect(seen('/login').flatMap(cookiesOf)).toEqual([]);
      for (const path of ['/cart', '/pay']) {
        const pairs = seen(path).map((request) => cookiesOf(request).join('|'));
        expect(pairs).toHaveLength(logins);
        expect(new Set(pairs).size).toBe(logins);
        expect(pairs.every((pair) => /^sid=s\d+$/.test(pair))).toBe(true);
      }
      expect(seen('/pay').every(({ body }) => /^x=[1-9]$/.test(body))).toBe(true);
      expect(report.total.bytesSent).toBe(shop.bytesIn());
    },
  );

  test('a cookie header of the user comes first and stays one header', async () => {
    const shop = await openRawTarget((_request, write) => {
      write(responseText(200, '', ['Set-Cookie: a=1', 'set-cookie: b=2; Path=/other']));
    });
    const own = { headers: [{ name: 'cookie', value: 'mine={{x}}; yours=2' }] };
    const job = jobOf(
      [
        targetOf(shop.port, { variables: [{ name: 'x', header: 'content-length' }] }),
        targetOf(shop.port, { path: '/own', ...own }),
        targetOf(shop.port, { path: '/other/x' }),
      ],
      { total: 1 },
    );
    await runJob(rig.engine, job);
    expect(shop.requests.map(cookiesOf)).toEqual([[], ['mine=0; yours=2; a=1'], ['b=2; a=1']]);
    expect(shop.requests[1]?.headers.map(([name]) => name)).toEqual([
      ...['Host', 'User-Agent', 'X-Loadtests-Run', 'Accept', 'Cookie'],
    ]);
  });

  test('without cookies of the target the header of the user stays as it is, where it is', async () => {
    const shop = await openRawTarget((_request, write) => {
      write(responseText(200, ''));
    });
    const headers = [
      { name: 'COOKIE', value: 'a=1' },
      { name: 'X-A', value: '1' },
    ];
    await runJob(rig.engine, jobOf([targetOf(shop.port), targetOf(shop.port, { headers })], { total: 1 }));
    expect(shop.requests[1]?.headers.slice(-2)).toEqual([
      ['COOKIE', 'a=1'],
      ['X-A', '1'],
    ]);
  });

  test('a cookie does not cross to another host', async () => {
    const setting: RawReply = (request, write) => {
      write(responseText(200, '', [`Set-Cookie: at=${request.connection}; Path=/`]));
    };
    const [shop, stock] = [await openRawTarget(setting), await openRawTarget(setting, { host: '127.0.0.2' })];
    const elsewhere = { hostname: 'stock.test', addresses: ['127.0.0.2'] };
    const job = jobOf(
      [
        targetOf(shop.port),
        targetOf(stock.port, elsewhere),
        targetOf(shop.port),
        targetOf(stock.port, elsewhere),
      ],
      { total: 1 },
    );
    await runJob(rig.engine, job);
    expect([shop, stock].map(({ requests }) => requests.map(cookiesOf))).toEqual([
      [[], ['at=0']],
      [[], ['at=0']],
    ]);
  });
});

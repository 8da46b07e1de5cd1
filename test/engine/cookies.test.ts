/** Cookies are sent back only to the host that set them, and only within the iteration. */
// @module-tag load
import { describe, expect, test } from 'vitest';
import { CookieAttributeReader, CookieJar } from '../../src/engine/cookie-jar.ts';
import { jobOf as longJobOf, useTestEngine, runJob, targetOf, textBody } from '../support/test-engine.ts';
import { responseText, openRawTarget, type RawReply, type RawRequest } from '../support/raw-target.ts';
import { runInVirtualTime } from '../support/virtual-run.ts';

const SET_AT = { hostname: 'shop.test', path: '/a/b', secure: false };
const NOW = () => Date.UTC(2030, 0, 1);

/** Returns the cookies for a request to `path` after responses to `/a/b`. */
function pairsAfter(lines: readonly string[], path = '/a/b', changes: Partial<typeof SET_AT> = {}): string {
  const jar = new CookieJar(new CookieAttributeReader());
  for (const line of lines) jar.store(line, { ...SET_AT, ...changes }, NOW);
  return jar.pairsFor({ ...SET_AT, ...changes, path });
}

describe('CookieJar', () => {
  const stored: readonly (readonly [name: string, lines: readonly string[], expected: string])[] = [
    ['one cookie', ['a=1'], 'a=1'],
    ['a cookie with attributes', ['a=1; Path=/; HttpOnly; SameSite=Lax'], 'a=1'],
    ['several cookies', ['a=1', 'b=2'], 'a=1; b=2'],
    ['a changed value', ['a=1', 'b=2', 'a=3'], 'a=3; b=2'],
    ['surrounding spaces', ['  a =  1 2  ; path = / '], 'a=1 2'],
    ['an equals sign in the value', ['a=b=c'], 'a=b=c'],
    ['a quoted value', ['a="x"'], 'a="x"'],
    ['an empty value', ['a='], 'a='],
    ['an empty name', ['=1'], ''],
    ['three values without "=" and the value "Path=/"', ['a', '', ';', 'Path=/'], 'Path=/'],
    ['cookie names that differ in case', ['a=1', 'A=2'], 'a=1; A=2'],
    ['the domain of the host', ['a=1; Domain=shop.test'], 'a=1'],
    ['the domain of the host in uppercase with a leading dot', ['a=1; domain=.SHOP.test'], 'a=1'],
    ['an empty domain', ['a=1; Domain='], 'a=1'],
    ['a parent domain', ['a=1; Domain=test'], ''],
    ['a subdomain', ['a=1; Domain=x.shop.test'], ''],
    ['another domain', ['a=1; Domain=elsewhere.test'], ''],
    ['several domains, of which the last one applies', ['a=1; Domain=test; Domain=shop.test'], 'a=1'],
    ['a removal by a Max-Age of 0', ['a=1', 'a=2; Max-Age=0'], ''],
    ['a removal by a negative Max-Age', ['a=1', 'a=2; max-age=-5'], ''],
    ['a positive Max-Age', ['a=1; Max-Age=60'], 'a=1'],
    ['an invalid Max-Age', ['a=1; Max-Age=x'], 'a=1'],
    ['a removal by an expiry date', ['a=1', 'a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT'], ''],
    ['a removal by an expiry date with dashes', ['a=1', 'a=; Expires=Thu, 01-Jan-1970 00:00:00 GMT'], ''],
    ['a future expiry date', ['a=1; Expires=Thu, 01 Jan 2032 00:00:00 GMT'], 'a=1'],
    ['an invalid expiry date', ['a=1; Expires=tomorrow'], 'a=1'],
    [
      'a Max-Age and an expiry date, of which Max-Age applies',
      ['a=1; Max-Age=9; Expires=Thu, 01 Jan 1970 00:00:00 GMT'],
      'a=1',
    ],
    ['a removal of a cookie that is not stored', ['a=1; Max-Age=0'], ''],
    ['a removal of a cookie at another path', ['a=1', 'a=; Max-Age=0; Path=/'], 'a=1'],
    ['a Secure cookie over a plain connection', ['a=1; Secure'], ''],
    [
      'three cookies that have different names and paths',
      ['a=1; Path=/', 'b=2; Path=/a', 'c=3; Path=/'],
      'b=2; a=1; c=3',
    ],
    ['two cookies that have the same name and different paths', ['a=1; Path=/', 'a=2; Path=/a'], 'a=2; a=1'],
    ['a very long cookie', [`a=${'x'.repeat(5000)}`], ''],
  ];

  test.each(stored.map(([name, lines, expected]) => [name, expected, lines] as const))(
    'after Set-Cookie fields with %s, the cookie jar returns "%s"',
    (_name, expected, lines) => {
      expect(pairsAfter(lines)).toBe(expected);
    },
  );

  test.each([
    ['a=1', 'is sent', '/a/b'],
    ['a=1', 'is sent', '/a'],
    ['a=1', 'is sent', '/a/'],
    ['a=1', 'is not sent', '/'],
    ['a=1', 'is not sent', '/ab'],
    ['a=1; Path=/a/b', 'is sent', '/a/b/c'],
    ['a=1; Path=/a/b', 'is not sent', '/a/bc'],
    ['a=1; Path=/a/b/', 'is not sent', '/a/b'],
    ['a=1; Path=/', 'is sent', '/x'],
    ['a=1; Path=x', 'is sent', '/a/x'],
    ['a=1; Path=/x', 'is sent', '/x'],
  ])('after a response to /a/b, its cookie "%s" %s to %s', (line, outcome, path) => {
    expect(pairsAfter([line], path)).toBe(outcome === 'is sent' ? 'a=1' : '');
  });

  test('a cookie without a Path attribute from the response to /login is sent to /x', () => {
    expect(pairsAfter(['a=1'], '/x', { path: '/login' })).toBe('a=1');
  });

  test('a Secure cookie is sent only over TLS and is not replaced over a plain connection', () => {
    const jar = new CookieJar(new CookieAttributeReader());
    const secureScope = { ...SET_AT, secure: true };
    jar.store('a=1; Secure', secureScope, NOW);
    jar.store('a=2', SET_AT, NOW);
    expect(jar.pairsFor(secureScope)).toBe('a=1');
    expect(jar.pairsFor(SET_AT)).toBe('');
  });

  test('a host receives only its own cookies', () => {
    const jar = new CookieJar(new CookieAttributeReader());
    const otherHost = { ...SET_AT, hostname: 'stock.test' };
    jar.store('a=1', SET_AT, NOW);
    expect(jar.pairsFor(otherHost)).toBe('');
    jar.store('a=2', otherHost, NOW);
    expect([jar.pairsFor(SET_AT), jar.pairsFor(otherHost)]).toEqual(['a=1', 'a=2']);
  });

  test('the cookie jar stores only 50 of 1,000 cookies of a host', () => {
    const pairs = pairsAfter(Array.from({ length: 1000 }, (_, index) => `c${index}=1`)).split('; ');
    expect(pairs).toHaveLength(50);
  });
});

/** Short unless a test sets another duration. */
const jobOf: typeof longJobOf = (targets, changes) => longJobOf(targets, { duration: 100, ...changes });

const testEngine = useTestEngine();

const cookiesOf = (request: RawRequest | undefined): readonly string[] =>
  (request?.headers ?? []).filter(([name]) => name.toLowerCase() === 'cookie').map(([, value]) => value);

describe('cookies of an iteration', () => {
  test.each(['non-cycling', 'cycling'] as const)(
    'in a %s test, each iteration begins without cookies, and then sends a session cookie that no other iteration sends',
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
          targetOf(shop.port, { path: '/pay', method: 'POST', body: textBody('x=%{1:9}') }),
        ],
        { testType, initial: 3, total: 6, duration: 300 },
      );
      const { ledger, report } = await runJob(testEngine.engine, job);
      expect(ledger.success).toBe(shop.requests.length);
      const requestsTo = (path: string) => shop.requests.filter((request) => request.path === path);
      expect(requestsTo('/login').flatMap(cookiesOf)).toEqual([]);
      for (const path of ['/cart', '/pay']) {
        const pairs = requestsTo(path).map((request) => cookiesOf(request).join('|'));
        expect(pairs).toHaveLength(logins);
        expect(new Set(pairs).size).toBe(logins);
        expect(pairs.every((pair) => /^sid=s\d+$/.test(pair))).toBe(true);
      }
      expect(requestsTo('/pay').every(({ body }) => /^x=[1-9]$/.test(body))).toBe(true);
      expect(report.total.bytesSent).toBe(shop.bytesIn());
    },
  );

  test('declared cookies and cookies from the target are sent in one header, declared cookies first', async () => {
    const shop = await openRawTarget((_request, write) => {
      write(responseText(200, '', ['Set-Cookie: a=1', 'set-cookie: b=2; Path=/other']));
    });
    const userHeader = { headers: [{ name: 'cookie', value: 'mine={{x}}; yours=2' }] };
    const job = jobOf(
      [
        targetOf(shop.port, { variables: [{ name: 'x', header: 'content-length' }] }),
        targetOf(shop.port, { path: '/own', ...userHeader }),
        targetOf(shop.port, { path: '/other/x' }),
      ],
      { total: 1 },
    );
    await runInVirtualTime(job, shop);
    expect(shop.requests.map(cookiesOf)).toEqual([[], ['mine=0; yours=2; a=1'], ['b=2; a=1']]);
    expect(shop.requests[1]?.headers.map(([name]) => name)).toEqual([
      ...['Host', 'User-Agent', 'X-Loadtests-Run', 'Accept', 'Cookie'],
    ]);
  });

  test('if the target sets no cookies, a declared Cookie header is sent unchanged', async () => {
    const shop = await openRawTarget((_request, write) => write(responseText(200, '')));
    const headers = [
      { name: 'COOKIE', value: 'a=1' },
      { name: 'X-A', value: '1' },
    ];
    const targets = [targetOf(shop.port), targetOf(shop.port, { headers })];
    await runInVirtualTime(jobOf(targets, { total: 1 }), shop);
    expect(shop.requests[1]?.headers.slice(-2)).toEqual([
      ['COOKIE', 'a=1'],
      ['X-A', '1'],
    ]);
  });

  test('a cookie that one host sets is not sent to another host', async () => {
    const setCookie: RawReply = (request, write) => {
      write(responseText(200, '', [`Set-Cookie: at=${request.connection}; Path=/`]));
    };
    const [shop, stock] = [
      await openRawTarget(setCookie),
      await openRawTarget(setCookie, { host: '127.0.0.2' }),
    ];
    const otherHost = { hostname: 'stock.test', addresses: ['127.0.0.2'] };
    const job = jobOf(
      [
        targetOf(shop.port),
        targetOf(stock.port, otherHost),
        targetOf(shop.port),
        targetOf(stock.port, otherHost),
      ],
      { total: 1 },
    );
    await runJob(testEngine.engine, job);
    expect([shop, stock].map(({ requests }) => requests.map(cookiesOf))).toEqual([
      [[], ['at=0']],
      [[], ['at=0']],
    ]);
  });
});

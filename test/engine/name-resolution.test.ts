/** Name resolution: names are resolved once, before the run, and only these addresses are dialed. */
// @module-tag load
import { describe, expect, test } from 'vitest';
import { createNameResolver } from '../../src/egress/name-resolver.ts';
import { resolveAllowed } from '../../src/egress/allowed-addresses.ts';
import { openNameServer, type Zone } from '../support/name-server.ts';
import { jobOf, useTestEngine, runJob, targetOf } from '../support/test-engine.ts';
import { openRawTarget } from '../support/raw-target.ts';

const testEngine = useTestEngine();

const allowAll = (): null => null;
const FIFTY_ADDRESSES = Array.from({ length: 50 }, (_, index) => `127.0.0.${index + 1}`);

describe('name resolution', () => {
  async function resolve(zone: Zone): Promise<readonly string[]> {
    const server = await openNameServer(zone);
    return await resolveAllowed('shop.test', 80, allowAll, { names: createNameResolver([server.address]) });
  }

  test.each<readonly [string, Zone, string, RegExp]>([
    ['a name that does not exist', {}, 'not_found', /"shop.test" does not resolve to an address/],
    [
      'a name without an address',
      { 'shop.test': { txt: ['text'] } },
      'not_found',
      /"shop.test" does not resolve to an address/,
    ],
    [
      'a name whose server responds with SERVFAIL',
      { 'shop.test': { fails: { how: 'SERVFAIL' } } },
      'not_found',
      /\(ESERVFAIL\)/,
    ],
    [
      'a name whose server responds with REFUSED',
      { 'shop.test': { fails: { how: 'REFUSED' } } },
      'not_found',
      /\(EREFUSED\)/,
    ],
    [
      'a name whose server does not respond',
      { 'shop.test': { fails: { how: 'silence' } } },
      'timeout',
      /could not be resolved|within/,
    ],
  ])('resolving %s fails with an error of the kind $2', async (_name, zone, kind, message) => {
    const result = resolve(zone);
    await expect(result).rejects.toMatchObject({ kind });
    await expect(result).rejects.toThrow(message);
  });

  test.each(['localhost', 'app.localhost'])(
    'the name server is not queried for the TXT records of %s',
    async (name) => {
      const server = await openNameServer({ [name]: { txt: ['text'] } });
      expect(await createNameResolver([server.address]).resolveTxtRecords(name)).toEqual([]);
    },
  );

  test.each<readonly [string, Zone[string], readonly string[]]>([
    ['fifty addresses', { a: FIFTY_ADDRESSES }, FIFTY_ADDRESSES],
    ['addresses of both families', { a: ['127.0.0.1'], aaaa: ['::1'] }, ['127.0.0.1', '::1']],
    ['one IPv6 address that is listed twice', { aaaa: ['::1', '0:0:0:0:0:0:0:1'] }, ['::1']],
  ])('a name with %s resolves to each address once', async (_name, entry, addresses) => {
    expect(await resolve({ 'shop.test': entry })).toEqual(addresses);
  });
});

describe('the addresses of a host', () => {
  test('200 clients are divided equally among the fifty addresses of a host', async () => {
    const connectionCounts = new Map<string, number>();
    const shop = await openRawTarget(
      (_request, write, socket) => {
        connectionCounts.set(
          socket.localAddress ?? '',
          (connectionCounts.get(socket.localAddress ?? '') ?? 0) + 1,
        );
        write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      },
      { host: '0.0.0.0' },
    );
    const job = jobOf([targetOf(shop.port, { addresses: FIFTY_ADDRESSES })], { total: 200, duration: 300 });
    const { ledger } = await runJob(testEngine.engine, job);
    expect(ledger.success).toBe(200);
    expect([...connectionCounts].sort()).toEqual(FIFTY_ADDRESSES.map((address) => [address, 4]).sort());
  });

  test.each([
    ['IPv6', ['::1', '127.0.0.1']],
    ['IPv4', ['127.0.0.2', '127.0.0.1']],
  ])(
    'if an %s address of a host refuses connections, only connections to that address fail',
    async (_name, addresses) => {
      const shop = await openRawTarget();
      const { ledger } = await runJob(
        testEngine.engine,
        jobOf([targetOf(shop.port, { addresses })], { total: 40 }),
      );
      expect(ledger).toMatchObject({ success: 20, network: { ECONNREFUSED: 20 } });
      expect(shop.requests).toHaveLength(20);
    },
  );

  test('the engine connects to the given addresses and does not resolve the host name', async () => {
    const shop = await openRawTarget();
    // This name cannot be resolved, and the engine does not try to.
    const job = jobOf([targetOf(shop.port, { hostname: 'nowhere.invalid', authority: 'nowhere.invalid' })]);
    const { ledger } = await runJob(testEngine.engine, job);
    expect(ledger.success).toBe(10);
    expect(shop.requests[0]?.headers[0]).toEqual(['Host', 'nowhere.invalid']);
  });
});

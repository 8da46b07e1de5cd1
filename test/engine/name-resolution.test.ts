/** From a name to the addresses that are dialled: resolved once, before the run, and then only as they were given. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createNameResolver } from '../../src/egress/name-resolver.ts';
import { resolveAllowed } from '../../src/egress/allowed-addresses.ts';
import { openNameServer, type Zone } from '../support/name-server.ts';
import { jobOf, openTestEngine, runJob, targetOf, type TestEngine } from '../support/test-engine.ts';
import { openRawTarget } from '../support/raw-target.ts';

let rig: TestEngine;
beforeAll(async () => {
  rig = await openTestEngine();
});
afterAll(() => rig.close());

const allowed = (): null => null;
const fifty = Array.from({ length: 50 }, (_, index) => `127.0.0.${index + 1}`);

describe('a name', () => {
  async function resolve(zone: Zone): Promise<readonly string[]> {
    const server = await openNameServer(zone);
    return await resolveAllowed('shop.test', 80, allowed, createNameResolver([server.address]));
  }

  test.each<readonly [string, Zone, string, RegExp]>([
    ['that is not there', {}, 'not_found', /"shop.test" has no address/],
    ['without an address', { 'shop.test': { txt: ['text'] } }, 'not_found', /"shop.test" has no address/],
    ['whose server fails', { 'shop.test': { fails: { how: 'SERVFAIL' } } }, 'not_found', /\(ESERVFAIL\)/],
    ['whose server refuses', { 'shop.test': { fails: { how: 'REFUSED' } } }, 'not_found', /\(EREFUSED\)/],
    [
      'whose server is silent',
      { 'shop.test': { fails: { how: 'silence' } } },
      'timeout',
      /could not be resolved|within/,
    ],
  ])('%s is told with its kind and reason', async (_name, zone, kind, message) => {
    const failed = resolve(zone);
    await expect(failed).rejects.toMatchObject({ kind });
    await expect(failed).rejects.toThrow(message);
  });

  test.each<readonly [string, Zone[string], readonly string[]]>([
    ['fifty addresses', { a: fifty }, fifty],
    ['both families', { a: ['127.0.0.1'], aaaa: ['::1'] }, ['127.0.0.1', '::1']],
    ['the newer family alone', { aaaa: ['::1', '0:0:0:0:0:0:0:1'] }, ['::1']],
  ])('with %s has them all, each once', async (_name, entry, addresses) => {
    expect(await resolve({ 'shop.test': entry })).toEqual(addresses);
  });
});

describe('addresses of one host', () => {
  test('are dialled in turn, however many there are', async () => {
    const dialled = new Map<string, number>();
    const shop = await openRawTarget(
      (_request, write, socket) => {
        dialled.set(socket.localAddress ?? '', (dialled.get(socket.localAddress ?? '') ?? 0) + 1);
        write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      },
      { host: '0.0.0.0' },
    );
    const job = jobOf([targetOf(shop.port, { addresses: fifty })], { total: 200, duration: 300 });
    const { ledger } = await runJob(rig.engine, job);
    expect(ledger.success).toBe(200);
    expect([...dialled].sort()).toEqual(fifty.map((address) => [address, 4]).sort());
  });

  test.each([
    ['the newer family', ['::1', '127.0.0.1']],
    ['the older one', ['127.0.0.2', '127.0.0.1']],
  ])('of which one of %s is broken cost its share, and no more', async (_name, addresses) => {
    const shop = await openRawTarget();
    const { ledger } = await runJob(rig.engine, jobOf([targetOf(shop.port, { addresses })], { total: 40 }));
    expect(ledger).toMatchObject({ success: 20, network: { ECONNREFUSED: 20 } });
    expect(shop.requests).toHaveLength(20);
  });

  test('stay what they were while a run goes on, and no name is asked again', async () => {
    const shop = await openRawTarget();
    // A name that nobody could resolve: the engine does not try to.
    const job = jobOf([targetOf(shop.port, { hostname: 'nowhere.invalid', authority: 'nowhere.invalid' })]);
    const { ledger } = await runJob(rig.engine, job);
    expect(ledger.success).toBe(10);
    expect(shop.requests[0]?.headers[0]).toEqual(['Host', 'nowhere.invalid']);
  });
});

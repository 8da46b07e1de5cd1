import { createRequire } from 'node:module';
import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import {
  createInProcessPolicy,
  machineOf,
  createServePolicy,
  excludeOwnEndpoints,
} from '../../../src/egress/address-policies.ts';
import { resolveAllowed, type AddressPolicy } from '../../../src/egress/allowed-addresses.ts';

const CLOSED = { allowPrivate: [], loopback: false };

/** Blocked ports of the Fetch standard, as implemented by undici. */
const BLOCKED_BY_FETCH = blockedByFetch();

function blockedByFetch(): readonly number[] {
  const constants: unknown = createRequire(import.meta.url)('undici/lib/web/fetch/constants.js');
  const { badPorts } = constants as { badPorts: readonly string[] }; // the format of the file
  expect(badPorts.length).toBeGreaterThan(70);
  return badPorts.map(Number);
}

describe('address policies', () => {
  test.each([
    ['127.0.0.1', 'allowed', 'refused'],
    ['10.0.0.1', 'allowed', 'refused'],
    ['8.8.8.8', 'allowed', 'allowed'],
    ['192.0.2.1', 'allowed', 'refused'],
    ['169.254.169.254', 'refused', 'refused'],
    ['fd00:ec2::254', 'refused', 'refused'],
    ['0.0.0.0', 'refused', 'refused'],
    ['224.0.0.1', 'refused', 'refused'],
    ['fe80::1', 'refused', 'refused'],
  ])('as a target, the address %s is %s in a command and %s in a service', (address, inProcess, serve) => {
    expect(createInProcessPolicy()(address, 80) === null).toBe(inProcess === 'allowed');
    expect(createServePolicy(CLOSED)(address, 80) === null).toBe(serve === 'allowed');
  });

  test('a service that listens on loopback accepts loopback targets', () => {
    expect(createServePolicy({ ...CLOSED, loopback: true })('127.0.0.1', 3000)).toBeNull();
  });

  test('an allowed block permits private addresses, but no loopback or metadata addresses', () => {
    const policy = createServePolicy({ allowPrivate: ['10.0.0.0/8', '0.0.0.0/0'], loopback: false });
    expect(policy('10.1.1.1', 80)).toBeNull();
    expect(policy('127.0.0.1', 80)).toContain('loopback');
    expect(policy('169.254.169.254', 80)).toContain('metadata');
  });

  test.each(['10.0.0.0', '10.0.0.0/33', 'shop', '10.1/8', ''])(
    'the policy rejects "%s" as an address block',
    (block) => {
      expect(() => createServePolicy({ allowPrivate: [block], loopback: false })).toThrow(
        'is not a valid address range',
      );
    },
  );

  describe('the rules of all policies', () => {
    const everything = { allowPrivate: ['0.0.0.0/0', '::/0'], loopback: true };
    const modes = [
      ['within a command', createInProcessPolicy()],
      ['in a service', createServePolicy(CLOSED)],
      ['in a service that allows all blocks', createServePolicy(everything)],
    ] as const;

    test.each(modes)(
      '%s, the policy refuses ports that browsers block and the ports of Redis and memcached, but accepts ports such as 80 and 8080',
      (_, policy) => {
        const allowed = BLOCKED_BY_FETCH.filter((port) => policy('8.8.8.8', port) === null);
        expect(allowed).toEqual([]);
        // Redis and memcached interpret the bytes of an HTTP request as commands.
        for (const port of [6379, 11211]) expect(policy('8.8.8.8', port)).toContain('another protocol');
        for (const port of [80, 443, 3000, 4900, 8080, 65_535]) expect(policy('8.8.8.8', port)).toBeNull();
      },
    );

    test.each(modes)(
      '%s, the policy refuses metadata, translated, link-local, unspecified and multicast addresses',
      (_, policy) => {
        for (const address of [
          '169.254.169.254',
          '169.254.170.2',
          '100.100.100.200',
          '168.63.129.16',
          '192.0.0.192',
          'fd00:ec2::254',
          'fd20:ce::254',
          '::ffff:169.254.169.254',
          '64:ff9b::a9fe:a9fe',
          '2002:a9fe:a9fe::1',
          '::a9fe:a9fe',
        ]) {
          expect(policy(address, 80)).toMatch(/^is never allowed \(metadata address\)$/);
        }
        for (const address of ['64:ff9b:1::808:808', '64:ff9b:1:a9fe:a9:fe00::', '64:ff9b::7f00:1']) {
          expect(policy(address, 80)).toMatch(/^is never allowed \(translated address\)$/);
        }
        for (const address of ['169.254.0.1', 'fe80::1', '0.0.0.0', '::', '224.0.0.1', 'ff02::1']) {
          expect(policy(address, 80)).toMatch(/^is never allowed/);
        }
      },
    );
  });

  test.each([
    ['64:ff9b:1::/48', 'translated'],
    ['64:ff9b:1::a00:0/104', 'translated'],
    ['64:ff9b::/96', 'special'],
    ['169.254.0.0/16', 'metadata and link-local'],
    ['169.254.169.254/32', 'metadata'],
    ['192.0.2.0/24', 'special'],
    ['192.0.2.128/25', 'special'],
    ['ff00::/8', 'multicast'],
  ])('the policy rejects the block %s because its addresses are %s', (block, kind) => {
    expect(() => createServePolicy({ allowPrivate: [block], loopback: false })).toThrow(
      `"${block}" contains only ${kind} addresses, which must not receive load`,
    );
  });

  test.each(['0.0.0.0/0', '::/0', '10.0.0.0/8', 'fd12::/16', '8.8.8.0/24', '127.0.0.0/8', '2000::/3'])(
    'the policy accepts the block %s',
    (block) => {
      expect(() => createServePolicy({ allowPrivate: [block], loopback: false })).not.toThrow();
    },
  );

  test.each([
    ['127.0.0.1', '127.0.0.2', 'the same machine key'],
    ['127.0.0.1', '::1', 'the same machine key'],
    ['10.0.0.1', '10.0.0.2', 'different machine keys'],
    ['::ffff:10.0.0.1', '10.0.0.1', 'the same machine key'],
    ['2a00:1:2:3::1', '2a00:1:2:3:ffff::9', 'the same machine key'],
    ['2a00:1:2:3::1', '2a00:1:2:4::1', 'different machine keys'],
    ['2a00:1:2:3::1', '10.0.0.1', 'different machine keys'],
  ])('for the addresses %s and %s, machineOf returns %s', (first, second, keys) => {
    expect(machineOf(first) === machineOf(second)).toBe(keys === 'the same machine key');
  });

  test('machineOf returns the same machine key for all addresses of the local host', () => {
    const localAddresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    const machines = localAddresses.map(({ address }) => machineOf(address.replace(/%.*$/, '')));
    expect(new Set([...machines, machineOf('127.0.0.1')]).size).toBe(1);
  });

  test('the policy refuses the endpoints of the service itself and of its dependencies', () => {
    const policy = excludeOwnEndpoints(createInProcessPolicy(), {
      ports: () => [4000],
      endpoints: () => [{ address: '10.0.0.9', port: 6380 }],
    });
    expect(policy('127.0.0.1', 4000)).toContain('loadtests or one of its dependencies uses this port');
    expect(policy('::1', 4000)).toContain('loadtests or one of its dependencies uses this port');
    expect(policy('127.0.0.1', 4001)).toBeNull();
    expect(policy('10.0.0.9', 6380)).toContain('loadtests or one of its dependencies uses this port');
    expect(policy('10.0.0.9', 80)).toBeNull();
  });
});

describe('the addresses that a test sets', () => {
  const resolved = async (resolve: readonly string[], ip?: 4 | 6, policy: AddressPolicy = () => null) =>
    await resolveAllowed('shop.invalid', 80, policy, {
      connection: { resolve, ...(ip === undefined ? {} : { ip }) },
    });

  test('addresses that a test sets replace the DNS addresses, in canonical form and without duplicates', async () => {
    await expect(resolved(['192.0.2.1', '::ffff:192.0.2.2', '192.0.2.1'])).resolves.toEqual([
      '192.0.2.1',
      '192.0.2.2',
    ]);
  });

  test('the IP version of a connection excludes addresses of the other version, and an error is thrown if no address remains', async () => {
    await expect(resolved(['192.0.2.1', '2001:db8::1'], 6)).resolves.toEqual(['2001:db8::1']);
    await expect(resolved(['192.0.2.1'], 6)).rejects.toMatchObject({
      kind: 'not_found',
      reason: '"shop.invalid" has no IPv6 address',
    });
  });

  test.each([
    ['a metadata address', '169.254.169.254', createInProcessPolicy()],
    ['a private address', '10.0.0.1', createServePolicy(CLOSED)],
    ['a loopback address', '127.0.0.1', createServePolicy(CLOSED)],
  ])('%s that a test sets is refused, even next to an allowed address', async (_name, address, policy) => {
    await expect(resolved(['93.184.215.14', address], undefined, policy)).rejects.toMatchObject({
      kind: 'refused',
    });
  });

  test('a link-local address that a test sets is refused, even if the IP version of the connection excludes the address', async () => {
    await expect(resolved(['93.184.215.14', 'fe80::1'], 4, createInProcessPolicy())).rejects.toMatchObject({
      kind: 'refused',
    });
  });
});

describe('resolveAllowed', () => {
  const allowAll = () => null;

  test('resolveAllowed returns literal addresses in canonical form, and refuses a literal metadata address', async () => {
    await expect(resolveAllowed('127.0.0.1', 80, allowAll)).resolves.toEqual(['127.0.0.1']);
    await expect(resolveAllowed('[::1]', 80, allowAll)).resolves.toEqual(['::1']);
    await expect(resolveAllowed('::ffff:127.0.0.1', 80, allowAll)).resolves.toEqual(['127.0.0.1']);
    await expect(resolveAllowed('169.254.169.254', 80, createInProcessPolicy())).rejects.toMatchObject({
      kind: 'refused',
      reason: '"169.254.169.254" is never allowed (metadata address)',
    });
  });

  test('resolveAllowed checks every address of localhost, and refuses localhost if the policy does not allow loopback', async () => {
    const checked: string[] = [];
    const addresses = await resolveAllowed('localhost', 80, (address) => {
      checked.push(address);
      return null;
    });
    expect(addresses.length).toBeGreaterThan(0);
    expect(checked).toEqual(addresses);
    await expect(resolveAllowed('localhost', 80, createServePolicy(CLOSED))).rejects.toMatchObject({
      kind: 'refused',
    });
  });

  test.each([
    '127.1',
    '0x7f.1',
    '2130706433',
    '0177.0.0.1',
    'localhost.',
    'a b',
    '',
    'user@host',
    'fe80::1%lo',
    '①.①.①.①',
  ])('resolveAllowed rejects "%s" as an invalid name', async (name) => {
    await expect(resolveAllowed(name, 80, allowAll)).rejects.toMatchObject({ kind: 'bad_name' });
  });

  test('resolveAllowed reports a name without an address as not found', async () => {
    await expect(resolveAllowed('missing.invalid', 80, allowAll)).rejects.toMatchObject({
      kind: 'not_found',
    });
  });
});

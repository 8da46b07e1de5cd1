import { createRequire } from 'node:module';
import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import {
  createInProcessPolicy,
  machineOf,
  createServePolicy,
  excludeOwnEndpoints,
} from '../../../src/egress/address-policies.ts';
import { resolveAllowed } from '../../../src/egress/allowed-addresses.ts';

const closed = { allowPrivate: [], loopback: false };

/** The list of the Fetch standard, as another implementation of it has it. */
const BLOCKED_BY_FETCH = blockedByFetch();

function blockedByFetch(): readonly number[] {
  const constants: unknown = createRequire(import.meta.url)('undici/lib/web/fetch/constants.js');
  const { badPorts } = constants as { badPorts: readonly string[] }; // as the file has it
  expect(badPorts.length).toBeGreaterThan(70);
  return badPorts.map(Number);
}

describe('policies', () => {
  test.each([
    ['127.0.0.1', true, false],
    ['10.0.0.1', true, false],
    ['8.8.8.8', true, true],
    ['192.0.2.1', true, false],
    ['169.254.169.254', false, false],
    ['fd00:ec2::254', false, false],
    ['0.0.0.0', false, false],
    ['224.0.0.1', false, false],
    ['fe80::1', false, false],
  ])('%s is allowed in a command: %s, in a service: %s', (address, inProcess, serve) => {
    expect(createInProcessPolicy()(address, 80) === null).toBe(inProcess);
    expect(createServePolicy(closed)(address, 80) === null).toBe(serve);
  });

  test('a service on loopback may be used on loopback', () => {
    expect(createServePolicy({ ...closed, loopback: true })('127.0.0.1', 3000)).toBeNull();
  });

  test('a block opens private addresses, and only those', () => {
    const policy = createServePolicy({ allowPrivate: ['10.0.0.0/8', '0.0.0.0/0'], loopback: false });
    expect(policy('10.1.1.1', 80)).toBeNull();
    expect(policy('127.0.0.1', 80)).toContain('loopback');
    expect(policy('169.254.169.254', 80)).toContain('metadata');
  });

  test.each(['10.0.0.0', '10.0.0.0/33', 'shop', '10.1/8', ''])(
    '"%s" is not a block that can be opened',
    (block) => {
      expect(() => createServePolicy({ allowPrivate: [block], loopback: false })).toThrow(
        'is not a valid address range',
      );
    },
  );

  describe('in every mode', () => {
    const everything = { allowPrivate: ['0.0.0.0/0', '::/0'], loopback: true };
    const modes = [
      ['in a command', createInProcessPolicy()],
      ['in a service', createServePolicy(closed)],
      ['in a service that is open to all', createServePolicy(everything)],
    ] as const;

    test.each(modes)('%s the ports that browsers block are refused', (_, policy) => {
      const allowed = BLOCKED_BY_FETCH.filter((port) => policy('8.8.8.8', port) === null);
      expect(allowed).toEqual([]);
      // Their owners take the bytes of an HTTP request for commands.
      for (const port of [6379, 11211]) expect(policy('8.8.8.8', port)).toContain('another protocol');
      for (const port of [80, 443, 3000, 4900, 8080, 65_535]) expect(policy('8.8.8.8', port)).toBeNull();
    });

    test.each(modes)('%s addresses that answer with credentials of the machine are refused', (_, policy) => {
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
        expect(policy(address, 80)).toMatch(/is a metadata address, which is never allowed/);
      }
      for (const address of ['64:ff9b:1::808:808', '64:ff9b:1:a9fe:a9:fe00::', '64:ff9b::7f00:1']) {
        expect(policy(address, 80)).toMatch(/is a translated address, which is never allowed/);
      }
      for (const address of ['169.254.0.1', 'fe80::1', '0.0.0.0', '::', '224.0.0.1', 'ff02::1']) {
        expect(policy(address, 80)).toMatch(/which is never allowed/);
      }
    });
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
  ])('%s cannot be allowed: its addresses are %s', (block, kind) => {
    expect(() => createServePolicy({ allowPrivate: [block], loopback: false })).toThrow(
      `"${block}" holds ${kind} addresses only, which load is never sent to`,
    );
  });

  test.each(['0.0.0.0/0', '::/0', '10.0.0.0/8', 'fd12::/16', '8.8.8.0/24', '127.0.0.0/8', '2000::/3'])(
    '%s can be allowed',
    (block) => {
      expect(() => createServePolicy({ allowPrivate: [block], loopback: false })).not.toThrow();
    },
  );

  test.each([
    ['127.0.0.1', '127.0.0.2', true],
    ['127.0.0.1', '::1', true],
    ['10.0.0.1', '10.0.0.2', false],
    ['::ffff:10.0.0.1', '10.0.0.1', true],
    ['2a00:1:2:3::1', '2a00:1:2:3:ffff::9', true],
    ['2a00:1:2:3::1', '2a00:1:2:4::1', false],
    ['2a00:1:2:3::1', '10.0.0.1', false],
  ])('%s and %s are one machine: %s', (one, other, same) => {
    expect(machineOf(one) === machineOf(other)).toBe(same);
  });

  test('all addresses of this machine are one', () => {
    const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    const machines = own.map(({ address }) => machineOf(address.replace(/%.*$/, '')));
    expect(new Set([...machines, machineOf('127.0.0.1')]).size).toBe(1);
  });

  test('the service never dials itself or what it depends on', () => {
    const policy = excludeOwnEndpoints(createInProcessPolicy(), {
      ports: () => [4000],
      endpoints: () => [{ address: '10.0.0.9', port: 6380 }],
    });
    expect(policy('127.0.0.1', 4000)).toContain('service itself');
    expect(policy('::1', 4000)).toContain('service itself');
    expect(policy('127.0.0.1', 4001)).toBeNull();
    expect(policy('10.0.0.9', 6380)).toContain('service itself');
    expect(policy('10.0.0.9', 80)).toBeNull();
  });
});

describe('resolveAllowed', () => {
  const anything = () => null;

  test('literal addresses take the same road as names', async () => {
    await expect(resolveAllowed('127.0.0.1', 80, anything)).resolves.toEqual(['127.0.0.1']);
    await expect(resolveAllowed('[::1]', 80, anything)).resolves.toEqual(['::1']);
    await expect(resolveAllowed('::ffff:127.0.0.1', 80, anything)).resolves.toEqual(['127.0.0.1']);
    await expect(resolveAllowed('169.254.169.254', 80, createInProcessPolicy())).rejects.toMatchObject({
      kind: 'refused',
      reason: '"169.254.169.254" is a metadata address, which is never allowed',
    });
  });

  test('localhost is resolved, and every address of it is judged', async () => {
    const asked: string[] = [];
    const addresses = await resolveAllowed('localhost', 80, (address) => {
      asked.push(address);
      return null;
    });
    expect(addresses.length).toBeGreaterThan(0);
    expect(asked).toEqual(addresses);
    await expect(resolveAllowed('localhost', 80, createServePolicy(closed))).rejects.toMatchObject({
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
  ])('"%s" is not handed to a resolver', async (name) => {
    await expect(resolveAllowed(name, 80, anything)).rejects.toMatchObject({ kind: 'bad_name' });
  });

  test('a name without an address is told', async () => {
    await expect(resolveAllowed('nobody.invalid', 80, anything)).rejects.toMatchObject({ kind: 'not_found' });
  });
});

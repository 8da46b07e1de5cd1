/** Targets of a shard on a worker: the load goes to the host and port of a verified authority, and nowhere else. */
import { expect, test } from 'vitest';
import { resolveTargets } from '../../../src/cluster/resolve-targets.ts';
import type { HostVerifier } from '../../../src/egress/host-verifier.ts';
import { jobOf, targetOf } from '../../support/test-engine.ts';

/** Every host is verified and listens. */
const VERIFIER: Pick<HostVerifier, 'check' | 'selectListening'> = {
  check: () => Promise.resolve({ addresses: ['192.0.2.1'] }),
  selectListening: (addresses) => Promise.resolve(addresses),
};

async function resolve(changes: Parameters<typeof targetOf>[1], port: number, host = 'shop.example') {
  const target = targetOf(port, { hostname: 'shop.example', authority: 'shop.example', ...changes });
  const hosts = [{ host, verificationId: 'token', method: 'http' as const, connection: null }];
  const { targets } = await resolveTargets(
    { job: jobOf([target]), hosts },
    VERIFIER as HostVerifier,
    () => null,
  );
  return targets[0]?.addresses;
}

test.each([
  ['the default port', { authority: 'shop.example' }, 80],
  ['the default port of HTTPS', { authority: 'shop.example', secure: true }, 443],
  ['a port in its authority', { authority: 'shop.example:8080' }, 8080],
  ['an IPv6 address', { authority: '[2001:db8::1]:8080', hostname: '2001:db8::1' }, 8080],
])('a worker accepts a target with %s', async (_, changes, port) => {
  expect(await resolve(changes, port, changes.authority)).toEqual(['192.0.2.1']);
});

test.each([
  ['port 22 instead of the default port', { authority: 'shop.example' }, 22],
  ['a port that differs from its authority', { authority: 'shop.example:8080' }, 6379],
  ['port 443 without TLS', { authority: 'shop.example' }, 443],
  [
    'a host name that differs from its authority',
    { authority: 'shop.example', hostname: 'other.example' },
    80,
  ],
])('a worker refuses a target with %s', async (_, changes, port) => {
  await expect(resolve(changes, port, changes.authority)).rejects.toThrow(
    'does not match the host name and port of the target',
  );
});

/** Where a worker sends load: what a service would, but for the Redis that it listens to. */
import { problem, ProblemError } from '../core/problem.ts';
import { classifyAddress } from '../egress/address-kind.ts';
import { EgressError } from '../egress/egress-error.ts';
import { createServePolicy, excludeOwnEndpoints, type Endpoint } from '../egress/address-policies.ts';
import { resolveAllowed, type AddressPolicy } from '../egress/allowed-addresses.ts';
import type { RedisAddress, RedisLocation } from './redis-address.ts';

/** Where it lies, as far as that is known before it is dialled. */
export async function redisEndpointsOf(location: RedisLocation): Promise<readonly Endpoint[]> {
  if (location.kind === 'socket') return [];
  const servers = location.kind === 'server' ? [location.server] : location.sentinels;
  const each = await Promise.all(
    servers.map(async ({ host, port }) => {
      const addresses = await resolveAllowed(host, port, () => null).catch(() => []);
      return addresses.map((address) => ({ address, port }));
    }),
  );
  return each.flat();
}

/**
 * Loopback may get load where Redis is on this machine alone: then whoever gives this worker its work is here as well.
 *
 * Errors: ProblemError LT_SERVER_ADDRESS for a block that is none.
 */
export async function createWorkerPolicy(
  { location }: RedisAddress,
  own: {
    readonly allowPrivate: readonly string[];
    readonly health: number | undefined;
    /** Where Redis was found since. */
    readonly redis: () => readonly Endpoint[];
  },
): Promise<AddressPolicy> {
  const endpoints = await redisEndpointsOf(location);
  const loopback = endpoints.every(({ address }) => classifyAddress(address) === 'loopback');
  try {
    const policy = createServePolicy({ allowPrivate: own.allowPrivate, loopback });
    const ports = own.health === undefined ? [] : [own.health];
    return excludeOwnEndpoints(policy, {
      ports: () => ports,
      endpoints: () => [...endpoints, ...own.redis()],
    });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    throw new ProblemError(problem('LT_SERVER_ADDRESS', error.reason), { cause: error });
  }
}

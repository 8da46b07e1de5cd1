/** Address policy of a worker. In addition to the rules of a service, the policy refuses the endpoints of Redis. */
import { problem, ProblemError } from '../core/problem.ts';
import { classifyAddress } from '../egress/address-kind.ts';
import { EgressError } from '../egress/egress-error.ts';
import {
  createServePolicy,
  excludeOwnEndpoints,
  resolveEndpoints,
  type Endpoint,
} from '../egress/address-policies.ts';
import type { AddressPolicy } from '../egress/allowed-addresses.ts';
import type { RedisAddress, RedisLocation } from './redis-address.ts';

/** Returns the endpoints in the Redis address. Resolves host names, but does not connect to Redis. */
export async function redisEndpointsOf(location: RedisLocation): Promise<readonly Endpoint[]> {
  return (await endpointsByServer(location)).flat();
}

/** Returns one list of endpoints per server. A list is empty if the host name cannot be resolved. */
async function endpointsByServer(location: RedisLocation): Promise<readonly (readonly Endpoint[])[]> {
  if (location.kind === 'socket') return [];
  const servers = location.kind === 'server' ? [location.server] : location.sentinels;
  return await Promise.all(servers.map(async ({ host, port }) => await resolveEndpoints(host, port)));
}

/**
 * Loopback targets are allowed only if Redis is reached over loopback or a socket file, which indicates that the
 * service is on the same machine.
 *
 * @throws ProblemError LT_SERVER_ADDRESS if `allowPrivate` contains an invalid block.
 */
export async function createWorkerPolicy(
  { location }: RedisAddress,
  options: {
    readonly allowPrivate: readonly string[];
    readonly health: number | undefined;
    readonly redis: () => readonly Endpoint[];
  },
): Promise<AddressPolicy> {
  const servers = await endpointsByServer(location);
  const endpoints = servers.flat();
  const loopback = servers.every(
    (found) => found.length > 0 && found.every(({ address }) => classifyAddress(address) === 'loopback'),
  );
  try {
    const policy = createServePolicy({ allowPrivate: options.allowPrivate, loopback });
    const ports = options.health === undefined ? [] : [options.health];
    return excludeOwnEndpoints(policy, {
      ports: () => ports,
      endpoints: () => [...endpoints, ...options.redis()],
    });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    throw new ProblemError(problem('LT_SERVER_ADDRESS', error.reason), { cause: error });
  }
}

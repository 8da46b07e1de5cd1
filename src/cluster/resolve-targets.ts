/** Resolves the addresses of a shard's targets on the worker, and checks them against the worker's own policy. */
import type { JobTarget, LoadJob } from '../core/load/load-job.ts';
import type { VerifiedHost } from '../core/ports/runner.ts';
import { parseAppHost } from '../egress/app-host.ts';
import type { AddressPolicy } from '../egress/allowed-addresses.ts';
import type { HostVerifier } from '../egress/host-verifier.ts';
import type { ShardOffer } from './cluster-messages.ts';

/**
 * Returns the job with the resolved addresses of its targets.
 * @throws Error that names the host if a host is not verified, a target is inconsistent, or the policy forbids an
 * address.
 */
export async function resolveTargets(
  { job, hosts }: Pick<ShardOffer, 'job' | 'hosts'>,
  verification: HostVerifier,
  policy: AddressPolicy,
): Promise<LoadJob> {
  const addressesByHost = new Map<string, readonly string[]>();
  for (const host of hosts) {
    const outcome = await verification.check(host);
    if (typeof outcome === 'string')
      throw new Error(`the host "${host.host}" could not be verified; see the log of the worker`);
    addressesByHost.set(host.host, outcome.addresses);
  }
  const targets = await Promise.all(
    job.targets.map(async (target) => {
      if (!isConsistent(target))
        throw new Error(
          `the authority "${target.authority}" does not match the host name and port of the target`,
        );
      const host = hostOf(target, hosts);
      const addresses = (host && addressesByHost.get(host.host)) ?? [];
      if (addresses.length === 0) throw new Error(`"${target.authority}" is not a verified host`);
      for (const address of addresses) {
        const refusal = policy(address, target.port);
        if (refusal !== null)
          throw new Error(`"${target.authority}" resolves to ${address}, which ${refusal}`);
      }
      return { ...target, addresses: await verification.selectListening(addresses, target.port) };
    }),
  );
  return { ...job, targets };
}

/** True if the authority of a target matches the host and port to connect to. */
function isConsistent({ authority, hostname, port, secure }: JobTarget): boolean {
  const named = parseAppHost(authority);
  return named.hostname === hostname && (named.port ?? (secure ? 443 : 80)) === port;
}

/** Returns the verified host of a target. An entry equal to the authority takes precedence over one without a port. */
function hostOf(
  { authority, hostname }: Pick<JobTarget, 'authority' | 'hostname'>,
  hosts: readonly VerifiedHost[],
): VerifiedHost | undefined {
  return (
    hosts.find(({ host }) => host === authority) ??
    hosts.find(({ host }) => {
      const parsed = parseAppHost(host);
      return parsed.port === null && parsed.hostname === hostname;
    })
  );
}

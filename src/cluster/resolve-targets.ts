/** Where the load of a part goes: to addresses that this machine finds and asks itself, by its own policy. */
import type { JobTarget, LoadJob } from '../core/load/load-job.ts';
import type { VerifiedHost } from '../core/ports/runner.ts';
import { parseAppHost } from '../egress/app-host.ts';
import type { AddressPolicy } from '../egress/allowed-addresses.ts';
import type { HostVerifier } from '../egress/host-verifier.ts';
import type { ShardOffer } from './cluster-messages.ts';

/**
 * The job with the addresses that consent from here.
 *
 * Errors: an Error that names the host which does not, or to which this machine sends nothing.
 */
export async function resolveTargets(
  { job, hosts }: Pick<ShardOffer, 'job' | 'hosts'>,
  verification: HostVerifier,
  policy: AddressPolicy,
): Promise<LoadJob> {
  const found = new Map<string, readonly string[]>();
  for (const host of hosts) {
    const consent = await verification.check(host);
    if (typeof consent === 'string')
      throw new Error(`"${host.host}" does not show its token to this machine`);
    found.set(host.host, consent.addresses);
  }
  const targets = await Promise.all(
    job.targets.map(async (target) => {
      const host = hostOf(target, hosts);
      const addresses = (host && found.get(host.host)) ?? [];
      if (addresses.length === 0) throw new Error(`"${target.authority}" is no host that has consented`);
      for (const address of addresses) {
        const refusal = policy(address, target.port);
        if (refusal !== null) throw new Error(`"${target.authority}" at ${address} ${refusal}`);
      }
      return { ...target, addresses: await verification.selectListening(addresses, target.port) };
    }),
  );
  return { ...job, targets };
}

/** The host of the target's own port, else the one that stands for all ports of its name. */
function hostOf(
  { authority, hostname }: Pick<JobTarget, 'authority' | 'hostname'>,
  hosts: readonly VerifiedHost[],
): VerifiedHost | undefined {
  return (
    hosts.find(({ host }) => host === authority) ??
    hosts.find(({ host }) => {
      const split = parseAppHost(host);
      return split.port === null && split.hostname === hostname;
    })
  );
}

import { resolveAllowed } from '../../egress/allowed-addresses.ts';
import { parseAppHost } from '../../egress/app-host.ts';
import { EgressError } from '../../egress/egress-error.ts';

/** Returns the reason why the name of a host cannot be resolved; null if it can be resolved. */
export async function resolutionFailureOf(host: string): Promise<string | null> {
  const { hostname, port } = parseAppHost(host);
  try {
    await resolveAllowed(hostname, port ?? 80, () => null);
    return null;
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return error.reason;
  }
}

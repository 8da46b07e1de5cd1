/** Who sends a request, as far as that can be told. */
import type { IncomingMessage } from 'node:http';
import { isLocalHost } from '../core/model/url.ts';
import { canonicalizeAddress, classifyAddress, addressOwnerOf } from '../egress/address-kind.ts';

/** Whether clients are told an address elsewhere, so that a proxy of the operator's brings them. */
export function isBehindProxy(publicUrl: string | null): boolean {
  return publicUrl !== null && !isLocalHost(new URL(publicUrl).hostname);
}

/**
 * The owner of the address that a request comes from.
 *
 * Shape: of what comes from this machine's proxy, the address that the proxy has added last; all before it is what the
 *        client says. A proxy that adds none makes all its clients one.
 */
export function clientAddressOf(
  {
    socket,
    headers,
  }: Pick<IncomingMessage, 'headers'> & { readonly socket: { remoteAddress?: string | undefined } },
  behindProxy: boolean,
): string {
  const peer = socket.remoteAddress ?? '';
  if (behindProxy && classifyAddress(peer) === 'loopback') {
    const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').at(-1)?.trim() ?? '';
    if (canonicalizeAddress(forwarded) !== null) return addressOwnerOf(forwarded);
  }
  return addressOwnerOf(peer);
}

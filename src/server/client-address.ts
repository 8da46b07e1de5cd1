/** Client addresses, which rate limits are applied to. */
import type { IncomingMessage } from 'node:http';
import { isLocalHost } from '../core/model/url.ts';
import { canonicalizeAddress, classifyAddress, addressOwnerOf } from '../egress/address-kind.ts';

/** Reports whether the public URL is remote, in which case the operator's proxy forwards client requests. */
export function isBehindProxy(publicUrl: string | null): boolean {
  return publicUrl !== null && !isLocalHost(new URL(publicUrl).hostname);
}

/**
 * Returns the client address of a request, or its network if one owner usually has many addresses.
 *
 * @remarks For requests from a local proxy, this is the last entry of X-Forwarded-For, which the proxy added. The
 * client can forge earlier entries. If the proxy adds no entry, all its clients share one address.
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

import type { IncomingMessage } from 'node:http';
import { isLocalHost } from '../core/model/url.ts';
import {
  addressOwnerOf,
  canonicalizeAddress,
  isAddressBlock,
  isInAddressBlocks,
} from '../egress/address-kind.ts';
import { EgressError } from '../egress/egress-error.ts';

/** True if the public URL has a remote host. In that case, a proxy is expected to forward requests to the service. */
export function isBehindProxy(publicUrl: string | null): boolean {
  return publicUrl !== null && !isLocalHost(new URL(publicUrl).hostname);
}

/**
 * Returns the client address of a request. For IPv6, returns the /64 network, because one owner usually has the whole
 * network.
 *
 * @remarks For a trusted proxy, the address is the last entry of X-Forwarded-For, because the proxy added that entry.
 * The client can forge the other entries, and every entry if the proxy adds none.
 * @param trustedProxies - Address blocks of proxies, `address/bits`.
 */
export function clientAddressOf(
  {
    socket,
    headers,
  }: Pick<IncomingMessage, 'headers'> & { readonly socket: { remoteAddress?: string | undefined } },
  trustedProxies: readonly string[],
): string {
  const peer = socket.remoteAddress ?? '';
  if (isInAddressBlocks(peer, trustedProxies)) {
    const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').at(-1)?.trim() ?? '';
    if (canonicalizeAddress(forwarded) !== null) return addressOwnerOf(forwarded);
  }
  return addressOwnerOf(peer);
}

/**
 * Converts an address or an address block of `--trust-proxy` to a block.
 * @throws EgressError if the text is neither.
 */
export function toProxyBlock(text: string): string {
  const canonical = canonicalizeAddress(text);
  const block = canonical === null ? text : `${canonical}/${canonical.includes(':') ? 128 : 32}`;
  if (isAddressBlock(block)) return block;
  throw new EgressError(
    'bad_name',
    `"${text}" is not a valid proxy address; write it like 127.0.0.1 or 10.0.0.0/8`,
  );
}

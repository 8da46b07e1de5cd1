/** Who sends a request, as far as that can be told. */
import type { IncomingMessage } from 'node:http';
import { isThisMachine } from '../core/model/url.ts';
import { canonicalAddress, classifyAddress, ownerOf } from '../egress/classify.ts';

/** Whether clients are told an address elsewhere, so that a proxy of the operator's brings them. */
export function isBehindProxy(publicUrl: string | null): boolean {
  return publicUrl !== null && !isThisMachine(new URL(publicUrl).hostname);
}

/**
 * The owner of the address that a request comes from.
 *
 * Shape: of what comes from this machine's proxy, the address that the proxy has added last; all before it is what the
 *        client says. A proxy that adds none makes all its clients one.
 */
export function visitorOf(
  {
    socket,
    headers,
  }: Pick<IncomingMessage, 'headers'> & { readonly socket: { remoteAddress?: string | undefined } },
  behindProxy: boolean,
): string {
  const peer = socket.remoteAddress ?? '';
  if (behindProxy && classifyAddress(peer) === 'loopback') {
    const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').at(-1)?.trim() ?? '';
    if (canonicalAddress(forwarded) !== null) return ownerOf(forwarded);
  }
  return ownerOf(peer);
}

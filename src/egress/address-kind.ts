/** Says what kind of address an address is. Decides nothing: that is the policies' part. */
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * | kind          | examples                                                             |
 * | ------------- | -------------------------------------------------------------------- |
 * | `loopback`    | 127.0.0.0/8, ::1                                                     |
 * | `private`     | 10/8, 192.168/16, 100.64/10 (carriers and VPNs), 198.18/15 (benchmarks), fc00::/7 |
 * | `link-local`  | 169.254/16, fe80::/10                                                |
 * | `metadata`    | where clouds answer about the machine that asks                      |
 * | `unspecified` | 0.0.0.0/8, :: – Linux takes them for this machine                    |
 * | `multicast`   | 224/4, ff00::/8, broadcast                                           |
 * | `translated`  | what a gateway may turn into an IPv4 address that is forbidden, or nobody can tell which |
 * | `special`     | every other block of the IANA tables, and IPv6 outside 2000::/3      |
 * | `public`      | the rest                                                             |
 */
export type AddressKind =
  | 'loopback'
  | 'private'
  | 'link-local'
  | 'metadata'
  | 'unspecified'
  | 'multicast'
  | 'translated'
  | 'special'
  | 'public';

/**
 * Blocks and their kinds; the first that holds an address names it.
 *
 * Source: IANA IPv4 and IPv6 Special-Purpose Address Registries, IPv4 and IPv6 multicast registries; the documentation
 *         of the clouds for metadata.
 */
const ADDRESS_BLOCKS: readonly (readonly [cidr: string, kind: AddressKind])[] = [
  ['169.254.169.254/32', 'metadata'],
  ['169.254.170.2/32', 'metadata'],
  ['100.100.100.200/32', 'metadata'],
  ['168.63.129.16/32', 'metadata'],
  ['192.0.0.192/32', 'metadata'],
  ['0.0.0.0/8', 'unspecified'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'private'],
  ['127.0.0.0/8', 'loopback'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'special'],
  ['192.0.2.0/24', 'special'],
  ['192.31.196.0/24', 'special'],
  ['192.52.193.0/24', 'special'],
  ['192.88.99.0/24', 'special'],
  ['192.168.0.0/16', 'private'],
  ['192.175.48.0/24', 'special'],
  ['198.18.0.0/15', 'private'],
  ['198.51.100.0/24', 'special'],
  ['203.0.113.0/24', 'special'],
  ['224.0.0.0/4', 'multicast'],
  ['255.255.255.255/32', 'multicast'],
  ['240.0.0.0/4', 'special'],

  ['fd00:ec2::/32', 'metadata'],
  ['fd20:ce::254/128', 'metadata'],
  ['::1/128', 'loopback'],
  ['::/128', 'unspecified'],
  // Each network chooses where in its addresses the IPv4 address stands (RFC 8215).
  ['64:ff9b:1::/48', 'translated'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link-local'],
  ['ff00::/8', 'multicast'],
  ['2001::/23', 'special'],
  ['2001:db8::/32', 'special'],
  ['2002::/16', 'special'],
  ['2620:4f:8000::/48', 'special'],
  ['3fff::/20', 'special'],
  ['2000::/3', 'public'],
  ['::/0', 'special'],
];

/**
 * IPv6 blocks that carry an IPv4 address which a gateway, or this machine, would send to.
 *
 * Shape: `at` is the index of its first byte; `flipped`: stored with every bit inverted (Teredo).
 */
const EMBEDDING_BLOCKS: readonly { readonly cidr: string; readonly at: number; readonly flipped: boolean }[] =
  [
    { cidr: '::ffff:0:0:0/96', at: 12, flipped: false },
    { cidr: '64:ff9b::/96', at: 12, flipped: false },
    { cidr: '2002::/16', at: 2, flipped: false },
    { cidr: '2001::/32', at: 12, flipped: true },
    { cidr: '::/96', at: 12, flipped: false },
  ];

/**
 * The one spelling of an address: IPv4 dotted, IPv6 after RFC 5952, IPv4-mapped IPv6 as the IPv4 that it is.
 *
 * Errors: null for what is no literal address, and for addresses with a zone.
 */
export function canonicalizeAddress(text: string): string | null {
  if (isIP(text) === 0 || text.includes('%')) return null;
  const address = ipaddr.parse(text);
  if (address.kind() === 'ipv4') return address.toString();
  const six = ipaddr.IPv6.parse(text);
  return six.isIPv4MappedAddress() ? six.toIPv4Address().toString() : six.toRFC5952String();
}

/** Whose address it is, as far as that can be told: of version 6 one owner has at least a network of 64 bits. */
export function addressOwnerOf(address: string): string {
  const canonical = canonicalizeAddress(address);
  if (!canonical?.includes(':')) return canonical ?? address;
  return `${ipaddr.IPv6.parse(canonical)
    .parts.slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

/** Says what kind of address a literal is; null when it is none. */
export function classifyAddress(text: string): AddressKind | null {
  const canonical = canonicalizeAddress(text);
  if (canonical === null) return null;
  const address = ipaddr.parse(canonical);
  const own = ownerBlockOf(address);
  if (address.kind() === 'ipv4') return own;
  const carrier = EMBEDDING_BLOCKS.find((one) => address.match(ipaddr.parseCIDR(one.cidr)));
  if (carrier === undefined || own === 'loopback' || own === 'unspecified') return own;
  const carried = address.toByteArray().slice(carrier.at, carrier.at + 4);
  const inside = ownerBlockOf(
    ipaddr.fromByteArray(carrier.flipped ? carried.map((byte) => 255 - byte) : carried),
  );
  // The gateway's own loopback, not that of this machine.
  if (inside === 'loopback') return 'translated';
  // A harmless address inside does not make the wrapping one harmless; a forbidden one makes it forbidden.
  return inside === 'public' || inside === 'private' ? own : inside;
}

/** Whether an address lies in one of the blocks, each given as `address/bits`. */
export function isInAddressBlocks(address: string, cidrs: readonly string[]): boolean {
  const canonical = canonicalizeAddress(address);
  if (canonical === null) return false;
  const parsed = ipaddr.parse(canonical);
  return cidrs.some((cidr) => {
    const block = ipaddr.parseCIDR(cidr);
    return block[0].kind() === parsed.kind() && parsed.match(block);
  });
}

/** The /64 of an IPv6 address. */
export function networkOf(address: string): string {
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`).toRFC5952String()}/64`;
}

/** Whether a text is a block of addresses, `address/bits`. */
export function isAddressBlock(text: string): boolean {
  return ipaddr.isValidCIDR(text) && isIP(text.slice(0, text.indexOf('/'))) !== 0;
}

/** The kinds of addresses that a block holds. */
export function listKindsInBlock(text: string): ReadonlySet<AddressKind> {
  const [address, bits] = ipaddr.parseCIDR(text);
  const inside = ADDRESS_BLOCKS.filter(([cidr]) => {
    const block = ipaddr.parseCIDR(cidr);
    return block[0].kind() === address.kind() && block[1] >= bits && block[0].match([address, bits]);
  });
  const around = ADDRESS_BLOCKS.find(([cidr]) => {
    const block = ipaddr.parseCIDR(cidr);
    return block[0].kind() === address.kind() && block[1] <= bits && address.match(block);
  });
  return new Set([...inside.map(([, kind]) => kind), around?.[1] ?? 'public']);
}

function ownerBlockOf(address: ReturnType<typeof ipaddr.parse>): AddressKind {
  for (const [cidr, kind] of ADDRESS_BLOCKS) {
    const block = ipaddr.parseCIDR(cidr);
    if (block[0].kind() === address.kind() && address.match(block)) return kind;
  }
  return 'public';
}

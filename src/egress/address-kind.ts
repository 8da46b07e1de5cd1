import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { once } from '../core/once.ts';

/**
 * Kind of an address:
 *
 * - `private`: private networks, carrier networks and VPNs (100.64/10), and benchmarks (198.18/15)
 * - `metadata`: instance metadata services of clouds
 * - `unspecified`: 0.0.0.0/8 and ::, which Linux connects to the local host
 * - `translated`: addresses that a gateway may translate to a forbidden or unknown IPv4 address
 * - `special`: all other blocks of the IANA registries, and IPv6 outside 2000::/3
 * - `public`: all other addresses
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
 * Address blocks and their kinds. The first block that contains an address determines the kind of the address.
 * @see IANA IPv4 and IPv6 Special-Purpose Address Registries, IPv4 and IPv6 multicast registries; for
 * metadata, the documentation of the clouds.
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
  // The embedded IPv4 address is unknown, because each network operator chooses the position of that address (RFC
  // 8215).
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
 * IPv6 blocks with an embedded IPv4 address to which a gateway or the local host would forward packets. `at` is the
 * index of the first byte of the IPv4 address. `flipped`: all bits of the IPv4 address are inverted (Teredo).
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
 * Returns the canonical form of an address: dotted IPv4, IPv6 according to RFC 5952, and IPv4 for IPv4-mapped IPv6.
 * Returns null if the string is not an address or has a zone index.
 */
export function canonicalizeAddress(text: string): string | null {
  if (isIP(text) === 0 || text.includes('%')) return null;
  const address = ipaddr.parse(text);
  if (address.kind() === 'ipv4') return address.toString();
  const ipv6 = ipaddr.IPv6.parse(text);
  return ipv6.isIPv4MappedAddress() ? ipv6.toIPv4Address().toString() : ipv6.toRFC5952String();
}

/**
 * Returns a key for the probable owner of an address. For IPv6, this is the /64 network, because an owner usually has
 * at least one such network; otherwise, the address.
 */
export function addressOwnerOf(address: string): string {
  const canonical = canonicalizeAddress(address);
  if (!canonical?.includes(':')) return canonical ?? address;
  return `${ipaddr.IPv6.parse(canonical)
    .parts.slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

/** Returns the kind of an address; null if the string is not an address. */
export function classifyAddress(text: string): AddressKind | null {
  const canonical = canonicalizeAddress(text);
  if (canonical === null) return null;
  const address = ipaddr.parse(canonical);
  const kind = blockKindOf(address);
  if (address.kind() === 'ipv4') return kind;
  const embedding = EMBEDDING_BLOCKS.find((block) => address.match(ipaddr.parseCIDR(block.cidr)));
  if (embedding === undefined || kind === 'loopback' || kind === 'unspecified') return kind;
  const embeddedBytes = address.toByteArray().slice(embedding.at, embedding.at + 4);
  const embeddedKind = blockKindOf(
    ipaddr.fromByteArray(embedding.flipped ? embeddedBytes.map((byte) => 255 - byte) : embeddedBytes),
  );
  // An embedded loopback address refers to the gateway, not to the local host.
  if (embeddedKind === 'loopback') return 'translated';
  // Only an embedded address that is neither public nor private changes the kind.
  return embeddedKind === 'public' || embeddedKind === 'private' ? kind : embeddedKind;
}

export function isInAddressBlocks(address: string, cidrs: readonly string[]): boolean {
  const canonical = canonicalizeAddress(address);
  if (canonical === null) return false;
  const parsed = ipaddr.parse(canonical);
  return cidrs.some((cidr) => isInBlock(parsed, ipaddr.parseCIDR(cidr)));
}

export function isAddressBlock(text: string): boolean {
  return ipaddr.isValidCIDR(text) && isIP(text.slice(0, text.indexOf('/'))) !== 0;
}

export function listKindsInBlock(text: string): ReadonlySet<AddressKind> {
  const outer = ipaddr.parseCIDR(text);
  const [address, bits] = outer;
  const inside = parsedBlocks().filter(({ block }) => block[1] >= bits && isInBlock(block[0], outer));
  const around = parsedBlocks().find(({ block }) => block[1] <= bits && isInBlock(address, block));
  return new Set([...inside.map(({ kind }) => kind), around?.kind ?? 'public']);
}

function blockKindOf(address: ParsedAddress): AddressKind {
  return parsedBlocks().find(({ block }) => isInBlock(address, block))?.kind ?? 'public';
}

const parsedBlocks = once(() =>
  ADDRESS_BLOCKS.map(([cidr, kind]) => ({ block: ipaddr.parseCIDR(cidr), kind })),
);

type ParsedAddress = ReturnType<typeof ipaddr.parse>;

function isInBlock(address: ParsedAddress, block: ReturnType<typeof ipaddr.parseCIDR>): boolean {
  return address.kind() === block[0].kind() && address.match(block);
}

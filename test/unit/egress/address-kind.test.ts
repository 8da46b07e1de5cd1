import { describe, expect, test } from 'vitest';
import { canonicalizeAddress, classifyAddress, isInAddressBlocks } from '../../../src/egress/address-kind.ts';

const KINDS = {
  loopback: ['127.0.0.1', '127.255.255.255', '::1', '::ffff:127.0.0.1', '::ffff:7f00:1'],
  private: [
    '10.0.0.0',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '198.19.0.1',
    'fc00::1',
    'fdff::1',
    '::ffff:10.1.2.3',
  ],
  'link-local': ['169.254.0.1', '169.254.255.255', 'fe80::1', 'febf::1', '2002:a9fe:1::1'],
  metadata: [
    '169.254.169.254',
    '100.100.100.200',
    'fd00:ec2::254',
    '::ffff:169.254.169.254',
    '::ffff:a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::',
    '2001:0:1::5601:5601',
    '::a9fe:a9fe',
  ],
  translated: [
    '64:ff9b:1::a9fe:a9fe',
    '64:ff9b:1:a9fe:a9:fe00::',
    '64:ff9b:1::808:808',
    '64:ff9b:1:fffe::a00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::1',
  ],
  unspecified: ['0.0.0.0', '0.1.2.3', '::', '::ffff:0.0.0.0'],
  multicast: ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1'],
  special: [
    '192.0.0.1',
    '192.0.2.1',
    '192.31.196.1',
    '192.88.99.1',
    '198.51.100.7',
    '203.0.113.7',
    '240.0.0.1',
    '100::1',
    '100:0:0:1::1',
    '2001:db8::1',
    '2001:2::1',
    '2002:808:808::1',
    '2001::1',
    '3fff::1',
    '5f00::1',
    'fec0::1',
    '64:ff9b::808:808',
    '4000::1',
  ],
  public: [
    '8.8.8.8',
    '172.32.0.1',
    '169.253.255.255',
    '192.167.1.1',
    '11.0.0.0',
    '2606:4700::1111',
    '2a00::1',
  ],
} as const;

describe('classifyAddress', () => {
  for (const [kind, addresses] of Object.entries(KINDS)) {
    test.each(addresses)(`the address %s is classified as ${kind}`, (address) => {
      expect(classifyAddress(address)).toBe(kind);
    });
  }

  test.each([
    '',
    'localhost',
    '127.1',
    '0x7f.1',
    '2130706433',
    '0177.0.0.1',
    'fe80::1%eth0',
    '[::1]',
    '1.2.3.4/8',
  ])('classifyAddress returns null for "%s", which is not a literal address', (text) => {
    expect(classifyAddress(text)).toBeNull();
  });
});

describe('canonicalizeAddress', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::ffff:7f00:1', '127.0.0.1'],
    ['0:0:0:0:0:0:0:1', '::1'],
    ['2001:DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ])('the canonical form of %s is %s', (text, canonical) => {
    expect(canonicalizeAddress(text)).toBe(canonical);
  });
});

describe('isInAddressBlocks', () => {
  test('isInAddressBlocks compares an address only with blocks of the same IP version', () => {
    expect(isInAddressBlocks('10.0.0.1', ['fc00::/7'])).toBe(false);
    expect(isInAddressBlocks('fc00::1', ['10.0.0.0/8', 'fc00::/7'])).toBe(true);
  });
});

/** The certificate of a recording, read by Node.js and by OpenSSL. */
import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRecordingCertificate } from '../../../src/certificate/recording-certificate.ts';
import { createTemporaryDirectory } from '../../support/temporary-directory.ts';

const NOW = new Date('2026-11-27T12:00:00Z');

describe('the certificate of a recording', () => {
  const hosts = [
    'shop.example.com',
    'xn--bcher-kva.example',
    '127.0.0.1',
    '[::1]',
    '[2001:db8::8:800:200c:417a]',
  ];
  const { key, chain, authority, fingerprint } = createRecordingCertificate(hosts, NOW);
  const certificate = new X509Certificate(chain);
  const issuer = new X509Certificate(authority);

  test('the certificate of a recording is valid for exactly the given names and addresses', () => {
    expect(certificate.subjectAltName).toBe(
      'DNS:shop.example.com, DNS:xn--bcher-kva.example, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, IP Address:2001:DB8:0:0:8:800:200C:417A',
    );
    expect(certificate.checkHost('shop.example.com')).toBe('shop.example.com');
    expect(certificate.checkHost('other.example.com')).toBeUndefined();
  });

  test('the certificates of two recordings are issued by different authorities', () => {
    expect(certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)).toBe(true);
    expect([issuer.ca, certificate.ca]).toEqual([true, false]);
    const other = createRecordingCertificate(hosts, NOW);
    expect(new X509Certificate(other.chain).verify(issuer.publicKey)).toBe(false);
    expect(other.fingerprint).not.toBe(fingerprint);
  });

  test('the certificate of a recording comes with its private key and the fingerprint of its public key', () => {
    expect(certificate.checkPrivateKey(createPrivateKey(key))).toBe(true);
    const spki = certificate.publicKey.export({ type: 'spki', format: 'der' });
    expect(fingerprint).toBe(createHash('sha256').update(spki).digest('base64'));
  });

  test('the certificate of a recording is valid from one hour before until one week after its creation', () => {
    expect(new Date(certificate.validFrom)).toEqual(new Date('2026-11-27T11:00:00Z'));
    expect(new Date(certificate.validTo)).toEqual(new Date('2026-12-04T12:00:00Z'));
  });

  test('openssl verify with -x509_strict accepts the certificate of a recording only for a host that it lists', () => {
    const directory = createTemporaryDirectory();
    onTestFinished(directory.remove);
    const [ca, leaf] = [join(directory.path, 'ca.pem'), join(directory.path, 'leaf.pem')];
    writeFileSync(ca, authority);
    writeFileSync(leaf, chain);
    const checks = ['-x509_strict', '-purpose', 'sslserver', '-attime', String(NOW.getTime() / 1000)];
    const verify = (host: string) =>
      execFileSync('openssl', ['verify', ...checks, '-verify_hostname', host, '-CAfile', ca, leaf], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    expect(verify('shop.example.com')).toBe(`${leaf}: OK\n`);
    expect(() => verify('other.example.com')).toThrow(/hostname mismatch/);
  });
});

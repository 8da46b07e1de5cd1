/** Checks of certificates and private keys in PEM format. Messages contain no key material. */
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import type { CertificateFault, CertificateTexts } from '../core/model/rules/connection-rules.ts';

export function checkCertificates({
  cert,
  key,
  passphrase,
  ca,
}: CertificateTexts): readonly CertificateFault[] {
  const found: CertificateFault[] = [];
  const [own] = cert === null ? [] : readCertificates(found, 'cert', cert);
  if (ca !== null) readCertificates(found, 'ca', ca);
  const privateKey = key === null ? null : readKey(found, key, passphrase);
  if (own !== undefined && privateKey !== null && !own.checkPrivateKey(privateKey)) {
    const message =
      '"key" is not the private key of the first certificate in "cert"; use the key of this certificate';
    found.push({ member: 'key', severity: 'error', message });
  }
  return found;
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----/g;

function readCertificates(
  found: CertificateFault[],
  member: 'cert' | 'ca',
  text: string,
): readonly X509Certificate[] {
  const blocks = text.match(CERTIFICATE) ?? [];
  const certificates = blocks.flatMap((block) => {
    try {
      return [new X509Certificate(block)];
    } catch {
      return [];
    }
  });
  if (blocks.length === 0 || certificates.length < blocks.length) {
    const message = `"${member}" contains no valid certificate in PEM format, which begins with "-----BEGIN CERTIFICATE-----"`;
    found.push({ member, severity: 'error', message });
    return [];
  }
  for (const certificate of certificates) {
    const message = validityFaultOf(member, certificate);
    if (message !== null) found.push({ member, severity: 'warning', message });
  }
  return certificates;
}

function validityFaultOf(
  member: 'cert' | 'ca',
  { validFrom, validTo, subject }: X509Certificate,
): string | null {
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  const name = subject === '' ? 'the certificate' : `the certificate "${subject.replaceAll('\n', ', ')}"`;
  const date = (at: number) => new Date(at).toISOString().slice(0, 10);
  if (to < Date.now()) return `"${member}": ${name} expired on ${date(to)}; renew it`;
  if (from > Date.now()) return `"${member}": ${name} is not valid before ${date(from)}`;
  return null;
}

function readKey(found: CertificateFault[], key: string, passphrase: string | null): KeyObject | null {
  try {
    return createPrivateKey({ key, format: 'pem', ...(passphrase === null ? {} : { passphrase }) });
  } catch {
    found.push({ member: 'key', severity: 'error', message: keyFaultText(key, passphrase !== null) });
    return null;
  }
}

function keyFaultText(key: string, hasPassphrase: boolean): string {
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(key))
    return '"key" contains no private key in PEM format, which begins with "-----BEGIN PRIVATE KEY-----"';
  if (!key.includes('ENCRYPTED')) return '"key" contains no valid private key';
  return hasPassphrase
    ? '"key" cannot be decrypted with "passphrase"; check both'
    : '"key" is encrypted; set "passphrase"';
}

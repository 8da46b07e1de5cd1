/**
 * Certificate that the recording proxy presents to clients. Node.js cannot create certificates, so this module encodes
 * them according to RFC 5280.
 */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

export interface RecordingCertificate {
  /** Private key of the certificate, in PEM format. */
  readonly key: string;
  /** The certificate, followed by the certificate of its authority, in PEM format. */
  readonly chain: string;
  /** Certificate of the authority that a client must trust, in PEM format. */
  readonly authority: string;
  /** Base64-encoded SHA-256 hash of the public key, for a command-line flag of Chromium. */
  readonly fingerprint: string;
}

/**
 * Creates a certificate for host names and addresses, and an authority that issues it.
 * @remarks The private key of the authority is discarded, so that the authority cannot issue other certificates.
 */
export function createRecordingCertificate(hosts: readonly string[], now: Date): RecordingCertificate {
  const [authority, own] = [createKeys(), createKeys()];
  const validity = { from: new Date(now.getTime() - HOUR), to: new Date(now.getTime() + 7 * 24 * HOUR) };
  const common = { ...validity, issuer: 'loadtests recording', signer: authority.privateKey };
  const issued = certificateOf({
    ...common,
    subject: 'loadtests recording',
    spki: authority.spki,
    extensions: [
      extension('2.5.29.19', true, sequence(TRUE, integer(Buffer.of(0)))),
      // keyCertSign
      extension('2.5.29.15', true, der(0x03, Buffer.of(2, 0x04))),
      extension('2.5.29.14', false, der(0x04, keyId(authority.spki))),
    ],
  });
  const certificate = certificateOf({
    ...common,
    subject: 'loadtests recording proxy',
    spki: own.spki,
    extensions: [
      // digitalSignature
      extension('2.5.29.15', true, der(0x03, Buffer.of(7, 0x80))),
      // serverAuth
      extension('2.5.29.37', false, sequence(oid('1.3.6.1.5.5.7.3.1'))),
      extension('2.5.29.35', false, sequence(der(0x80, keyId(authority.spki)))),
      extension('2.5.29.17', false, sequence(...hosts.map(alternativeName))),
    ],
  });
  return {
    key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    chain: pem(certificate) + pem(issued),
    authority: pem(issued),
    fingerprint: createHash('sha256').update(own.spki).digest('base64'),
  };
}

const HOUR = 3_600_000;

function createKeys(): { readonly privateKey: KeyObject; readonly spki: Buffer } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  return { privateKey, spki: publicKey.export({ type: 'spki', format: 'der' }) };
}

interface CertificateContent {
  readonly subject: string;
  readonly issuer: string;
  readonly from: Date;
  readonly to: Date;
  readonly spki: Buffer;
  readonly signer: KeyObject;
  readonly extensions: readonly Buffer[];
}

function certificateOf({ subject, issuer, from, to, spki, signer, extensions }: CertificateContent): Buffer {
  const algorithm = sequence(oid('1.2.840.10045.4.3.2')); // ecdsa-with-SHA256
  const content = sequence(
    der(0xa0, integer(Buffer.of(2))),
    // The first byte makes the number positive, without a leading zero byte.
    integer(Buffer.concat([Buffer.of(1), randomBytes(15)])),
    algorithm,
    encodeName(issuer),
    sequence(time(from), time(to)),
    encodeName(subject),
    spki,
    der(0xa3, sequence(...extensions)),
  );
  return sequence(content, algorithm, bitString(sign('sha256', content, signer)));
}

/** @param host - Host name or IP address, as in a URL. */
function alternativeName(host: string): Buffer {
  if (/^[\d.]+$/.test(host)) return der(0x87, Buffer.from(host.split('.').map(Number)));
  const [, address] = /^\[(.*)\]$/.exec(host) ?? [];
  return address === undefined ? der(0x82, Buffer.from(host)) : der(0x87, bytesOfIpv6(address));
}

function bytesOfIpv6(address: string): Buffer {
  const [head = [], tail = []] = address
    .split('::')
    .map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(8 - head.length - tail.length).fill('0');
  return Buffer.from([...head, ...zeros, ...tail].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function keyId(spki: Buffer): Buffer {
  return createHash('sha256').update(spki).digest().subarray(0, 20);
}

function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

// --- encoders for ASN.1 values in DER

function der(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const head =
    length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length];
  return Buffer.concat([Buffer.from(head), content]);
}

const TRUE = der(0x01, Buffer.of(0xff));

function sequence(...items: readonly Buffer[]): Buffer {
  return der(0x30, ...items);
}

function integer(bytes: Buffer): Buffer {
  return der(0x02, bytes);
}

function bitString(bytes: Buffer): Buffer {
  return der(0x03, Buffer.of(0), bytes);
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = rest.flatMap((part) => {
    const groups = [part & 0x7f];
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift(0x80 | (left & 0x7f));
    return groups;
  });
  return der(0x06, Buffer.from([first * 40 + second, ...bytes]));
}

function encodeName(text: string): Buffer {
  return sequence(der(0x31, sequence(oid('2.5.4.3'), der(0x0c, Buffer.from(text)))));
}

function time(date: Date): Buffer {
  const digits = date.toISOString().replaceAll(/\.\d+|[-:T]/g, '');
  return der(0x17, Buffer.from(digits.slice(2)));
}

function extension(id: string, isCritical: boolean, value: Buffer): Buffer {
  return sequence(oid(id), ...(isCritical ? [TRUE] : []), der(0x04, value));
}

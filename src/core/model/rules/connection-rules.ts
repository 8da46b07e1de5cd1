/** Rules for the connections of a test to its hosts. */
import { CONNECTION_NAMES, connectionOf, type HostConnection } from '../connection.ts';
import type { LoadTestSpec } from '../load-test.ts';
import { allTargetsOf } from '../phase.ts';
import { secretsOf, type Text } from '../secret.ts';
import { TEST_FIELDS } from '../test-fields.ts';
import { isLiteralAddress, readAppHost, readUrl } from '../url.ts';
import { quote } from '../../quote.ts';
import { addFault, knownText, type FaultList } from './fault.ts';

/** Maximum number of addresses that a test sets for one host. */
const MAX_ADDRESSES = 16;

/**
 * Certificates and keys in PEM format, and the passphrase of `key`; null if not set, or if a necessary secret is not
 * set.
 */
export interface CertificateTexts {
  readonly cert: string | null;
  readonly key: string | null;
  readonly passphrase: string | null;
  readonly ca: string | null;
}

export interface CertificateFault {
  readonly member: 'cert' | 'key' | 'ca';
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

/**
 * Returns the faults of certificates and keys. This function is a parameter, because the core layer cannot parse
 * certificates.
 */
export type CheckCertificates = (texts: CertificateTexts) => readonly CertificateFault[];

export function checkHostConnections(
  found: FaultList,
  spec: LoadTestSpec,
  checkCertificates: CheckCertificates,
): void {
  const urls = allTargetsOf(spec).flatMap(({ url }) => readUrl(url) ?? []);
  for (const connection of spec.connection ?? []) {
    const { host } = connection;
    const path = [TEST_FIELDS.connection.name, host];
    const read = readAppHost(host);
    const valid = 'fault' in read ? null : read.host;
    const entry = [connection];
    if (valid !== host) {
      const advice = valid === null ? '"host" or "host:port"' : quote(valid);
      const message = `${quote(host)} is not a valid host; write ${advice}`;
      addFault(found, { path, about: 'key', message });
    } else if (!urls.some((url) => connectionOf(entry, url) !== null)) {
      const message = `no URL of the test has the host ${quote(host)}; remove this host from "connection"`;
      addFault(found, { path, about: 'key', message });
    }
    checkOptions(found, connection, { path, checkCertificates });
    if (spec.tlsVerify === false && connection.options.ca !== undefined) {
      const message =
        '"ca" has no effect, because "tls_verify" is false; remove "ca", or remove "tls_verify"';
      addFault(found, { path: [...path, 'ca'], about: 'key', message });
    }
  }
}

function checkOptions(
  found: FaultList,
  { host, options }: HostConnection,
  {
    path,
    checkCertificates,
  }: { readonly path: readonly string[]; readonly checkCertificates: CheckCertificates },
): void {
  const { cert, key, passphrase, ca, serverName, resolve, ip } = options;
  if (isLiteralAddress(host)) {
    for (const [name, value] of [
      [CONNECTION_NAMES.resolve, resolve],
      [CONNECTION_NAMES.ip, ip],
    ] as const) {
      if (value === undefined) continue;
      const message = `"${name}" has no effect, because the host ${quote(host)} is an IP address; remove "${name}"`;
      addFault(found, { path: [...path, name], about: 'key', message });
    }
  }
  const addresses = resolve ?? [];
  if (addresses.length > MAX_ADDRESSES) {
    const message = `"${CONNECTION_NAMES.resolve}" has ${addresses.length} addresses; the maximum is ${MAX_ADDRESSES} for each host`;
    addFault(found, { path: [...path, CONNECTION_NAMES.resolve], about: 'value', message });
  }
  for (const address of addresses) {
    if (isLiteralAddress(address.includes(':') ? `[${address}]` : address)) continue;
    const message = `${quote(address)} is not a valid address; write an IP address in standard form, without a port, such as "192.0.2.10" or "2001:db8::1"`;
    addFault(found, { path: [...path, CONNECTION_NAMES.resolve], about: 'value', message });
  }
  if (ip !== undefined && resolve?.every((address) => address.includes(':') !== (ip === 6)) === true) {
    const message = `"${CONNECTION_NAMES.resolve}" has no IPv${ip} address; add one, or change "${CONNECTION_NAMES.ip}"`;
    addFault(found, { path: [...path, CONNECTION_NAMES.ip], about: 'value', message });
  }
  for (const [name, other, isSet, hasOther] of [
    ['cert', 'key', cert, key],
    ['key', 'cert', key, cert],
    ['passphrase', 'key', passphrase, key],
  ] as const) {
    if (isSet === undefined || hasOther !== undefined) continue;
    const message = `"${name}" requires "${other}"; set both`;
    addFault(found, { path: [...path, name], about: 'key', message });
  }
  if (serverName !== undefined && !isServerName(serverName)) {
    const message = `${quote(serverName)} is not a valid server name; write a host name without a port, such as "shop.example.com"`;
    addFault(found, { path: [...path, CONNECTION_NAMES.serverName], about: 'value', message });
  }
  const texts = {
    cert: textIfKnown(cert),
    key: isKnown(passphrase) ? textIfKnown(key) : null,
    passphrase: textIfKnown(passphrase),
    ca: textIfKnown(ca),
  };
  for (const { member, severity, message } of checkCertificates(texts))
    addFault(found, { path: [...path, member], about: 'value', severity, message });
}

/** Reports whether a text is a host name. SNI cannot contain an address (RFC 6066, section 3). */
function isServerName(text: string): boolean {
  const read = readAppHost(text);
  return 'hostname' in read && read.hostname === text.toLowerCase() && !isLiteralAddress(text);
}

function textIfKnown(text: Text | undefined): string | null {
  return text === undefined || !isKnown(text) ? null : knownText(text);
}

function isKnown(text: Text | undefined): boolean {
  return text === undefined || secretsOf(text).every(({ present }) => present);
}

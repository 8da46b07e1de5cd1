/** Reads the options that determine how curl connects: certificates, TLS versions and addresses. */
import type { IntakeConnection } from '../core/intake/intake.ts';
import { cutText, literalOf, literalStart, type IntakeText } from '../core/intake/intake-text.ts';
import { isLiteralAddress } from '../core/model/url.ts';

/** Options with an argument. */
export const CONNECTION_OPTIONS = [
  'cert',
  'key',
  'cacert',
  'pass',
  'cert-type',
  'key-type',
  'resolve',
  'connect-to',
];

/**
 * Options without an argument, with the settings that they imply. Minimum TLS versions before 1.2 imply no settings.
 */
export const CONNECTION_FLAGS: Readonly<Record<string, Partial<IntakeConnection>>> = {
  tlsv1: {},
  'tlsv1.0': {},
  'tlsv1.1': {},
  'tlsv1.2': { tlsMin: '1.2' },
  'tlsv1.3': { tlsMin: '1.3' },
  ipv4: { ip: 4 },
  ipv6: { ip: 6 },
};

/** Matches paths that `${file:…}` can contain. */
const REFERENCE_PATH = /^[^{}\r\n]+$/;

/** Returns the settings of an option, or a sentence that states why a configuration file cannot express the option. */
export function connectionSetting(
  option: string,
  text: IntakeText,
): Partial<IntakeConnection> | { readonly loss: string } {
  const unsupported = {
    loss: `the value of the curl option --${option} is not supported, so the option is ignored`,
  };
  switch (option) {
    case 'cert':
      return certificateSetting(text) ?? unsupported;
    case 'key':
    case 'cacert': {
      const path = pathOf(text);
      if (path === null) return unsupported;
      return option === 'key' ? { key: path } : { ca: path };
    }
    case 'pass':
      return { passphrase: text };
    case 'cert-type':
    case 'key-type':
      return literalOf(text)?.toUpperCase() === 'PEM'
        ? {}
        : { loss: `the curl option --${option} supports only PEM; convert the file to PEM` };
    case 'resolve':
      return addressSetting(literalOf(text) ?? '') ?? unsupported;
    default:
      return targetSetting(literalOf(text) ?? '') ?? unsupported;
  }
}

function pathOf(text: IntakeText): string | null {
  const path = literalOf(text) ?? '';
  return REFERENCE_PATH.test(path) && !path.startsWith('pkcs11:') ? path : null;
}

/** Reads `PATH` and `PATH:PASSPHRASE`. */
function certificateSetting(text: IntakeText): Partial<IntakeConnection> | null {
  if (/^pkcs11:|\\/.test(literalStart(text))) return null;
  const [file, passphrase] = cutText(text, ':') ?? [text, null];
  const path = pathOf(file);
  return path === null ? null : { cert: path, ...(passphrase === null ? {} : { passphrase }) };
}

/** Reads `[+]HOST:PORT:ADDRESS[,ADDRESS…]`. */
function addressSetting(text: string): Partial<IntakeConnection> | null {
  const [, host = '', port = '', list = ''] = /^\+?([^:*]+):(\d+):(.+)$/.exec(text) ?? [];
  return resolvedHost(host, port, list.split(','));
}

/** Reads `HOST:PORT:ADDRESS:PORT`. The second port must be empty or equal to the first port. */
function targetSetting(text: string): Partial<IntakeConnection> | null {
  const [, host = '', port = '', address = '', otherPort = ''] =
    /^([^:]+):(\d+):(\[[^\]]+\]|[^:]+):(\d*)$/.exec(text) ?? [];
  return otherPort === '' || otherPort === port ? resolvedHost(host, port, [address]) : null;
}

function resolvedHost(
  host: string,
  port: string,
  addresses: readonly string[],
): Partial<IntakeConnection> | null {
  const plain = addresses.map((address) => address.trim().replace(/^\[(.*)\]$/, '$1'));
  const areAddresses = plain.every((address) =>
    isLiteralAddress(address.includes(':') ? `[${address}]` : address),
  );
  if (host === '' || !areAddresses) return null;
  const name = port === '80' || port === '443' ? host : `${host}:${port}`;
  return { resolve: { [name.toLowerCase()]: plain } };
}

export function withConnection(
  earlier: IntakeConnection | null,
  later: Partial<IntakeConnection>,
): IntakeConnection {
  return { ...earlier, ...later, resolve: { ...earlier?.resolve, ...later.resolve } };
}

/**
 * Returns the effective settings; null if there are none. Without `--key`, curl reads the key from the certificate
 * file.
 */
export function effectiveConnection(
  { cert, key = cert, ca, passphrase, tlsMin, ...others }: IntakeConnection,
  isSecure: boolean,
): IntakeConnection | null {
  const ofTls = {
    ...(cert === undefined || key === undefined ? {} : { cert, key, ...(passphrase && { passphrase }) }),
    ...(ca === undefined ? {} : { ca }),
    ...(tlsMin === undefined ? {} : { tlsMin }),
  };
  const connection = { ...(isSecure ? ofTls : {}), ...others };
  const { resolve, ...settings } = connection;
  return Object.keys(settings).length === 0 && Object.keys(resolve).length === 0 ? null : connection;
}

/** Verifies that a host may receive load, and selects the addresses for it. */
import { hkdfSync } from 'node:crypto';
import type { JobConnection } from '../core/load/load-job.ts';
import type { Secret } from '../core/model/secret.ts';
import type { VerifiedHost } from '../core/ports/runner.ts';
import { classifyAddress, isInAddressBlocks } from './address-kind.ts';
import { dial, prepareDestination } from './dial.ts';
import { EgressError } from './egress-error.ts';
import { fetchCapped, type CappedResponse } from './capped-fetch.ts';
import type { NameResolver } from './name-resolver.ts';
import { resolveAllowed, type AddressPolicy } from './allowed-addresses.ts';
import { parseAppHost } from './app-host.ts';

export interface HostVerifierOptions {
  readonly policy: AddressPolicy;
  readonly nameResolver: NameResolver;
  /** Address blocks that the operator trusts. For addresses in these blocks, a TXT record is sufficient. */
  readonly trustedBlocks: readonly string[];
  /** True if loopback hosts need no token, because the service runs within a command of the user. */
  readonly trustLoopback: boolean;
  readonly userAgent: string;
  readonly log: VerificationLog;
  readonly now: () => number;
  readonly randomHex: () => string;
  /** Returns the secret from which decoys are derived. The secret must not change when the service restarts. */
  readonly decoySecret: () => Secret;
}

export interface VerificationLog {
  info(line: VerificationFailure): void;
  warn(line: VerificationFailure): void;
}

interface VerificationFailure {
  readonly event: 'not-verified';
  readonly host: string;
  readonly kind: string;
  readonly reason?: string;
  readonly [field: string]: unknown;
}

/**
 * Outcome of a verification:
 *
 * - addresses: the host is verified, and only these addresses may receive load
 * - `unverified`: the host is not verified
 * - `file_missing`: the TXT record exists, but the addresses must also serve the file
 */
export type VerificationOutcome = { readonly addresses: readonly string[] } | 'unverified' | 'file_missing';

export interface HostVerifier {
  /**
   * Verifies a host: resolves its name, checks the TXT record if the method is `dns`, and requests the token file
   * from the addresses that must serve it. Trusted loopback addresses are not checked.
   *
   * An address that does not respond is omitted. If any address responds with a wrong file, the host is not
   * verified. A TXT record proves control of a name, but the name can point to any address. Therefore, untrusted
   * addresses must also serve the file.
   */
  check(candidate: VerifiedHost): Promise<VerificationOutcome>;
  /**
   * Reports whether a TXT record of a host, or of a domain above it, contains the ID of the app. Also true for a
   * trusted loopback host. Opens no connection to the host.
   */
  hasTxtRecord(candidate: VerifiedHost): Promise<boolean>;
  /**
   * Verifies addresses again, without resolving the name. If the method is `dns`, the TXT record must still exist. If
   * any addresses must serve the token file, at least one of these addresses must respond. Each one that responds must
   * serve the file. Trusted loopback addresses are not checked.
   */
  reverify(candidate: VerifiedHost, addresses: readonly string[]): Promise<boolean>;
  /** Returns the reason why a verified host must not receive load at an address and port; null if load is allowed. */
  refusalOf(address: string, port: number): string | null;
  /**
   * Returns the addresses of a trusted loopback host on which a process listens, because development servers often
   * listen on only one address of `localhost`. For other hosts, or if no process listens, returns all addresses.
   */
  selectListening(addresses: readonly string[], port: number): Promise<readonly string[]>;
}

const MAX_FILE_BYTES = 128;
/**
 * Time limit in ms for a whole check with all addresses, schemes and file names. Shorter than the default delay of
 * failures in `serve` mode, which hides the actual duration.
 */
const CHECK_DEADLINE_MS = 9000;
/** Time limit for one request, in ms. */
const FETCH_DEADLINE_MS = 4000;
const CONNECT_DEADLINE_MS = 1000;
/** Maximum number of domains above a host that are checked for a TXT record. */
const MAX_DOMAINS = 5;

const SUFFIXES = ['.txt', '.html', ''] as const;

type AddressOutcome = 'verified' | 'refused' | 'unreachable';

const ADDRESS_FAILURES = {
  refused: {
    kind: 'no_token',
    reason: 'no response contained only the token, or responses for other names contained it too',
  },
  unreachable: { kind: 'unreachable', reason: 'the address did not respond' },
} as const satisfies Record<Exclude<AddressOutcome, 'verified'>, { kind: string; reason: string }>;

export function createHostVerifier(options: HostVerifierOptions): HostVerifier {
  const isTrusted = (addresses: readonly string[]) =>
    options.trustLoopback && addresses.every((address) => classifyAddress(address) === 'loopback');

  /**
   * Logs the reason for a failure. The reason is not returned to clients, so that they cannot use the service to scan
   * networks.
   */
  const logFailure = ({ host }: VerifiedHost, error: unknown) => {
    if (!(error instanceof EgressError)) throw error;
    options.log.info({ event: 'not-verified', host, kind: error.kind, reason: error.reason });
  };

  const proveAddresses = async (
    candidate: VerifiedHost,
    addresses: readonly string[],
    prove: Prove,
  ): Promise<readonly string[] | null> => {
    const deadline = options.now() + CHECK_DEADLINE_MS;
    const verdicts = await Promise.all(
      addresses.map(async (address) => ({
        address,
        verdict: await verifyAddress(options, candidate, { address, deadline, prove }),
      })),
    );
    const verified = verdicts.flatMap(({ address, verdict }) => (verdict === 'verified' ? [address] : []));
    const isRefused = verdicts.some(({ verdict }) => verdict === 'refused');
    if (!isRefused && verified.length > 0) return verified;
    for (const { address, verdict } of verdicts) {
      if (verdict === 'verified') continue;
      const failure = ADDRESS_FAILURES[verdict];
      options.log.info({ event: 'not-verified', host: candidate.host, address, ...failure });
    }
    return null;
  };

  const resolve = async (candidate: VerifiedHost): Promise<readonly string[] | null> => {
    const { hostname, port } = parseAppHost(candidate.host);
    const ports = port === null ? [80, 443] : [port];
    const policy: AddressPolicy = (address) => {
      const refusals = ports.map((portNumber) => options.policy(address, portNumber));
      return refusals.find((reason) => reason !== null) ?? null;
    };
    try {
      return await resolveAllowed(hostname, ports[0] ?? 80, policy, {
        names: options.nameResolver,
        connection: candidate.connection,
      });
    } catch (error) {
      logFailure(candidate, error);
      return null;
    }
  };

  const selectUnproven = (candidate: VerifiedHost, addresses: readonly string[]) =>
    candidate.method === 'http'
      ? addresses
      : addresses.filter((address) => !isInAddressBlocks(address, options.trustedBlocks));

  const hasRecord = async (candidate: VerifiedHost): Promise<boolean> => {
    const expectedRecord = txtRecordOf(candidate.verificationId);
    for (const name of listRecordNames(parseAppHost(candidate.host).hostname)) {
      try {
        if ((await options.nameResolver.resolveTxtRecords(name)).includes(expectedRecord)) return true;
      } catch (error) {
        logFailure(candidate, error);
      }
    }
    const reason = `no TXT record contains "${expectedRecord}"`;
    options.log.info({ event: 'not-verified', host: candidate.host, kind: 'no_record', reason });
    return false;
  };

  return {
    async check(candidate) {
      const addresses = await resolve(candidate);
      if (addresses === null) return 'unverified';
      if (isTrusted(addresses)) return { addresses };
      if (candidate.method === 'dns' && !(await hasRecord(candidate))) return 'unverified';
      const unprovenAddresses = selectUnproven(candidate, addresses);
      const proven =
        unprovenAddresses.length === 0
          ? []
          : await proveAddresses(candidate, unprovenAddresses, proveStrictly);
      if (proven === null) return candidate.method === 'dns' ? 'file_missing' : 'unverified';
      return {
        addresses: addresses.filter(
          (address) => !unprovenAddresses.includes(address) || proven.includes(address),
        ),
      };
    },
    async hasTxtRecord(candidate) {
      if (options.trustLoopback) {
        const addresses = await resolve(candidate);
        if (addresses !== null && isTrusted(addresses)) return true;
      }
      return await hasRecord(candidate);
    },
    async reverify(candidate, addresses) {
      if (isTrusted(addresses)) return true;
      if (candidate.method === 'dns' && !(await hasRecord(candidate))) return false;
      const unprovenAddresses = selectUnproven(candidate, addresses);
      return (
        unprovenAddresses.length === 0 ||
        (await proveAddresses(candidate, unprovenAddresses, proveQuickly)) !== null
      );
    },
    refusalOf: (address, port) => options.policy(address, port),
    async selectListening(addresses, port) {
      if (addresses.length < 2 || !isTrusted(addresses)) return addresses;
      const accepted = await Promise.all(addresses.map((address) => acceptsConnection(address, port)));
      const listening = addresses.filter((_, index) => accepted[index]);
      return listening.length === 0 ? addresses : listening;
    },
  };
}

/** Returns the content of the TXT record: `<prefix>=<app_id>` for the verification ID `<prefix>-<app_id>`. */
export function txtRecordOf(verificationId: string): string {
  const at = verificationId.lastIndexOf('-');
  return `${verificationId.slice(0, at)}=${verificationId.slice(at + 1)}`;
}

/**
 * Returns the names whose TXT records are checked: the host, and at most `MAX_DOMAINS` domains above it with at least
 * two labels, preferring short ones.
 *
 * A list of public suffixes is not needed. The owner of a domain above a host, such as `example.co.uk`, `github.io` or
 * `co.uk`, also controls the DNS records of the host. Therefore, the TXT record grants that owner no additional
 * control.
 */
function listRecordNames(hostname: string): readonly string[] {
  if (classifyAddress(hostname) !== null) return [];
  const labels = hostname.split('.');
  const above = labels.flatMap((_, index) => {
    const name = labels.slice(index).join('.');
    return index > 0 && labels.length - index >= 2 ? [name] : [];
  });
  return [hostname, ...above.slice(-MAX_DOMAINS)];
}

async function verifyAddress(
  options: HostVerifierOptions,
  candidate: VerifiedHost,
  at: { readonly address: string; readonly deadline: number; readonly prove: Prove },
): Promise<AddressOutcome> {
  const createDecoy = () => decoyOf(candidate.verificationId, options.randomHex());
  const decoys = listDecoys(candidate.verificationId, options.decoySecret());
  let responded = false;
  for (const scheme of ['http', 'https']) {
    for (const suffix of SUFFIXES) {
      const verdict = await at.prove({
        name: candidate.verificationId,
        decoys,
        createDecoy,
        read: async (name) =>
          await fetchToken(options, `${scheme}://${candidate.host}/${name}${suffix}`, {
            ...at,
            connection: candidate.connection,
          }),
      });
      if (verdict === 'unreachable') break;
      responded = true;
      if (verdict === 'verified') return 'verified';
      if (verdict === 'echo') {
        options.log.warn({ event: 'not-verified', host: candidate.host, kind: 'echo' });
      }
    }
  }
  return responded ? 'refused' : 'unreachable';
}

interface TokenLocation {
  /** Name of the file, which is also its content. */
  readonly name: string;
  /**
   * Decoys in the format of `name`. The host must not serve files with these names. All checks of an app use the same
   * decoys.
   */
  readonly decoys: Decoys;
  readonly createDecoy: () => string;
  readonly read: (name: string) => ReturnType<typeof fetchToken>;
}

type Prove = (location: TokenLocation) => Promise<'verified' | 'absent' | 'echo' | 'unreachable'>;

type Decoys = readonly [string, string];

/**
 * Checks that the token file exists and that files with other names do not. A host that echoes requested names proves
 * nothing. Such a host may echo only old names, frequently requested names, or all names except a few. Therefore, each
 * check requests the decoys before the token, and each decoy as often as the token. A new decoy is requested last,
 * once.
 */
const proveStrictly: Prove = async ({ name, decoys, createDecoy, read }) => {
  const before: Awaited<ReturnType<typeof read>>[] = [];
  for (const decoy of decoys) {
    const response = await read(decoy);
    if (response === 'unreachable') return 'unreachable';
    before.push(response);
  }
  if (!holdsToken(await read(name), name)) return 'absent';
  if (!before.every(isAbsent) || !holdsToken(await read(name), name)) return 'echo';
  for (const decoy of [...decoys, createDecoy()]) if (!isAbsent(await read(decoy))) return 'echo';
  return 'verified';
};

/**
 * Checks that the file of a recently verified host still exists. A host under load may refuse some requests, so the
 * number of requests is minimal. The host must also respond to one decoy, but not with the name of the decoy.
 */
const proveQuickly: Prove = async ({ name, decoys: [decoy], read }) => {
  const response = await read(name);
  if (response === 'unreachable') return 'unreachable';
  if (!holdsToken(response, name)) return 'absent';
  const other = await read(decoy);
  return typeof other === 'string' || holdsToken(other, decoy) ? 'echo' : 'verified';
};

function isAbsent(response: Awaited<ReturnType<typeof fetchToken>>): boolean {
  return typeof response !== 'string' && (response.status === 404 || response.status === 410);
}

/** Derives decoys that only the holder of the secret can predict. */
function listDecoys(verificationId: string, secret: Secret): Decoys {
  const derive = (number: number) => {
    const info = JSON.stringify(['loadtests', 1, 'decoy', verificationId, number]);
    return decoyOf(
      verificationId,
      Buffer.from(hkdfSync('sha256', secret.reveal(), '', info, 16)).toString('hex'),
    );
  };
  return [derive(1), derive(2)];
}

function decoyOf(verificationId: string, hex: string): string {
  return `${verificationId.slice(0, verificationId.lastIndexOf('-'))}-${hex}`;
}

function holdsToken(response: Awaited<ReturnType<typeof fetchToken>>, name: string): boolean {
  if (typeof response === 'string') return false;
  return response.status === 200 && !response.isTruncated && response.body.trim() === name;
}

async function fetchToken(
  options: HostVerifierOptions,
  url: string,
  at: {
    readonly address: string;
    readonly deadline: number;
    readonly connection: JobConnection | null;
  },
): Promise<CappedResponse | 'unreachable' | 'unusable'> {
  const remainingMs = at.deadline - options.now();
  if (remainingMs <= 0) return 'unreachable';
  try {
    return await fetchCapped({
      url,
      method: 'GET',
      headers: { 'User-Agent': options.userAgent, Accept: '*/*' },
      body: null,
      addresses: [at.address],
      maxBodyBytes: MAX_FILE_BYTES,
      deadlineMs: Math.min(remainingMs, FETCH_DEADLINE_MS),
      // The certificate is not verified, because the file is sufficient evidence even over plain HTTP.
      tlsVerify: false,
      connection: at.connection,
    });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return error.kind === 'protocol' ? 'unusable' : 'unreachable';
  }
}

/** Reports whether a connection can be opened. Sends nothing, so that the target counts no request. */
async function acceptsConnection(address: string, port: number): Promise<boolean> {
  const destination = prepareDestination({
    hostname: address,
    port,
    secure: false,
    addresses: [address],
    tlsVerify: false,
    connection: null,
  });
  return await new Promise<boolean>((resolve) => {
    const socket = dial(destination, 0, { onread: null, session: null });
    const finish = (accepted: boolean) => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
    socket.setTimeout(CONNECT_DEADLINE_MS, () => finish(false));
  });
}

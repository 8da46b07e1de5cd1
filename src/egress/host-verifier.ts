/** Whether a host consents to load, and at which addresses. Keeps nothing. */
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
  /** Blocks of addresses that the operator vouches for: there a TXT record is proof enough for load. */
  readonly trustedBlocks: readonly string[];
  /** Loopback hosts need no token: the service lives in a command of the one user of this machine. */
  readonly trustLoopback: boolean;
  readonly userAgent: string;
  readonly log: VerificationLog;
  readonly now: () => number;
  readonly randomHex: () => string;
}

/** Whom it tells why a host is not verified: callers learn nothing of it. */
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
 * | outcome        | meaning                                                                  |
 * | -------------- | ------------------------------------------------------------------------ |
 * | addresses      | the host consents, at these addresses, which are the only ones for load  |
 * | `unverified`   | it does not                                                              |
 * | `file_missing` | its TXT record is there; the addresses that its name leads to must show the file too |
 */
export type VerificationOutcome = { readonly addresses: readonly string[] } | 'unverified' | 'file_missing';

export interface HostVerifier {
  /**
   * Whether a host may get load: resolves it and asks every address for the token, or its name for the TXT record.
   *
   * Shape: an address that does not answer at all is left out; one that answers otherwise refuses the host. A TXT
   *        record proves who owns a name, and a name can be pointed at anybody: so the addresses must show the file
   *        as well, unless the operator vouches for them.
   */
  check(candidate: VerifiedHost): Promise<VerificationOutcome>;
  /** Whether the TXT record of a host, or of a domain above it, names its app. Dials nothing. */
  hasTxtRecord(candidate: VerifiedHost): Promise<boolean>;
  /** Asks addresses that were verified before once more, without resolving. */
  reverify(candidate: VerifiedHost, addresses: readonly string[]): Promise<boolean>;
  /** Why load may not go to an address and port, though its host is verified; null when it may. */
  refusalOf(address: string, port: number): string | null;
  /**
   * Of the loopback addresses of a name those on which something listens; all when there is none.
   * `localhost` has two, and a server under development is often on one of them only.
   */
  selectListening(addresses: readonly string[], port: number): Promise<readonly string[]>;
}

/** A file that holds the token is no longer than this. */
const MAX_FILE_BYTES = 128;
/** For all addresses, schemes and names of one check: shorter than the time that hides how long it took. */
const CHECK_DEADLINE_MS = 9000;
/** A host that says nothing is given up after two of these, one for each scheme. */
const FETCH_DEADLINE_MS = 4000;
const CONNECT_DEADLINE_MS = 1000;
/** Above a host, that are asked for a TXT record. */
const MAX_DOMAINS = 5;

const SUFFIXES = ['.txt', '.html', ''] as const;

type AddressOutcome = 'verified' | 'refused' | 'unreachable';

export function createHostVerifier(parts: HostVerifierOptions): HostVerifier {
  const isTrusted = (addresses: readonly string[]) =>
    parts.trustLoopback && addresses.every((address) => classifyAddress(address) === 'loopback');

  const ask = async (
    candidate: VerifiedHost,
    addresses: readonly string[],
    prove: Prove,
  ): Promise<readonly string[] | null> => {
    const deadline = parts.now() + CHECK_DEADLINE_MS;
    const verdicts = await Promise.all(
      addresses.map(async (address) => ({
        address,
        verdict: await verifyAddress(parts, candidate, { address, deadline, prove }),
      })),
    );
    if (verdicts.some(({ verdict }) => verdict === 'refused')) return null;
    const verified = verdicts.flatMap(({ address, verdict }) => (verdict === 'verified' ? [address] : []));
    return verified.length === 0 ? null : verified;
  };

  const resolve = async (candidate: VerifiedHost): Promise<readonly string[] | null> => {
    const { hostname, port } = parseAppHost(candidate.host);
    const ports = port === null ? [80, 443] : [port];
    const policy: AddressPolicy = (address) => {
      const refusals = ports.map((each) => parts.policy(address, each));
      return refusals.find((reason) => reason !== null) ?? null;
    };
    try {
      return await resolveAllowed(hostname, ports[0] ?? 80, policy, parts.nameResolver);
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      // The caller learns nothing of it, so that the service is no scanner of networks.
      parts.log.info({ event: 'not-verified', host: candidate.host, kind: error.kind, reason: error.reason });
      return null;
    }
  };

  /** Of addresses that a name leads to, those for which its TXT record is not enough. */
  const unproven = (candidate: VerifiedHost, addresses: readonly string[]) =>
    candidate.method === 'http'
      ? addresses
      : addresses.filter((address) => !isInAddressBlocks(address, parts.trustedBlocks));

  const hasRecord = async (candidate: VerifiedHost): Promise<boolean> => {
    const wanted = txtRecordOf(candidate.verificationId);
    for (const name of listRecordNames(parseAppHost(candidate.host).hostname)) {
      try {
        if ((await parts.nameResolver.resolveTxtRecords(name)).includes(wanted)) return true;
      } catch (error) {
        if (!(error instanceof EgressError)) throw error;
        parts.log.info({
          event: 'not-verified',
          host: candidate.host,
          kind: error.kind,
          reason: error.reason,
        });
      }
    }
    return false;
  };

  return {
    async check(candidate) {
      const addresses = await resolve(candidate);
      if (addresses === null) return 'unverified';
      if (isTrusted(addresses)) return { addresses };
      if (candidate.method === 'dns' && !(await hasRecord(candidate))) return 'unverified';
      const asked = unproven(candidate, addresses);
      const proven = asked.length === 0 ? [] : await ask(candidate, asked, proveStrictly);
      if (proven === null) return candidate.method === 'dns' ? 'file_missing' : 'unverified';
      return {
        addresses: addresses.filter((address) => !asked.includes(address) || proven.includes(address)),
      };
    },
    async hasTxtRecord(candidate) {
      if (parts.trustLoopback) {
        const addresses = await resolve(candidate);
        if (addresses !== null && isTrusted(addresses)) return true;
      }
      return await hasRecord(candidate);
    },
    async reverify(candidate, addresses) {
      if (isTrusted(addresses)) return true;
      if (candidate.method === 'dns' && !(await hasRecord(candidate))) return false;
      const asked = unproven(candidate, addresses);
      return asked.length === 0 || (await ask(candidate, asked, proveQuickly)) !== null;
    },
    refusalOf: (address, port) => parts.policy(address, port),
    async selectListening(addresses, port) {
      if (addresses.length < 2 || !isTrusted(addresses)) return addresses;
      const open = await Promise.all(addresses.map((address) => acceptsConnection(address, port)));
      const found = addresses.filter((_, index) => open[index]);
      return found.length === 0 ? addresses : found;
    },
  };
}

/** Content of the TXT record: `<prefix>=<app_id>` for `<prefix>-<app_id>`. */
export function txtRecordOf(verificationId: string): string {
  const at = verificationId.lastIndexOf('-');
  return `${verificationId.slice(0, at)}=${verificationId.slice(at + 1)}`;
}

/**
 * The names that may hold the record: the host and every domain above it that has two labels or more.
 *
 * Shape: no list of public suffixes says where to end, since none is needed. Whoever can write a record into a domain
 *        above a host, be it `example.co.uk`, `github.io` or `co.uk`, decides as well where the host's name leads to;
 *        so the record gives him no power that he lacks. And for load the addresses must show the file besides. A list
 *        would only age. Of very long names the host and the shortest are asked.
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

/** Of one address: by each scheme, and of each by the three names that a file may have. */
async function verifyAddress(
  parts: HostVerifierOptions,
  candidate: VerifiedHost,
  at: { readonly address: string; readonly deadline: number; readonly prove: Prove },
): Promise<AddressOutcome> {
  const createDecoy = () => decoyOf(candidate.verificationId, parts.randomHex());
  const decoy = createDecoy();
  let answered = false;
  for (const scheme of ['http', 'https']) {
    for (const suffix of SUFFIXES) {
      const verdict = await at.prove({
        name: candidate.verificationId,
        decoy,
        createDecoy,
        read: async (name) => await fetchToken(parts, `${scheme}://${candidate.host}/${name}${suffix}`, at),
      });
      if (verdict === 'unreachable') break;
      answered = true;
      if (verdict === 'verified') return 'verified';
      if (verdict === 'echo') {
        parts.log.warn({ event: 'not-verified', host: candidate.host, kind: 'echo' });
      }
    }
  }
  return answered ? 'refused' : 'unreachable';
}

/** A place where a host may show its token. */
interface TokenLocation {
  /** Of the file, and its content. */
  readonly name: string;
  /** A name of the same form that nobody has given to the host, one for all places. */
  readonly decoy: string;
  /** Gives another one at each call. */
  readonly createDecoy: () => string;
  readonly read: (name: string) => ReturnType<typeof fetchToken>;
}

type Prove = (location: TokenLocation) => Promise<'verified' | 'absent' | 'echo' | 'unreachable'>;

/**
 * Whether the file is there, and nothing else would be: a host that gives back what it is asked for proves nothing, nor
 * does one that gives back what it was asked for before, or that makes an exception now and then. So names that nobody
 * has given it are asked for first and last and must not be there, and the right one twice in between. One of them is
 * asked for as often as the right one, and one only once.
 */
const proveStrictly: Prove = async ({ name, decoy, createDecoy, read }) => {
  const first = await read(decoy);
  if (first === 'unreachable') return 'unreachable';
  if (!holdsToken(await read(name), name)) return 'absent';
  if (!isAbsent(first) || !holdsToken(await read(name), name)) return 'echo';
  return isAbsent(await read(decoy)) && isAbsent(await read(createDecoy())) ? 'verified' : 'echo';
};

/**
 * Whether the file is still there, of a host that has proven it just before. Under load a host may refuse some requests,
 * so it is asked for no more than is needed: what it answers to another name must only not be that name.
 */
const proveQuickly: Prove = async ({ name, decoy, read }) => {
  const response = await read(name);
  if (response === 'unreachable') return 'unreachable';
  if (!holdsToken(response, name)) return 'absent';
  const other = await read(decoy);
  return typeof other === 'string' || holdsToken(other, decoy) ? 'echo' : 'verified';
};

function isAbsent(response: Awaited<ReturnType<typeof fetchToken>>): boolean {
  return typeof response !== 'string' && (response.status === 404 || response.status === 410);
}

/** A sibling name of the same form. */
function decoyOf(verificationId: string, hex: string): string {
  return `${verificationId.slice(0, verificationId.lastIndexOf('-'))}-${hex}`;
}

function holdsToken(response: Awaited<ReturnType<typeof fetchToken>>, name: string): boolean {
  if (typeof response === 'string') return false;
  return response.status === 200 && !response.isTruncated && response.body.trim() === name;
}

async function fetchToken(
  parts: HostVerifierOptions,
  url: string,
  at: { readonly address: string; readonly deadline: number },
): Promise<CappedResponse | 'unreachable' | 'unusable'> {
  const left = at.deadline - parts.now();
  if (left <= 0) return 'unreachable';
  try {
    return await fetchCapped({
      url,
      method: 'GET',
      headers: { 'User-Agent': parts.userAgent, Accept: '*/*' },
      body: null,
      addresses: [at.address],
      maxBodyBytes: MAX_FILE_BYTES,
      deadlineMs: Math.min(left, FETCH_DEADLINE_MS),
      // A certificate proves no more here than plain http, which is enough; what counts is the file at this address.
      tlsVerify: false,
    });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return error.kind === 'protocol' ? 'unusable' : 'unreachable';
  }
}

/** Connects and says nothing, so that the target counts no request. */
async function acceptsConnection(address: string, port: number): Promise<boolean> {
  const destination = prepareDestination({
    hostname: address,
    port,
    secure: false,
    addresses: [address],
    tlsVerify: false,
  });
  return await new Promise<boolean>((resolve) => {
    const socket = dial(destination, 0, { onread: null, session: null });
    const end = (accepted: boolean) => {
      socket.destroy();
      resolve(accepted);
    };
    socket.once('connect', () => {
      end(true);
    });
    socket.once('error', () => {
      end(false);
    });
    socket.setTimeout(CONNECT_DEADLINE_MS, () => {
      end(false);
    });
  });
}

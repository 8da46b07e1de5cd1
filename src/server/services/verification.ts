/** Whether a host consents to load, and at which addresses. Keeps nothing. */
import { classifyAddress } from '../../egress/classify.ts';
import { dial, prepareDestination } from '../../egress/dial.ts';
import { EgressError } from '../../egress/egress-error.ts';
import { fetchCapped, type CappedResponse } from '../../egress/fetch.ts';
import { resolveAllowed, type AddressPolicy } from '../../egress/resolve.ts';
import type { ServiceLog } from '../log.ts';
import { splitHost } from './app-host.ts';

export interface VerificationParts {
  readonly policy: AddressPolicy;
  /** Loopback hosts need no token: the service lives in a command of the one user of this machine. */
  readonly trustLoopback: boolean;
  readonly userAgent: string;
  readonly log: ServiceLog;
  readonly now: () => number;
  readonly randomHex: () => string;
}

export interface Candidate {
  /** As apps are named. */
  readonly host: string;
  /** Name and content of the file. */
  readonly verificationId: string;
}

export interface Verification {
  /**
   * Resolves a host and asks every address for the token.
   *
   * Shape:  the addresses that gave it, which are the only ones that load may go to; null when it is not verified.
   *         An address that does not answer at all is left out; one that answers otherwise refuses the host.
   */
  check(candidate: Candidate): Promise<readonly string[] | null>;
  /** Asks addresses that were verified before once more, without resolving. */
  stillConsents(candidate: Candidate, addresses: readonly string[]): Promise<boolean>;
  /** Why load may not go to an address and port, though its host is verified; null when it may. */
  refusalOf(address: string, port: number): string | null;
  /**
   * Of the loopback addresses of a name those on which something listens; all when there is none.
   * `localhost` has two, and a server under development is often on one of them only.
   */
  answering(addresses: readonly string[], port: number): Promise<readonly string[]>;
}

/** A file that holds the token is no longer than this. */
const CAP_BYTES = 128;
/** For all addresses, schemes and names of one check. */
const CHECK_DEADLINE_MS = 15_000;
const FETCH_DEADLINE_MS = 5000;
const CONNECT_DEADLINE_MS = 1000;

const SUFFIXES = ['.txt', '.html', ''] as const;

type Verdict = 'verified' | 'refused' | 'unreachable';

export function openVerification(parts: VerificationParts): Verification {
  const isTrusted = (addresses: readonly string[]) =>
    parts.trustLoopback && addresses.every((address) => classifyAddress(address) === 'loopback');

  const ask = async (
    candidate: Candidate,
    addresses: readonly string[],
  ): Promise<readonly string[] | null> => {
    const deadline = parts.now() + CHECK_DEADLINE_MS;
    const verdicts = await Promise.all(
      addresses.map(async (address) => ({
        address,
        verdict: await askAddress(parts, candidate, { address, deadline }),
      })),
    );
    if (verdicts.some(({ verdict }) => verdict === 'refused')) return null;
    const verified = verdicts.flatMap(({ address, verdict }) => (verdict === 'verified' ? [address] : []));
    return verified.length === 0 ? null : verified;
  };

  return {
    async check(candidate) {
      const { hostname, port } = splitHost(candidate.host);
      const ports = port === null ? [80, 443] : [port];
      try {
        const addresses = await resolveAllowed(hostname, ports[0] ?? 80, (address) => {
          const refusals = ports.map((each) => parts.policy(address, each));
          return refusals.find((reason) => reason !== null) ?? null;
        });
        return isTrusted(addresses) ? addresses : await ask(candidate, addresses);
      } catch (error) {
        if (!(error instanceof EgressError)) throw error;
        // The caller learns nothing of it, so that the service is no scanner of networks.
        parts.log.info({
          event: 'not-verified',
          host: candidate.host,
          kind: error.kind,
          reason: error.reason,
        });
        return null;
      }
    },
    async stillConsents(candidate, addresses) {
      if (isTrusted(addresses)) return true;
      return (await ask(candidate, addresses)) !== null;
    },
    refusalOf: (address, port) => parts.policy(address, port),
    async answering(addresses, port) {
      if (addresses.length < 2 || !isTrusted(addresses)) return addresses;
      const open = await Promise.all(addresses.map((address) => accepts(address, port)));
      const found = addresses.filter((_, index) => open[index]);
      return found.length === 0 ? addresses : found;
    },
  };
}

async function askAddress(
  parts: VerificationParts,
  candidate: Candidate,
  at: { readonly address: string; readonly deadline: number },
): Promise<Verdict> {
  let answered = false;
  for (const scheme of ['http', 'https']) {
    for (const suffix of SUFFIXES) {
      const url = (name: string) => `${scheme}://${candidate.host}/${name}${suffix}`;
      const answer = await get(parts, url(candidate.verificationId), at);
      if (answer === 'unreachable') break;
      answered = true;
      if (answer === 'unusable' || !holds(answer, candidate.verificationId)) continue;
      // A host that gives back whatever it is asked for proves nothing.
      const decoyName = decoyOf(candidate.verificationId, parts.randomHex());
      const decoy = await get(parts, url(decoyName), at);
      const honest = typeof decoy !== 'string' && !holds(decoy, decoyName);
      if (!honest) parts.log.warn({ event: 'not-verified', host: candidate.host, kind: 'echo' });
      return honest ? 'verified' : 'refused';
    }
  }
  return answered ? 'refused' : 'unreachable';
}

/** A sibling name of the same form. */
function decoyOf(verificationId: string, hex: string): string {
  return `${verificationId.slice(0, verificationId.lastIndexOf('-'))}-${hex}`;
}

function holds(answer: CappedResponse, name: string): boolean {
  return answer.status === 200 && !answer.truncated && answer.body.trim() === name;
}

async function get(
  parts: VerificationParts,
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
      capBytes: CAP_BYTES,
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
async function accepts(address: string, port: number): Promise<boolean> {
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

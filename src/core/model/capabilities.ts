/** Capabilities of a service, on which the rules for tests depend. */
import { isLocalHost, type ReadUrl } from './url.ts';

export interface Capabilities {
  /** Behavior for an undefined `{{name}}`; `unknown` for a remote service. */
  readonly undefinedVariables: 'refused' | 'unknown';
  readonly tlsVerify: boolean;
  /**
   * False if schedules are not supported; `after` is the earliest start time in ms since the epoch, or null if
   * unlimited.
   */
  readonly schedules: false | { readonly after: number | null };
  /** Reports whether the service may send email to an address; null if it cannot send email. */
  readonly canEmail: ((address: string) => boolean) | null;
  /** Reports whether the service may contact a host itself, to send callbacks or download payload files. */
  readonly canCall: (host: CallbackHost) => boolean;
  /** Limits for one test; null if unknown. */
  readonly limits: TestLimits | null;
}

export type CallbackHost = Pick<ReadUrl, 'authority' | 'bareHost'>;

/** Maximum lengths of strings are in characters. */
export interface TestLimits {
  readonly targets: number;
  readonly url: number;
  readonly credential: number;
  readonly headers: number;
  readonly params: number;
  /** Maximum length of the value of a header or parameter. */
  readonly value: number;
  readonly body: number;
  readonly variables: number;
  readonly variableName: number;
  readonly property: number;
  /** Maximum duration of the load, in ms. */
  readonly duration: number;
  /** Maximum number of connections or clients. */
  readonly total: number;
  /** Maximum timeout of a request, in ms. */
  readonly timeout: number;
  readonly name: number;
  readonly notes: number;
  /** Maximum size of the complete test as JSON, in bytes. */
  readonly bytes: number;
  readonly connectionsPerHost: number;
  readonly requestsPerSecondPerHost: number;
}

/** Limits of `ownCapabilities`. schemas/api/test-create.schema.json contains most of these limits. */
export const OWN_LIMITS: TestLimits = {
  targets: 100,
  url: 8192,
  credential: 1024,
  headers: 100,
  params: 1000,
  value: 65_536,
  body: 1_048_576,
  variables: 50,
  variableName: 64,
  property: 200,
  duration: 86_400_000,
  total: 1_000_000,
  timeout: 600_000,
  name: 1000,
  notes: 65_536,
  bytes: 2 * 1024 * 1024,
  connectionsPerHost: 100_000,
  requestsPerSecondPerHost: 100_000,
};

/** Maximum length of the ownership marker that is appended to the notes, in characters. */
const MARKER_LENGTH = 512;

export function ownCapabilities(
  specific: Pick<Capabilities, 'schedules' | 'canEmail' | 'canCall'>,
  limits: TestLimits = OWN_LIMITS,
): Capabilities {
  return { undefinedVariables: 'refused', tlsVerify: true, limits, ...specific };
}

/**
 * Returns the capabilities of the embedded service, which ends with the command and has no mail relay.
 * @param hosts - Hosts of the declared apps.
 */
export function embeddedCapabilities(hosts: ReadonlySet<string>): Capabilities {
  const canCall = ({ authority, bareHost }: CallbackHost) =>
    isLocalHost(bareHost) || hosts.has(authority) || hosts.has(bareHost);
  const limits = { ...OWN_LIMITS, notes: OWN_LIMITS.notes - MARKER_LENGTH };
  return ownCapabilities({ schedules: false, canEmail: null, canCall }, limits);
}

/** Capabilities assumed for a remote service, which validates tests itself. */
export const HOSTED_CAPABILITIES: Capabilities = {
  undefinedVariables: 'unknown',
  tlsVerify: false,
  schedules: { after: null },
  canEmail: () => true,
  canCall: () => true,
  limits: null,
};

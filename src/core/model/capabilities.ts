/** What a service can do with a test. The rules for a test ask it; the file and the service hold the same value. */
import { isLocalHost, type ReadUrl } from './url.ts';

export interface Capabilities {
  /** What becomes of a `{{name}}` that nothing defines. Nobody knows it of a service of another make. */
  readonly undefinedVariables: 'refused' | 'unknown';
  /** Whether it knows `tls_verify`. */
  readonly tlsVerify: boolean;
  /** Whether tests can wait for a time; if so, for one after this instant, in ms since the epoch. Null: for any. */
  readonly schedules: false | { readonly after: number | null };
  /** Who may get mail; null: nobody, since there is no relay. */
  readonly canEmail: ((address: string) => boolean) | null;
  /** Whether the service itself may call a host, for callbacks and payload files. */
  readonly canCall: (host: CallbackHost) => boolean;
  /** Null: not known. */
  readonly limits: TestLimits | null;
}

/** A host that the service would call. */
export type CallbackHost = Pick<ReadUrl, 'authority' | 'bareHost'>;

/** The most of each that one test may have. Texts are counted in characters. */
export interface TestLimits {
  readonly targets: number;
  /** Of a URL of any kind. */
  readonly url: number;
  readonly credential: number;
  readonly headers: number;
  readonly params: number;
  /** Of the value of a header or parameter. */
  readonly value: number;
  readonly body: number;
  readonly variables: number;
  readonly variableName: number;
  readonly property: number;
  /** In ms. */
  readonly duration: number;
  /** Connections or clients. */
  readonly total: number;
  /** In ms. */
  readonly timeout: number;
  readonly name: number;
  readonly notes: number;
  /** Of the whole test as JSON. */
  readonly bytes: number;
  readonly connectionsPerHost: number;
  readonly requestsPerSecondPerHost: number;
}

/** Of the service of this package. schemas/api/test-create.schema.json says most of them again, for other clients. */
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

/** The mark that is added to the notes of a test is shorter. */
const MARKER_LENGTH = 512;

/** What the service of this package can do, wherever it runs. */
export function ownCapabilities(
  here: Pick<Capabilities, 'schedules' | 'canEmail' | 'canCall'>,
  limits: TestLimits = OWN_LIMITS,
): Capabilities {
  return { undefinedVariables: 'refused', tlsVerify: true, limits, ...here };
}

/**
 * What the service within a command can do: it ends with the command and has no mail relay.
 *
 * @param hosts of the declared apps, which are verified before a test is created
 */
export function embeddedCapabilities(hosts: ReadonlySet<string>): Capabilities {
  const canCall = ({ authority, bareHost }: CallbackHost) =>
    isLocalHost(bareHost) || hosts.has(authority) || hosts.has(bareHost);
  const limits = { ...OWN_LIMITS, notes: OWN_LIMITS.notes - MARKER_LENGTH };
  return ownCapabilities({ schedules: false, canEmail: null, canCall }, limits);
}

/** What is assumed of a service elsewhere: it decides itself, but for what only the embedded one knows. */
export const HOSTED_CAPABILITIES: Capabilities = {
  undefinedVariables: 'unknown',
  tlsVerify: false,
  schedules: { after: null },
  canEmail: () => true,
  canCall: () => true,
  limits: null,
};

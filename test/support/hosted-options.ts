/** Differences of third-party services from the API document and from our service. */

export type HostedOperation =
  | 'listApps'
  | 'registerApp'
  | 'getApp'
  | 'verifyApp'
  | 'deleteApp'
  | 'listTests'
  | 'createTest'
  | 'getTest'
  | 'runTest'
  | 'stopTest'
  | 'listResults'
  | 'getResult'
  | 'listServers'
  | 'listExtensions';

export interface HostedOptions {
  /** First word of verification ids. */
  readonly brand: string;
  /** Extensions in its OpenAPI document; null if it has none. */
  readonly extensions: readonly string[] | null;
  readonly keyHeader: string;
  readonly key: string;
  /** Status of the response to a wrong key; some services respond with 200 and the error object. */
  readonly wrongKeyStatus: number;
  /** Values of `test_type` in records; values that are not listed are written as sent. */
  readonly labels: Readonly<Record<string, string>>;
  /**
   * Representation of fields without a value: as documented, as null, as an empty object or list, or absent.
   */
  readonly emptyValue: 'documented' | 'null' | 'object' | 'list' | 'absent';
  /** Name of a test without a name, in records. */
  readonly unnamed: '' | null | 'first-url';
  readonly numbersAsStrings: boolean;
  /** Seed of the order of lists, which differs in each response; null for a stable order. */
  readonly shuffle: number | null;
  /** `record`: only in getApp. */
  readonly appStatus: 'shown' | 'record' | 'hidden';
  readonly echoPasswords: boolean;
  /** `page`: the endpoints are missing, with an HTML page. `missing`: with the error object. */
  readonly results: 'present' | 'missing' | 'page';
  /** Time after the end of a run in which its result is not_ready, in ms. */
  readonly notReadyFor: number;
  /** A number: truncated to this number of characters. */
  readonly notes: 'kept' | 'dropped' | number;
  readonly statusWords: {
    readonly pending: string;
    readonly running: string;
    readonly complete: string;
  };
  /** In ms; null: until `finishRuns`. */
  readonly runFor: number | null;
  /** The metrics of a ready result. */
  readonly metrics: Readonly<Record<string, unknown>>;
  /** `http`: requests the file from the host. A number: fails this number of times, then succeeds; verified apps remain verified. */
  readonly verification: 'http' | number;
  /** Hosts that are registered and verified from the start. */
  readonly verifiedHosts: readonly string[];
  /** Result of registering a known host again. */
  readonly registerAgain: 'same' | 'refused';
  /** Time in which a created test is missing from the list, in ms. */
  readonly listLag: number;
  /** Maximum number of members of a list. */
  readonly truncatesLists: number | null;
  /** Headers of responses with lists. */
  readonly listHeaders: Readonly<Record<string, string>>;
  /** True if a second test cannot run at the same time. */
  readonly oneRunAtATime: boolean;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** The options of a service as the public documentation describes it. */
export const HOSTED_DEFAULTS: HostedOptions = {
  brand: 'acme-loads',
  extensions: null,
  keyHeader: 'acme-auth',
  key: '5e1f0c9d8b7a69584736251403f2e1d0',
  wrongKeyStatus: 401,
  labels: { cycling: 'Cycling', 'non-cycling': 'Non-Cycling', 'per-second': 'Clients per second' },
  emptyValue: 'documented',
  unnamed: '',
  numbersAsStrings: false,
  shuffle: null,
  appStatus: 'shown',
  echoPasswords: false,
  results: 'present',
  notReadyFor: 0,
  notes: 'kept',
  statusWords: { pending: 'pending', running: 'running', complete: 'complete' },
  runFor: 50,
  metrics: {
    success: 300,
    error: 0,
    timeout_error: 0,
    network_error: 0,
    data_sent: 33_300,
    data_received: 662_700,
    avg_response_time: 12,
    avg_error_rate: 0,
  },
  verification: 0,
  verifiedHosts: [],
  registerAgain: 'same',
  listLag: 0,
  truncatesLists: null,
  listHeaders: {},
  oneRunAtATime: false,
  clock: Date.now,
};

/** Labels of newer services of this kind. */
export const NEWER_LABELS: HostedOptions['labels'] = {
  cycling: 'Maintain client load',
  'non-cycling': 'Clients per test',
  'per-second': 'Clients per second',
};

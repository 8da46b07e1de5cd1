/** How a hosted service of another make may differ from the documents and from ours. */

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
  /** What its OpenAPI document names; null: it has no such document. */
  readonly extensions: readonly string[] | null;
  readonly keyHeader: string;
  readonly key: string;
  /** Status of the answer to a wrong key; some services say 200 with the error object. */
  readonly wrongKeyStatus: number;
  /** Words for `test_type` in records; others are written as they were sent. */
  readonly labels: Readonly<Record<string, string>>;
  /** How a field without a value is written: as documented, as null, as an empty object or list, or not at all. */
  readonly emptyValue: 'documented' | 'null' | 'object' | 'list' | 'absent';
  /** A name that was not given, in records. */
  readonly unnamed: '' | null | 'first-url';
  readonly numbersAsStrings: boolean;
  /** Lists come in another order each time, from this seed. */
  readonly shuffle: number | null;
  /** `record`: in getApp only. */
  readonly appStatus: 'shown' | 'record' | 'hidden';
  readonly echoPasswords: boolean;
  /** `page`: the endpoints are missing and a page says so. `missing`: with the error object. */
  readonly results: 'present' | 'missing' | 'page';
  /** How long after the end of a run its result stays not_ready, in ms. */
  readonly notReadyFor: number;
  /** A number: cut to so many characters. */
  readonly notes: 'kept' | 'dropped' | number;
  readonly statusWords: {
    readonly pending: string;
    readonly running: string;
    readonly complete: string;
  };
  /** In ms; null: until `finishRuns`. */
  readonly runFor: number | null;
  /** The figures of a ready result. */
  readonly metrics: Readonly<Record<string, unknown>>;
  /** `http`: the host is really asked. A number: fails so many times, then passes. */
  readonly verification: 'http' | number;
  /** Hosts that are registered and verified from the start. */
  readonly verifiedHosts: readonly string[];
  /** What happens when a known host is registered again. */
  readonly registerAgain: 'same' | 'refused';
  /** How long a created test is missing from the list, in ms. */
  readonly listLag: number;
  /** Lists hold at most so many members. */
  readonly truncatesLists: number | null;
  /** Sent with lists. */
  readonly listHeaders: Readonly<Record<string, string>>;
  /** A second test cannot run beside the first. */
  readonly oneRunAtATime: boolean;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** As the public documents describe such a service. */
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

/** The labels of newer services of this kind. */
export const NEWER_LABELS: HostedOptions['labels'] = {
  cycling: 'Maintain client load',
  'non-cycling': 'Clients per test',
  'per-second': 'Clients per second',
};

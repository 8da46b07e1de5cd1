/** The complete input of a load generator. */
import type { ConnectionOptions } from '../model/connection.ts';
import type { AwsSigv4 } from '../model/aws-sigv4.ts';
import type { Expectation } from '../model/expectation.ts';
import type { Method } from '../model/method.ts';
import type { NamedValue, RequestBody } from '../model/request-body.ts';
import type { Milliseconds } from '../units.ts';
import type { Delay } from '../model/delay.ts';
import type { Flow } from '../model/flow.ts';
import type { Group } from '../model/group.ts';
import type { PaceSpec } from '../model/pace.ts';
import type { RowOrderName } from '../model/payload-file.ts';
import type { VariablePick } from '../model/variable.ts';

/** A header of a request; its value may contain `{{name}}` and `%{…}`. */
export type JobField = NamedValue<string>;

/** A file in request bodies. */
export interface JobFile {
  readonly sha256: string;
  /** Content in Base64. */
  readonly content: string;
}

/** Names and rows of a payload file. Every row has one value per name. */
export interface PayloadRows {
  readonly names: readonly string[];
  readonly values: readonly (readonly string[])[];
  /** Order of the rows. Default: see `RowOptions.order`. */
  readonly order?: RowOrderName;
  /** Names whose values are masked in traces. */
  readonly mask?: readonly string[];
  /** For each row, a string with `1` for each value that is JSON but not a JSON string. Absent if there are none. */
  readonly json?: readonly string[];
}

/**
 * A variable whose value comes from a response. `header` and `cookie` are names, and `pattern` is an RE2 pattern for
 * the body. `json` is a pointer into the body, in which `*` means the picked item of a list.
 */
export type JobVariable = { readonly name: string } & (
  | { readonly header: string }
  | { readonly cookie: string }
  | { readonly json: string; readonly pick?: VariablePick }
  | { readonly pattern: string }
  | { readonly status: true }
);

/** Connection settings for the host of a target. */
export type JobConnection = ConnectionOptions<string>;

/**
 * One request of an iteration. Strings may contain `{{name}}` and `%{…}`, which are resolved when the request
 * is sent.
 */
export interface JobTarget {
  /** The URL as written in the test, for reports. */
  readonly url: string;
  readonly secure: boolean;
  /** Host name or address without brackets, for SNI and certificates. */
  readonly hostname: string;
  readonly port: number;
  /** Value of the Host header: the host, with the port if it is not the default. */
  readonly authority: string;
  /** The verified addresses, at least one. Connections to other addresses are not allowed. */
  readonly addresses: readonly string[];
  /** Settings of the connections; null for the defaults. */
  readonly connection: JobConnection | null;
  readonly method: Method;
  /** Path and query as sent, without fragment. */
  readonly path: string;
  /** True if `path` is one variable whose value is the URL of the request: see `resolved-url.ts`. */
  readonly resolveUrl: boolean;
  readonly headers: readonly JobField[];
  readonly credentials: { readonly login: string; readonly password: string } | null;
  /** Signing of the request; null if it is not signed. */
  readonly awsSigv4: AwsSigv4<string> | null;
  /** Body of the request. It refers to the files in `bodyFiles` by their SHA-256. */
  readonly body: RequestBody<string, string> | null;
  /** Variables whose values come from the responses to this request. */
  readonly variables: readonly JobVariable[];
  /** Conditions for a successful response. Null means any status below 400. */
  readonly expect: Expectation | null;
  /** Rows of a payload file. Each request adds one row to its form or query. Null if there is no payload file. */
  readonly rows: PayloadRows | null;
  /** Think time between the end of this request and the next one. */
  readonly delay: Delay | null;
  readonly endsOnFailure: boolean;
}

export interface LoadJob extends PaceSpec {
  readonly runId: string;
  /**
   * Duration of the warm-up in whole seconds; 0 if there is none. Requests of the warm-up are counted
   * separately. In the open models, an iteration belongs to the warm-up if its due time does.
   */
  readonly warmup: Milliseconds;
  /**
   * Maximum time from sending a request to the last byte of its response. Connecting and the TLS handshake each have
   * the same timeout.
   */
  readonly timeout: Milliseconds;
  /** Percentage of failed requests that ends the run; 100 disables the check. */
  readonly errorThreshold: number;
  /** Requests of all flows, in order. */
  readonly targets: readonly JobTarget[];
  /** Weighted mix of iterations; null if all iterations are equal. */
  readonly flows: readonly Flow[] | null;
  /** Groups of requests, which an iteration repeats or skips; null if there are none. */
  readonly groups: readonly Group[] | null;
  /**
   * Number of requests at the beginning of `targets` that each client of a cycling test performs once, before its first
   * iteration; null if there are none. Their cookies and variables are available to all iterations of the client.
   */
  readonly onStart: number | null;
  /**
   * Number of lists at the beginning of `iterationRows` whose rows are assigned to clients, because `onStart`
   * uses them.
   */
  readonly clientRows: number;
  /**
   * Payload files that provide one row per iteration. The values of the row are available as variables to all
   * requests of the iteration.
   */
  readonly iterationRows: readonly PayloadRows[];
  /** Variables that every iteration starts with. A value may refer to earlier values and to rows. */
  readonly values: readonly JobField[];
  /** Contents of the files in request bodies. */
  readonly bodyFiles: readonly JobFile[];
  /** Start times of the clients of an open model; null means even. Random start times depend on `seed`. */
  readonly arrivals: 'random' | null;
  /** Number of iterations that the clients of a cycling test share; null if there is no such limit. */
  readonly iterations: number | null;
  /** Number of iterations of each client of a cycling test; null if there is no such limit. */
  readonly iterationsPerClient: number | null;
  /** Minimum time between the starts of two iterations of a client of a cycling test; null if there is none. */
  readonly pace: Milliseconds | null;
  /**
   * Maximum number of connections to each destination that all clients of the run share; null if each client opens
   * its own. Each thread has a fixed share: see `shareOf`.
   */
  readonly connections: number | null;
  /** False if each request of a cycling test opens a new connection. */
  readonly keepAlive: boolean;
  readonly tlsVerify: boolean;
  readonly userAgent: string;
  /** Seed for all random numbers in the run. */
  readonly seed: number;
  /** Requested number of engine threads, limited by the number of clients. Null selects the number automatically. */
  readonly threads: number | null;
  /**
   * Strings to mask in the recorded first exchanges: see `RunReport.exchanges`. Null
   * disables the recording.
   */
  readonly trace: { readonly secrets: readonly string[] } | null;
}

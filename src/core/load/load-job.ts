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

/** A header of a request, or a variable of `LoadJob.values`. The value may contain `{{name}}` and `%{…}`. */
export type JobField = NamedValue<string>;

/** A file that request bodies contain. */
export interface JobFile {
  readonly sha256: string;
  /** Content in Base64. */
  readonly content: string;
}

/** Names and rows of a payload file, or of one of its lists. Every row has one value per name. */
export interface PayloadRows {
  readonly names: readonly string[];
  readonly values: readonly (readonly string[])[];
  /** Order of the rows. Default: see `RowOptions.order`. */
  readonly order?: RowOrderName;
  /** Names whose values are masked in traces. */
  readonly mask?: readonly string[];
  /**
   * For each row, a string with one character per value: `1` if the value is JSON but not a JSON string, otherwise
   * `0`. Absent if all values count as strings.
   */
  readonly json?: readonly string[];
}

/**
 * A variable whose value is extracted from a response. `header` and `cookie` are names, and `pattern` is an RE2 pattern
 * for the body. `json` is a JSON Pointer into the body; `*` in the pointer means the picked item of a list.
 */
export type JobVariable = { readonly name: string } & (
  | { readonly header: string }
  | { readonly cookie: string }
  | { readonly json: string; readonly pick?: VariablePick }
  | { readonly pattern: string }
  | { readonly status: true }
);

export type JobConnection = ConnectionOptions<string>;

/** One request. Many of its strings may contain `{{name}}` and `%{…}`, which are resolved when the request is sent. */
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
  /** Connection settings; null for the defaults. */
  readonly connection: JobConnection | null;
  readonly method: Method;
  /** Path and query, without the fragment. */
  readonly path: string;
  /** True if `path` consists of one variable whose value is the URL of the request: see `resolved-url.ts`. */
  readonly resolveUrl: boolean;
  readonly headers: readonly JobField[];
  readonly credentials: { readonly login: string; readonly password: string } | null;
  /** Settings for the signature of the request; null if the request is not signed. */
  readonly awsSigv4: AwsSigv4<string> | null;
  /** Body, which refers to files in `bodyFiles` by their SHA-256; null if the request has no body. */
  readonly body: RequestBody<string, string> | null;
  readonly variables: readonly JobVariable[];
  /** Expected response; null accepts any status below 400. */
  readonly expect: Expectation | null;
  /**
   * Rows of a payload file of kind `classic`. Each request adds one row to its form or query. Null if there is no such
   * file.
   */
  readonly rows: PayloadRows | null;
  /** Think time between the end of this request and the start of the next one; null if there is none. */
  readonly delay: Delay | null;
  readonly endsOnFailure: boolean;
}

export interface LoadJob extends PaceSpec {
  readonly runId: string;
  /**
   * Length of the warm-up: a multiple of 1000; 0 if there is no warm-up. Requests of the warm-up are counted
   * separately. In the open models, an iteration belongs to the warm-up if it is due during the warm-up.
   */
  readonly warmup: Milliseconds;
  /**
   * Maximum time from sending a request to the end of its response. The same limit applies to connecting, and to the
   * TLS handshake.
   */
  readonly timeout: Milliseconds;
  /** Percentage of failed requests that ends the run; 100 disables the check. */
  readonly errorThreshold: number;
  /** All requests of the test: first those of `onStart`, then those of the iteration or of each flow. */
  readonly targets: readonly JobTarget[];
  /** See `WithIterations`, which also documents `groups` and `onStart`. */
  readonly flows: readonly Flow[] | null;
  readonly groups: readonly Group[] | null;
  readonly onStart: number | null;
  /**
   * Number of lists at the start of `iterationRows` from which each client uses one row for all its iterations and
   * `onStart`.
   */
  readonly clientRows: number;
  /**
   * Lists of rows. Each client uses one row of each of the first `clientRows` lists; each iteration uses one row of
   * each other list.
   */
  readonly iterationRows: readonly PayloadRows[];
  /** Variables that every iteration starts with. A value may refer to earlier values and to rows. */
  readonly values: readonly JobField[];
  readonly bodyFiles: readonly JobFile[];
  readonly arrivals: 'random' | null;
  /** Total number of iterations of all clients of a cycling test; null if there is no such limit. */
  readonly iterations: number | null;
  /** Number of iterations of each client of a cycling test; null if there is no such limit. */
  readonly iterationsPerClient: number | null;
  /** Minimum time between the starts of consecutive iterations of a client of a cycling test; null if there is none. */
  readonly pace: Milliseconds | null;
  /** Maximum number of connections per destination that all clients share; null if each client opens its own. */
  readonly connections: number | null;
  /** False if each request of a cycling test opens a new connection. */
  readonly keepAlive: boolean;
  readonly tlsVerify: boolean;
  readonly userAgent: string;
  readonly seed: number;
  /** Requested number of engine threads, limited by `maxShards`. Null selects the number automatically. */
  readonly threads: number | null;
  /** Strings to mask in `RunReport.exchanges`. Null disables the recording of exchanges. */
  readonly trace: { readonly secrets: readonly string[] } | null;
}

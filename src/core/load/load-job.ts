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

/** A request header, or a variable in `LoadJob.values`. The value may contain `{{name}}` and `%{…}`. */
export type JobField = NamedValue<string>;

export interface JobFile {
  readonly sha256: string;
  /** Content in Base64. */
  readonly content: string;
}

/** Names and rows of a payload file, or of one of its lists. Every row has one value per name. */
export interface PayloadRows {
  readonly names: readonly string[];
  readonly values: readonly (readonly string[])[];
  /** See `RowOptions.order`. */
  readonly order?: RowOrderName;
  /** Names of the columns whose values are masked in traces. */
  readonly mask?: readonly string[];
  /**
   * For each row, a string with one character per value: `1` if the value is JSON but not a JSON string, otherwise
   * `0`. Absent if all values count as strings.
   */
  readonly json?: readonly string[];
}

/**
 * A variable whose value is extracted from a response. `header` and `cookie` are names, and `pattern` is an RE2 pattern
 * for the body. `json` is a JSON Pointer into the body, in which `*` is the list item that `pick` selects.
 */
export type JobVariable = { readonly name: string } & (
  | { readonly header: string }
  | { readonly cookie: string }
  | { readonly json: string; readonly pick?: VariablePick }
  | { readonly pattern: string }
  | { readonly status: true }
);

export type JobConnection = ConnectionOptions<string>;

/** Strings such as header values may contain `{{name}}` and `%{…}`, which are replaced when the request is sent. */
export interface JobTarget {
  /** URL as written in the test, for reports. */
  readonly url: string;
  readonly secure: boolean;
  /** Host name, or IP address without brackets, for SNI and certificate checks. */
  readonly hostname: string;
  readonly port: number;
  /** Value of the `Host` header: the host, followed by the port if it is not the default. */
  readonly authority: string;
  /** Verified addresses of the host; at least one. Connections to other addresses are not allowed. */
  readonly addresses: readonly string[];
  /** Connection settings; null for the defaults. */
  readonly connection: JobConnection | null;
  readonly method: Method;
  /** Path and query, without the fragment. */
  readonly path: string;
  /** True if `path` is a single variable whose value determines the URL of the request: see `resolved-url.ts`. */
  readonly resolveUrl: boolean;
  readonly headers: readonly JobField[];
  readonly credentials: { readonly login: string; readonly password: string } | null;
  /** Settings for signing the request with AWS Signature Version 4; null if the request is not signed. */
  readonly awsSigv4: AwsSigv4<string> | null;
  /** Body, in which an SHA-256 digest refers to a file in `bodyFiles`; null if the request has no body. */
  readonly body: RequestBody<string, string> | null;
  readonly variables: readonly JobVariable[];
  /** Expected response; null if any status below 400 is a success. */
  readonly expect: Expectation | null;
  /** Rows of a `classic` payload file, one for each request; null if there is no such file. */
  readonly rows: PayloadRows | null;
  /** Think time between the end of this request and the start of the next one; null if there is none. */
  readonly delay: Delay | null;
  readonly endsOnFailure: boolean;
}

export interface LoadJob extends PaceSpec {
  readonly runId: string;
  /**
   * Duration of the warm-up, a multiple of 1000; 0 if there is no warm-up.
   * @see docs/internals/engine.md, section 2.3
   */
  readonly warmup: Milliseconds;
  /**
   * Maximum time from sending a request to the end of its response. The same limit applies to connecting, and to the
   * TLS handshake.
   */
  readonly timeout: Milliseconds;
  /** Percentage of failed requests at which the run ends; 100 disables the check. */
  readonly errorThreshold: number;
  /** All requests of the test: first those of `onStart`, then those of the iteration or of each flow. */
  readonly targets: readonly JobTarget[];
  /** See `WithIterations` for `flows`, `groups` and `onStart`. */
  readonly flows: readonly Flow[] | null;
  readonly groups: readonly Group[] | null;
  readonly onStart: number | null;
  /**
   * Number of lists at the beginning of `iterationRows` from which a client uses the same row in `onStart` and in each
   * of its iterations.
   */
  readonly clientRows: number;
  /** Each iteration uses one row of each list. */
  readonly iterationRows: readonly PayloadRows[];
  /** Variables that every iteration starts with. A value may refer to earlier values and to rows. */
  readonly values: readonly JobField[];
  readonly bodyFiles: readonly JobFile[];
  readonly arrivals: 'random' | null;
  /** Cycling test: total number of iterations of all clients; null if unlimited. */
  readonly iterations: number | null;
  /** Cycling test: number of iterations of each client; null if unlimited. */
  readonly iterationsPerClient: number | null;
  /** Cycling test: minimum time between the starts of consecutive iterations of a client; null if there is none. */
  readonly pace: Milliseconds | null;
  /** Maximum number of shared connections to each destination; null if each client opens its own connections. */
  readonly connections: number | null;
  /** Cycling test: false if each request opens a new connection. */
  readonly keepAlive: boolean;
  readonly tlsVerify: boolean;
  readonly userAgent: string;
  readonly seed: number;
  /** Requested number of engine threads, limited by `maxShards`; null for an automatic number. */
  readonly threads: number | null;
  /** Strings to mask in `RunReport.exchanges`; null if no exchanges are recorded. */
  readonly trace: { readonly secrets: readonly string[] } | null;
}

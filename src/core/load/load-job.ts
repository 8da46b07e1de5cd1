/** The input of a load generator: complete, so that nothing must be looked up. */
import type { Expectation } from '../model/expectation.ts';
import type { Method } from '../model/method.ts';
import type { NamedValue, RequestBody } from '../model/request-body.ts';
import type { Milliseconds } from '../units.ts';
import type { Delay } from '../model/delay.ts';
import type { PaceSpec } from '../model/pace.ts';

/** A header of a request; its value may contain `{{name}}` and `%{…}`. */
export type JobField = NamedValue<string>;

/** Rows of a payload file. Every row has one value per name. */
export interface PayloadRows {
  readonly names: readonly string[];
  readonly values: readonly (readonly string[])[];
}

/**
 * A variable taken from a response. `header` and `cookie` are names, `json` is a pointer into the body, and
 * `pattern` is an RE2 pattern for the body.
 */
export type JobVariable = { readonly name: string } & (
  | { readonly header: string }
  | { readonly cookie: string }
  | { readonly json: string }
  | { readonly pattern: string }
);

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
  /** The verified addresses, the only ones to which connections may be opened. At least one. */
  readonly addresses: readonly string[];
  readonly method: Method;
  /** Path and query as sent, without fragment. */
  readonly path: string;
  readonly headers: readonly JobField[];
  readonly credentials: { readonly login: string; readonly password: string } | null;
  readonly body: RequestBody<string> | null;
  /** Variables taken from the responses to this request. */
  readonly variables: readonly JobVariable[];
  /** Conditions for a successful response; null: any status below 400. */
  readonly expect: Expectation | null;
  /** One row per request, added to its form or query. Null without a payload file. */
  readonly rows: PayloadRows | null;
  /** Think time between the end of this request and the next one. */
  readonly delay: Delay | null;
}

export interface LoadJob extends PaceSpec {
  readonly runId: string;
  /**
   * Duration of the warm-up, which is counted separately: in the open models by the due time of an iteration.
   * Whole seconds; 0 for none.
   */
  readonly warmup: Milliseconds;
  /**
   * From sending a request to the last byte of its response. Connecting and the TLS handshake each have the
   * same timeout.
   */
  readonly timeout: Milliseconds;
  /** Percentage of failed requests that ends the run; 100 disables the check. */
  readonly errorThreshold: number;
  readonly targets: readonly JobTarget[];
  /** Payload files with one row per iteration, whose values are variables of all its requests. */
  readonly iterationRows: readonly PayloadRows[];
  readonly tlsVerify: boolean;
  readonly userAgent: string;
  /** Source of all randomness of the run. */
  readonly seed: number;
  /**
   * Requested number of engine threads; limited by the number of clients. Null: as many as the load needs.
   */
  readonly threads: number | null;
  /** Records the first exchanges with these strings masked: see `RunReport.exchanges`. Null: records none. */
  readonly trace: { readonly secrets: readonly string[] } | null;
}

/** What a generator of load is told to do: complete, and free of anything it would have to look up. */
import type { Expectation } from '../model/expectation.ts';
import type { TestType } from '../model/load-test.ts';
import type { Method } from '../model/method.ts';
import type { Milliseconds } from '../units.ts';
import type { Delay } from './delay.ts';
import type { Ramp } from './ramps.ts';

/** A header or form parameter of a request; the value may hold `{{name}}` and `%{…}`. */
export interface JobField {
  readonly name: string;
  readonly value: string;
}

/** Rows of a payload file. Every row has as many values as there are names. */
export interface PayloadRows {
  readonly names: readonly string[];
  readonly values: readonly (readonly string[])[];
}

/** `header`, `cookie`: its name; `json`: a pointer into the body; `pattern`: of RE2, for the body. */
export type JobVariable = { readonly name: string } & (
  | { readonly header: string }
  | { readonly cookie: string }
  | { readonly json: string }
  | { readonly pattern: string }
);

/** One request of a client's pass. Texts may hold `{{name}}` and `%{…}`, filled in when the request is made. */
export interface JobTarget {
  /** As the user wrote it, for reports. */
  readonly url: string;
  readonly secure: boolean;
  /** Name or literal address without brackets: for SNI and certificates. */
  readonly hostname: string;
  readonly port: number;
  /** Value of the Host header: host with non-default port. */
  readonly authority: string;
  /** The addresses that were verified; the only ones that may be dialled. At least one. */
  readonly addresses: readonly string[];
  readonly method: Method;
  /** Path with query as it is sent, without fragment. */
  readonly path: string;
  /** Fields of a form where the method has a body, else query parameters; encoded when the request is made. */
  readonly params: readonly JobField[];
  readonly headers: readonly JobField[];
  readonly credentials: { readonly login: string; readonly password: string } | null;
  readonly body: string | null;
  /** Whether it is JSON, whose strings need escapes in what is filled in. */
  readonly jsonBody: boolean;
  /** Variables taken from this request's responses. */
  readonly variables: readonly JobVariable[];
  /** What its answers must be like; null: below 400. */
  readonly expect: Expectation | null;
  /** A row for each request, added to its form or query. Null: none. */
  readonly rows: PayloadRows | null;
  /** Think time between the end of this request and the next one. */
  readonly delay: Delay | null;
}

export interface LoadJob {
  readonly runId: string;
  readonly testType: TestType;
  /** Connections at the start; only for cycling. */
  readonly initial: number;
  /** Connections at the end (cycling), clients in all (non-cycling), clients each second (per-second); the most of stages. */
  readonly total: number;
  readonly duration: Milliseconds;
  /** The stages of the pace; null: it goes straight to `total`. */
  readonly ramps: readonly Ramp[] | null;
  /** What begins before it is counted apart: of the open models a pass, by when it is due. Whole seconds; 0: nothing. */
  readonly warmup: Milliseconds;
  /** From sending a request to the last byte of its answer; connect and TLS have it as well. */
  readonly timeout: Milliseconds;
  /** Percent of failed requests that ends the run; 100 never does. */
  readonly errorThreshold: number;
  readonly targets: readonly JobTarget[];
  /** Of each a row for every pass, whose values are variables of all its requests. */
  readonly iterationRows: readonly PayloadRows[];
  readonly tlsVerify: boolean;
  readonly userAgent: string;
  /** All randomness of the run comes from it. */
  readonly seed: number;
  /** Engine threads that somebody asked for; fewer when there are fewer clients. Null: as many as the load needs. */
  readonly threads: number | null;
  /** Keeps the first exchanges word for word, but for these texts; see `RunReport.exchanges`. Null: keeps none. */
  readonly trace: { readonly secrets: readonly string[] } | null;
}

/** Intermediate form of a test that is imported from another tool. */
import type { Expectation } from '../model/expectation.ts';
import type { IpVersion, TlsVersion } from '../model/connection.ts';
import type { Group } from '../model/group.ts';
import type { Metric } from '../model/threshold.ts';
import type { Milliseconds } from '../units.ts';
import type { IntakeText } from './intake-text.ts';

/** Line and column are counted from 1. */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

export const START: SourcePosition = { line: 1, column: 1 };

/**
 * `loss`: the configuration file cannot express a part of the source. `change`: the configuration file expresses a part
 * of the source differently.
 */
export interface IntakeNote {
  readonly kind: 'loss' | 'change';
  readonly at: SourcePosition;
  /** One sentence without a final period and without values that may be secret. */
  readonly message: string;
}

export interface IntakeField {
  readonly name: string;
  readonly value: IntakeText;
}

export interface IntakePart {
  readonly name: string;
  readonly content: { readonly text: IntakeText } | { readonly file: string };
  readonly fileName: string | null;
  readonly contentType: string | null;
}

export function textPart({ name, value }: IntakeField): IntakePart {
  return { name, content: { text: value }, fileName: null, contentType: null };
}

export type IntakeBody =
  | {
      readonly kind: 'text';
      readonly text: IntakeText;
      /** True if the source inserts variables as text, so that a variable in quotes remains a JSON string. */
      readonly isVerbatim?: boolean;
    }
  /** Sent as `application/x-www-form-urlencoded`. */
  | { readonly kind: 'form'; readonly fields: readonly IntakeField[] }
  | { readonly kind: 'multipart'; readonly parts: readonly IntakePart[] };

export interface IntakeCapture {
  readonly name: string;
  readonly source: 'header' | 'cookie' | 'json' | 'body' | 'status';
  /** Name of the header or cookie, JSON Pointer, or pattern; empty if `source` is `status`. */
  readonly property: string;
  /** Selected items of the list at `*` in `property`. Default: the first item. */
  readonly pick?: 'random' | 'all';
}

export interface IntakeRows {
  /** Path, relative to the source. */
  readonly file: string;
  /** Names of the columns. Default: the values in the first line. */
  readonly columns?: readonly string[];
  readonly delimiter?: string;
  readonly order?: 'sequential' | 'random' | 'client';
}

export interface RecordedResponse {
  readonly status: number;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body: string | null;
}

export interface IntakeAws {
  readonly region: string;
  readonly service: string;
  readonly accessKeyId: IntakeText;
  readonly secretAccessKey: IntakeText;
  readonly sessionToken: IntakeText | null;
}

export interface IntakeRequest {
  readonly at: SourcePosition;
  readonly name: string | null;
  readonly method: string;
  /** Absolute URL. Its scheme and host are literal. */
  readonly url: IntakeText;
  readonly headers: readonly IntakeField[];
  readonly credentials: { readonly login: IntakeText; readonly password: IntakeText } | null;
  readonly aws?: IntakeAws | null;
  readonly body: IntakeBody | null;
  readonly captures: readonly IntakeCapture[];
  readonly expect: Expectation | null;
  /** True if the iteration ends after a failure of the request. */
  readonly stopsOnFailure?: boolean;
  /** Think time after the request. */
  readonly delay: { readonly min: Milliseconds; readonly max: Milliseconds } | null;
  readonly rows: IntakeRows | null;
  readonly response: RecordedResponse | null;
  readonly notes: readonly IntakeNote[];
}

export const EMPTY_REQUEST: Omit<IntakeRequest, 'at' | 'method' | 'url'> = {
  name: null,
  headers: [],
  credentials: null,
  body: null,
  captures: [],
  expect: null,
  delay: null,
  rows: null,
  response: null,
  notes: [],
};

/** A group whose indexes refer to the requests of its flow. */
export interface IntakeGroup extends Group {
  readonly at: SourcePosition;
}

/** The requests of one kind of iteration. `weight` is the frequency of this kind relative to the other flows. */
export interface IntakeFlow {
  readonly at: SourcePosition;
  readonly name: string;
  readonly weight: number;
  /** Variables that each iteration receives at its beginning. */
  readonly values: readonly IntakeField[];
  readonly requests: readonly IntakeRequest[];
  /** Each group precedes the groups that it contains. */
  readonly groups?: readonly IntakeGroup[];
  readonly notes: readonly IntakeNote[];
}

export interface IntakeStage {
  readonly duration: Milliseconds;
  /** Level at the end of the stage. */
  readonly to: number;
}

/** A level is a number of connections or, for the kind `rate`, a number of clients per second. */
export type IntakeLoad =
  | {
      readonly kind: 'connections' | 'rate';
      readonly initial: number;
      readonly stages: readonly IntakeStage[];
    }
  | { readonly kind: 'clients'; readonly total: number; readonly duration: Milliseconds }
  | {
      readonly kind: 'iterations';
      readonly clients: number;
      readonly count: number;
      readonly isPerClient: boolean;
      /** Maximum duration of the iterations; null if the source does not limit it. */
      readonly maxDuration: Milliseconds | null;
      /** Period in which the clients start one after another; absent if all clients start at the same time. */
      readonly rampUp?: Milliseconds;
    };

export interface IntakeThreshold {
  readonly at: SourcePosition;
  readonly metric: Metric;
  readonly limit: string;
  /** Time after which a failure of the threshold ends the run; absent if a failure does not end the run. */
  readonly abortAfter?: Milliseconds;
}

export interface IntakeConnection {
  /** Paths of files in PEM format, relative to the source. */
  readonly cert?: string;
  readonly key?: string;
  readonly ca?: string;
  readonly passphrase?: IntakeText;
  readonly tlsMin?: TlsVersion;
  readonly ip?: IpVersion;
  readonly resolve: Readonly<Record<string, readonly string[]>>;
}

export interface Intake {
  readonly flows: readonly IntakeFlow[];
  /** Requests that are sent once before the load. */
  readonly setup?: IntakeFlow | null;
  /** Requests that each client of a closed model sends once, before its first iteration. */
  readonly onStart?: IntakeFlow | null;
  /** Requests that are sent once after the load. */
  readonly teardown?: IntakeFlow | null;
  readonly load: IntakeLoad | null;
  readonly thresholds: readonly IntakeThreshold[];
  readonly timeout: Milliseconds | null;
  /** False if each request opens a new connection; absent if connections are reused. */
  readonly keepAlive?: boolean;
  /**
   * Maximum number of connections that the clients of an open model share; null or absent if each client opens its own
   * connections.
   */
  readonly connections?: number | null;
  readonly connection?: IntakeConnection | null;
  /** False if the source disables the verification of TLS certificates. */
  readonly tlsVerify: boolean;
  /** Values with a name in the source, such as variables. The name can indicate a secret. */
  readonly constants?: readonly SourceConstant[];
  readonly notes: readonly IntakeNote[];
}

/** The settings of a source that contains only requests. */
export const ONLY_REQUESTS = {
  load: null,
  thresholds: [],
  timeout: null,
  tlsVerify: true,
  notes: [],
} satisfies Partial<Intake>;

export interface SourceConstant {
  readonly name: string;
  readonly value: string;
}

/** Returns the flows of an intake, including `setup`, `onStart` and `teardown`. */
export function allFlowsOf({
  flows,
  setup,
  onStart,
  teardown,
}: Pick<Intake, 'flows' | 'setup' | 'onStart' | 'teardown'>): readonly IntakeFlow[] {
  return [setup, onStart, ...flows, teardown].filter((flow) => flow !== null && flow !== undefined);
}

/** Sorts notes by position, and removes notes with the same position and message. */
export function sortedNotes(notes: readonly IntakeNote[]): readonly IntakeNote[] {
  const distinct = new Map(notes.map((note) => [`${note.at.line}:${note.at.column} ${note.message}`, note]));
  return [...distinct.values()].sort((a, b) => a.at.line - b.at.line || a.at.column - b.at.column);
}

export function mapRequests(intake: Intake, convert: (request: IntakeRequest) => IntakeRequest): Intake {
  const converted = (flow: IntakeFlow) => ({ ...flow, requests: flow.requests.map(convert) });
  const { setup, onStart, teardown } = intake;
  return {
    ...intake,
    flows: intake.flows.map(converted),
    ...(setup ? { setup: converted(setup) } : {}),
    ...(onStart ? { onStart: converted(onStart) } : {}),
    ...(teardown ? { teardown: converted(teardown) } : {}),
  };
}

/**
 * Use of a text in a request. `field`: the value of a form field or of a text part. `body`: any other body. `identity`:
 * a login or an access key ID. `secret`: a password or a secret key.
 */
export type TextUse = 'url' | 'header' | 'field' | 'body' | 'identity' | 'secret';

/** Converts the texts of a request. `name` is the name of the header, field or secret; empty for other texts. */
export function mapTexts(
  request: IntakeRequest,
  convert: (text: IntakeText, use: TextUse, name: string) => IntakeText,
): IntakeRequest {
  const { credentials, aws, body } = request;
  const fields = (all: readonly IntakeField[], use: TextUse) =>
    all.map(({ name, value }) => ({ name, value: convert(value, use, name) }));
  const bodyOf = (from: IntakeBody): IntakeBody => {
    if (from.kind === 'text') return { ...from, text: convert(from.text, 'body', '') };
    if (from.kind === 'form') return { kind: 'form', fields: fields(from.fields, 'field') };
    const parts = from.parts.map((part) =>
      'text' in part.content
        ? { ...part, content: { text: convert(part.content.text, 'field', part.name) } }
        : part,
    );
    return { kind: 'multipart', parts };
  };
  return {
    ...request,
    url: convert(request.url, 'url', ''),
    headers: fields(request.headers, 'header'),
    credentials: credentials && {
      login: convert(credentials.login, 'identity', 'login'),
      password: convert(credentials.password, 'secret', 'password'),
    },
    ...(aws && {
      aws: {
        ...aws,
        accessKeyId: convert(aws.accessKeyId, 'identity', 'aws_access_key_id'),
        secretAccessKey: convert(aws.secretAccessKey, 'secret', 'aws_secret_access_key'),
        sessionToken: aws.sessionToken && convert(aws.sessionToken, 'secret', 'aws_session_token'),
      },
    }),
    body: body && bodyOf(body),
  };
}

/** A load test: what is declared in the file, and what the service lists. */
import type { SourceRange } from '../source-location.ts';
import type { Delay } from '../load/delay.ts';
import { rampsOf, type Ramp, type Stage } from '../load/ramps.ts';
import type { Milliseconds } from '../units.ts';
import type { Expectation } from './expectation.ts';
import type { TestId, TestKey } from './ids.ts';
import type { Method } from './method.ts';
import type { PayloadFile } from './payload-file.ts';
import type { Regression } from './regression.ts';
import type { KnownText, Text } from './secret.ts';
import type { Threshold } from './threshold.ts';

export type TestType = 'cycling' | 'non-cycling' | 'per-second';

/** Takes a value of a response for later requests of the same pass, as `{{name}}`. */
export interface VariableSpec {
  readonly name: string;
  /** The name of a header or of a cookie, or a pointer (RFC 6901) into the JSON of the body. */
  readonly property: string;
  /** See `variable.ts`; another service may know other words. */
  readonly source: string;
}

export interface NamedText {
  readonly name: string;
  readonly value: Text;
}

/** One request of a test. Null means: not given, the service's default applies. */
export interface TargetSpec {
  readonly url: string;
  readonly method: Method | null;
  readonly credentials: { readonly login: Text; readonly password: Text } | null;
  readonly headers: readonly NamedText[] | null;
  /** The form body of methods that have a body, else the query. */
  readonly params: readonly NamedText[] | null;
  readonly body: Text | null;
  /** An extension: the body is JSON, in which values of `{{…}}` are escaped. */
  readonly jsonBody: boolean | null;
  readonly payloadFileUrl: string | null;
  /** An extension. */
  readonly payloadFile: PayloadFile | null;
  /** An extension: think time behind the request. */
  readonly delay: Delay | null;
  readonly variables: readonly VariableSpec[] | null;
  /** An extension. */
  readonly expect: Expectation | null;
}

/** What a create sends. Null means: not given, the service's default applies. */
export interface LoadTestSpec {
  readonly name: string | null;
  readonly testType: TestType;
  readonly initial: number | null;
  /** The highest level of stages, where there are some. */
  readonly total: number | null;
  /** Whole seconds; the sum of stages, where there are some. */
  readonly duration: Milliseconds;
  /** An extension. */
  readonly stages: readonly Stage[] | null;
  /** An extension: whole seconds at the start that are in none of the figures. */
  readonly warmup: Milliseconds | null;
  readonly timeout: Milliseconds | null;
  /** Percent, 0 to 100. */
  readonly errorThreshold: number | null;
  readonly callback: string | null;
  readonly callbackEmail: string | null;
  /** Milliseconds since the epoch, whole seconds. */
  readonly scheduledAt: number | null;
  /** The user's own notes, without our mark. */
  readonly notes: string | null;
  readonly targets: readonly TargetSpec[];
  /** Embedded service only; null and true are the same. */
  readonly tlsVerify: boolean | null;
}

/** The defaults of an API request: docs/reference/http-api.md, section 2.2. */
export const SPEC_DEFAULTS = {
  initial: 0,
  total: 60,
  warmup: 0 as Milliseconds,
  timeout: 10_000 as Milliseconds,
  errorThreshold: 50,
  method: 'GET',
} as const;

/** The load of a test with the defaults filled in: what is paced, and how long a request and a pass may take. */
export function paceOf(spec: RunnableTest['spec']): {
  readonly testType: TestType;
  readonly initial: number;
  readonly total: number;
  readonly duration: Milliseconds;
  readonly warmup: Milliseconds;
  readonly timeout: Milliseconds;
  readonly ramps: readonly Ramp[] | null;
  readonly targets: RunnableTest['spec']['targets'];
} {
  const initial = spec.initial ?? SPEC_DEFAULTS.initial;
  const level = spec.testType === 'cycling' ? 'connections' : 'rate';
  return {
    testType: spec.testType,
    initial,
    total: spec.total ?? SPEC_DEFAULTS.total,
    duration: spec.duration,
    warmup: spec.warmup ?? SPEC_DEFAULTS.warmup,
    timeout: spec.timeout ?? SPEC_DEFAULTS.timeout,
    ramps: spec.stages === null ? null : rampsOf(level, initial, spec.stages),
    targets: spec.targets,
  };
}

/** What turns, waiting and judging need to know of a test, be it declared or only there. */
export interface RunnableTest extends Pick<
  DeclaredTest,
  'key' | 'thresholds' | 'regression' | 'urlNames' | 'needs' | 'parallel' | 'source'
> {
  readonly spec: Pick<
    LoadTestSpec,
    | 'testType'
    | 'initial'
    | 'total'
    | 'duration'
    | 'stages'
    | 'warmup'
    | 'timeout'
    | 'scheduledAt'
    | 'errorThreshold'
  > & { readonly targets: readonly Pick<TargetSpec, 'url' | 'delay' | 'payloadFile'>[] };
}

export interface DeclaredTest {
  readonly key: TestKey;
  readonly spec: LoadTestSpec;
  /** Of the test and of its URLs. */
  readonly thresholds: readonly Threshold[];
  readonly regression: Regression;
  /** What the file calls its URLs, in their order; empty where it names none. */
  readonly urlNames: readonly (string | null)[];
  readonly needs: readonly TestKey[];
  readonly parallel: boolean;
  /** `id:` of the file: adopt this existing test. */
  readonly adopt: TestId | null;
  readonly source: SourceRange | null;
}

/** A header or parameter of which not everything may be shown. */
export interface KnownField {
  readonly name: string;
  readonly value: KnownText;
}

/** What the service lists of one URL. What can hold secrets comes as `ReturnedText`, so that it cannot be shown. */
export interface ObservedTarget {
  readonly url: string;
  readonly method: string | null;
  readonly credentials: { readonly login: KnownText; readonly password: KnownText | null } | null;
  readonly headers: readonly KnownField[];
  readonly params: readonly KnownField[];
  readonly body: KnownText | null;
  /** Null: the service does not tell it. */
  readonly jsonBody: boolean | null;
  readonly payloadFileUrl: string | null;
  readonly payloadFile: PayloadFile | null;
  readonly expect: Expectation | null;
  readonly delay: Delay | null;
  /** Null: the service does not tell them. */
  readonly variables: readonly VariableSpec[] | null;
}

/** What a status word of the service means. A word that we do not know is never taken for an end. */
export type StatusKind = 'pending' | 'running' | 'complete' | 'unspecified' | 'unrecognised';

/** What the service lists of a test. Null: absent, empty, or not usable as the kind of value it should be. */
export interface ObservedTest {
  readonly id: TestId;
  /** A word that we do not know equals nothing. */
  readonly testType: TestType | { readonly unrecognised: string };
  /** The word as it came, for people. */
  readonly status: string;
  readonly statusKind: StatusKind;
  readonly name: string | null;
  /** All of it, with our mark in its last line if it is ours. */
  readonly notes: string | null;
  readonly initial: number | null;
  readonly total: number | null;
  readonly duration: Milliseconds | null;
  readonly stages: readonly Stage[] | null;
  readonly warmup: Milliseconds | null;
  readonly timeout: Milliseconds | null;
  /** Null: the service does not tell it. */
  readonly errorThreshold: number | null;
  readonly callback: string | null;
  readonly callbackEmail: string | null;
  readonly scheduledAt: number | null;
  /** Read when it is asked for: an account lists tens of thousands of tests, and few are looked at so closely. */
  readonly targets: () => readonly ObservedTarget[];
  /** Cut: a list shows the beginnings only, which say nothing of what is there; the single test has them whole. */
  readonly bodies: 'whole' | 'cut';
  readonly tlsVerify: boolean | null;
}

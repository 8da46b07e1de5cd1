/** Load tests: declared in the file, and listed by the service. */
import type { SourceRange } from '../source-location.ts';
import type { Delay } from './delay.ts';
import { rampsOf, type Ramp, type Stage } from './ramps.ts';
import type { Milliseconds } from '../units.ts';
import type { Expectation } from './expectation.ts';
import type { TestId, TestKey } from './ids.ts';
import type { Method } from './method.ts';
import type { PayloadFile } from './payload-file.ts';
import type { Regression } from './regression.ts';
import type { BodyFields, NamedValue, RequestBody } from './request-body.ts';
import type { KnownText, Text } from './secret.ts';
import type { Threshold } from './threshold.ts';

export type TestType = 'cycling' | 'non-cycling' | 'per-second';

/** Takes a value from a response for later requests of the same iteration, as `{{name}}`. */
export interface VariableSpec {
  readonly name: string;
  /** Name of a header or cookie, a JSON Pointer (RFC 6901) into the body, or a pattern for the body. */
  readonly property: string;
  /** See `variable.ts`. Third-party services may support other values. */
  readonly source: string;
}

export type NamedText = NamedValue<Text>;

/** One request of a test. Null members are not set, so the default of the service applies. */
export interface TargetSpec {
  readonly url: string;
  readonly method: Method | null;
  readonly credentials: { readonly login: Text; readonly password: Text } | null;
  readonly headers: readonly NamedText[] | null;
  readonly body: RequestBody | null;
  readonly payloadFileUrl: string | null;
  /** An extension. */
  readonly payloadFile: PayloadFile | null;
  /** Extension: think time after the request. */
  readonly delay: Delay | null;
  readonly variables: readonly VariableSpec[] | null;
  /** An extension. */
  readonly expect: Expectation | null;
}

/** Fields of a create request. Null members are not set, so the default of the service applies. */
export interface LoadTestSpec {
  readonly name: string | null;
  readonly testType: TestType;
  readonly initial: number | null;
  /** The highest level of the stages, if there are any. */
  readonly total: number | null;
  /** Whole seconds; the sum of the stages, if there are any. */
  readonly duration: Milliseconds;
  /** An extension. */
  readonly stages: readonly Stage[] | null;
  /** Extension: whole seconds at the start that are excluded from all metrics. */
  readonly warmup: Milliseconds | null;
  readonly timeout: Milliseconds | null;
  /** Percent, 0 to 100. */
  readonly errorThreshold: number | null;
  readonly callback: string | null;
  readonly callbackEmail: string | null;
  /** Milliseconds since the epoch, whole seconds. */
  readonly scheduledAt: number | null;
  /** The user's notes, without the ownership marker. */
  readonly notes: string | null;
  readonly targets: readonly TargetSpec[];
  /** Embedded service only. Null and true are equivalent. */
  readonly tlsVerify: boolean | null;
}

/** Defaults of the API: docs/reference/http-api.md, section 2.2. */
export const SPEC_DEFAULTS = {
  initial: 0,
  total: 60,
  warmup: 0 as Milliseconds,
  timeout: 10_000 as Milliseconds,
  errorThreshold: 50,
  method: 'GET',
} as const;

/** Returns the load of a test with all defaults filled in. */
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

/**
 * The fields of a test that are needed to order, await and evaluate runs, whether or not the test is
 * declared.
 */
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
  /** Thresholds of the test and of its URLs. */
  readonly thresholds: readonly Threshold[];
  readonly regression: Regression;
  /** Names of the URLs in the file, in their order; empty if no URL has a name. */
  readonly urlNames: readonly (string | null)[];
  readonly needs: readonly TestKey[];
  readonly parallel: boolean;
  /** `id:` in the file: the existing test to adopt. */
  readonly adopt: TestId | null;
  readonly source: SourceRange | null;
}

/** A header or parameter whose value may be secret. */
export type KnownField = NamedValue<KnownText>;

/**
 * One URL as listed by the service. Values that can contain secrets are of type `ReturnedText`, which cannot
 * be displayed.
 */
export interface ObservedTarget extends BodyFields<KnownText> {
  readonly url: string;
  readonly method: string | null;
  readonly credentials: { readonly login: KnownText; readonly password: KnownText | null } | null;
  readonly headers: readonly KnownField[];
  readonly params: readonly KnownField[];
  readonly payloadFileUrl: string | null;
  readonly payloadFile: PayloadFile | null;
  readonly expect: Expectation | null;
  readonly delay: Delay | null;
  /** Null if the service does not return them. */
  readonly variables: readonly VariableSpec[] | null;
}

/** Meaning of a status of the service. An unrecognized status is never treated as the end of a run. */
export type StatusKind = 'pending' | 'running' | 'complete' | 'unspecified' | 'unrecognized';

/** A test as listed by the service. Null members are absent, empty, or of an invalid type. */
export interface ObservedTest {
  readonly id: TestId;
  /** An unrecognized type is different from all declared types. */
  readonly testType: TestType | { readonly unrecognized: string };
  /** The value as received, for display. */
  readonly status: string;
  readonly statusKind: StatusKind;
  readonly name: string | null;
  /** Complete notes. The last line is the ownership marker if loadtests created the test. */
  readonly notes: string | null;
  readonly initial: number | null;
  readonly total: number | null;
  readonly duration: Milliseconds | null;
  readonly stages: readonly Stage[] | null;
  readonly warmup: Milliseconds | null;
  readonly timeout: Milliseconds | null;
  /** Null if the service does not return it. */
  readonly errorThreshold: number | null;
  readonly callback: string | null;
  readonly callbackEmail: string | null;
  readonly scheduledAt: number | null;
  /** Parsed on demand: an account can list tens of thousands of tests, most of which are never compared. */
  readonly targets: () => readonly ObservedTarget[];
  /**
   * `cut` if the list contains only the beginning of each body. The single test then contains the complete
   * bodies.
   */
  readonly bodies: 'whole' | 'cut';
  readonly tlsVerify: boolean | null;
}

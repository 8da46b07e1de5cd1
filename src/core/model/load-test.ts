/** Load tests that the file declares, and load tests that the service lists. */
import type { AbortRule } from './abort-rule.ts';
import type { AwsSigv4 } from './aws-sigv4.ts';
import type { SourceRange } from '../source-location.ts';
import type { HostConnection } from './connection.ts';
import type { Delay } from './delay.ts';
import type { Flow } from './flow.ts';
import type { Group } from './group.ts';
import { rampsOf, type Stage } from './ramps.ts';
import type { Milliseconds } from '../units.ts';
import type { Expectation } from './expectation.ts';
import type { TestId, TestKey } from './ids.ts';
import type { Method } from './method.ts';
import type { Phase, PhaseName, WithPhases } from './phase.ts';
import { rowLimitOf, type BodyFile, type PayloadFile } from './payload-file.ts';
import type { Regression } from './regression.ts';
import { filesOfBody, type BodyFields, type NamedValue, type RequestBody } from './request-body.ts';
import type { KnownText, Text } from './secret.ts';
import type { Threshold, UrlGroup } from './threshold.ts';
import type { VariablePick } from './variable.ts';

export type TestType = 'cycling' | 'non-cycling' | 'per-second';

/** A variable that takes its value from a response. */
export interface VariableSpec {
  readonly name: string;
  /**
   * Name of a header or cookie, a JSON Pointer (RFC 6901) into the body, or a pattern for the body; empty for the
   * source `status`.
   */
  readonly property: string;
  /** Source of the value: one of `VARIABLE_SOURCES`, or a source that only a third-party service supports. */
  readonly source: string;
  /** Extension: the item to select from a list, for a JSON Pointer with the segment `*`. Default: the first item. */
  readonly pick?: VariablePick;
}

export type NamedText = NamedValue<Text>;

/** One request of a test. Null members are not set; the default of the service applies. */
export interface TargetSpec {
  readonly url: string;
  /** Extension: true if the path of `url` is one variable whose value is a path or URL: see `resolved-url.ts`. */
  readonly resolveUrl: boolean | null;
  readonly method: Method | null;
  readonly credentials: { readonly login: Text; readonly password: Text } | null;
  readonly awsSigv4: AwsSigv4 | null;
  readonly headers: readonly NamedText[] | null;
  readonly body: RequestBody | null;
  readonly payloadFileUrl: string | null;
  /** Extension: payload file whose rows provide values for requests; null if there is none. */
  readonly payloadFile: PayloadFile | null;
  /** Extension: think time after the request. */
  readonly delay: Delay | null;
  /** Extension: `stop` if a failed request ends the iteration. */
  readonly onFailure: string | null;
  readonly variables: readonly VariableSpec[] | null;
  /** Extension: conditions for a successful response; null accepts any status below 400. */
  readonly expect: Expectation | null;
}

/** Returns the files whose content is uploaded before the test is created. */
export function filesOfTarget({
  payloadFile,
  body,
}: Pick<TargetSpec, 'payloadFile' | 'body'>): readonly (PayloadFile | BodyFile)[] {
  return [...(payloadFile === null ? [] : [payloadFile]), ...filesOfBody(body)];
}

/** Fields of a create request. Null members are not set; the default of the service applies. */
export interface LoadTestSpec {
  readonly name: string | null;
  readonly testType: TestType;
  /** Load at the start. Extension: rates in `initial`, `total` and `stages` may have three decimal places. */
  readonly initial: number | null;
  /** Load at the end, or the number of clients of a non-cycling test; with stages, the highest level. */
  readonly total: number | null;
  /** Duration, a multiple of one second; for a test with stages, the sum of their durations. */
  readonly duration: Milliseconds;
  /** Extension: stages of the load; null if the test has none. */
  readonly stages: readonly Stage[] | null;
  /** Extension: whole seconds at the start that are excluded from all metrics. */
  readonly warmup: Milliseconds | null;
  /** Extension: variables that every iteration starts with. */
  readonly values: readonly NamedValue<string>[] | null;
  /**
   * Extension: maximum number of connections to each host if clients of an open model share connections; null if each
   * client opens its own.
   */
  readonly connections: number | null;
  /** Extension: total number of iterations of all connections of a cycling test; null if unlimited. */
  readonly iterations: number | null;
  /** Extension: number of iterations of each connection of a cycling test; null if unlimited. */
  readonly iterationsPerClient: number | null;
  /**
   * Extension: minimum time between consecutive iteration starts of a connection in a cycling test; null if there is
   * none.
   */
  readonly pace: Milliseconds | null;
  /** Extension: start times of the clients of an open model, `even` or `random`; null means even. */
  readonly arrivals: string | null;
  /** Extension: false if each request of a cycling test opens a new connection. Null and true are equivalent. */
  readonly keepAlive: boolean | null;
  readonly timeout: Milliseconds | null;
  /** Percentage of failed requests that ends a run, 0 to 100. */
  readonly errorThreshold: number | null;
  /** Extension: thresholds that end a run; null if there are none. */
  readonly abortRules: readonly AbortRule[] | null;
  readonly callback: string | null;
  readonly callbackEmail: string | null;
  /** Start time in milliseconds since the epoch, a whole number of seconds; null if the test is not scheduled. */
  readonly scheduledAt: number | null;
  /** The user's notes, without the ownership marker. */
  readonly notes: string | null;
  /** Requests of `onStart`, followed by the requests of the iterations. */
  readonly targets: readonly TargetSpec[];
  /** Extension: flows, which are a weighted mix of iterations; null if there are none. */
  readonly flows: readonly Flow[] | null;
  /**
   * Extension: groups of requests that an iteration repeats, skips or sends at the same time; null if there are none.
   */
  readonly groups: readonly Group[] | null;
  /**
   * Extension: number of initial `targets` that each client of a cycling test performs only once; null if there are
   * none.
   */
  readonly onStart: number | null;
  /** Extension: requests that a run sends before its load. */
  readonly setup: Phase<TargetSpec> | null;
  /** Extension: requests that a run sends after its load. */
  readonly teardown: Phase<TargetSpec> | null;
  /** False if the certificates of hosts are not verified. Null and true are equivalent. */
  readonly tlsVerify: boolean | null;
  /** Extension: connection settings for the hosts of the test; null if there are none. */
  readonly connection: readonly HostConnection[] | null;
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

/** Returns the load of a test with defaults in place of members that are null. */
export function paceOf(spec: RunnableTest['spec']) {
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
    flows: spec.flows,
    groups: spec.groups,
    onStart: spec.onStart,
    connections: spec.connections,
    iterationsPerClient: spec.iterationsPerClient,
    arrivals: spec.arrivals === 'random' ? ('random' as const) : null,
    ...limitIterations(spec, declaredRowLimit(spec)),
  };
}

/**
 * Returns the maximum numbers of iterations and clients; null if unlimited.
 * @param rows - Number of rows, each of which is used once; null if rows set no limit.
 */
export function limitIterations(
  { testType, iterations }: Pick<LoadTestSpec, 'testType' | 'iterations'>,
  rows: number | null,
): { readonly iterations: number | null; readonly maxClients: number | null } {
  if (rows === null) return { iterations, maxClients: null };
  return testType === 'cycling'
    ? { iterations: Math.min(iterations ?? rows, rows), maxClients: null }
    : { iterations, maxClients: rows };
}

/** Returns the row count of the smallest declared file whose rows are used once; null if no such count is known. */
export function declaredRowLimit({
  targets,
  setup,
}: Pick<RunnableTest['spec'], 'targets' | 'setup'>): number | null {
  const files = [...targets, ...(setup?.targets.slice(0, 1) ?? [])].flatMap(({ payloadFile }) =>
    payloadFile === null ? [] : [payloadFile],
  );
  return rowLimitOf(files.map(({ options, declared }) => ({ order: options?.order, rows: declared?.rows })));
}

/** The fields of a test that are needed to order, await and evaluate its runs. */
export interface RunnableTest extends Pick<
  DeclaredTest,
  'key' | 'thresholds' | 'regression' | 'urlNames' | 'urlGroups' | 'needs' | 'parallel' | 'source'
> {
  readonly spec: Omit<
    LoadTestSpec,
    | 'name'
    | 'values'
    | 'callback'
    | 'callbackEmail'
    | 'notes'
    | 'tlsVerify'
    | 'connection'
    | 'targets'
    | PhaseName
  > & {
    readonly connection: readonly HostConnection<KnownText>[] | null;
    readonly targets: readonly (Pick<
      TargetSpec,
      'url' | 'resolveUrl' | 'delay' | 'payloadFile' | 'body' | 'expect'
    > & {
      readonly method: string | null;
    })[];
  } & WithPhases<Pick<TargetSpec, 'url' | 'resolveUrl' | 'delay' | 'payloadFile' | 'body'>>;
}

export interface DeclaredTest {
  readonly key: TestKey;
  readonly spec: LoadTestSpec;
  readonly thresholds: readonly Threshold[];
  readonly regression: Regression;
  /** Names of the URLs in the file, in the order of the URLs; empty if no URL has a name. */
  readonly urlNames: readonly (string | null)[];
  /**
   * Groups of URLs that are evaluated together; absent if there are none. The test on a service does not contain these
   * groups.
   */
  readonly urlGroups?: readonly UrlGroup[];
  readonly needs: readonly TestKey[];
  readonly parallel: boolean;
  /** ID of the existing test to adopt, from `id` in the file; null if not set. */
  readonly adopt: TestId | null;
  readonly source: SourceRange | null;
}

export type KnownField = NamedValue<KnownText>;

/** One URL as listed by the service. */
export interface ObservedTarget
  extends
    BodyFields<KnownText>,
    Omit<TargetSpec, 'method' | 'credentials' | 'awsSigv4' | 'headers' | 'body'> {
  readonly method: string | null;
  readonly credentials: { readonly login: KnownText; readonly password: KnownText | null } | null;
  readonly awsSigv4: AwsSigv4<KnownText, KnownText | null> | null;
  readonly headers: readonly KnownField[];
  readonly params: readonly KnownField[];
}

/** Kind of a status; an unrecognized status is never treated as the end of a run. */
export type StatusKind = 'pending' | 'running' | 'complete' | 'unspecified' | 'unrecognized';

/** A test as listed by the service. A nullable member is null if the field is absent, empty, or of an invalid type. */
export interface ObservedTest extends Omit<
  LoadTestSpec,
  'testType' | 'duration' | 'targets' | 'connection' | PhaseName
> {
  readonly id: TestId;
  readonly testType: TestType | { readonly unrecognized: string };
  /** The status as received, for display. */
  readonly status: string;
  readonly statusKind: StatusKind;
  /** Complete notes, including the ownership marker if loadtests created the test. */
  readonly notes: string | null;
  readonly duration: Milliseconds | null;
  readonly setup: Phase<ObservedTarget> | null;
  readonly teardown: Phase<ObservedTarget> | null;
  /**
   * Parses the URLs, or the first ones up to a limit, on demand, because an account may contain tens of thousands of
   * tests.
   */
  readonly targets: (limit?: number) => readonly ObservedTarget[];
  /**
   * `cut` if the list contains only the beginning of at least one body. A request for the single test returns complete
   * bodies.
   */
  readonly bodies: 'whole' | 'cut';
  readonly connection: readonly HostConnection<KnownText>[] | null;
}

/** Returns the load and the requests of a listed test; null if its type is unrecognized or its duration is unknown. */
export function runnableSpecOf(test: ObservedTest): RunnableTest['spec'] | null {
  const { testType, duration } = test;
  if (typeof testType !== 'string' || duration === null) return null;
  return {
    ...test,
    testType,
    duration,
    ...runnableTargetsOf(test),
  };
}

/** Returns the requests of a listed test, without their bodies. */
export function runnableTargetsOf(test: ObservedTest): Pick<RunnableTest['spec'], 'targets' | PhaseName> {
  const withoutBodies = (targets: readonly ObservedTarget[]) =>
    targets.map((target) => ({ ...target, body: null }));
  const phaseOf = (phase: Phase<ObservedTarget> | null) =>
    phase && { ...phase, targets: withoutBodies(phase.targets) };
  return {
    targets: withoutBodies(test.targets()),
    setup: phaseOf(test.setup),
    teardown: phaseOf(test.teardown),
  };
}

/** Declarations in one line: `world().app('shop').test('home', {duration: '1m'}).state`. */
import { extentOf, type Stage } from '../../src/core/model/ramps.ts';
import type { DeclaredApp } from '../../src/core/model/app.ts';
import type { PassCriteria as JudgedBy } from '../../src/core/compare/run-evaluation.ts';
import { appKey, testId, testKey } from '../../src/core/model/ids.ts';
import type { DeclaredTest, LoadTestSpec, TargetSpec, TestType } from '../../src/core/model/load-test.ts';
import { readRequestBody, type BodyFields } from '../../src/core/model/request-body.ts';
import { NO_REGRESSION } from '../../src/core/model/regression.ts';
import type { DesiredState, Limits } from '../../src/core/model/state.ts';
import { kindOf, parseThreshold, type Metric, type Threshold } from '../../src/core/model/threshold.ts';
import { parseInstant } from '../../src/core/instant.ts';
import { milliseconds, parseDuration, type Milliseconds } from '../../src/core/units.ts';

export interface TestFields {
  readonly type?: TestType;
  readonly name?: string | null;
  readonly initial?: number | null;
  readonly abortRules?: LoadTestSpec['abortRules'];
  readonly total?: number | null;
  readonly duration?: string;
  readonly stages?: readonly Stage[];
  readonly warmup?: string | null;
  readonly values?: LoadTestSpec['values'];
  readonly connections?: LoadTestSpec['connections'];
  readonly iterations?: LoadTestSpec['iterations'];
  readonly onStart?: LoadTestSpec['onStart'];
  readonly iterationsPerClient?: LoadTestSpec['iterationsPerClient'];
  readonly pace?: LoadTestSpec['pace'];
  readonly arrivals?: LoadTestSpec['arrivals'];
  readonly keepAlive?: boolean | null;
  readonly timeout?: string | null;
  readonly errorThreshold?: number | null;
  readonly callback?: string | null;
  readonly callbackEmail?: string | null;
  /** A string as in the file, or ms since the epoch. */
  readonly scheduledAt?: string | number | null;
  readonly notes?: string | null;
  readonly flows?: LoadTestSpec['flows'];
  readonly groups?: LoadTestSpec['groups'];
  readonly setup?: LoadTestSpec['setup'];
  readonly teardown?: LoadTestSpec['teardown'];
  readonly tlsVerify?: boolean | null;
  readonly connection?: LoadTestSpec['connection'];
  /** A string is the `url`; a path is relative to the first app. */
  readonly urls?: readonly (string | UrlChanges)[];
  readonly thresholds?: Readonly<Partial<Record<Metric, string>>>;
  readonly needs?: readonly string[];
  readonly parallel?: boolean;
  /** Adopts the test with this id. */
  readonly id?: string;
}

export interface DeclaredStateBuilder {
  readonly state: DesiredState;
  /** The default host is `KEY.example`. */
  app(key: string, fields?: Partial<DeclaredApp>): DeclaredStateBuilder;
  test(key: string, fields?: TestFields): DeclaredStateBuilder;
  without(key: string): DeclaredStateBuilder;
  environment(name: string): DeclaredStateBuilder;
  project(name: string): DeclaredStateBuilder;
  /** Adds a renamed key. */
  moved(now: string, before: string): DeclaredStateBuilder;
  limits(limits: Partial<Limits>): DeclaredStateBuilder;
}

const EMPTY_STATE: DesiredState = {
  project: 'shop',
  environment: null,
  apps: [],
  tests: [],
  moved: new Map(),
  limits: { maxConnections: null, maxDuration: null, hosts: null },
};

export function declareState(state: DesiredState = EMPTY_STATE): DeclaredStateBuilder {
  const apps = (app: DeclaredApp) => declareState({ ...state, apps: [...state.apps, app] });
  return {
    state,
    app: (key, fields) => apps(declaredApp(key, fields)),
    // A test that is declared again replaces the previous one.
    test: (key, fields = {}) => {
      const declared = declaredTest(key, fields, state.apps);
      const at = state.tests.findIndex((one) => one.key === declared.key);
      const tests = at < 0 ? [...state.tests, declared] : state.tests.with(at, declared);
      return declareState({ ...state, tests });
    },
    without: (key) =>
      declareState({ ...state, tests: state.tests.filter((one) => one.key !== testKey(key)) }),
    environment: (name) => declareState({ ...state, environment: name }),
    project: (name) => declareState({ ...state, project: name }),
    moved: (now, before) =>
      declareState({ ...state, moved: new Map([...state.moved, [testKey(before), testKey(now)]]) }),
    limits: (limits) => declareState({ ...state, limits: { ...state.limits, ...limits } }),
  };
}

function declaredApp(key: string, fields: Partial<DeclaredApp> = {}): DeclaredApp {
  return {
    key: appKey(key),
    host: `${key}.example`,
    method: 'http',
    publish: { kind: 'manual' },
    wait: milliseconds(120_000),
    connection: null,
    source: null,
    ...fields,
  };
}

export function declaredTest(key: string, fields: TestFields, apps: readonly DeclaredApp[]): DeclaredTest {
  return {
    key: testKey(key),
    spec: specOf(fields, apps),
    thresholds: Object.entries(fields.thresholds ?? {}).map(([metric, limit]) =>
      thresholdOf(metric, limit ?? ''),
    ),
    regression: NO_REGRESSION,
    urlNames: [],
    needs: (fields.needs ?? []).map(testKey),
    parallel: fields.parallel ?? false,
    adopt: fields.id === undefined ? null : testId(fields.id),
    source: null,
  };
}

function specOf(fields: TestFields, apps: readonly DeclaredApp[]): LoadTestSpec {
  const stages = fields.stages ?? null;
  const extent = stages === null ? null : extentOf(fields.initial ?? 0, stages);
  const base = `https://${apps[0]?.host ?? 'shop.example'}`;
  const { scheduledAt = null } = fields;
  return {
    name: fields.name ?? null,
    testType: fields.type ?? 'cycling',
    initial: fields.initial ?? null,
    total: extent?.highest ?? fields.total ?? null,
    duration: extent?.lasts ?? durationOf(fields.duration ?? '1m'),
    stages,
    warmup: fields.warmup == null ? null : durationOf(fields.warmup),
    values: fields.values ?? null,
    connections: fields.connections ?? null,
    iterations: fields.iterations ?? null,
    onStart: fields.onStart ?? null,
    iterationsPerClient: fields.iterationsPerClient ?? null,
    pace: fields.pace ?? null,
    arrivals: fields.arrivals ?? null,
    keepAlive: fields.keepAlive ?? null,
    timeout: fields.timeout == null ? null : durationOf(fields.timeout),
    errorThreshold: fields.errorThreshold ?? null,
    abortRules: fields.abortRules ?? null,
    callback: fields.callback ?? null,
    callbackEmail: fields.callbackEmail ?? null,
    scheduledAt: typeof scheduledAt === 'string' ? instantOf(scheduledAt) : scheduledAt,
    notes: fields.notes ?? null,
    targets: (fields.urls ?? ['/']).map((entry) => targetOf(entry, base)),
    flows: fields.flows ?? null,
    groups: fields.groups ?? null,
    setup: fields.setup ?? null,
    teardown: fields.teardown ?? null,
    tlsVerify: fields.tlsVerify ?? null,
    connection: fields.connection ?? null,
  };
}

/** Fields of a URL; its body as in the file and the API. */
export type UrlChanges = Partial<Omit<TargetSpec, 'body'> & BodyFields>;

function targetOf(entry: string | UrlChanges, base: string): TargetSpec {
  const {
    params = null,
    body: text = null,
    jsonBody = null,
    bodyFile = null,
    multipart = null,
    ...fields
  } = typeof entry === 'string' ? { url: entry } : entry;
  const url = fields.url ?? '/';
  return {
    method: null,
    credentials: null,
    awsSigv4: null,
    headers: null,
    body: readRequestBody({ params, body: text, jsonBody, bodyFile, multipart }, 'POST').body,
    payloadFileUrl: null,
    payloadFile: null,
    delay: null,
    onFailure: null,
    resolveUrl: null,
    variables: null,
    expect: null,
    ...fields,
    url: url.startsWith('/') ? base + url : url,
  };
}

function thresholdOf(metric: string, limit: string): Threshold {
  if (!isMetric(metric)) throw new Error(`unknown metric "${metric}"`);
  const threshold = parseThreshold(metric, limit, null);
  if (threshold === null) throw new Error(`invalid threshold "${limit}"`);
  return threshold;
}

function isMetric(text: string): text is Metric {
  return kindOf(text) !== null;
}

function durationOf(text: string): Milliseconds {
  const duration = parseDuration(text);
  if (duration === null) throw new Error(`invalid duration "${text}"`);
  return duration;
}

function instantOf(text: string): number {
  const at = parseInstant(text);
  if (at === null) throw new Error(`invalid instant "${text}"`);
  return at;
}

/** Creates conditions with thresholds only. */
export function thresholdsOf(thresholds: readonly Threshold[]): JudgedBy {
  return { thresholds, regression: NO_REGRESSION };
}

/**
 * Test features that are not in the API document. If a service lacks an extension, a test that uses the extension is
 * sent only if the extension has a fallback.
 */
/* oxlint-disable boundaries/wire-names -- services list extensions and parts of results under these names */
import { usesConditions } from './expectation.ts';
import { hasGenerated } from './expression.ts';
import type { DeclaredTest, LoadTestSpec, TargetSpec, VariableSpec } from './load-test.ts';
import { phaseTestsOf } from './phase-test.ts';
import { textsOfBody } from './request-body.ts';
import { hasEscape } from './template.ts';
import { hasAnyItem } from './variable.ts';
import { isResultMetric, labelsOf, requestMetricOf, subjectText } from './threshold.ts';

interface ExtensionInfo {
  readonly description: string;
  readonly isUsedBy: (spec: LoadTestSpec) => boolean;
  /** The fallback for services without the extension; if absent, tests that use the extension are not sent to them. */
  readonly fallback?: Fallback;
}

interface Fallback {
  readonly spec: (spec: LoadTestSpec) => LoadTestSpec;
  readonly loss: Loss;
}

interface Loss {
  readonly text: string;
  readonly hint: string;
}

const TABLE = {
  methods: {
    description: 'the methods PUT, PATCH, DELETE, HEAD and OPTIONS',
    isUsedBy: ({ targets }) =>
      targets.some(({ method }) => method !== null && method !== 'GET' && method !== 'POST'),
  },
  stages: { description: 'load stages', isUsedBy: ({ stages }) => stages !== null },
  flows: { description: 'a weighted mix of flows', isUsedBy: ({ flows }) => flows !== null },
  groups: {
    description: 'groups of repeated or conditional requests',
    isUsedBy: ({ groups }) =>
      groups?.some(({ parallel, when }) => parallel !== true || when !== undefined) ?? false,
  },
  parallel: {
    description: 'requests that a client sends at the same time',
    isUsedBy: ({ groups }) => groups?.some((group) => group.parallel === true) ?? false,
  },
  setup: { description: 'requests before the load', isUsedBy: ({ setup }) => setup !== null },
  teardown: { description: 'requests after the load', isUsedBy: ({ teardown }) => teardown !== null },
  on_failure: {
    description: 'iterations that end after a failed request',
    isUsedBy: ({ targets }) => targets.some(({ onFailure }) => onFailure === 'stop'),
  },
  on_start: {
    description: 'requests that each connection sends once',
    isUsedBy: ({ onStart }) => onStart !== null,
  },
  resolve_url: {
    description: 'requests whose URL is the value of a variable',
    isUsedBy: ({ targets }) => targets.some(({ resolveUrl }) => resolveUrl === true),
  },
  fractional_rates: {
    description: 'rates that are not whole numbers',
    isUsedBy: ({ initial, total, stages }) =>
      [initial, total, ...(stages ?? []).map(({ to }) => to)].some(
        (level) => level !== null && level % 1 !== 0,
      ),
  },
  warmup: {
    description: 'a warm-up that is excluded from metrics',
    isUsedBy: ({ warmup }) => warmup !== null,
  },
  expect: {
    description: 'expectations for responses',
    isUsedBy: ({ targets }) => targets.some(({ expect }) => expect !== null && !usesConditions(expect)),
  },
  expect_conditions: {
    description: 'conditions, response times and variables in expectations',
    isUsedBy: ({ targets }) => targets.some(({ expect }) => expect !== null && usesConditions(expect)),
  },
  delay: {
    description: 'think time between requests',
    isUsedBy: ({ targets }) => targets.some(({ delay }) => delay !== null),
  },
  payload_file: {
    description: 'payload files next to the configuration file',
    isUsedBy: ({ targets }) =>
      targets.some(({ payloadFile }) => payloadFile !== null && payloadFile.options === undefined),
  },
  row_options: {
    description: 'columns, delimiters, orders and masks of payload files',
    isUsedBy: ({ targets }) => targets.some(({ payloadFile }) => payloadFile?.options !== undefined),
  },
  variables: {
    description: 'variables from cookies and bodies',
    isUsedBy: ({ targets }) =>
      targets.some(
        ({ variables }) => variables?.some((one) => one.source !== 'header' && !usesPick(one)) ?? false,
      ),
  },
  pick: {
    description: 'variables from JSON lists and status codes',
    isUsedBy: ({ targets }) => targets.some(({ variables }) => variables?.some(usesPick) ?? false),
  },
  expressions: {
    description: 'generated values and literal braces',
    isUsedBy: ({ targets }) => targets.some(usesGenerated),
  },
  values: {
    description: 'variables that are set for each iteration',
    isUsedBy: ({ values, flows }) =>
      [values, ...(flows ?? []).map((flow) => flow.values ?? null)].some((one) => (one ?? []).length > 0),
  },
  connections: {
    description: 'connections that clients share',
    isUsedBy: ({ connections }) => connections !== null,
  },
  iterations: {
    description: 'a fixed number of iterations',
    isUsedBy: ({ iterations, iterationsPerClient }) => iterations !== null || iterationsPerClient !== null,
  },
  pace: {
    description: 'a minimum time between the starts of iterations',
    isUsedBy: ({ pace }) => pace !== null,
  },
  arrivals: {
    description: 'random start times of clients',
    isUsedBy: ({ arrivals }) => arrivals === 'random',
  },
  keep_alive: {
    description: 'a new connection for each request',
    isUsedBy: ({ keepAlive }) => keepAlive === false,
  },
  connection: {
    description: 'client certificates and other settings of connections',
    isUsedBy: ({ connection }) => connection !== null,
  },
  aws_sigv4: {
    description: 'requests with AWS signatures',
    isUsedBy: ({ targets }) => targets.some(({ awsSigv4 }) => awsSigv4 !== null),
  },
  abort_after: {
    description: 'thresholds that end a run',
    isUsedBy: ({ abortRules }) => abortRules !== null,
  },
  json: {
    description: 'escaped values of variables in "json"',
    isUsedBy: ({ targets }) => targets.some(({ body }) => body?.kind === 'json'),
    fallback: {
      spec: (spec) => ({ ...spec, targets: spec.targets.map(withoutEscapes) }),
      loss: {
        text: 'the service does not list support for escaped values of "{{…}}" in "json"; a value with a quote, backslash or line break produces invalid JSON',
        hint: 'use the embedded service or "loadtests serve", which escape these values',
      },
    },
  },
  body_file: {
    description: 'request bodies from files next to the configuration file',
    isUsedBy: ({ targets }) => targets.some(({ body }) => body?.kind === 'file'),
  },
  multipart: {
    description: 'multipart request bodies',
    isUsedBy: ({ targets }) => targets.some(({ body }) => body?.kind === 'multipart'),
  },
} satisfies Readonly<Record<string, ExtensionInfo>>;

export type Extension = keyof typeof TABLE;

export const EXTENSIONS: Readonly<Record<Extension, ExtensionInfo>> = TABLE;

function usesPick({ source, property, pick }: VariableSpec): boolean {
  return pick !== undefined || source === 'status' || (source === 'json' && hasAnyItem(property));
}

/** Reports whether a request contains an expression for a generated value, or literal braces. */
function usesGenerated({ url, headers, body }: TargetSpec): boolean {
  const texts = [...(headers ?? []), ...textsOfBody(body)].flatMap(({ value }) =>
    typeof value === 'string' ? [value] : value.parts.filter((part) => typeof part === 'string'),
  );
  return hasGenerated(url, { escaped: true }) || texts.some((text) => hasGenerated(text) || hasEscape(text));
}

/** Returns the request with its JSON body as plain text, in which values are not escaped. */
function withoutEscapes(target: TargetSpec): TargetSpec {
  return target.body?.kind === 'json' ? { ...target, body: { ...target.body, kind: 'text' } } : target;
}

/**
 * A part of a result that is not in the API document. If a service lacks the part, thresholds that need it may have no
 * verdict.
 */
export type ResultPart = 'histograms' | 'urls' | 'iteration_times' | 'status_codes';

interface ResultPartInfo {
  readonly description: string;
  readonly thresholdsOf: (test: DeclaredTest) => readonly string[];
}

export const RESULT_PARTS: Readonly<Record<ResultPart, ResultPartInfo>> = {
  histograms: {
    description: 'histograms of response times',
    thresholdsOf: ({ thresholds, regression }) =>
      [...thresholds, ...regression.thresholds].flatMap(({ metric }) =>
        isResultMetric(metric) ? [] : [metric],
      ),
  },
  urls: {
    description: 'metrics for each URL',
    thresholdsOf: ({ thresholds }) =>
      thresholds.flatMap((one) =>
        one.url === null && one.group === undefined ? [] : [subjectText(labelsOf(one))],
      ),
  },
  iteration_times: {
    description: 'durations of iterations',
    thresholdsOf: ({ thresholds }) =>
      thresholds.flatMap(({ metric, flow }) =>
        requestMetricOf(metric) === null ? [] : [subjectText({ metric, flow: flow?.label })],
      ),
  },
  status_codes: {
    description: 'response counts by status code',
    thresholdsOf: ({ thresholds }) =>
      thresholds.flatMap((one) => (one.metric === 'http_error_rate' ? [subjectText(labelsOf(one))] : [])),
  },
};

const RESULT_PART_NAMES = Object.keys(RESULT_PARTS) as readonly ResultPart[]; // The object has all names of its type.

export function resultPartsOf(test: DeclaredTest): readonly ResultPart[] {
  return RESULT_PART_NAMES.filter((name) => RESULT_PARTS[name].thresholdsOf(test).length > 0);
}

export const EXTENSION_NAMES = Object.keys(EXTENSIONS) as readonly Extension[]; // The object has all names of its type.

export function extensionsOf(spec: LoadTestSpec): readonly Extension[] {
  const specs = [spec, ...phaseTestsOf(spec).map((phase) => phase.spec)];
  return EXTENSION_NAMES.filter((name) => specs.some(EXTENSIONS[name].isUsedBy));
}

/** Returns the extensions that a test uses, that the service lacks, and that have no fallback. */
export function findBlockingExtensions(spec: LoadTestSpec, known: ReadonlySet<string>): readonly Extension[] {
  return extensionsOf(spec).filter((name) => !known.has(name) && EXTENSIONS[name].fallback === undefined);
}

/** Returns the test as sent to a service, and a description of each part that fallbacks omit. */
export function toSentSpec(
  spec: LoadTestSpec,
  known: ReadonlySet<string>,
): { readonly spec: LoadTestSpec; readonly losses: readonly Loss[] } {
  const instead = extensionsOf(spec).flatMap((name) =>
    known.has(name) ? [] : (EXTENSIONS[name].fallback ?? []),
  );
  return {
    spec: instead.reduce((sent, one) => one.spec(sent), spec),
    losses: instead.map(({ loss }) => loss),
  };
}

/** Name of the extension for storing verdicts. */
export const VERDICT_EXTENSION = 'verdict';

/** Extensions and result parts that the embedded service and `loadtests serve` list. */
export const OWN_EXTENSIONS: readonly string[] = [
  ...EXTENSION_NAMES,
  ...RESULT_PART_NAMES,
  VERDICT_EXTENSION,
];

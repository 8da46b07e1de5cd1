/**
 * What a test may say beyond the API document. A service may ignore fields that it does not know, and start a load
 * that nobody reviewed: so such a test is sent only to a service that names the extension.
 */
import type { DeclaredTest, LoadTestSpec } from './load-test.ts';
import { isResultMetric, subjectText } from './threshold.ts';

export type Extension =
  | 'methods'
  | 'stages'
  | 'warmup'
  | 'expect'
  | 'delay'
  | 'variables'
  | 'payload_file'
  | 'json';

interface ExtensionInfo {
  /** For people: what it is. */
  readonly description: string;
  readonly isUsedBy: (spec: LoadTestSpec) => boolean;
  /** What a service without it gets instead of the test. Null: nothing, the test is blocked. */
  readonly fallback: Fallback | null;
}

interface Fallback {
  readonly spec: (spec: LoadTestSpec) => LoadTestSpec;
  /** For people: what the test then lacks. */
  readonly loss: Loss;
}

interface Loss {
  readonly text: string;
  readonly hint: string;
}

/** By the names that a service gives for them. */
export const EXTENSIONS: Readonly<Record<Extension, ExtensionInfo>> = {
  methods: {
    description: 'the methods PUT, PATCH, DELETE, HEAD and OPTIONS',
    isUsedBy: ({ targets }) =>
      targets.some(({ method }) => method !== null && method !== 'GET' && method !== 'POST'),
    fallback: null,
  },
  stages: {
    description: 'loads in stages',
    isUsedBy: ({ stages }) => stages !== null,
    fallback: null,
  },
  warmup: {
    description: 'a warm-up that is in no figures',
    isUsedBy: ({ warmup }) => warmup !== null,
    fallback: null,
  },
  expect: {
    description: 'what answers must be like',
    isUsedBy: ({ targets }) => targets.some(({ expect }) => expect !== null),
    fallback: null,
  },
  delay: {
    description: 'think time between requests',
    isUsedBy: ({ targets }) => targets.some(({ delay }) => delay !== null),
    fallback: null,
  },
  // oxlint-disable-next-line boundaries/wire-names -- the name that services give for it
  payload_file: {
    description: 'rows from a file beside the file of the test',
    isUsedBy: ({ targets }) => targets.some(({ payloadFile }) => payloadFile !== null),
    fallback: null,
  },
  variables: {
    description: 'variables from cookies and from bodies',
    isUsedBy: ({ targets }) =>
      targets.some(({ variables }) => variables?.some(({ source }) => source !== 'header') ?? false),
    fallback: null,
  },
  json: {
    description: 'values of variables that are escaped in "json"',
    isUsedBy: ({ targets }) => targets.some(({ jsonBody }) => jsonBody === true),
    fallback: {
      spec: (spec) => ({ ...spec, targets: spec.targets.map((target) => ({ ...target, jsonBody: null })) }),
      loss: {
        text: 'the service does not say that it escapes values of "{{…}}" in "json"; one with a quote, a backslash or a line break makes a body that is no JSON',
        hint: 'the embedded service and "loadtests serve" escape them',
      },
    },
  },
};

/**
 * What results may hold beyond the API document. Limits that need it are judged here and never sent: where a service
 * does not name it, the test runs, and has no verdict.
 */
export type ResultPart = 'histograms' | 'urls';

interface ResultPartInfo {
  /** What results then hold. */
  readonly description: string;
  /** The limits that need it, in words. */
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
    description: 'figures of each URL',
    thresholdsOf: ({ thresholds }) =>
      thresholds.flatMap(({ metric, url }) =>
        url === null ? [] : [subjectText({ metric, url: url.label })],
      ),
  },
};

const RESULT_PART_NAMES = Object.keys(RESULT_PARTS) as readonly ResultPart[]; // the keys of its type

export function resultPartsOf(test: DeclaredTest): readonly ResultPart[] {
  return RESULT_PART_NAMES.filter((name) => RESULT_PARTS[name].thresholdsOf(test).length > 0);
}

export const EXTENSION_NAMES = Object.keys(EXTENSIONS) as readonly Extension[]; // the keys of its type

export function extensionsOf(spec: LoadTestSpec): readonly Extension[] {
  return EXTENSION_NAMES.filter((name) => EXTENSIONS[name].isUsedBy(spec));
}

/** Without which a service gets nothing of a test. */
export function findBlockingExtensions(spec: LoadTestSpec, known: ReadonlySet<string>): readonly Extension[] {
  return extensionsOf(spec).filter((name) => !known.has(name) && EXTENSIONS[name].fallback === null);
}

/** A test as it is sent to a service, and what that loses of it. */
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

/** The name of the service that keeps verdicts on runs. Tests and limits need nothing of it: it is for show. */
export const VERDICT_EXTENSION = 'verdict';

/** All that a service may name. Our own service has it all. */
export const OWN_EXTENSIONS: readonly string[] = [
  ...EXTENSION_NAMES,
  ...RESULT_PART_NAMES,
  VERDICT_EXTENSION,
];

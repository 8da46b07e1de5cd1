/**
 * What a test may say beyond the API document. A service may ignore fields that it does not know, and start a load
 * that nobody reviewed: so such a test is sent only to a service that names the extension.
 */
import type { DeclaredTest, LoadTestSpec } from './load-test.ts';
import { isFigure, subjectText } from './threshold.ts';

export type Extension =
  | 'methods'
  | 'stages'
  | 'warmup'
  | 'expect'
  | 'delay'
  | 'variables'
  | 'payload_file'
  | 'json';

interface About {
  /** For people: what it is. */
  readonly what: string;
  readonly usedBy: (spec: LoadTestSpec) => boolean;
  /** What a service without it gets instead of the test. Null: nothing, the test is blocked. */
  readonly instead: Instead | null;
}

interface Instead {
  readonly spec: (spec: LoadTestSpec) => LoadTestSpec;
  /** For people: what the test then lacks. */
  readonly loss: Loss;
}

interface Loss {
  readonly text: string;
  readonly hint: string;
}

/** By the names that a service gives for them. */
export const EXTENSIONS: Readonly<Record<Extension, About>> = {
  methods: {
    what: 'the methods PUT, PATCH, DELETE, HEAD and OPTIONS',
    usedBy: ({ targets }) =>
      targets.some(({ method }) => method !== null && method !== 'GET' && method !== 'POST'),
    instead: null,
  },
  stages: {
    what: 'loads in stages',
    usedBy: ({ stages }) => stages !== null,
    instead: null,
  },
  warmup: {
    what: 'a warm-up that is in no figures',
    usedBy: ({ warmup }) => warmup !== null,
    instead: null,
  },
  expect: {
    what: 'what answers must be like',
    usedBy: ({ targets }) => targets.some(({ expect }) => expect !== null),
    instead: null,
  },
  delay: {
    what: 'think time between requests',
    usedBy: ({ targets }) => targets.some(({ delay }) => delay !== null),
    instead: null,
  },
  // oxlint-disable-next-line walls/wire-names -- the name that services give for it
  payload_file: {
    what: 'rows from a file beside the file of the test',
    usedBy: ({ targets }) => targets.some(({ payloadFile }) => payloadFile !== null),
    instead: null,
  },
  variables: {
    what: 'variables from cookies and from bodies',
    usedBy: ({ targets }) =>
      targets.some(({ variables }) => variables?.some(({ source }) => source !== 'header') ?? false),
    instead: null,
  },
  json: {
    what: 'values of variables that are escaped in "json"',
    usedBy: ({ targets }) => targets.some(({ jsonBody }) => jsonBody === true),
    instead: {
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

interface Judging {
  /** What results then hold. */
  readonly what: string;
  /** The limits that need it, in words. */
  readonly limitsOf: (test: DeclaredTest) => readonly string[];
}

export const RESULT_PARTS: Readonly<Record<ResultPart, Judging>> = {
  histograms: {
    what: 'histograms of response times',
    limitsOf: ({ thresholds, regression }) =>
      [...thresholds, ...regression.limits].flatMap(({ metric }) => (isFigure(metric) ? [] : [metric])),
  },
  urls: {
    what: 'figures of each URL',
    limitsOf: ({ thresholds }) =>
      thresholds.flatMap(({ metric, url }) =>
        url === null ? [] : [subjectText({ metric, url: url.label })],
      ),
  },
};

const PART_NAMES = Object.keys(RESULT_PARTS) as readonly ResultPart[]; // the keys of its type

export function resultPartsOf(test: DeclaredTest): readonly ResultPart[] {
  return PART_NAMES.filter((name) => RESULT_PARTS[name].limitsOf(test).length > 0);
}

export const EXTENSION_NAMES = Object.keys(EXTENSIONS) as readonly Extension[]; // the keys of its type

export function extensionsOf(spec: LoadTestSpec): readonly Extension[] {
  return EXTENSION_NAMES.filter((name) => EXTENSIONS[name].usedBy(spec));
}

/** Without which a service gets nothing of a test. */
export function blockingExtensions(spec: LoadTestSpec, known: ReadonlySet<string>): readonly Extension[] {
  return extensionsOf(spec).filter((name) => !known.has(name) && EXTENSIONS[name].instead === null);
}

/** A test as it is sent to a service, and what that loses of it. */
export function sentSpec(
  spec: LoadTestSpec,
  known: ReadonlySet<string>,
): { readonly spec: LoadTestSpec; readonly losses: readonly Loss[] } {
  const instead = extensionsOf(spec).flatMap((name) =>
    known.has(name) ? [] : (EXTENSIONS[name].instead ?? []),
  );
  return {
    spec: instead.reduce((sent, one) => one.spec(sent), spec),
    losses: instead.map(({ loss }) => loss),
  };
}

/** The name of the service that keeps verdicts on runs. Tests and limits need nothing of it: it is for show. */
export const KEEPS_JUDGEMENTS = 'verdict';

/** All that a service may name. Our own service has it all. */
export const OWN_EXTENSIONS: readonly string[] = [...EXTENSION_NAMES, ...PART_NAMES, KEEPS_JUDGEMENTS];

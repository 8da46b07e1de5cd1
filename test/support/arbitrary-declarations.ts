/** Generated declarations, and spellings of services, for property tests. */
import fc from 'fast-check';
import { iterationsOf, startLength } from '../../src/core/model/iteration.ts';
import { extentOf, type Stage } from '../../src/core/model/ramps.ts';
import type { Condition, ExpectedValue, JsonScalar } from '../../src/core/model/condition.ts';
import {
  bodyContaining,
  type Expectation,
  type ExpectedBody,
  type StatusClass,
} from '../../src/core/model/expectation.ts';
import type { AbortRule } from '../../src/core/model/abort-rule.ts';
import type { LoadTestSpec, NamedText, TargetSpec } from '../../src/core/model/load-test.ts';
import type { RequestBody } from '../../src/core/model/request-body.ts';
import { Secret, type Text } from '../../src/core/model/secret.ts';
import { readMarker } from '../../src/core/reconcile/ownership-marker.ts';
import { milliseconds, seconds } from '../../src/core/units.ts';
import { arbitraryGroups } from './arbitrary-groups.ts';
import type { Spelling } from './memory-spelling.ts';
import { START_TIME } from './virtual-clock.ts';

const word = fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/);
const CHARACTERS = Array.from('abz é"\'{}[]=&%+\\/.:;\n\r\u{1f6d2}');
/** Strings as users write them, including quotes, brackets and line breaks, which must remain unchanged. */
const sentence = fc.string({
  unit: fc.constantFrom(...CHARACTERS),
  maxLength: 40,
});
const host = fc.constantFrom('shop.example', 'search.example');

const url = fc
  .tuple(
    fc.constantFrom('http', 'https'),
    host,
    fc.constantFrom('', ':8443'),
    fc.constantFrom('', '/', '/cart', '/a%20b', '/caf%C3%A9', '/{{id}}', '/a/../b'),
    fc.constantFrom('', '?q=1', '?q=%7Bx%7D&r='),
  )
  .map((parts) => `${parts[0]}://${parts.slice(1).join('')}`);

const text: fc.Arbitrary<Text> = fc.oneof(
  { weight: 4, arbitrary: sentence },
  {
    weight: 1,
    arbitrary: fc
      .tuple(sentence, word, sentence)
      .map(([before, value, after]) => ({ parts: [before, new Secret('TOKEN', value), after] })),
  },
);

function arbitraryNamedTexts(name: fc.Arbitrary<string>): fc.Arbitrary<readonly NamedText[]> {
  const field = fc.record({ name, value: text });
  return fc.uniqueArray(field, { maxLength: 3, selector: (one) => one.name.toLowerCase() });
}

const scalar = fc.constantFrom<JsonScalar>('paid', '42', 42, -0.5, true, null);
/** Conditions that `not` may contain. */
const negated: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({ length: fc.constantFrom('>= 1', '!= 20') }),
  fc.record({ number: fc.constantFrom('> -0.5', '== 7') }),
  fc.record({
    oneOf: fc.array(scalar, { minLength: 1, maxLength: 3 }),
    matches: fc.constantFrom('^a', '\\d+$'),
  }),
);
const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({ exists: fc.boolean() }),
  negated,
  fc.record({ not: fc.oneof<fc.Arbitrary<ExpectedValue>[]>(scalar, negated) }),
);
const expectedBody: fc.Arbitrary<ExpectedBody> = fc.oneof(
  fc.constantFrom('paid', '${x}').map(bodyContaining),
  fc
    .record({
      contains: fc.subarray(['paid', '${x}', ' a']),
      notContains: fc.subarray(['error', '# b']),
      matches: fc.subarray(['id=\\d+']),
    })
    .filter((one) => Object.values(one).some((texts) => texts.length > 0)),
);

const expectation: fc.Arbitrary<Expectation> = fc
  .record(
    {
      status: fc.option(
        fc.array(fc.constantFrom<number | StatusClass>(200, 201, 302, 404, '2xx', '4xx'), {
          minLength: 1,
          maxLength: 3,
        }),
      ),
      headers: fc.option(
        fc.uniqueArray(
          fc.record({
            name: fc.constantFrom('X-A', 'Content-Type'),
            value: fc.constantFrom('a', 'text/*', '*'),
          }),
          { minLength: 1, selector: ({ name }) => name },
        ),
      ),
      body: fc.option(expectedBody),
      json: fc.option(
        fc.uniqueArray(
          fc.record({
            pointer: fc.constantFrom('', '/a', '/a~1b/0'),
            value: fc.oneof<fc.Arbitrary<ExpectedValue>[]>(scalar, condition),
          }),
          { minLength: 1, selector: ({ pointer }) => pointer },
        ),
      ),
      within: fc.constantFrom(1, 300, 61_000),
    },
    { requiredKeys: ['status', 'headers', 'body', 'json'] },
  )
  .filter((one) => Object.values(one).some((part) => part !== null));

const bodyFile = fc.record({ sha256: fc.stringMatching(/^[0-9a-f]{64}$/), declared: fc.constant(null) });

const bodyPart = fc.oneof(
  fc.record(
    {
      name: word,
      value: text,
      contentType: fc.constant('application/json'),
      filename: fc.constantFrom('a.json', 'b "c".txt'),
    },
    { requiredKeys: ['name', 'value'] },
  ),
  fc.record({
    name: word,
    file: bodyFile,
    contentType: fc.option(fc.constant('application/pdf')),
    filename: fc.option(fc.constantFrom('a.pdf', 'b "c".txt')),
  }),
);

const target: fc.Arbitrary<TargetSpec> = fc.record({
  url,
  method: fc.constantFrom(null, 'GET', 'POST', 'PUT', 'HEAD', 'DELETE'),
  credentials: fc.option(fc.record({ login: word, password: text })),
  awsSigv4: fc.option(
    fc.record({
      ...{ region: word, service: word, accessKeyId: word, secretAccessKey: text },
      sessionToken: fc.option(text),
    }),
    { freq: 4 },
  ),
  headers: fc.option(arbitraryNamedTexts(fc.stringMatching(/^[A-Za-z][A-Za-z-]{0,8}$/))),
  body: fc.option(
    fc.oneof(
      arbitraryNamedTexts(fc.oneof(word, fc.constantFrom('a/b', '~', '__proto__'))).map(
        (fields): RequestBody => ({ kind: 'params', fields }),
      ),
      fc.record({ kind: fc.constantFrom('text', 'json'), text }),
      bodyFile.map((file): RequestBody => ({ kind: 'file', file })),
      fc
        .uniqueArray(bodyPart, { minLength: 1, maxLength: 3, selector: ({ name }) => name })
        .map((parts): RequestBody => ({ kind: 'multipart', parts })),
    ),
  ),
  payloadFileUrl: fc.option(url),
  payloadFile: fc.constant(null),
  delay: fc.option(
    fc.tuple(fc.nat(2000), fc.nat(1000)).map(([min, range]) => ({
      min: milliseconds(min + 1),
      max: milliseconds(min + 1 + range),
    })),
    { freq: 2 },
  ),
  variables: fc.option(
    fc.array(
      fc.oneof(
        fc.record({ name: word, property: word, source: fc.constantFrom('header', 'cookie') }),
        fc.record({ name: word, property: word.map((text) => `/${text}`), source: fc.constant('json') }),
        fc.record({
          name: word,
          property: word.map((text) => `${text}=(\\w+)`),
          source: fc.constant('body'),
        }),
      ),
      { maxLength: 2 },
    ),
  ),
  expect: fc.option(expectation, { freq: 4 }),
  resolveUrl: fc.constantFrom(null, null, false, true),
  onFailure: fc.constantFrom(null, null, 'continue', 'stop'),
});

const stage = fc.record({ duration: fc.integer({ min: 1, max: 100 }).map(seconds), to: fc.nat(100) });

/** Adds stages, which determine the maximum load and the duration. */
function withStages([spec, stages]: readonly [LoadTestSpec, readonly Stage[] | null]): LoadTestSpec {
  if (stages === null || spec.testType === 'non-cycling') return spec;
  const { highest, lasts } = extentOf(spec.initial ?? 0, stages);
  return { ...spec, stages, total: highest, duration: lasts };
}

const arbitraryStages = fc.option(
  fc
    .array(stage, { minLength: 1, maxLength: 3 })
    .map((stages) => [...stages, { duration: seconds(1), to: 1 }]),
  { freq: 2 },
);

/** Requests outside the load. Their variables differ from those of the load. */
const arbitraryPhase = fc.option(
  fc
    .array(
      target.map((one) => ({
        ...one,
        payloadFileUrl: null,
        payloadFile: null,
        variables: one.variables?.map((variable) => ({ ...variable, name: `of-${variable.name}` })) ?? null,
      })),
      { minLength: 1, maxLength: 2 },
    )
    .chain((targets) =>
      arbitraryGroups([{ first: 0, end: targets.length }]).map((groups) => ({
        targets,
        ...(groups === null ? {} : { groups }),
      })),
    ),
  { freq: 2 },
);

const steadySpec: fc.Arbitrary<LoadTestSpec> = fc.record({
  name: fc.option(sentence),
  testType: fc.constantFrom('cycling', 'non-cycling', 'per-second'),
  initial: fc.option(fc.nat(100)),
  total: fc.option(fc.integer({ min: 1, max: 100 })),
  duration: fc.integer({ min: 1, max: 300 }).map(seconds),
  stages: fc.constant(null),
  warmup: fc.option(fc.integer({ min: 1, max: 300 }).map(seconds), { freq: 2 }),
  values: fc.option(
    fc.subarray(['a', 'b-2', 'x-c'], { minLength: 1 }).map((names) =>
      names.map((name, index) => ({
        name,
        value: index === 0 ? '%{uuid} ${x}' : `{{${names[0] ?? ''}}}: 1`,
      })),
    ),
    { freq: 3 },
  ),
  arrivals: fc.constantFrom(null, 'even', 'random'),
  iterations: fc.option(fc.integer({ min: 1, max: 500 }), { freq: 3 }),
  iterationsPerClient: fc.option(fc.integer({ min: 1, max: 50 }), { freq: 3 }),
  pace: fc.option(fc.integer({ min: 1, max: 5000 }).map(milliseconds), { freq: 3 }),
  connections: fc.option(fc.integer({ min: 1, max: 50 }), { freq: 3 }),
  keepAlive: fc.constantFrom(null, true, false),
  timeout: fc.option(fc.integer({ min: 1, max: 20_000 }).map(milliseconds)),
  errorThreshold: fc.option(fc.nat(100)),
  abortRules: fc.option(
    fc.uniqueArray(
      fc.record(
        {
          metric: fc.constantFrom('p95', 'error_rate'),
          limit: fc.constant('< 5%'),
          after: fc.nat(90).map(seconds),
          minSamples: fc.integer({ min: 1, max: 500 }),
          url: fc.constant(0),
          group: fc.constantFrom({ name: 'all', urls: [0] }),
        },
        { requiredKeys: ['metric', 'limit', 'after'] },
      ),
      { minLength: 1, maxLength: 3, selector: ({ metric, url, group }) => `${metric} ${url} ${group?.name}` },
    ),
    { freq: 3 },
  ),
  callback: fc.option(url),
  callbackEmail: fc.option(fc.constantFrom('ada@shop.example', 'team@shop.example')),
  scheduledAt: fc.option(
    fc.integer({ min: 86_400, max: 864_000 }).map((after) => START_TIME + after * 1000),
    { freq: 4 },
  ),
  // Without a marker, notes that end like a truncated marker are ambiguous.
  notes: fc.option(sentence.filter((notes) => readMarker(notes).kind === 'none')),
  targets: fc.array(target, { minLength: 1, maxLength: 3 }),
  flows: fc.constant(null),
  groups: fc.constant(null),
  onStart: fc.option(fc.constantFrom(1, 2), { freq: 3 }),
  setup: arbitraryPhase,
  teardown: arbitraryPhase,
  tlsVerify: fc.constantFrom(null, true, false),
  connection: fc.option(
    fc
      .record(
        { cert: text, key: text, ca: text, serverName: word, tlsMin: fc.constantFrom('1.2', '1.3') },
        { requiredKeys: ['tlsMin'] },
      )
      .map((options) => [{ host: 'shop.example', options }]),
    { freq: 4 },
  ),
});

/** Removes a warm-up that is not shorter than the test, and the fields that do not suit its type or its stages. */
function withValidFields(spec: LoadTestSpec): LoadTestSpec {
  const isClosed = spec.testType === 'cycling';
  return {
    ...spec,
    warmup: spec.warmup !== null && spec.warmup < spec.duration ? spec.warmup : null,
    arrivals: isClosed ? null : spec.arrivals,
    iterations: isClosed && spec.stages === null ? spec.iterations : null,
    iterationsPerClient:
      isClosed && spec.stages === null && spec.iterations === null ? spec.iterationsPerClient : null,
    pace: isClosed ? spec.pace : null,
    onStart: isClosed && (spec.onStart ?? 0) < spec.targets.length ? spec.onStart : null,
    connections: spec.testType === 'cycling' ? null : spec.connections,
    keepAlive: spec.testType === 'cycling' ? spec.keepAlive : null,
    abortRules: withValidRules(spec.abortRules),
    // Half of the setups are repeated.
    setup:
      spec.setup === null || spec.setup.targets.length === 2 || spec.duration <= 1000
        ? spec.setup
        : { ...spec.setup, refresh: seconds(1) },
  };
}

/** Gives each rule one subject and a limit of its kind, in the order in which the file contains the rules. */
function withValidRules(rules: LoadTestSpec['abortRules']): LoadTestSpec['abortRules'] {
  const valid = (rules ?? []).map(({ metric, after, minSamples, url, group }): AbortRule => {
    const options = metric === 'p95' && minSamples !== undefined ? { minSamples } : {};
    const part = group !== undefined ? { group } : url === undefined ? {} : { url };
    return { metric, limit: metric === 'p95' ? '< 3s' : '< 5%', after, ...options, ...part };
  });
  const partOf = ({ url, group }: AbortRule) => (group !== undefined ? 2 : url === undefined ? 0 : 1);
  const byPart = new Map(valid.map((rule) => [`${partOf(rule)} ${rule.metric}`, rule]));
  const ordered = [...byPart.values()].sort((a, b) => partOf(a) - partOf(b));
  return ordered.length === 0 ? null : ordered;
}

/** Divides the requests into flows, or leaves them as one iteration. */
function withFlows([spec, weights]: readonly [LoadTestSpec, readonly number[] | null]): LoadTestSpec {
  if (weights === null) return spec;
  const ofIterations = spec.targets.length - startLength(spec);
  const count = Math.min(weights.length, ofIterations);
  const flows = weights.slice(0, count).map((weight, index) => ({
    name: `flow-${index}`,
    weight,
    urls: index === 0 ? ofIterations - count + 1 : 1,
  }));
  return { ...spec, flows };
}

const arbitraryWeights = fc.option(
  fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 3 }),
  {
    freq: 2,
  },
);

/** Makes rates fractional, by a tenth of a client per second. */
function withFraction([spec, isFractional]: readonly [LoadTestSpec, boolean]): LoadTestSpec {
  if (!isFractional || spec.testType !== 'per-second' || spec.stages !== null || spec.total === null)
    return spec;
  return { ...spec, total: spec.total + 0.5 };
}

export const arbitrarySpec: fc.Arbitrary<LoadTestSpec> = fc
  .tuple(fc.tuple(steadySpec, arbitraryStages).map(withStages).map(withValidFields), arbitraryWeights)
  .map(withFlows)
  .chain((spec) => {
    const names = (spec.values ?? []).map(({ name }) => name);
    return arbitraryGroups(iterationsOf(spec), names, true).map((groups) => ({ ...spec, groups }));
  })
  .chain((spec) => fc.boolean().map((isFractional) => withFraction([spec, isFractional])));

export const arbitrarySpelling: fc.Arbitrary<Spelling> = fc.record({
  labels: fc.record({
    cycling: fc.constantFrom('Cycling', 'cycling', 'maintain-load', 'Maintain client load'),
    'non-cycling': fc.constantFrom('Non-Cycling', 'non-cycling', 'per-test', 'Clients per test'),
    'per-second': fc.constantFrom('per-second', 'Clients per second'),
  }),
  emptyValue: fc.constantFrom('documented', 'null', 'empty', 'object', 'absent'),
  unnamed: fc.constantFrom('empty', 'null', 'first-url'),
  numbersAsStrings: fc.boolean(),
  urls: fc.constantFrom('kept', 'shouted'),
  headers: fc.constantFrom('kept', 'shouted'),
  notes: fc.constantFrom('kept', 'crlf', 'padded'),
  instants: fc.constantFrom('kept', 'rfc3339'),
  echoPasswords: fc.boolean(),
  defaults: fc.constantFrom('shown', 'absent'),
});

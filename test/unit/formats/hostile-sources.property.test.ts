/** Robustness of the formats: any text results in a valid file or in one problem, never in another error. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ProblemError } from '../../../src/core/problem.ts';
import type { Intake } from '../../../src/core/intake/intake.ts';
import type { IntakeSource } from '../../../src/core/intake/source-text.ts';
import { FORMAT_NAMES, formatOf, type FormatName } from '../../../src/formats/formats.ts';
import { expectLinearTime } from '../../support/linear-time.ts';
import { sampleRows, scaleCount } from '../../support/test-scale.ts';
import { convertWith } from './convert.ts';
import { planOf, SAMPLES } from './samples.ts';

type Read = (source: IntakeSource) => Intake;

/** Converts text. A problem is an expected result; any other error fails the test. */
function convertOrRefuse(read: Read, text: string): void {
  try {
    convertWith(read, text);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    expect(error.problem.code).toBe('LT_IMPORT_SOURCE');
  }
}

const INSERTED = fc.oneof(
  fc.constant(''),
  fc.string({ unit: 'binary', maxLength: 10 }),
  fc.constantFrom('"', "'", '{', '}', '[', '&', '*', '${', '{{', '%{', '\n'),
);

/** Text that is repeated, because it nests, opens a quote or refers to itself. */
const REPEATED = [
  '[',
  '{"a":',
  '- ',
  '<a>',
  '"a":"',
  'a=b&',
  'curl x\n',
  '$(',
  '&a [*a,',
  '<!DOCTYPE a [',
  '&lt;',
  '${',
];

const REPEATED_LENGTH = 48 * 1024;

/** Maximum CPU time for such a source, in ms. */
const MAX_CPU_MS = 1250;

/** Returns lists, each of which contains the previous one ten times. */
function aliasesOf(count: number): string {
  return Array.from({ length: count }, (_, index) => {
    const item = index === 0 ? 'a' : `*x${index - 1}`;
    return `x${index}: &x${index} [${Array(10).fill(item).join(', ')}]`;
  }).join('\n');
}

describe('hostile sources', () => {
  test.each(FORMAT_NAMES)(
    'a truncated or changed %s source is converted or refused without an internal error',
    async (format) => {
      const read = await formatOf(format).load();
      const sample = SAMPLES[format];
      fc.assert(
        fc.property(fc.nat(sample.length), fc.nat(20), INSERTED, (at, length, inserted) => {
          convertOrRefuse(read, sample.slice(0, at) + inserted + sample.slice(at + length));
        }),
        { numRuns: scaleCount(200) },
      );
      const lengths = Array.from({ length: Math.ceil(sample.length / 25) }, (_, index) => 25 * index);
      for (const at of sampleRows(lengths, lengths.length / 4)) convertOrRefuse(read, sample.slice(0, at));
    },
  );

  test.each(FORMAT_NAMES)(
    'any text as a source in the format %s is converted or refused without an internal error',
    async (format) => {
      const read = await formatOf(format).load();
      fc.assert(
        fc.property(fc.string({ unit: 'binary' }), (text) => {
          convertOrRefuse(read, text);
        }),
        { numRuns: scaleCount(500) },
      );
    },
  );

  test.each<readonly [name: string, format: FormatName, text: string, message: string]>([
    [
      'YAML aliases that multiply lists',
      'artillery',
      `${aliasesOf(12)}\n${SAMPLES.artillery}`,
      'the source contains too many values',
    ],
    [
      'an alias inside its own value',
      'artillery',
      'a: &a { b: *a }',
      'the source is nested deeper than 100 levels',
    ],
    [
      'a repeated key',
      'drill',
      'plan: []\nplan: []',
      'the key "plan" occurs twice in the same map; remove one occurrence',
    ],
    [
      'two YAML documents',
      'taurus',
      'a: 1\n---\nb: 2',
      'the source contains several YAML documents; keep only one of them',
    ],
    [
      'an unclosed quote',
      'curl',
      `curl 'http://a.example/`,
      'the command contains a quote that is not closed',
    ],
  ])('with %s, a source in the format %s is refused', async (_, format, text, message) => {
    const read = await formatOf(format).load();
    expect(() => convertWith(read, text)).toThrow(message);
  });

  test.each<readonly [FormatName, string, string]>([
    [
      'artillery',
      "config: { target: 'http://a.example' }\nscenarios: [{ flow: [{ get: { url: /, constructor: 1 } }] }]",
      '"constructor" is not converted',
    ],
    ['hey', 'hey --constructor http://a.example/', 'the option "--constructor" of hey is not converted'],
    [
      'jmeter',
      planOf(
        '<ThreadGroup/><hashTree><HTTPSampler><stringProp name="HTTPSampler.path">http://a.example/${__time(constructor)}</stringProp></HTTPSampler></hashTree>',
      ),
      'the time format "constructor" is not converted; the time is inserted in ISO 8601 format',
    ],
    [
      'k6',
      `import http from 'k6/http';
export const options = { thresholds: { http_req_duration: ['constructor<500'] } };
export default function () { http.get('http://a.example/'); }`,
      'the threshold "http_req_duration: constructor<500" is not converted',
    ],
  ])('the name "constructor" is unknown in a source in the format %s', async (format, text, message) => {
    const { notes } = convertWith(await formatOf(format).load(), text);
    expect(notes).toContainEqual(expect.stringContaining(message));
  });

  test('the name "constructor" becomes the name of an environment variable in a Postman collection, and an unknown format in an API description', async () => {
    const collection = JSON.stringify({ item: [{ request: { url: 'http://a.example/{{constructor}}' } }] });
    expect(convertWith(await formatOf('postman').load(), collection).text).toContain(
      'http://a.example/${env:LT_CONSTRUCTOR:-}',
    );
    const description = JSON.stringify({
      openapi: '3.0.0',
      servers: [{ url: 'http://a.example' }],
      paths: {
        '/{id}': {
          get: {
            parameters: [{ name: 'id', in: 'path', schema: { format: 'constructor', type: 'string' } }],
          },
        },
      },
    });
    expect(convertWith(await formatOf('openapi').load(), description).text).toContain(
      'http://a.example/%{text:8}',
    );
  });

  test.each([
    ['list = [list, list]', 'JSON.stringify(list)'],
    ['list = [...list, ...list]', 'JSON.stringify(list)'],
    ['text = `${text}${text}`', 'text'],
    ['text += text', 'text'],
    ['call()', 'text'],
  ])(
    'a k6 script that repeats %j is converted, and the omitted part is reported as not converted',
    async (statement, body) => {
      const read = await formatOf('k6').load();
      const { notes } = convertWith(
        read,
        `import http from 'k6/http';
let list = [1], text = 'x';
function call() { call(); }
for (let index = 0; index < 60; index++) ${statement};
export default function () { http.post('http://a.example/', ${body}); }`,
      );
      expect(notes.filter((note) => note.startsWith('loss'))).not.toEqual([]);
    },
  );

  test.each(FORMAT_NAMES)(
    'a large and repetitive %s source is converted or refused in linear time',
    async (format) => {
      const read = await formatOf(format).load();
      for (const part of REPEATED) {
        const textOf = (length: number) => part.repeat(Math.floor(length / part.length));
        const convert = (text: string) => {
          convertOrRefuse(read, text);
        };
        expectLinearTime(REPEATED_LENGTH, textOf, convert, MAX_CPU_MS);
      }
    },
  );
});

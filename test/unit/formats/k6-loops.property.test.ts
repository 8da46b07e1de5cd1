/** Loops of k6 scripts: the converted test sends what the script sends when it is executed. */
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endOf, type Group } from '../../../src/core/model/group.ts';
import type { TargetSpec } from '../../../src/core/model/load-test.ts';
import { readK6 } from '../../../src/formats/k6.ts';
import { convertWith } from './convert.ts';
import { scaleCount } from '../../support/test-scale.ts';

const NAMES = ['i', 'j', 'k'];

/** Returns random statements, with loops whose variables the requests use. */
function statements(depth: number): fc.Arbitrary<string> {
  const used = NAMES.slice(0, depth);
  const expression = fc.constantFrom('1', 'x', ...used.flatMap((name) => [`\${${name}}`, `\${${name} * 2}`]));
  const get = fc
    .array(expression, { minLength: 1, maxLength: 2 })
    .map((parts) => `get(\`/${parts.join('/')}\`);`);
  const pause = fc.integer({ min: 1, max: 3 }).map((time) => `sleep(${time});`);
  const name = NAMES[depth];
  if (name === undefined) return fc.oneof(get, pause);
  const body = fc.array(statements(depth + 1), { maxLength: 3 }).map((lines) => lines.join(' '));
  const count = fc.integer({ min: 0, max: 4 });
  return fc.oneof(
    get,
    pause,
    fc
      .tuple(count, body)
      .map(([passes, inner]) => `for (let ${name} = 0; ${name} < ${passes}; ${name}++) { ${inner} }`),
    fc
      .tuple(count, body)
      .map(
        ([passes, inner]) =>
          `for (const ${name} of [${'52'.repeat(passes).split('').join(',')}]) { ${inner} }`,
      ),
    ...used.map((outer) =>
      body.map((inner) => `{ const ${name} = ${outer}; if (${outer} % 2 === 0) { ${inner} } }`),
    ),
  );
}

interface Trace {
  readonly urls: readonly string[];
  readonly pause: number;
}

/** Executes the statements, which this file has generated. */
function execute(script: string): Trace {
  const urls: string[] = [];
  let pause = 0;
  runInNewContext(script, {
    get: (path: string) => urls.push(path),
    sleep: (time: number) => {
      pause += time;
    },
  });
  return { urls, pause };
}

/** Returns what an iteration of a converted test sends. */
function expanded(targets: readonly TargetSpec[], groups: readonly Group[]): Trace {
  const urls: string[] = [];
  let pause = 0;
  const perform = (
    first: number,
    end: number,
    inside: readonly Group[],
    values: ReadonlyMap<string, string>,
  ) => {
    for (let at = first; at < end;) {
      const index = inside.findIndex((group) => group.first === at);
      const group = inside[index];
      if (group === undefined) {
        const target = targets[at];
        urls.push(
          new URL(target?.url ?? '').pathname.replaceAll(
            /%7B%7B(\w+)%7D%7D/g,
            (_, name: string) => values.get(name) ?? '?',
          ),
        );
        pause += (target?.delay?.min ?? 0) / 1000;
        at += 1;
        continue;
      }
      const { repeat = 1, forEach } = group;
      const items =
        forEach !== undefined && 'values' in forEach
          ? forEach.values
          : Array<string>(Number(repeat)).fill('');
      for (const item of items) {
        const own = forEach === undefined ? values : new Map([...values, [forEach.name, item]]);
        perform(group.first, endOf(group), inside.slice(index + 1), own);
      }
      at = endOf(group);
    }
  };
  perform(0, targets.length, groups, new Map());
  return { urls, pause };
}

test('a test that is converted from a k6 script with loops has the requests and the total think time of the script', () => {
  fc.assert(
    fc.property(
      fc.array(statements(0), { minLength: 1, maxLength: 4 }).map((lines) => lines.join('\n')),
      (script) => {
        const actual = execute(script);
        fc.pre(actual.urls.length > 0 && actual.urls.length <= 60 && actual.pause <= 600);
        const text = `import http from 'k6/http'; import { sleep } from 'k6';
function get(path) { http.get('https://a.example' + path); }
export default function () { ${script} }`;
        const { config, notes } = convertWith(readK6, text);
        const [spec] = config.desired.tests.map((one) => one.spec);
        expect(notes.filter((note) => note.startsWith('loss'))).toEqual([]);
        expect(expanded(spec?.targets ?? [], spec?.groups ?? [])).toEqual(actual);
      },
    ),
    { numRuns: scaleCount(400) },
  );
});

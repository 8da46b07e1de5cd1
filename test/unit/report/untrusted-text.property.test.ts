/**
 * Property tests: strings of files, services and targets are displayed, and neither a terminal nor a CI
 * runner interprets them.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { problem } from '../../../src/core/problem.ts';
import { CODES, type Code } from '../../../src/core/codes.ts';
import {
  printableJson,
  printableLines,
  printableColored,
  printableStrings,
} from '../../../src/core/printable.ts';
import { COLOR_CODES, loadPaint } from '../../../src/cli/render/paint.ts';
import { renderProblem } from '../../../src/cli/render/problem.ts';
import { printConfig } from '../../../src/config/yaml-printer.ts';
import { NO_PAINT } from '../../../src/report/paint.ts';
import { applyText } from '../../../src/report/apply-text.ts';
import { deletionOutcomeText, deletionPlanText } from '../../../src/report/destroy-text.ts';
import { importText } from '../../../src/report/import-text.ts';
import { toMarkdown } from '../../../src/report/markdown-report.ts';
import { exchangesText } from '../../../src/report/exchanges-text.ts';
import { actionsText, planText } from '../../../src/report/plan-text.ts';
import { recoverText } from '../../../src/report/recover-text.ts';
import { resultsText } from '../../../src/report/results-text.ts';
import { statusText } from '../../../src/report/status-text.ts';
import { arbitraryString } from '../../support/arbitrary-string.ts';
import { arbitraryDocument } from '../../support/arbitrary-document.ts';
import { scaleCount } from '../../support/test-scale.ts';

/** Number of random documents per check. */
const RUNS = scaleCount(300);

/** Indexes in the schemas of `run` and `import`: the document of `run --once`, and that of a converted file. */
const [ONCE, CONVERTED] = [1, 1];

/** Sequences that a terminal or a CI runner interprets, and other characters. */
const SIGNS = [
  ...['\n', '\r', '\r\n', '\t', '\u0000', '\u0007', '\b', '\u007f', '\u0085', '\u2028', '\u2029'],
  ...['\u001b[2J', '\u001b[31m', '\u001b]0;title\u0007', '\u009b2J', '\u009d', '\u001b[1A\u001b[2K'],
  ...['\u202e', '\u2066', '\u200f', '\u061c', '\u200b', '\ufeff', '\u{e0041}', '\ud800', '\udc00'],
  ...['::', ' ::', '\n::error::', '\n  ::add-mask::x', '##[group]', '##vso[task.x]', '##teamcity[x]', '###['],
  ...['\nNo changes.', '\rshop', '\u2028shop', 'shop', ' ', '|', '<b>', '`', 'é', '\u{1f6d2}'],
];
const hostile = fc.oneof(
  fc.array(fc.constantFrom(...SIGNS), { maxLength: 6 }).map((signs) => signs.join('')),
  arbitraryString({ maxLength: 12 }),
);

const COMMAND = /^\s*::|##\[|##vso\[|##teamcity\[/im;
/** A string may still be truncated inside a surrogate pair; `printableLines` replaces the remaining half. */
const INTERPRETED = /[^\P{Cc}\n\t]|[\p{Cf}\u2028\u2029]/u;
const UNSEEN = /[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\u2028\u2029]/u;

function expectHarmless(text: string): void {
  expect(text).not.toMatch(UNSEEN);
  expect(text).not.toMatch(COMMAND);
}

/**
 * Checks that a value cannot add lines: the output has as many lines as that of the value without line
 * breaks.
 */
function check<Value>(values: fc.Arbitrary<Value>, text: (value: Value) => string): void {
  fc.assert(
    fc.property(values, (value) => {
      const output = text(value);
      expect(output).not.toMatch(INTERPRETED);
      expect(output.split('\n')).toHaveLength(text(printableStrings(value)).split('\n').length);
      expectHarmless(printableLines(output));
    }),
    { numRuns: RUNS },
  );
}

/** Replaces line breaks in the compared values of a plan, which are shown line by line, and numbers their members. */
function withSingleLineValues<T>(value: T, name = ''): T {
  const isValue = ['before', 'after', 'from', 'to'].includes(name);
  // The type does not change: strings remain strings.
  if (typeof value === 'string') return (isValue ? value.replaceAll('\n', ' ') : value) as T;
  if (typeof value !== 'object' || value === null || name === 'load') return value;
  if (Array.isArray(value)) return value.map((one: unknown) => withSingleLineValues(one, name)) as T;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]: [string, unknown], index) => [
      // The names stay different if their invisible characters are replaced.
      isValue ? `${index}${key}` : key,
      withSingleLineValues(one, isValue ? name : key),
    ]),
  ) as T;
}

/** Counts the different addresses in a document. */
function countAddresses(document: unknown): number {
  const addresses = new Set<unknown>();
  JSON.stringify(document, (name, value: unknown) => {
    if (name === 'address') addresses.add(value);
    return value;
  });
  return addresses.size;
}

/**
 * Returns documents whose addresses also differ without invisible characters. Output that groups entries by address
 * has fewer lines otherwise.
 */
function withDistinctAddresses<Value>(documents: fc.Arbitrary<Value>): fc.Arbitrary<Value> {
  return documents.filter(
    (document) => countAddresses(document) === countAddresses(printableStrings(document)),
  );
}

const arbitraryPlan = withDistinctAddresses(
  arbitraryDocument('plan', hostile).map((plan) => withSingleLineValues(plan)),
);
const arbitraryApply = withDistinctAddresses(arbitraryDocument('apply', hostile));

describe('untrusted strings in the output of commands', () => {
  const about = { command: 'plan', service: '\u001b[2J', next: '\nshop', verbose: true };

  test('a printed problem contains no sequences that a terminal interprets', () => {
    const codes = fc.constantFrom(...(Object.keys(CODES) as Code[]));
    const location = fc.record({
      file: hostile,
      line: fc.integer({ min: 1, max: 99 }),
      column: fc.integer({ min: 1, max: 400 }),
      length: fc.nat(50),
      lineText: hostile,
    });
    const details = fc.record({ hint: fc.option(hostile), source: fc.option(location) });
    check(fc.tuple(codes, hostile, details), (parts) => renderProblem(problem(...parts), NO_PAINT));
  });

  test('a printed plan contains no sequences that a terminal interprets', () => {
    check(arbitraryPlan, (plan) => planText(plan, about, NO_PAINT));
    check(arbitraryPlan, (plan) => actionsText(plan, about, NO_PAINT));
  });

  test('the output of apply contains no sequences that a terminal interprets', () => {
    check(arbitraryApply, (applied) => applyText(applied, { now: 0, rerunCommand: null }, NO_PAINT));
  });

  test('the output of status, results, recover, destroy and import contains no control or format characters', () => {
    check(arbitraryDocument('status', hostile), (status) => statusText(status, NO_PAINT));
    check(arbitraryDocument('results', hostile), ({ tests }) => resultsText(tests, NO_PAINT, 1));
    check(arbitraryDocument('recover', hostile), ({ operations, duplicates }) =>
      recoverText(operations, duplicates, false),
    );
    check(arbitraryDocument('destroy', hostile), (plan) => deletionPlanText(plan, NO_PAINT));
    check(arbitraryDocument('destroy', hostile), ({ apps }) => deletionOutcomeText(apps));
    check(arbitraryDocument('import', hostile), importText);
    check(arbitraryDocument('import', hostile, CONVERTED), importText);
  });

  test('printed requests and responses contain no sequences that a terminal interprets', () => {
    fc.assert(
      fc.property(arbitraryDocument('run', hostile, ONCE), (once) => {
        if (!('iterations' in once)) throw new Error('not a document of run --once');
        const text = once.iterations.map((iteration) => exchangesText(iteration, NO_PAINT)).join('');
        expect(text).not.toMatch(INTERPRETED);
        // Headers and bodies have several lines, each after a prefix.
        for (const line of text.split('\n'))
          expect(line).toMatch(/^$|^ {2}\d+ {2}|^ {5}[<>=!](?: |$)|1 iteration, [\d,]+ request/);
      }),
      { numRuns: RUNS },
    );
  });

  test('the Markdown of an apply and a plan contains no sequences that a terminal or a CI runner interprets', () => {
    check(arbitraryApply, toMarkdown);
    check(arbitraryPlan, toMarkdown);
  });
});

describe('sanitization of output', () => {
  test('printableLines replaces sequences that a terminal or a CI runner interprets, and keeps other text', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const shown = printableLines(text);
        expectHarmless(shown);
        expect(printableLines(shown)).toBe(shown);
      }),
    );
    expect(printableLines('a\tb\n  café 🛒\n')).toBe('a\tb\n  café 🛒\n');
    expect(printableLines('x\n  ::error::boom')).toBe('x\n  \ufffd:error::boom');
    expect(printableLines('see ##[add-path]')).toBe('see \ufffd#[add-path]');
    expect(printableLines('http://[::1]/ a::b ## title')).toBe('http://[::1]/ a::b ## title');
  });

  test('printableColored replaces a color code that loadtests did not print, and keeps the codes of loadtests', async () => {
    const paint = await loadPaint();
    const painted = `${paint.red(paint.bold('x'))} ${paint.dim('y')}`;
    expect(printableColored(painted, COLOR_CODES)).toBe(painted);
    expect(printableColored(`\u001b[8m${painted}`, COLOR_CODES)).toBe(`\ufffd[8m${painted}`);
    expectHarmless(
      printableColored(paint.red('::error::x'), COLOR_CODES).replaceAll(new RegExp(COLOR_CODES, 'g'), ''),
    );
  });

  test('printableJson escapes sequences that a terminal interprets, without changing the data', () => {
    fc.assert(
      fc.property(fc.dictionary(hostile, fc.array(hostile)), (value) => {
        const json = printableJson(JSON.stringify(value, null, 2));
        expect(printableLines(json)).toBe(json);
        expectHarmless(json);
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  test('printableLines does not change a file that the import prints', () => {
    fc.assert(
      fc.property(hostile, hostile, (one, other) => {
        const text = printConfig({
          comments: [],
          project: 'shop',
          environment: null,
          service: null,
          apps: [],
          tests: [
            {
              key: 'home',
              comments: [],
              fields: [
                { name: 'notes', value: one },
                {
                  name: 'urls',
                  value: {
                    blocks: [
                      {
                        comments: [one],
                        fields: [{ name: 'request_params', value: [{ name: one, value: other }] }],
                      },
                    ],
                  },
                },
              ],
            },
          ],
        });
        expect(printableLines(text)).toBe(text);
      }),
    );
  });
});

/**
 * Output of more than 515 problematic strings, including terminal control codes. Each string is placed in
 * every field of the documents of commands; terminals, CSV files and logs must display it without
 * interpreting it. The documents contain only a tenth of the strings that no output changes, or all with
 * `TEST_SCALE=1`.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openJsonLog } from '../../../src/cli/terminal/json-log.ts';
import { printable, printableLines, printableStrings } from '../../../src/core/printable.ts';
import type { CommandDocument } from '../../../src/core/report/generated/documents.ts';
import { applyText } from '../../../src/report/apply-text.ts';
import { toCsv } from '../../../src/report/csv.ts';
import { importText } from '../../../src/report/import-text.ts';
import { toMarkdown } from '../../../src/report/markdown-report.ts';
import { NO_PAINT } from '../../../src/report/paint.ts';
import { planText } from '../../../src/report/plan-text.ts';
import { recoverText } from '../../../src/report/recover-text.ts';
import { resultsText } from '../../../src/report/results-text.ts';
import { statusText } from '../../../src/report/status-text.ts';
import { arbitraryDocument } from '../../support/arbitrary-document.ts';
import { AWKWARD_TEXTS } from '../../support/awkward-texts.ts';
import {
  sampleTimelineEntry,
  sampleApplyReport,
  sampleRecord,
  sampleRun,
} from '../../support/sample-report.ts';
import { sampleRows } from '../../support/test-scale.ts';

/** Placeholder for every string of a document. */
const PLACEHOLDER = '\u2756';

/** Returns the largest of 15 reproducible random documents, with a string in every field. */
function longest<Name extends CommandDocument['command']>(command: Name) {
  const samples = fc.sample(arbitraryDocument(command, fc.constant(PLACEHOLDER)), { numRuns: 15, seed: 1 });
  const [first] = samples.sort((one, other) => JSON.stringify(other).length - JSON.stringify(one).length);
  if (first === undefined) throw new Error('no document was generated');
  const json = JSON.stringify(first);
  expect(json.split(PLACEHOLDER).length).toBeGreaterThan(5);
  return (text: string): typeof first =>
    JSON.parse(json.replaceAll(PLACEHOLDER, () => JSON.stringify(text).slice(1, -1))) as typeof first; // only strings differ
}

const UNSEEN = /[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\u2028\u2029]/u;
const COMMAND = /^\s*::|##\[|##vso\[|##teamcity\[/im;

const isEscaped = (text: string): boolean => printable(text) !== text || printableLines(text) !== text;
const HARMLESS_TEXTS = AWKWARD_TEXTS.filter((text) => !isEscaped(text));
const DOCUMENT_TEXTS = [
  ...AWKWARD_TEXTS.filter(isEscaped),
  ...sampleRows(HARMLESS_TEXTS, HARMLESS_TEXTS.length / 10),
];

describe('problematic strings', () => {
  const about = { command: 'plan', service: 'x', next: 'y', verbose: true };
  const [plan, apply, status] = [longest('plan'), longest('apply'), longest('status')];
  const [results, recover, imported] = [longest('results'), longest('recover'), longest('import')];

  test.each<readonly [string, (text: string, fit: <Value>(value: Value) => Value) => string]>([
    ['the text of a plan', (text, fit) => planText(fit(plan(text)), about, NO_PAINT)],
    [
      'the text of an apply',
      (text, fit) => applyText(fit(apply(text)), { now: 0, rerunCommand: null }, NO_PAINT),
    ],
    ['the text of a status', (text, fit) => statusText(fit(status(text)), NO_PAINT)],
    ['the text of results', (text, fit) => resultsText(fit(results(text)).tests, NO_PAINT, 1)],
    ['the text of a recovery', (text, fit) => recoverText(fit(recover(text)).operations, [], false)],
    ['the text of an import', (text, fit) => importText(fit(imported(text)))],
    ['the Markdown report of an apply', (text, fit) => toMarkdown(fit(apply(text)))],
  ])(
    '%s, as printed, contains no line breaks, control characters or CI commands from a problematic string',
    (_, textOf) => {
      for (const text of DOCUMENT_TEXTS) {
        const output = textOf(text, (value) => value);
        // Without a character that is replaced, both outputs are the same.
        const plain = printable(text) === text ? output : textOf(text, printableStrings);
        expect([text, output.split('\n').length]).toEqual([text, plain.split('\n').length]);
        const shown = printableLines(output);
        expect(shown).not.toMatch(UNSEEN);
        expect(shown).not.toMatch(COMMAND);
      }
    },
  );

  test('a problematic string is written as one CSV cell without a formula', () => {
    const timeline = [sampleTimelineEntry(0, 1)];
    for (const text of AWKWARD_TEXTS) {
      const run = sampleRun(text === '' ? 'x' : text, {
        result_id: text,
        result: sampleRecord({ timeline }),
      });
      const [, row = '', ...others] = toCsv(sampleApplyReport({ runs: [run] })).split('\r\n');
      expect([text, others]).toEqual([text, ['']]);
      const cells = [...row.matchAll(/(?:"((?:[^"]|"")*)"|([^",]*))(?:,|$)/g)].map(
        ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain,
      );
      const cell = cells[1] ?? '';
      expect([text, cell.replace(/^'/, '')]).toEqual([text, printable(text).replace(/^'/, '')]);
      expect(cell).not.toMatch(/^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/);
      expect(row).not.toMatch(UNSEEN);
    }
  });

  test('a problematic string is logged as one JSON line with the same value', () => {
    let written = '';
    const stderr = {
      write: (text: string) => {
        written += text;
      },
    };
    const log = openJsonLog({ stderr } as Parameters<typeof openJsonLog>[0]); // the only member that it uses
    for (const text of AWKWARD_TEXTS) log.warn({ event: 'not-verified', reason: text, [`of ${text}`]: 1 });
    const lines = written.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { readonly reason: string }).reason)).toEqual(
      AWKWARD_TEXTS,
    );
    expect(written).not.toMatch(UNSEEN);
    expect(written).not.toMatch(COMMAND);
  });
});

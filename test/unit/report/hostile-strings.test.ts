/**
 * More than 515 texts that programs stumble over, codes of terminals among them, each in every text of the documents
 * that commands tell: on a terminal, in CSV and in logs they are shown, and nothing is obeyed.
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

/** Stands in a document wherever a text is to come. */
const PLACE = '\u2756';

/** The document with the most texts of some that are made at random, always the same ones. */
function longest<Name extends CommandDocument['command']>(command: Name) {
  const made = fc.sample(arbitraryDocument(command, fc.constant(PLACE)), { numRuns: 50, seed: 1 });
  const [first] = made.sort((one, other) => JSON.stringify(other).length - JSON.stringify(one).length);
  if (first === undefined) throw new Error('no document was made');
  const json = JSON.stringify(first);
  expect(json.split(PLACE).length).toBeGreaterThan(5);
  return (text: string): typeof first =>
    JSON.parse(json.replaceAll(PLACE, () => JSON.stringify(text).slice(1, -1))) as typeof first; // the same with other texts
}

const UNSEEN = /[^\P{Cc}\n\t]|[\p{Cf}\p{Cs}\u2028\u2029]/u;
const COMMAND = /^\s*::|##\[|##vso\[|##teamcity\[/im;

describe('a naughty text', () => {
  const about = { command: 'plan', service: 'x', next: 'y', verbose: true };
  const [plan, apply, status] = [longest('plan'), longest('apply'), longest('status')];
  const [results, recover, imported] = [longest('results'), longest('recover'), longest('import')];

  test.each<readonly [string, (text: string, fit: <Value>(value: Value) => Value) => string]>([
    ['a plan', (text, fit) => planText(fit(plan(text)), about, NO_PAINT)],
    [
      'what was applied',
      (text, fit) => applyText(fit(apply(text)), { now: 0, rerunCommand: null }, NO_PAINT),
    ],
    ['a status', (text, fit) => statusText(fit(status(text)), NO_PAINT)],
    ['results', (text, fit) => resultsText(fit(results(text)).tests, NO_PAINT)],
    ['what is recovered', (text, fit) => recoverText(fit(recover(text)).operations, [], false)],
    ['an import', (text, fit) => importText(fit(imported(text)))],
    ['Markdown', (text, fit) => toMarkdown(fit(apply(text)))],
  ])('in the text of %s is shown, begins no line and is no command', (_, textOf) => {
    for (const text of AWKWARD_TEXTS) {
      const made = textOf(text, (value) => value);
      const plain = textOf(text, printableStrings);
      expect([text, made.split('\n').length]).toEqual([text, plain.split('\n').length]);
      const shown = printableLines(made);
      expect(shown).not.toMatch(UNSEEN);
      expect(shown).not.toMatch(COMMAND);
    }
  });

  test('in CSV is one cell, and no formula', () => {
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

  test('in a log is one line of JSON that says the same', () => {
    let written = '';
    const stderr = {
      write: (text: string) => {
        written += text;
      },
    };
    const log = openJsonLog({ stderr } as Parameters<typeof openJsonLog>[0]); // what it uses of a context
    for (const text of AWKWARD_TEXTS) log.warn({ event: 'not-verified', reason: text, [`of ${text}`]: 1 });
    const lines = written.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { readonly reason: string }).reason)).toEqual(
      AWKWARD_TEXTS,
    );
    expect(written).not.toMatch(UNSEEN);
    expect(written).not.toMatch(COMMAND);
  });
});

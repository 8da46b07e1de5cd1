import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toCsv } from '../../../src/report/csv.ts';
import {
  sampleTimelineEntry,
  sampleApplyReport,
  sampleRecord,
  sampleRun,
} from '../../support/sample-report.ts';

/** Parses rows of cells according to RFC 4180. */
function rowsOf(text: string): readonly (readonly string[])[] {
  const cells = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  const rows: string[][] = [[]];
  for (let at = 0; at < text.length; at = cells.lastIndex) {
    cells.lastIndex = at;
    const [, quoted, plain, end] = cells.exec(text) ?? [];
    if (end === undefined) throw new Error(`no cell at ${at}`);
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === '\r\n') rows.push([]);
  }
  expect(rows.pop()).toEqual([]);
  return rows;
}

describe('the CSV report', () => {
  test('the CSV report has a row for each timeline entry and a header with units', () => {
    expect(toCsv(sampleApplyReport({}))).toBe(
      [
        'test,result_id,started_at,second,span_s,started,success,error,timeout_error,network_error,connections,data_sent_bytes,data_received_bytes,p50_ms,p95_ms,p99_ms',
        'home,r-home,2026-03-02T09:00:00.000Z,0,1,151,150,1,0,0,5,1000,2000,12.5,90,',
        'home,r-home,2026-03-02T09:00:00.000Z,1,1,151,150,1,0,0,5,1000,2000,12.5,90,',
        '',
      ].join('\r\n'),
    );
  });

  test('the CSV report has columns for additional members of timeline entries', () => {
    const timeline = [{ ...sampleTimelineEntry(0, 1), warmup: true }, sampleTimelineEntry(1, 1)];
    const rows = rowsOf(
      toCsv(sampleApplyReport({ runs: [sampleRun('home', { result: sampleRecord({ timeline }) })] })),
    );
    expect(rows.map((row) => row.at(-1))).toEqual(['warmup', 'true', '']);
  });

  test('the CSV report contains only a header if no run has a valid timeline', () => {
    expect(rowsOf(toCsv(sampleApplyReport({ runs: [sampleRun('home', { result: null })] })))).toHaveLength(1);
    expect(
      rowsOf(toCsv(sampleApplyReport({ runs: [sampleRun('home', { result: { timeline: 7 } })] }))),
    ).toHaveLength(1);
  });

  test.each(['=1+1', '+1', '-1', '@x', '\t=1', ' =1', '\r=1', '＝1', '=cmd|"/c calc"!A1'])(
    'the CSV report escapes the formula %j',
    (key) => {
      const [, row] = rowsOf(toCsv(sampleApplyReport({ runs: [sampleRun(key)] })));
      expect(row?.[0]).toMatch(/^'/);
    },
  );

  test('with arbitrary strings, all rows of the CSV report have the same number of cells, and no cell begins with a formula', () => {
    const start = fc.constantFrom('', '=', '+', '-', '@', '\t=', ' @', '\uff1d', '\uff0b');
    const cell = fc.tuple(start, fc.string({ unit: 'binary' })).map((parts) => parts.join(''));
    fc.assert(
      fc.property(cell, cell, (key, name) => {
        const timeline = [{ ...sampleTimelineEntry(0, 1), [name]: key }];
        const rows = rowsOf(
          toCsv(sampleApplyReport({ runs: [sampleRun(key, { result: sampleRecord({ timeline }) })] })),
        );
        expect(new Set(rows.map((row) => row.length)).size).toBe(1);
        for (const text of rows.flat()) expect(text).not.toMatch(/^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/);
      }),
      { numRuns: 25 },
    );
  });
});

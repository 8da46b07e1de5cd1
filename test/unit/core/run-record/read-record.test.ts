/** The reader of run records agrees with the schema of results and with their encoder. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ResultRecord } from '../../../../src/contract/generated/result-record.ts';
import { validateResponse } from '../../../../src/contract/response-validation.ts';
import {
  createResultDocument,
  createUnknownResultDocument,
  decodeResult,
  encodeStoredResult,
} from '../../../../src/contract/result-codec.ts';
import { encodeRunVerdict } from '../../../../src/contract/verdict-codec.ts';
import type { LoadDelivery, RunReport, WorkerReport } from '../../../../src/core/load/run-report.ts';
import type { RunStop } from '../../../../src/core/model/run-stop.ts';
import { readRunRecord } from '../../../../src/core/run-record/read-record.ts';
import { recordOfReport } from '../../../../src/core/run-record/report-record.ts';
import { STALL_FREE } from '../../../support/past-run.ts';
import { openRawTarget, responseText } from '../../../support/raw-target.ts';
import { jobOf, targetOf, type JobChanges } from '../../../support/test-engine.ts';
import { runInVirtualTime } from '../../../support/virtual-run.ts';

interface FieldSchema {
  readonly type: string | readonly string[];
}

const SCHEMA = JSON.parse(
  readFileSync(new URL('../../../../schemas/api/result-record.schema.json', import.meta.url), 'utf8'),
) as { readonly properties: Readonly<Record<string, FieldSchema>> };

/** Returns an object that passes the path of each member that is read to a function. */
function observeReads<T extends object>(value: T, onRead: (path: string) => void, at = ''): T {
  return new Proxy(value, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver);
      if (typeof name === 'symbol') return member;
      const path = Array.isArray(target) ? at : `${at}/${name}`;
      onRead(path);
      return typeof member === 'object' && member !== null ? observeReads(member, onRead, path) : member;
    },
  });
}

/** Returns the paths of all members, regardless of their position in lists. */
function pathsOf(value: unknown, at = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((member) => pathsOf(member, at));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    `${at}/${name}`,
    ...pathsOf(member, `${at}/${name}`),
  ]);
}

function readPathsOf(record: ResultRecord): ReadonlySet<string> {
  const paths = new Set<string>();
  decodeResult(observeReads(record, (path) => paths.add(path)));
  return paths;
}

const ARBITRARY_BY_TYPE: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: fc.oneof(fc.string(), fc.constant('2026-11-20T14:02:11Z')),
  number: fc.oneof(fc.nat(), fc.double({ noNaN: true, noDefaultInfinity: true })),
  boolean: fc.boolean(),
  object: fc.dictionary(fc.string(), fc.jsonValue()),
  array: fc.array(fc.jsonValue()),
  null: fc.constant(null),
};

function arbitraryOf({ type }: FieldSchema): fc.Arbitrary<unknown> {
  return fc.oneof(...[type].flat().map((name) => ARBITRARY_BY_TYPE[name] ?? fc.jsonValue()));
}

/** Records that match the schema. */
const arbitraryRecord = fc
  .record(
    Object.fromEntries(Object.entries(SCHEMA.properties).map(([name, field]) => [name, arbitraryOf(field)])),
  )
  .map((record): ResultRecord => ({ ...record, result_id: 'r1' }));

describe('the reader and the schema of results', () => {
  test('every field of the schema is read from any record that matches the schema', () => {
    const names = Object.keys(SCHEMA.properties).map((name) => `/${name}`);
    fc.assert(
      fc.property(arbitraryRecord, (record) => {
        expect(validateResponse('result-record', record)).toBeNull();
        const paths = readPathsOf(record);
        expect(names.filter((name) => !paths.has(name))).toEqual([]);
      }),
    );
  });

  test('a value that is not a record is read as an empty record', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double(), fc.array(fc.jsonValue()), fc.constant(null)), (json) => {
        expect(readRunRecord(json)).toEqual(readRunRecord({}));
      }),
    );
  });
});

const DELIVERY: LoadDelivery = {
  model: 'open',
  due: 100,
  late: 7,
  neverStarted: 3,
  lagP99: 1.5,
  lagMax: 12,
  worstWindow: { second: 4, due: 20, neverStarted: 2 },
};

const WORKER: WorkerReport = {
  name: 'east-1',
  threads: 2,
  started: 68,
  finished: 67,
  lagP99: 0.4,
  startSkew: -0.2,
  clockUncertainty: 0.1,
  lossReason: 'its lease expired',
};

const STOP: RunStop = { at: Date.UTC(2026, 10, 20, 14), cause: 'request', client: 'loadtests stop' };
const RUN = { id: 'a'.repeat(32), startedAt: Date.UTC(2026, 10, 20, 13) };

/** Runs a job on a target that responds with a status of 503 to every third request. */
async function reportOf(changes: JobChanges): Promise<RunReport> {
  let count = 0;
  const shop = await openRawTarget((_request, write) => {
    setTimeout(() => write(responseText(count++ % 3 === 2 ? 503 : 200, 'ok')), 10);
  });
  const targets = ['/', '/cart'].map((path) => targetOf(shop.port, { path }));
  return await runInVirtualTime(jobOf(targets, changes), shop);
}

function encode(report: RunReport, stop: RunStop | null = null): ResultRecord {
  const verdict = JSON.stringify(encodeRunVerdict({ verdict: 'pass', thresholds: [], reason: null }));
  return encodeStoredResult({ ...RUN, document: createResultDocument(RUN, report, stop), verdict });
}

/** Rounds all numbers to three decimal places, as records do. */
function rounded(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_, member: unknown) =>
      typeof member === 'number' ? Math.round(member * 1000) / 1000 : member,
    ),
  );
}

const JOBS: readonly (readonly [string, JobChanges])[] = [
  ['a closed test', { testType: 'cycling', initial: 2, total: 2, duration: 2000 }],
  ['an open test with a warm-up', { testType: 'per-second', total: 20, duration: 3000, warmup: 1000 }],
];

describe.each(JOBS)('the record of %s', (_name, changes) => {
  test('a record is unchanged after it is encoded and read', async () => {
    const report = await reportOf(changes);
    const { record } = decodeResult(encode(report));
    expect(rounded(record)).toEqual(rounded(recordOfReport(report, RUN.startedAt)));
  });

  test('every member of the encoded record except the load model is read, and every top-level member is a field of the schema', async () => {
    const run = await reportOf(changes);
    const report = { ...run, abortReason: 'stopped', workers: [WORKER], abortCertain: true } as const;
    for (const delivery of [run.delivery, DELIVERY]) {
      const record = encode({ ...report, delivery, machine: run.machine ?? STALL_FREE }, STOP);
      const paths = readPathsOf(record);
      // The verdict has a reader of its own. The load model is known from the other members of the delivery.
      const unread = pathsOf(record).filter((path) => !paths.has(path) && path !== '/delivery/model');
      expect(unread).toEqual([]);
      const names = Object.keys(SCHEMA.properties);
      expect(Object.keys(record).filter((name) => !names.includes(name))).toEqual([]);
    }
  });
});

test('the record of a run without a stored result contains its start and the reason for its end, but no metrics', () => {
  const document = createUnknownResultDocument(RUN, 'partial');
  const { status, record } = decodeResult(encodeStoredResult({ ...RUN, document }));
  const unknown = { ...readRunRecord({}), startedAt: RUN.startedAt, abortReason: 'partial' };
  expect({ status, record }).toEqual({ status: 'ready', record: unknown });
});

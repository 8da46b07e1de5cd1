/** Test types and statuses, which services spell in several ways. */
import type { ObservedTest, StatusKind, TestType } from '../core/model/load-test.ts';

/** Test types, as spelled by loadtests services. */
export const TEST_TYPE_LABELS: Readonly<Record<TestType, string>> = {
  cycling: 'Cycling',
  'non-cycling': 'Non-Cycling',
  'per-second': 'Clients per second',
};

const TEST_TYPES: ReadonlyMap<string, TestType> = new Map([
  ['cycling', 'cycling'],
  ['maintain-load', 'cycling'],
  ['maintain-client-load', 'cycling'],
  ['concurrent', 'cycling'],
  ['non-cycling', 'non-cycling'],
  ['per-test', 'non-cycling'],
  ['clients-per-test', 'non-cycling'],
  ['total', 'non-cycling'],
  ['per-second', 'per-second'],
  ['clients-per-second', 'per-second'],
  ['persecond', 'per-second'],
]);

export function readTestType(value: string): ObservedTest['testType'] {
  const key = value
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, '-');
  return TEST_TYPES.get(key) ?? { unrecognized: value };
}

const STATUS_KINDS: ReadonlyMap<string, StatusKind> = new Map([
  ['', 'unspecified'],
  ['pending', 'pending'],
  ['running', 'running'],
  ['complete', 'complete'],
]);

export function readStatus(value: string): StatusKind {
  return STATUS_KINDS.get(value.trim().toLowerCase()) ?? 'unrecognized';
}

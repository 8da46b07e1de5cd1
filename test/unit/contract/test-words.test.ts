import { describe, expect, test } from 'vitest';
import { readStatus, readTestType } from '../../../src/contract/test-keywords.ts';

describe('words for test types', () => {
  test.each([
    ['Cycling', 'cycling'],
    ['cycling', 'cycling'],
    ['maintain-load', 'cycling'],
    ['Maintain client load', 'cycling'],
    ['Non-Cycling', 'non-cycling'],
    ['non-cycling', 'non-cycling'],
    ['per-test', 'non-cycling'],
    ['Clients per test', 'non-cycling'],
    [' CLIENTS_PER_TEST ', 'non-cycling'],
    ['per-second', 'per-second'],
    ['Clients per second', 'per-second'],
  ])('%j is %s', (word, type) => {
    expect(readTestType(word)).toBe(type);
  });

  test.each(['', 'Ramp', 'cycling!', 'constructor', '__proto__', 'toString'])(
    '%j is not recognised',
    (word) => {
      expect(readTestType(word)).toEqual({ unrecognised: word });
    },
  );
});

describe('words for the status of a test', () => {
  test.each([
    ['', 'unspecified'],
    [' ', 'unspecified'],
    ['pending', 'pending'],
    ['Running', 'running'],
    ['COMPLETE ', 'complete'],
    ['finished', 'unrecognised'],
    ['constructor', 'unrecognised'],
  ])('%j is %s', (word, kind) => {
    expect(readStatus(word)).toBe(kind);
  });
});

import { describe, expect, test } from 'vitest';
import { readStatus, readTestType } from '../../../src/contract/test-keywords.ts';

describe('test type keywords', () => {
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
  ])('the test type %j is read as %s', (keyword, type) => {
    expect(readTestType(keyword)).toBe(type);
  });

  test.each(['', 'Ramp', 'cycling!', 'constructor', '__proto__', 'toString'])(
    'the test type %j is not recognized',
    (keyword) => {
      expect(readTestType(keyword)).toEqual({ unrecognized: keyword });
    },
  );
});

describe('test status keywords', () => {
  test.each([
    ['', 'unspecified'],
    [' ', 'unspecified'],
    ['pending', 'pending'],
    ['Running', 'running'],
    ['COMPLETE ', 'complete'],
    ['finished', 'unrecognized'],
    ['constructor', 'unrecognized'],
  ])('the test status %j is read as %s', (keyword, kind) => {
    expect(readStatus(keyword)).toBe(kind);
  });
});

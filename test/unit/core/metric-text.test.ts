/** Formatting of metrics for display. */
import { describe, expect, test } from 'vitest';
import {
  exactMetricText,
  intervalText,
  metricText,
  roundToThreeDigits,
} from '../../../src/core/model/metric-text.ts';

describe('metric texts', () => {
  test.each([
    ['error_rate', 49.971, '50%', '49.971%'],
    ['error_rate', 0, '0%', '0%'],
    ['p99.9', 9.0649, '9.06 ms', '9.065 ms'],
    ['avg_response_time', 1234.5678, '1,235 ms', '1,234.568 ms'],
    ['requests', 18813, '18,813', '18,813'],
    ['requests_per_second', 13580.25, '13,580', '13,580.25'],
    ['data_received', 10300, '10.3 kB', '10,300 bytes'],
  ])('the metric %s with the value %d is formatted as $2, or exactly as $3', (metric, value, text, exact) => {
    expect(metricText(metric, value)).toBe(text);
    expect(exactMetricText(metric, value)).toBe(exact);
  });

  test.each([
    ['p95', 0, 242, 'between 0 and 242 ms'],
    ['p95', 99.9, 100, 'between 99.9 and 100 ms'],
    ['p95', 12.349, 12.341, 'between 12.3 and 12.4 ms'],
    ['p95', 1.2301, 1.2301, 'between 1.23 and 1.24 ms'],
    ['p95', 0.012344, 0.012344, 'between 0.0123 and 0.0124 ms'],
    ['p95', 1234.5, 1234.5, 'between 1,234 and 1,235 ms'],
    ['error_rate', 0.29, 1, 'between 0.29 and 1%'],
    ['requests', 1234, 56_789, 'between 1,234 and 56,789'],
    ['requests', 1234.9, null, 'at least 1,234'],
    ['requests_per_second', -1.239, -1.231, 'between -1.24 and -1.23'],
    ['data_received', 10_300, 2_000_000, 'between 10.3 kB and 2.0 MB'],
    ['data_received', 999, null, 'at least 999 B'],
  ])('the interval of %s from %d to %j is formatted as "%s"', (metric, low, high, text) => {
    expect(intervalText(metric, { low, high })).toBe(text);
  });

  test.each([
    [0, 0],
    [1.2345, 1.23],
    [12.345, 12.3],
    [123.45, 123],
    [1234.56, 1235],
    [-1234.56, -1235],
    [-0.012345, -0.0123],
  ])('roundToThreeDigits(%d) returns %d', (value, rounded) => {
    expect(roundToThreeDigits(value)).toBe(rounded);
  });
});

/** Formatting of metrics for display. */
import { describe, expect, test } from 'vitest';
import { exactMetricText, metricText } from '../../../src/core/model/metric-text.ts';

describe('metric texts', () => {
  test.each([
    ['error_rate', 49.971, '50%', '49.971%'],
    ['error_rate', 0, '0%', '0%'],
    ['p99.9', 9.0649, '9.06 ms', '9.065 ms'],
    ['avg_response_time', 1234.5678, '1,235 ms', '1,234.568 ms'],
    ['requests', 18813, '18,813', '18,813'],
    ['requests_per_second', 13580.25, '13,580', '13,580.25'],
    ['data_received', 10300, '10.3 kB', '10,300 bytes'],
  ])('the metric %s with the value %d is formatted with its unit', (metric, value, text, exact) => {
    expect(metricText(metric, value)).toBe(text);
    expect(exactMetricText(metric, value)).toBe(exact);
  });
});

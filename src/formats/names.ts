import type { Metric } from '../core/model/threshold.ts';

export function variableName(name: string): string {
  const word = name.replaceAll(/[^\w-]+/g, '_').slice(0, 60);
  return /^[A-Za-z_]/.test(word) ? word : `value_${word}`;
}

/**
 * Returns the value of a name that a source contains. A name that all objects inherit, such as `constructor`, has no
 * value.
 */
export function valueNamed<T>(name: string, values: Readonly<Record<string, T>>): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** Returns the metric with a name such as `p95`, or the metric in the table; null for other names. */
export function metricNamed(name: string, metrics: Readonly<Record<string, Metric>>): Metric | null {
  if (/^p\d+(?:\.\d+)?$/.test(name)) return name as Metric; // The name is a percentile.
  return valueNamed(name, metrics) ?? null;
}

/** Goals of the rows, compared with the measured values. */

export function atMost(what, measured, max, unit = '') {
  return { what, goal: `≤ ${max}${unit}`, measured: format(measured, unit), met: measured <= max };
}

export function atLeast(what, measured, min, unit = '') {
  return { what, goal: `≥ ${min}${unit}`, measured: format(measured, unit), met: measured >= min };
}

export function within(what, measured, { of, tolerance, unit = '' }) {
  const met = Math.abs(measured - of) <= tolerance;
  return { what, goal: `${of} ± ${tolerance}${unit}`, measured: format(measured, unit), met };
}

export function equal(what, measured, expected) {
  return { what, goal: `= ${expected}`, measured: String(measured), met: measured === expected };
}

function format(value, unit) {
  return `${value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)}${unit}`;
}

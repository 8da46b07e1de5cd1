/** What a row promises, beside what was measured. */

export function atMost(what, measured, limit, unit = '') {
  return { what, goal: `≤ ${limit}${unit}`, measured: shown(measured, unit), met: measured <= limit };
}

export function atLeast(what, measured, limit, unit = '') {
  return { what, goal: `≥ ${limit}${unit}`, measured: shown(measured, unit), met: measured >= limit };
}

export function within(what, measured, { of, tolerance, unit = '' }) {
  const met = Math.abs(measured - of) <= tolerance;
  return { what, goal: `${of} ± ${tolerance}${unit}`, measured: shown(measured, unit), met };
}

export function equal(what, measured, expected) {
  return { what, goal: `= ${expected}`, measured: String(measured), met: measured === expected };
}

function shown(value, unit) {
  return `${value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)}${unit}`;
}

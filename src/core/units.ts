declare const unit: unique symbol;
export type Milliseconds = number & { readonly [unit]: 'ms' };

export function milliseconds(value: number): Milliseconds {
  return value as Milliseconds;
}

export function seconds(value: number): Milliseconds {
  return Math.round(value * 1000) as Milliseconds;
}

const UNIT_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Parses a duration such as `1m30s` or `1.5h`, with units in descending order. Returns null for other text. */
export function parseDuration(text: string): Milliseconds | null {
  const part = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/y;
  let total = 0;
  let lastUnit = Number.POSITIVE_INFINITY;
  while (part.lastIndex < text.length) {
    const match = part.exec(text);
    if (match === null) return null;
    const factor = UNIT_MS[match[2] as keyof typeof UNIT_MS];
    if (factor >= lastUnit) return null;
    lastUnit = factor;
    total += Number(match[1]) * factor;
  }
  if (text === '' || !Number.isFinite(total)) return null;
  return milliseconds(Number(total.toFixed(6)));
}

/** Formats a duration: `1m30s`, `500ms`, `2h`, `0s`. */
export function formatDuration(value: Milliseconds): string {
  if (Math.round(value) === 0) return '0s';
  if (value < 1000) return `${Math.round(value)}ms`;
  let rest = Math.round(value);
  let text = '';
  for (const [name, factor] of [
    ['h', UNIT_MS.h],
    ['m', UNIT_MS.m],
  ] as const) {
    const count = Math.floor(rest / factor);
    if (count > 0) text += `${count}${name}`;
    rest -= count * factor;
  }
  if (rest > 0) text += `${Number((rest / 1000).toFixed(3))}s`;
  return text;
}

/** Formats an age with at most two units: `1d 11h`, `5m 3s`, `0s`. */
export function formatAge(value: Milliseconds): string {
  let rest = Math.max(0, Math.floor(value / 1000)) * 1000;
  const parts = (['d', 'h', 'm', 's'] as const).map((name) => {
    const count = Math.floor(rest / UNIT_MS[name]);
    rest -= count * UNIT_MS[name];
    return { count, text: `${count}${name}` };
  });
  const first = parts.findIndex(({ count }) => count > 0);
  if (first < 0) return '0s';
  const shown = parts.slice(first, first + 2).filter(({ count }) => count > 0);
  return shown.map(({ text }) => text).join(' ');
}

/** Formats a number of bytes with a decimal unit: `512 B`, `1.2 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  let value = bytes / 1000;
  for (const unit of ['kB', 'MB', 'GB']) {
    if (Number(value.toFixed(1)) < 1000) return `${value.toFixed(1)} ${unit}`;
    value /= 1000;
  }
  return `${value.toFixed(1)} TB`;
}

/** Text about the load of a test. */
import { counted, withCommas } from '../counted.ts';
import { formatDuration, seconds } from '../units.ts';
import type { TestLoad } from './generated/documents.ts';

/** Formats a load: `cycling 0 → 250 connections, 1m on www.example.com`. */
export function loadText(load: TestLoad): string {
  const { total, initial, test_type: model } = load;
  const peak = counted(load.connections, 'connection');
  const lasts = formatDuration(seconds(load.seconds)) + warmupText(load) + drainText(load);
  const hosts = load.hosts.join(', ');
  const length = `${lasts} on ${hosts}`;
  if (load.stages !== null) {
    const levels = levelsText([initial, ...load.stages.map(({ to }) => to)]);
    return load.clients === null
      ? `cycling ${levels} connections, ${length}`
      : `per-second ${levels}, ${counted(load.clients, 'client')} in ${lasts}, up to ${total}/s and ${peak} on ${hosts}`;
  }
  switch (model) {
    case 'cycling':
      return `cycling ${initial} → ${counted(total, 'connection')}, ${length}`;
    case 'non-cycling':
      return `non-cycling, ${counted(total, 'client')} in total, up to ${peak}, ${length}`;
    case 'per-second':
      return `per-second, ${counted(total, 'client')} per second, up to ${peak}, ${length}`;
  }
}

/** Formats the warm-up: ` (10s warm-up)`. */
function warmupText({ warmup }: TestLoad): string {
  return warmup === null ? '' : ` (${formatDuration(seconds(warmup))} warm-up)`;
}

/** Formats the drain: ` plus up to 6s for the last iterations`. */
function drainText({ drain_seconds: drain = 0 }: TestLoad): string {
  return drain === 0 ? '' : ` plus up to ${formatDuration(seconds(drain))} for the last iterations`;
}

/** Maximum number of levels to display; longer lists are abbreviated. */
const MAX_LEVELS = 8;

/** Formats the levels of stages: `0 → 200 → 200 → 0`. */
function levelsText(levels: readonly number[]): string {
  const texts = levels.map(withCommas);
  const shown =
    texts.length <= MAX_LEVELS ? texts : [...texts.slice(0, MAX_LEVELS - 2), '…', ...texts.slice(-1)];
  return shown.join(' → ');
}

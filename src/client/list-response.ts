/** A list may be truncated, contain duplicates and have any order. */
import { setImmediate } from 'node:timers/promises';
import { SERVICE_HEADER } from '../contract/routes.ts';
import type { RunResult } from '../core/run-record/run-result.ts';
import type { Listing } from '../core/ports/service-port.ts';
import { MEMBERS_PER_STEP } from '../core/steps.ts';
import type { ServiceResponse } from './transport.ts';

/**
 * Common page lengths. A list of such a length may be truncated to one page.
 * @see docs/internals/reconciler.md, section 4.1
 */
const PAGE_LENGTHS = new Set([25, 50, 100, 250, 500, 1000]);
const TOTAL_HEADERS = ['x-total-count', 'x-total', 'content-range'];
const PAGE_HEADERS = ['link', 'x-total-count', 'x-total', 'x-total-pages', 'x-next-page', 'content-range'];

export async function toListed<Wire, T extends { readonly id: string }>(
  list: readonly Wire[],
  response: ServiceResponse,
  decode: (member: Wire, at: number) => T,
): Promise<Listing<T>> {
  const items: T[] = [];
  for await (const { members, from } of takeParts(list)) {
    for (const [at, member] of members.entries()) items.push(decode(member, from + at));
  }
  return { items: uniqueById(items), maybeTruncated: isMaybeTruncated(list.length, response) };
}

/** Divides a list into parts, so that signals can be processed in between. */
export async function* takeParts<T>(
  list: readonly T[],
): AsyncGenerator<{ readonly members: readonly T[]; readonly from: number }> {
  for (let from = 0; from < list.length; from += MEMBERS_PER_STEP) {
    if (from > 0) await setImmediate();
    yield { members: list.slice(from, from + MEMBERS_PER_STEP), from };
  }
}

function isMaybeTruncated(length: number, { status, headers }: ServiceResponse): boolean {
  // loadtests services do not paginate.
  if (headers.has(SERVICE_HEADER)) return false;
  if (TOTAL_HEADERS.some((name) => parseTotal(headers.get(name)) === length)) return false;
  return status === 206 || PAGE_LENGTHS.has(length) || PAGE_HEADERS.some((name) => headers.has(name));
}

/** Returns the total from a header such as `31` or `items 0-24/31`; null if there is none. */
function parseTotal(header: string | undefined): number | null {
  const match = /^(?:.*\/)?\s*(\d+)\s*$/.exec(header ?? '');
  return match === null ? null : Number(match[1]);
}

/** Omits each item with the ID of an earlier item. */
export function uniqueById<T extends { readonly id: string }>(items: readonly T[]): T[] {
  const byId = new Map<string, T>();
  for (const item of items) if (!byId.has(item.id)) byId.set(item.id, item);
  return [...byId.values()];
}

/** Sorts results by start time, newest first. Results without a start time are last, in their original order. */
export function sortNewestFirst(results: readonly RunResult[]): readonly RunResult[] {
  return [...results].sort(
    (a, b) => (b.record.startedAt ?? -Infinity) - (a.record.startedAt ?? -Infinity) || 0,
  );
}

/** The requests of a test in the file, below `urls` or below its flows, as one list. */
import type { Flow } from '../core/model/flow.ts';
import { MAX_WEIGHT } from '../core/model/flow.ts';
import { TEST_FIELDS } from '../core/model/test-fields.ts';
import { pointerOf } from '../core/pointer.ts';
import type { FieldPath } from '../core/field-reference.ts';
import type { TestEntry, UrlEntry } from './generated/config-file.ts';
import { lowerPlainTexts } from './lower-target.ts';
import { addError, fieldOf, lowerInteger, type LoweringContext } from './quantities.ts';

/** A request with its pointer. */
interface LocatedUrl {
  readonly entry: UrlEntry;
  readonly pointer: string;
}

/**
 * Returns the requests of a test in the order of the API.
 * @param at - pointer of the test
 */
export function urlEntriesOf(entry: TestEntry, at: string): readonly LocatedUrl[] {
  const located = (urls: TestEntry['urls'], pointer: string) =>
    (urls ?? []).map((url, index) => ({ entry: toUrlEntry(url), pointer: `${pointer}/urls/${index}` }));
  if (entry.flows === undefined) return located(entry.urls, at);
  return Object.entries(entry.flows).flatMap(([name, { urls }]) => located(urls, flowPointer(at, name)));
}

/** Returns the map form of a URL. The expansion of defaults creates it, but the type does not express this. */
function toUrlEntry(url: string | UrlEntry): UrlEntry {
  return typeof url === 'string' ? { url } : url;
}

/**
 * Returns the pointer of a flow.
 * @param at - pointer of the test
 */
export function flowPointer(at: string, name: string): string {
  return at + pointerOf([TEST_FIELDS.flows.name, name]);
}

export function lowerFlows(to: LoweringContext, { flows }: TestEntry, at: string): readonly Flow[] | null {
  if (flows === undefined) return null;
  return Object.entries(flows).map(([name, flow]) => {
    const pointer = flowPointer(at, name);
    if (flow.urls === undefined && to.isComplete(pointer)) {
      const message = `the flow "${name}" has no "urls"; set them, such as "urls: [https://…/]"`;
      addError(to, 'LT_CONFIG_SHAPE', message, to.locations.key(pointer));
    }
    const weight = lowerInteger(to, fieldOf(flow, 'weight', pointer), { min: 1, max: MAX_WEIGHT });
    const values = flow.values && lowerPlainTexts(to, flow.values, `${pointer}/values`);
    return {
      name,
      weight: weight ?? 1,
      urls: flow.urls?.length ?? 0,
      ...(values === undefined ? {} : { values }),
    };
  });
}

/** Rejects requests in two places. */
export function checkUrlsConflict(to: LoweringContext, entry: TestEntry, at: string): void {
  if (entry.urls === undefined || entry.flows === undefined) return;
  const message =
    '"urls" and "flows" cannot be combined; move the requests into a flow, or remove one of them';
  addError(to, 'LT_CONFIG_VALUE', message, to.locations.key(`${at}/urls`));
}

/** Returns the pointer in the file of a path in the API, relative to the test. */
export function pointerInFile(entry: TestEntry, path: FieldPath): string {
  const [list, index, ...more] = path;
  if (entry.flows === undefined) return pointerOf(path);
  if (list === 'urls' && index === undefined) return pointerOf([TEST_FIELDS.flows.name]);
  if (typeof index !== 'number') return pointerOf(path);
  if (list === 'urls') return (urlEntriesOf(entry, '')[index]?.pointer ?? '') + pointerOf(more);
  if (list !== TEST_FIELDS.flows.name) return pointerOf(path);
  const name = Object.keys(entry.flows)[index] ?? '';
  // The name of a flow is its key.
  return flowPointer('', name) + pointerOf(more[0] === 'name' ? [] : more);
}

/** Items of JSON lists in variables. */
import type { ListItem } from './iteration-program.ts';
import { toByteString, toText } from './request-template.ts';

/** Returns the items of a JSON list as bytes in latin1 characters; empty if the text is not a JSON list. */
export function itemsIn(list: string | undefined): readonly ListItem[] {
  if (list?.startsWith('[') !== true) return [];
  try {
    const items: unknown = JSON.parse(toText(list));
    return Array.isArray(items) ? items.map(toListItem) : [];
  } catch {
    return [];
  }
}

function toListItem(item: unknown): ListItem {
  return typeof item === 'string'
    ? { text: toByteString(item), isString: true }
    : { text: toByteString(JSON.stringify(item)), isString: false };
}

/** Creates a function like `itemsIn` that reuses the previous result if the list is the same. */
export function createListReader(): typeof itemsIn {
  let previous: string | undefined;
  let items: readonly ListItem[] = [];
  return (list) => {
    if (list !== previous) {
      previous = list;
      items = itemsIn(list);
    }
    return items;
  };
}

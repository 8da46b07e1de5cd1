/** Converts JSONPath expressions and dotted paths to JSON Pointers. */
import { pointerOf } from '../core/pointer.ts';

/** JSON Pointer. `hasItems` is true if the pointer contains a `*`, which matches all items or members. */
export interface ConvertedPath {
  readonly pointer: string;
  readonly hasItems: boolean;
}

/** Converts `$.items[0]['a.b'].id`, `items[*].id` and similar paths; null for any other path. */
export function pointerOfPath(path: string): ConvertedPath | null {
  const text = path.trim().replace(/^\$?\.?/, '');
  if (text.startsWith('.') || text.includes('..')) return null;
  const step = /(?:\.|^)([^.[\]'"()?@*]+)|\[(\d+)\]|\[(?:'([^']*)'|"([^"]*)")\]|(\[\*\]|\.\*)/y;
  let pointer = '';
  let hasItems = false;
  while (step.lastIndex < text.length) {
    const match = step.exec(text);
    if (match === null) return null;
    const [, name, index, single, double, any] = match;
    if (any !== undefined && hasItems) return null;
    if (any !== undefined) hasItems = true;
    const part = name ?? index ?? single ?? double ?? '*';
    pointer += pointerOf([part]);
  }
  return { pointer, hasItems };
}

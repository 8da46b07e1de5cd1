/** Conversion of JSONPath, and of paths with dots, to JSON Pointers. */

/** A JSON Pointer, and whether the path could match further values. */
export interface ConvertedPath {
  readonly pointer: string;
  /** True if the path selects one of several values, and the pointer selects the first one. */
  readonly isFirst: boolean;
}

/** Converts `$.items[0]['a.b'].id`, `items[*].id` and similar paths; returns null for filters and recursive descent. */
export function pointerOfPath(path: string): ConvertedPath | null {
  const text = path.trim().replace(/^\$?\.?/, '');
  const step = /(?:\.|^)([^.[\]'"()?@*]+)|\[(\d+)\]|\[(?:'([^']*)'|"([^"]*)")\]|(\[\*\]|\.\*)/y;
  let pointer = '';
  let isFirst = false;
  while (step.lastIndex < text.length) {
    const match = step.exec(text);
    if (match === null) return null;
    const [, name, index, single, double, any] = match;
    if (any !== undefined) isFirst = true;
    const part = name ?? index ?? single ?? double ?? '0';
    pointer += `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }
  return { pointer, isFirst };
}

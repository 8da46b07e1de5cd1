/**
 * Routes of the web UI: the fragment of the address, such as `#/runs/TEST/RESULT`. Browsers do not send the
 * fragment to the service.
 */

/** Decoded segments of a route; empty for the overview. */
export type Route = readonly string[];

/** Returns the one-time code of a sign-in link, which is 32 hexadecimal digits; null for any other fragment. */
export function signInCodeOf(fragment: string): string | null {
  return /^#?([0-9a-f]{32})$/.exec(fragment)?.[1] ?? null;
}

export function routeOf(fragment: string): Route {
  return fragment
    .replace(/^#?\/*/, '')
    .replace(/\?.*$/, '')
    .split('/')
    .filter((segment) => segment !== '')
    .map(decodeSegment);
}

/** Returns the part of the fragment after `?`, which contains the state of a view, such as the page of a list. */
export function readViewState(): URLSearchParams {
  return new URLSearchParams(/\?(.*)$/.exec(location.hash)?.[1] ?? '');
}

/** Stores a part of the view's state in the address without adding a history entry. */
export function writeViewState(changes: Readonly<Record<string, string | null>>): void {
  const state = readViewState();
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') state.delete(name);
    else state.set(name, value);
  }
  const query = state.toString();
  history.replaceState(null, '', location.hash.replace(/\?.*$/, '') + (query === '' ? '' : `?${query}`));
}

export function linkTo(...route: Route): string {
  return `#/${route.map(encodeURIComponent).join('/')}`;
}

export function resultPath(test: string, result: string): string {
  return `/v2/tests/${encodeURIComponent(test)}/results/${encodeURIComponent(result)}`;
}

/** Returns the segment unchanged if its escapes are invalid. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

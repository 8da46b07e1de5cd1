/** Requests otherwise than as compiled: with cookies of the pass, or where a redirect leads. */
import type { CookieJar, CookiePlace } from './cookies.ts';
import { fill, type Values } from './pieces.ts';
import { withBody, type CompiledTarget, type RequestParts } from './request-bytes.ts';

/** A request that follows a redirect. */
export interface Hop {
  /** How many redirects led here. */
  readonly count: number;
  readonly method: RequestParts['method'];
  /** Path and query. */
  readonly target: string;
  /** What the first request was made of: an answer on the way does not change its headers and body. */
  readonly values: Values;
}

/** After so many hops a redirect is the answer. */
const MOST_HOPS = 10;

/** Headers that tell of a body, and go with it. Source: the Fetch standard, "request-body-header name". */
const BODY_HEADERS = /^content-(?:encoding|language|location|type)$/i;

/**
 * Where a redirect leads.
 *
 * Shape:  the method is kept, but for 303, and for 301 and 302 of a POST, which become GET, as browsers do.
 * Errors: null when it is not followed: another scheme, host or port, a Location that is no URL or has a user part, or
 *         one redirect too many.
 */
export function nextHop(
  target: CompiledTarget,
  request: { readonly hop: Hop | null; readonly values: Values },
  answer: { readonly status: number; readonly location: string },
): Hop | null {
  const { parts } = target;
  const { hop } = request;
  const count = (hop?.count ?? 0) + 1;
  if (count > MOST_HOPS || answer.location === '') return null;
  const origin = `${parts.secure ? 'https' : 'http'}://${parts.authority}`;
  const base = parseUrl(origin + targetOf(target, request), undefined);
  if (base === null) return null;
  // As bytes, most of all UTF-8, not as the latin1 that they were read in.
  const url = parseUrl(Buffer.from(answer.location, 'latin1').toString('utf8'), base);
  if (url?.origin !== base.origin || url.username !== '' || url.password !== '') return null;
  const method = hop?.method ?? parts.method;
  return {
    count,
    method: answer.status === 307 || answer.status === 308 ? method : 'GET',
    target: url.pathname + url.search,
    values: hop?.values ?? request.values.slice(),
  };
}

/** Where the latest request went, for cookies. */
export function cookiePlaceOf(
  target: CompiledTarget,
  request: { readonly hop: Hop | null; readonly values: Values },
): CookiePlace {
  return placeOf(target.parts, targetOf(target, request));
}

/** The next request of a client that has cookies; see `CompiledTarget.render`. */
export function renderWithCookies(
  target: CompiledTarget,
  values: (string | undefined)[],
  jar: CookieJar,
): string | null {
  const { parts } = target;
  for (const draw of parts.draws) draw(values);
  const path = fill(parts.target, values);
  return path === null ? null : compose(parts, { method: parts.method, target: path, values, jar });
}

export function renderHop(target: CompiledTarget, hop: Hop, jar: CookieJar | null): string {
  const request = compose(target.parts, { ...hop, jar });
  if (request === null) throw new Error('Bug: a hop of a request that could not be sent');
  return request;
}

function compose(
  parts: RequestParts,
  request: {
    readonly method: RequestParts['method'];
    readonly target: string;
    readonly values: Values;
    readonly jar: CookieJar | null;
  },
): string | null {
  const { method, target, values, jar } = request;
  const pairs = jar?.pairsFor(placeOf(parts, target)) ?? '';
  const turned = method !== parts.method;
  let head = `${method} ${target} HTTP/1.1\r\n`;
  const cookies: string[] = [];
  for (const { name, value } of parts.lines) {
    if (turned && BODY_HEADERS.test(name)) continue;
    const text = fill(value, values);
    if (text === null) return null;
    if (pairs !== '' && name.toLowerCase() === 'cookie') cookies.push(text);
    else head += `${name}: ${text}\r\n`;
  }
  // The user's own stay, in front of the pass's.
  if (pairs !== '') head += `Cookie: ${[...cookies, pairs].join('; ')}\r\n`;
  if (parts.body === null || turned) return `${head}\r\n`;
  const body = fill(parts.body, values);
  return body === null ? null : withBody(head, body);
}

function targetOf(
  target: CompiledTarget,
  request: { readonly hop: Hop | null; readonly values: Values },
): string {
  const path = request.hop?.target ?? fill(target.parts.target, request.values);
  if (path === null) throw new Error('Bug: an answer to a request that could not be sent');
  return path;
}

function placeOf(parts: RequestParts, target: string): CookiePlace {
  const query = target.indexOf('?');
  return {
    hostname: parts.hostname.toLowerCase(),
    path: query < 0 ? target : target.slice(0, query),
    secure: parts.secure,
  };
}

function parseUrl(text: string, base: URL | undefined): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

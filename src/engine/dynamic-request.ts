/** Requests otherwise than as compiled: with cookies of the pass, or where a redirect leads. */
import type { Method } from '../core/model/method.ts';
import { createCookieScope, type CookieJar, type CookieScope } from './cookie-jar.ts';
import { readPlainLocation, resolveLocation } from './redirect-location.ts';
import { renderTemplate, type TemplatePart, type SlotValues } from './request-template.ts';
import { isCookieLine, appendBody, type CompiledTarget, type RequestParts } from './request-compiler.ts';

/** A request that follows a redirect. */
export interface Hop {
  /** How many redirects led here. */
  readonly count: number;
  readonly method: Method;
  /** Path and query. */
  readonly target: string;
  /** What the first request was made of: an answer on the way does not change its headers and body. */
  readonly values: SlotValues;
}

/** After so many hops a redirect is the answer. */
const MAX_HOPS = 10;

/** Headers that tell of a body, and go with it. Source: the Fetch standard, "request-body-header name". */
const BODY_HEADERS = /^content-(?:encoding|language|location|type)$/i;

/**
 * Where a redirect leads.
 *
 * Shape:  the method is kept, but for 303 of all but HEAD, and for 301 and 302 of a POST, which become GET, as browsers do.
 * Errors: null when it is not followed: another scheme, host or port, a Location that is no URL or has a user part, or
 *         one redirect too many.
 */
export function findNextHop(
  target: CompiledTarget,
  request: { readonly hop: Hop | null; readonly values: SlotValues },
  response: { readonly status: number; readonly location: string },
): Hop | null {
  const { hop } = request;
  const count = (hop?.count ?? 0) + 1;
  if (count > MAX_HOPS || response.location === '') return null;
  const { parts } = target;
  const origin = `${parts.secure ? 'https' : 'http'}://${parts.authority}`;
  const leads =
    readPlainLocation(response.location, origin) ??
    resolveLocation(response.location, origin + requestTargetOf(target, request));
  if (leads === null) return null;
  const method = hop?.method ?? parts.method;
  return {
    count,
    method: redirectMethodOf(response.status, method),
    target: leads,
    values: hop?.values ?? request.values.slice(),
  };
}

/** Source: the Fetch standard, "HTTP-redirect fetch". */
function redirectMethodOf(status: number, method: Method): Method {
  const turns = status === 303 ? method !== 'HEAD' : status <= 302 && method === 'POST';
  return turns ? 'GET' : method;
}

/** Where the latest request went, for cookies. */
export function cookieScopeOf(
  target: CompiledTarget,
  request: { readonly hop: Hop | null; readonly values: SlotValues },
): CookieScope {
  const { parts } = target;
  if (request.hop !== null) return createCookieScope(parts, request.hop.target);
  const place = ownScopeOf(parts, request.values);
  if (place === null) throw new Error('Bug: an answer to a request that could not be sent');
  return place;
}

/** Where the target's own request goes; null where it cannot be sent. */
function ownScopeOf(parts: RequestParts, values: SlotValues): CookieScope | null {
  if (parts.cookieScope !== null) return parts.cookieScope;
  const path = renderTemplate(parts.target, values);
  return path === null ? null : createCookieScope(parts, path);
}

/** The next request of a client that has cookies; see `CompiledTarget.render`. */
export function renderWithCookies(
  { parts }: CompiledTarget,
  values: (string | undefined)[],
  jar: CookieJar,
): string | null {
  for (const draw of parts.draws) draw(values);
  const place = ownScopeOf(parts, values);
  if (place === null) return null;
  const pairs = jar.pairsFor(place);
  if (pairs === '') return parts.write(values);
  values[parts.cookieSlot] = pairs;
  return parts.writeWithCookies(values);
}

export function renderHop({ parts }: CompiledTarget, hop: Hop, jar: CookieJar | null): string {
  const { method, target, values } = hop;
  const pairs = jar?.pairsFor(createCookieScope(parts, target)) ?? '';
  const turned = method !== parts.method;
  let head = `${method} ${target} HTTP/1.1\r\n`;
  const cookies: string[] = [];
  for (const line of parts.lines) {
    if (turned && BODY_HEADERS.test(line.name)) continue;
    const text = renderKnown(line.value, values);
    if (pairs !== '' && isCookieLine(line)) cookies.push(text);
    else head += `${line.name}: ${text}\r\n`;
  }
  // The user's own stay, in front of the pass's.
  if (pairs !== '') head += `Cookie: ${[...cookies, pairs].join('; ')}\r\n`;
  return parts.body === null || turned ? `${head}\r\n` : appendBody(head, renderKnown(parts.body, values));
}

function renderKnown(pieces: readonly TemplatePart[], values: SlotValues): string {
  const text = renderTemplate(pieces, values);
  if (text === null) throw new Error('Bug: a hop of a request that could not be sent');
  return text;
}

function requestTargetOf(
  target: CompiledTarget,
  request: { readonly hop: Hop | null; readonly values: SlotValues },
): string {
  const path = request.hop?.target ?? renderTemplate(target.parts.target, request.values);
  if (path === null) throw new Error('Bug: an answer to a request that could not be sent');
  return path;
}

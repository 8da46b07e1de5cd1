/** Requests otherwise than as compiled: with cookies of the pass, or where a redirect leads. */
import type { Method } from '../core/model/method.ts';
import { cookiePlace, type CookieJar, type CookiePlace } from './cookies.ts';
import { asItStands, resolved } from './location.ts';
import { fill, type Piece, type Values } from './pieces.ts';
import { isCookieLine, withBody, type CompiledTarget, type RequestParts } from './request-bytes.ts';

/** A request that follows a redirect. */
export interface Hop {
  /** How many redirects led here. */
  readonly count: number;
  readonly method: Method;
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
 * Shape:  the method is kept, but for 303 of all but HEAD, and for 301 and 302 of a POST, which become GET, as browsers do.
 * Errors: null when it is not followed: another scheme, host or port, a Location that is no URL or has a user part, or
 *         one redirect too many.
 */
export function nextHop(
  target: CompiledTarget,
  request: { readonly hop: Hop | null; readonly values: Values },
  answer: { readonly status: number; readonly location: string },
): Hop | null {
  const { hop } = request;
  const count = (hop?.count ?? 0) + 1;
  if (count > MOST_HOPS || answer.location === '') return null;
  const { parts } = target;
  const origin = `${parts.secure ? 'https' : 'http'}://${parts.authority}`;
  const leads =
    asItStands(answer.location, origin) ?? resolved(answer.location, origin + targetOf(target, request));
  if (leads === null) return null;
  const method = hop?.method ?? parts.method;
  return {
    count,
    method: methodAfter(answer.status, method),
    target: leads,
    values: hop?.values ?? request.values.slice(),
  };
}

/** Source: the Fetch standard, "HTTP-redirect fetch". */
function methodAfter(status: number, method: Method): Method {
  const turns = status === 303 ? method !== 'HEAD' : status <= 302 && method === 'POST';
  return turns ? 'GET' : method;
}

/** Where the latest request went, for cookies. */
export function cookiePlaceOf(
  target: CompiledTarget,
  request: { readonly hop: Hop | null; readonly values: Values },
): CookiePlace {
  const { parts } = target;
  if (request.hop !== null) return cookiePlace(parts, request.hop.target);
  const place = ownPlace(parts, request.values);
  if (place === null) throw new Error('Bug: an answer to a request that could not be sent');
  return place;
}

/** Where the target's own request goes; null where it cannot be sent. */
function ownPlace(parts: RequestParts, values: Values): CookiePlace | null {
  if (parts.place !== null) return parts.place;
  const path = fill(parts.target, values);
  return path === null ? null : cookiePlace(parts, path);
}

/** The next request of a client that has cookies; see `CompiledTarget.render`. */
export function renderWithCookies(
  { parts }: CompiledTarget,
  values: (string | undefined)[],
  jar: CookieJar,
): string | null {
  for (const draw of parts.draws) draw(values);
  const place = ownPlace(parts, values);
  if (place === null) return null;
  const pairs = jar.pairsFor(place);
  if (pairs === '') return parts.write(values);
  values[parts.cookies] = pairs;
  return parts.writeWithCookies(values);
}

export function renderHop({ parts }: CompiledTarget, hop: Hop, jar: CookieJar | null): string {
  const { method, target, values } = hop;
  const pairs = jar?.pairsFor(cookiePlace(parts, target)) ?? '';
  const turned = method !== parts.method;
  let head = `${method} ${target} HTTP/1.1\r\n`;
  const cookies: string[] = [];
  for (const line of parts.lines) {
    if (turned && BODY_HEADERS.test(line.name)) continue;
    const text = filled(line.value, values);
    if (pairs !== '' && isCookieLine(line)) cookies.push(text);
    else head += `${line.name}: ${text}\r\n`;
  }
  // The user's own stay, in front of the pass's.
  if (pairs !== '') head += `Cookie: ${[...cookies, pairs].join('; ')}\r\n`;
  return parts.body === null || turned ? `${head}\r\n` : withBody(head, filled(parts.body, values));
}

function filled(pieces: readonly Piece[], values: Values): string {
  const text = fill(pieces, values);
  if (text === null) throw new Error('Bug: a hop of a request that could not be sent');
  return text;
}

function targetOf(
  target: CompiledTarget,
  request: { readonly hop: Hop | null; readonly values: Values },
): string {
  const path = request.hop?.target ?? fill(target.parts.target, request.values);
  if (path === null) throw new Error('Bug: an answer to a request that could not be sent');
  return path;
}

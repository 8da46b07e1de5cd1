/** Requests that differ from their compiled form because they contain cookies of the iteration or follow a redirect. */
import type { Method } from '../core/model/method.ts';
import { originOf } from '../core/model/resolved-url.ts';
import { createCookieScope, type CookieJar, type CookieScope } from './cookie-jar.ts';
import { readPlainLocation, resolveLocation } from './redirect-location.ts';
import { renderTemplate, type TemplatePart, type SlotValues } from './request-template.ts';
import type { DrawingIteration } from './slot-plan.ts';
import { isCookieLine, appendBody, type CompiledTarget, type RequestParts } from './request-compiler.ts';

export interface Hop {
  readonly count: number;
  readonly method: Method;
  /** Path and query. */
  readonly target: string;
  /** Copy of the values of the original request, so that later responses do not affect its headers and body. */
  readonly values: SlotValues;
}

/** Maximum number of redirects followed per request. After that, a redirect counts as the final response. */
const MAX_HOPS = 10;

/**
 * Matches headers that are removed together with the body.
 * @see Fetch standard, "request-body-header name"
 */
const BODY_HEADERS = /^content-(?:encoding|language|location|type)$/i;

/**
 * Returns the request that a redirect leads to; null if the redirect is not followed. A redirect is not followed if it
 * leads to another scheme, host or port, or if its Location is invalid or contains user info. The same applies after
 * `MAX_HOPS` redirects.
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
  const origin = originOf(parts);
  const nextTarget =
    readPlainLocation(response.location, origin) ??
    resolveLocation(response.location, origin + requestTargetOf(target, request));
  if (nextTarget === null) return null;
  const method = hop?.method ?? parts.method;
  return {
    count,
    method: redirectMethodOf(response.status, method),
    target: nextTarget,
    values: hop?.values ?? request.values.slice(),
  };
}

/** @see Fetch standard, "HTTP-redirect fetch" */
function redirectMethodOf(status: number, method: Method): Method {
  const becomesGet = status === 303 ? method !== 'HEAD' : status <= 302 && method === 'POST';
  return becomesGet ? 'GET' : method;
}

export function cookieScopeOf(
  target: CompiledTarget,
  request: { readonly hop: Hop | null; readonly values: SlotValues },
): CookieScope {
  const { parts } = target;
  if (request.hop !== null) return createCookieScope(parts, request.hop.target);
  const scope = ownScopeOf(parts, request.values);
  if (scope === null)
    throw new Error('Bug: a response was received for a request that could not be rendered');
  return scope;
}

/** Returns the cookie scope of a request that does not follow a redirect; null if its path cannot be rendered. */
function ownScopeOf(parts: RequestParts, values: SlotValues): CookieScope | null {
  if (parts.cookieScope !== null) return parts.cookieScope;
  const path = renderTemplate(parts.target, values);
  return path === null ? null : createCookieScope(parts, path);
}

export function renderWithCookies(
  { parts }: CompiledTarget,
  iteration: DrawingIteration,
  jar: CookieJar,
): string | null {
  for (const draw of parts.draws) draw(iteration);
  const { values } = iteration;
  const scope = ownScopeOf(parts, values);
  if (scope === null) return null;
  const pairs = jar.pairsFor(scope);
  if (pairs === '') return parts.write(values);
  values[parts.cookieSlot] = pairs;
  return parts.writeWithCookies(values);
}

export function renderHop({ parts }: CompiledTarget, hop: Hop, jar: CookieJar | null): string {
  const { method, target, values } = hop;
  const pairs = jar?.pairsFor(createCookieScope(parts, target)) ?? '';
  const becameGet = method !== parts.method;
  let header = `${method} ${target} HTTP/1.1\r\n`;
  const cookies: string[] = [];
  for (const line of parts.lines) {
    if (becameGet && BODY_HEADERS.test(line.name)) continue;
    const text = renderKnown(line.value, values);
    if (pairs !== '' && isCookieLine(line)) cookies.push(text);
    else header += `${line.name}: ${text}\r\n`;
  }
  // Cookies declared by the user come before cookies of the iteration.
  if (pairs !== '') header += `Cookie: ${[...cookies, pairs].join('; ')}\r\n`;
  const request =
    parts.body === null || becameGet ? `${header}\r\n` : appendBody(header, renderKnown(parts.body, values));
  return parts.sign?.(request) ?? request;
}

function renderKnown(parts: readonly TemplatePart[], values: SlotValues): string {
  const text = renderTemplate(parts, values);
  if (text === null) throw new Error('Bug: a redirect was followed for a request that could not be rendered');
  return text;
}

function requestTargetOf(
  target: CompiledTarget,
  request: { readonly hop: Hop | null; readonly values: SlotValues },
): string {
  const path = request.hop?.target ?? renderTemplate(target.parts.target, request.values);
  if (path === null) throw new Error('Bug: a response was received for a request that could not be rendered');
  return path;
}

/** What every request passes before anything of it is carried out, on a known route or not. */
import type { IncomingMessage } from 'node:http';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import { DEFAULT_AUTH_HEADER, type Access } from '../contract/routes.ts';
import { hasAllowedHost } from './allowed-hosts.ts';
import { isJsonType } from './request-body.ts';
import type { KeyCheck } from './key-check.ts';
import type { SessionStore } from './session-store.ts';
import { Refusal, closing, starting } from './refusal.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may call the route, where that is not whoever has the key or the token of a page. */
    readonly access?: Access;
  }
}

export interface AdmissionDeps {
  readonly checkKey: KeyCheck;
  /** Null where there is no page. */
  readonly sessions: SessionStore | null;
  /** Lower case values of the Host header. */
  readonly hosts: () => ReadonlySet<string>;
  /** Where browsers find the page, if not at the host that they name: behind a proxy. */
  readonly publicOrigin: string | null;
  readonly clientAddressOf: (request: IncomingMessage) => string;
  readonly isStarting: () => boolean;
  readonly isClosing: () => boolean;
  /** The request came from somebody who may use the service. */
  readonly markAuthenticated: (request: IncomingMessage) => void;
}

/** Gives what refuses a request: 421, 401, 403, 415, 429 or 503. Null: it may go on. */
export function createAdmission(parts: AdmissionDeps): (request: FastifyRequest) => Refusal | null {
  return (request) => {
    const { raw, method } = request;
    const { url = '', rawHeaders } = raw;
    if (!hasAllowedHost({ url, rawHeaders }, parts.hosts())) {
      return new Refusal(421, ['the Host header does not name this service']);
    }
    const { access }: Partial<FastifyContextConfig> = request.routeOptions.config;
    if (access === 'anybody') return null;
    // That there is nothing is no secret, where browsers ask for files.
    const isFile = method === 'GET' && !url.startsWith('/v2/');
    if (parts.sessions !== null && isFile && request.is404) return null;
    const refusal = checkCredentials(parts, request, access);
    if (refusal !== null) return refusal;
    parts.markAuthenticated(raw);
    if (parts.isStarting()) return starting();
    return parts.isClosing() && method !== 'GET' ? closing() : null;
  };
}

function checkCredentials(
  parts: AdmissionDeps,
  { raw, headers }: FastifyRequest,
  access: Access | undefined,
): Refusal | null {
  const header = headers[DEFAULT_AUTH_HEADER];
  const token = sessionTokenOf(headers);
  if (token === null || parts.sessions === null) {
    return parts.checkKey({ header, url: raw.url ?? '', clientAddress: parts.clientAddressOf(raw) });
  }
  // Nobody guesses one, and a page that was left open must not keep its own visitor out: no turns are taken.
  if (!parts.sessions.isActive(token)) {
    return new Refusal(401, ['the session of this page has ended; "loadtests open" prints a new link']);
  }
  if (access === 'key')
    return new Refusal(403, ['links are made with the API key: "loadtests open" does it']);
  return raw.method === 'GET' ? null : checkOrigin(raw, parts.publicOrigin);
}

/** The token of a page; null where the key is sent, or neither. */
export function sessionTokenOf(headers: IncomingMessage['headers']): string | null {
  if (headers[DEFAULT_AUTH_HEADER] !== undefined) return null;
  return /^Bearer ([0-9a-f]{64})$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/**
 * Refuses what the page of this service did not send: a page of another origin, or a form.
 *
 * Shape:  403 by what the browser says of where a request comes from, 415 for what a form could send.
 * Source: Fetch Metadata Request Headers; Fetch, "Origin header".
 */
export function checkOrigin({ headers }: IncomingMessage, publicOrigin: string | null): Refusal | null {
  if (!isSameOrigin(headers, publicOrigin)) {
    return new Refusal(403, ['this request does not come from the page of this service']);
  }
  const { 'content-type': type, 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  const hasBody = type !== undefined || coding !== undefined || length !== '0';
  if (hasBody && !isJsonType(type)) return new Refusal(415, ['the content type must be application/json']);
  return null;
}

function isSameOrigin(headers: IncomingMessage['headers'], publicOrigin: string | null): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  // Browsers send no word on the site to addresses that are neither loopback nor https, and older ones never.
  const { origin } = headers;
  return origin !== undefined && (origin === originOf(headers.host) || origin === publicOrigin);
}

/** Browsers leave the default port out. */
function originOf(host = ''): string | null {
  const url = `http://${host}`;
  return URL.canParse(url) ? new URL(url).origin : null;
}

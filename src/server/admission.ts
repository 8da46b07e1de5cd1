/** Checks of the Host header, the credentials, the origin and the service state before a request is processed. */
import type { IncomingMessage } from 'node:http';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import { DEFAULT_AUTH_HEADER, type Access } from '../contract/routes.ts';
import { hasAllowedHost } from './allowed-hosts.ts';
import { isJsonType } from './request-body.ts';
import type { KeyCheck } from './key-check.ts';
import type { SessionStore } from './session-store.ts';
import { Refusal, closing, outOfFiles, starting } from './refusal.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Credentials that the route requires. Default: the API key or a web UI session token. */
    readonly access?: Access;
  }
}

export interface AdmissionDeps {
  readonly checkKey: KeyCheck;
  readonly sessions: SessionStore | null;
  readonly hosts: () => ReadonlySet<string>;
  /** Public origin of the service; null if clients call the listening address. */
  readonly publicOrigin: string | null;
  readonly clientAddressOf: (request: IncomingMessage) => string;
  readonly isStarting: () => boolean;
  readonly isClosing: () => boolean;
  /** True if the process can open another file. */
  readonly canOpenFiles: () => boolean;
  readonly markAuthenticated: (request: IncomingMessage) => void;
}

/**
 * Creates a check that returns the refusal of a request (401, 403, 415, 421, 429 or 503); null to admit the request.
 */
export function createAdmission(deps: AdmissionDeps): (request: FastifyRequest) => Refusal | null {
  return (request) => {
    const { raw, method } = request;
    const { url = '', rawHeaders } = raw;
    if (!hasAllowedHost({ url, rawHeaders }, deps.hosts())) {
      return new Refusal(421, [
        'the Host header is not an address of this service; to allow another host name, set --public-url of "loadtests serve"',
      ]);
    }
    const { access }: Partial<FastifyContextConfig> = request.routeOptions.config;
    if (access === 'public') return null;
    // A 404 response for a path outside the API reveals nothing, because the files of the web UI are public.
    const isFile = method === 'GET' && !url.startsWith('/v2/');
    if (deps.sessions !== null && isFile && request.is404) return null;
    const refusal = checkCredentials(deps, request, access);
    if (refusal !== null) return refusal;
    deps.markAuthenticated(raw);
    if (deps.isStarting()) return starting();
    if (method === 'GET') return null;
    if (deps.isClosing()) return closing();
    return deps.canOpenFiles() ? null : outOfFiles();
  };
}

function checkCredentials(
  deps: AdmissionDeps,
  { raw, headers }: FastifyRequest,
  access: Access | undefined,
): Refusal | null {
  const header = headers[DEFAULT_AUTH_HEADER];
  const token = sessionTokenOf(headers);
  if (token === null || deps.sessions === null) {
    return deps.checkKey({ header, url: raw.url ?? '', clientAddress: deps.clientAddressOf(raw) });
  }
  // Invalid tokens do not count toward the rate limit, because tokens are too long to guess. Otherwise, a web UI with
  // an expired token could lock out its user.
  if (!deps.sessions.isActive(token)) {
    return new Refusal(401, ['the web UI session has ended; run "loadtests open" to get a new link']);
  }
  if (access === 'key')
    return new Refusal(403, ['creating a sign-in link requires the API key; run "loadtests open"']);
  return raw.method === 'GET' ? null : checkOrigin(raw, deps.publicOrigin);
}

/** Returns the session token of a request; null if the request has an API key or no token. */
export function sessionTokenOf(headers: IncomingMessage['headers']): string | null {
  if (headers[DEFAULT_AUTH_HEADER] !== undefined) return null;
  return /^Bearer ([0-9a-f]{64})$/i.exec(headers.authorization ?? '')?.[1] ?? null;
}

/**
 * Returns the refusal of a request from another origin (403) or with a body that is not JSON (415); null to admit the
 * request. A form on a page of another origin can send other types, but not JSON.
 * @see Fetch Metadata Request Headers; Fetch, "Origin header".
 */
export function checkOrigin({ headers }: IncomingMessage, publicOrigin: string | null): Refusal | null {
  if (!isSameOrigin(headers, publicOrigin)) {
    return new Refusal(403, ['the request does not come from the web UI of this service']);
  }
  const { 'content-type': type, 'content-length': length = '0', 'transfer-encoding': coding } = headers;
  const hasBody = type !== undefined || coding !== undefined || length !== '0';
  if (hasBody && !isJsonType(type)) return new Refusal(415, ['the content type must be application/json']);
  return null;
}

function isSameOrigin(headers: IncomingMessage['headers'], publicOrigin: string | null): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  // Browsers send Sec-Fetch-Site only to loopback and HTTPS origins. Old browsers never send the header.
  const { origin } = headers;
  return origin !== undefined && (origin === originOf(headers.host) || origin === publicOrigin);
}

/** Returns the origin in the form that browsers use, without the default port; null if the host is invalid. */
function originOf(host = ''): string | null {
  const url = `http://${host}`;
  return URL.canParse(url) ? new URL(url).origin : null;
}

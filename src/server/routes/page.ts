/** The routes of the page: its files, and how one gets in. */
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { encodePageCode, encodePageSession } from '../../contract/answers.ts';
import { decodePageSession } from '../../contract/request-codec.ts';
import { ROUTES } from '../../contract/routes.ts';
import { refuseForeign, tokenOf } from '../admission.ts';
import { PAGE_HEADERS, type PageFile } from '../page-files.ts';
import type { PageSessions } from '../page-sessions.ts';
import { accepted, bodyFrom, expectNoBody } from './request.ts';

export interface PageParts {
  /** By path. */
  readonly files: ReadonlyMap<string, PageFile>;
  readonly sessions: PageSessions;
}

interface Callers {
  readonly publicOrigin: string | null;
  readonly visitorOf: (request: IncomingMessage) => string;
}

/** More than any code has. */
const MOST_CODE_BYTES = 1024;

export function addPageRoutes(server: FastifyInstance, { files, sessions }: PageParts, callers: Callers) {
  for (const [path, { contentType, content, isImmutable }] of files) {
    server.get(path, { config: { access: 'anybody' } }, (_request, reply) => {
      reply.headers(PAGE_HEADERS).type(contentType);
      if (isImmutable) reply.header('cache-control', 'public, max-age=31536000, immutable');
      return reply.send(content);
    });
  }

  server.route({
    method: ROUTES.createSignInCode.method,
    url: ROUTES.createSignInCode.path,
    config: { access: ROUTES.createSignInCode.access },
    handler(request) {
      expectNoBody(request);
      const { secret, expiresAt } = sessions.newCode();
      return encodePageCode(secret, expiresAt);
    },
  });

  server.route({
    method: ROUTES.createSession.method,
    url: ROUTES.createSession.path,
    config: { access: ROUTES.createSession.access },
    bodyLimit: MOST_CODE_BYTES,
    // Before the code is looked at: pages of other origins must not use up the turns of their visitors.
    onRequest(request, _reply, done) {
      done(refuseForeign(request.raw, callers.publicOrigin) ?? undefined);
    },
    handler(request) {
      const code = accepted(decodePageSession(bodyFrom(request, ['json'])?.value));
      const { secret, expiresAt } = sessions.begin(code, callers.visitorOf(request.raw));
      return encodePageSession(secret, expiresAt);
    },
  });

  server.route({
    method: ROUTES.deleteSessions.method,
    url: ROUTES.deleteSessions.path,
    handler(request, reply) {
      expectNoBody(request);
      const token = tokenOf(request.headers);
      if (token === null) sessions.endAll();
      else sessions.end(token);
      return reply.send();
    },
  });
}

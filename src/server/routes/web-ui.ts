import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { encodeSignInCode, encodeSession } from '../../contract/responses.ts';
import { decodeSession } from '../../contract/request-codec.ts';
import { ROUTES } from '../../contract/routes.ts';
import { checkOrigin, sessionTokenOf } from '../admission.ts';
import { WEB_UI_HEADERS, type WebUiFile } from '../web-ui-files.ts';
import type { SessionStore } from '../session-store.ts';
import { addRoute } from './add-route.ts';
import { valueOrRefuse, bodyFrom, expectNoBody } from './request.ts';

export interface WebUiDeps {
  readonly files: ReadonlyMap<string, WebUiFile>;
  readonly sessions: SessionStore;
}

interface ClientIdentity {
  readonly publicOrigin: string | null;
  readonly clientAddressOf: (request: IncomingMessage) => string;
}

const MAX_CODE_BYTES = 1024;

export function addWebUiRoutes(
  server: FastifyInstance,
  { files, sessions }: WebUiDeps,
  callers: ClientIdentity,
) {
  for (const [path, { contentType, content, isImmutable }] of files) {
    server.get(path, { config: { access: 'public' } }, (_request, reply) => {
      reply.headers(WEB_UI_HEADERS).type(contentType);
      if (isImmutable) reply.header('cache-control', 'public, max-age=31536000, immutable');
      return reply.send(content);
    });
  }

  addRoute(server, ROUTES.createSignInCode, (request) => {
    expectNoBody(request);
    const { secret, expiresAt } = sessions.createCode();
    return encodeSignInCode(secret, expiresAt);
  });

  server.route({
    method: ROUTES.createSession.method,
    url: ROUTES.createSession.path,
    config: { access: ROUTES.createSession.access },
    bodyLimit: MAX_CODE_BYTES,
    // Checks the origin before the code, so that wrong codes from pages of other origins do not count against a client.
    onRequest(request, _reply, done) {
      done(checkOrigin(request.raw, callers.publicOrigin) ?? undefined);
    },
    handler(request) {
      const code = valueOrRefuse(decodeSession(bodyFrom(request, ['json'])?.value));
      const { secret, expiresAt } = sessions.createSession(code, callers.clientAddressOf(request.raw));
      return encodeSession(secret, expiresAt);
    },
  });

  addRoute(server, ROUTES.deleteSessions, (request, reply) => {
    expectNoBody(request);
    const token = sessionTokenOf(request.headers);
    if (token === null) sessions.endAll();
    else sessions.end(token);
    return reply.send();
  });
}

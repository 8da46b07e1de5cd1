/** The routes of apps. */
import type { FastifyInstance } from 'fastify';
import { encodeApp } from '../../contract/app-codec.ts';
import type { AppRegistered } from '../../contract/generated/app-registered.ts';
import type { AppVerified } from '../../contract/generated/app-verified.ts';
import { ROUTES } from '../../contract/routes.ts';
import { checkBody } from '../request-schemas.ts';
import { verificationIdOf, type Apps } from '../domain/apps.ts';
import { bodyFrom, expectNoBody, idFrom } from './request.ts';

const APP_BODIES = ['form', 'json'] as const;

export function addAppRoutes(server: FastifyInstance, apps: Apps): void {
  const at = ({ method, path }: { method: 'GET' | 'POST' | 'DELETE'; path: string }) => ({
    method,
    url: path,
  });

  server.route({ ...at(ROUTES.listApps), handler: () => apps.list().map(encodeApp) });

  server.route({
    ...at(ROUTES.registerApp),
    handler(request): AppRegistered {
      const body = checkBody('register-request', bodyFrom(request, APP_BODIES) ?? {});
      const { id } = apps.register(body.app);
      return { message: 'success', app_id: id, verification_id: verificationIdOf(id) };
    },
  });

  server.route({
    ...at(ROUTES.getApp),
    handler: (request) => encodeApp(apps.get(idFrom(request, 'app_id'))),
  });

  server.route({
    ...at(ROUTES.verifyApp),
    async handler(request): Promise<AppVerified> {
      const body = checkBody('verify-request', bodyFrom(request, APP_BODIES) ?? {});
      const { id } = await apps.verify(idFrom(request, 'app_id'), body.method ?? 'http');
      return { app_id: id, message: 'success' };
    },
  });

  server.route({
    ...at(ROUTES.deleteApp),
    handler(request, reply) {
      expectNoBody(request);
      apps.remove(idFrom(request, 'app_id'));
      return reply.send();
    },
  });
}

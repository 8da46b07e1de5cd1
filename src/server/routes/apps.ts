/** Routes of apps. */
import type { FastifyInstance } from 'fastify';
import { encodeApp, encodeAppDetail } from '../../contract/app-codec.ts';
import { encodeAppRegistered, encodeAppVerified } from '../../contract/responses.ts';
import { decodeRegister, decodeVerify } from '../../contract/request-codec.ts';
import { ROUTES } from '../../contract/routes.ts';
import { verificationIdOf, type Apps } from '../domain/apps.ts';
import { valueOrRefuse, statusFilterFrom, bodyFrom, clientFrom, expectNoBody, idFrom } from './request.ts';

const BODIES = ['form', 'json'] as const;

export function addAppRoutes(server: FastifyInstance, apps: () => Apps): void {
  const routeOf = ({ method, path }: { method: 'GET' | 'POST' | 'DELETE'; path: string }) => ({
    method,
    url: path,
  });

  server.route({
    ...routeOf(ROUTES.listApps),
    handler: (request) => apps().list().map(encodeApp).filter(statusFilterFrom(request, 'listApps')),
  });

  server.route({
    ...routeOf(ROUTES.registerApp),
    handler(request) {
      const { id } = apps().register(valueOrRefuse(decodeRegister(bodyFrom(request, BODIES)?.value ?? {})));
      return encodeAppRegistered(id, verificationIdOf(id));
    },
  });

  server.route({
    ...routeOf(ROUTES.getApp),
    handler(request) {
      const app = apps().get(idFrom(request, 'app_id'));
      return { ...encodeApp(app), ...encodeAppDetail(apps().detailOf(app.id)) };
    },
  });

  server.route({
    ...routeOf(ROUTES.verifyApp),
    async handler(request) {
      const { method, connection } = valueOrRefuse(decodeVerify(bodyFrom(request, BODIES)?.value ?? {}));
      const { id } = await apps().verify(idFrom(request, 'app_id'), method, connection);
      return encodeAppVerified(id);
    },
  });

  server.route({
    ...routeOf(ROUTES.deleteApp),
    handler(request, reply) {
      expectNoBody(request);
      apps().remove(idFrom(request, 'app_id'), clientFrom(request));
      return reply.send();
    },
  });
}

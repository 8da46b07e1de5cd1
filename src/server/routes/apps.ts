import type { FastifyInstance } from 'fastify';
import { encodeApp, encodeAppDetail } from '../../contract/app-codec.ts';
import { encodeAppRegistered, encodeAppVerified } from '../../contract/responses.ts';
import { decodeRegister, decodeVerify } from '../../contract/request-codec.ts';
import { ROUTES } from '../../contract/routes.ts';
import { verificationIdOf, type Apps } from '../domain/apps.ts';
import { addRoute } from './add-route.ts';
import { valueOrRefuse, statusFilterFrom, bodyFrom, clientFrom, expectNoBody, idFrom } from './request.ts';

const BODIES = ['form', 'json'] as const;

export function addAppRoutes(server: FastifyInstance, apps: () => Apps): void {
  addRoute(server, ROUTES.listApps, (request) =>
    apps().list().map(encodeApp).filter(statusFilterFrom(request, 'listApps')),
  );

  addRoute(server, ROUTES.registerApp, (request) => {
    const { id } = apps().register(valueOrRefuse(decodeRegister(bodyFrom(request, BODIES)?.value ?? {})));
    return encodeAppRegistered(id, verificationIdOf(id));
  });

  addRoute(server, ROUTES.getApp, (request) => {
    const app = apps().get(idFrom(request, 'app_id'));
    return { ...encodeApp(app), ...encodeAppDetail(apps().detailOf(app.id)) };
  });

  addRoute(server, ROUTES.verifyApp, async (request) => {
    const { method, connection } = valueOrRefuse(decodeVerify(bodyFrom(request, BODIES)?.value ?? {}));
    const { id } = await apps().verify(idFrom(request, 'app_id'), method, connection);
    return encodeAppVerified(id);
  });

  addRoute(server, ROUTES.deleteApp, (request, reply) => {
    expectNoBody(request);
    apps().remove(idFrom(request, 'app_id'), clientFrom(request));
    return reply.send();
  });
}

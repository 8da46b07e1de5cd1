import type { FastifyInstance, RouteHandlerMethod } from 'fastify';
import type { Route } from '../../contract/routes.ts';
import { withoutUndefined } from '../../core/present-fields.ts';

export function addRoute(server: FastifyInstance, route: Route, handler: RouteHandlerMethod): void {
  const { method, path, access } = route;
  server.route({ method, url: path, config: withoutUndefined({ access }), handler });
}

/** Route of undelivered notices. */
import type { FastifyInstance } from 'fastify';
import { encodeNotices } from '../../contract/responses.ts';
import { ROUTES } from '../../contract/routes.ts';
import { hostOf, type Notices } from '../domain/notices.ts';

export function addCallbackRoutes(server: FastifyInstance, notices: () => Notices): void {
  const { method, path } = ROUTES.listCallbacks;
  server.route({
    method,
    url: path,
    handler: () =>
      encodeNotices(
        notices()
          .list()
          .map((notice) => ({ ...notice, host: hostOf(notice) })),
      ),
  });
}

import type { FastifyInstance } from 'fastify';
import { encodeNotices } from '../../contract/responses.ts';
import { ROUTES } from '../../contract/routes.ts';
import { hostOf, type Notices } from '../domain/notices.ts';
import { addRoute } from './add-route.ts';

export function addCallbackRoutes(server: FastifyInstance, notices: () => Notices): void {
  addRoute(server, ROUTES.listCallbacks, () =>
    encodeNotices(
      notices()
        .list()
        .map((notice) => ({ ...notice, host: hostOf(notice) })),
    ),
  );
}

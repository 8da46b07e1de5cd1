/** The routes of what is shown of all tests together. */
import type { FastifyInstance } from 'fastify';
import { encodeKey, encodeOverview } from '../../contract/overview-codec.ts';
import { ROUTES } from '../../contract/routes.ts';
import { overviewOf, type OverviewParts } from '../domain/overview.ts';
import { sendList } from './json-list.ts';

export function addOverviewRoutes(server: FastifyInstance, parts: () => OverviewParts): void {
  server.get(ROUTES.getOverview.path, () => encodeOverview(overviewOf(parts())));

  server.get(ROUTES.listKeys.path, (_request, reply) => sendList(reply, keys(parts())));
}

function* keys({ labels }: OverviewParts) {
  for (const group of labels.groups(Number.MAX_SAFE_INTEGER)) yield encodeKey(group);
}

/** The routes of what is shown of all tests together, of all runs of a key, and of runs beside each other. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { encodeComparison } from '../../contract/comparison-codec.ts';
import { encodeHistory, encodeKeys, encodeOverview } from '../../contract/overview-codec.ts';
import { ROUTES } from '../../contract/routes.ts';
import { readComparison } from '../domain/comparison.ts';
import { readTestHistory, readOverview, type OverviewDeps } from '../domain/overview.ts';
import { idFrom, runIdsFrom, stringFrom, integerFrom } from './request.ts';

const MAX_KEYS = 100;

export function addOverviewRoutes(server: FastifyInstance, parts: () => OverviewDeps): void {
  server.get(ROUTES.getOverview.path, () => encodeOverview(readOverview(parts())));

  server.get(ROUTES.listKeys.path, (request: FastifyRequest) => {
    const max = Math.min(integerFrom(request, 'limit') ?? MAX_KEYS, MAX_KEYS);
    const offset = integerFrom(request, 'after') ?? 0;
    return encodeKeys(parts().labels.listKeys({ search: stringFrom(request, 'search') ?? '', max, offset }));
  });

  server.get(ROUTES.compareRuns.path, (request: FastifyRequest) =>
    encodeComparison(readComparison(parts(), runIdsFrom(request))),
  );

  server.get(ROUTES.getHistory.path, (request: FastifyRequest) =>
    encodeHistory(readTestHistory(parts(), idFrom(request, 'test_id'))),
  );
}

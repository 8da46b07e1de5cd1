/** The routes of what is shown of all tests together, of all runs of a key, and of runs beside each other. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { encodeComparison } from '../../contract/comparison-codec.ts';
import { encodeHistory, encodeKeys, encodeOverview } from '../../contract/overview-codec.ts';
import { ROUTES } from '../../contract/routes.ts';
import { comparisonOf } from '../domain/comparison.ts';
import { historyOf, overviewOf, type OverviewParts } from '../domain/overview.ts';
import { idFrom, runsFrom, textFrom, wholeFrom } from './request.ts';

const MOST_KEYS = 100;

export function addOverviewRoutes(server: FastifyInstance, parts: () => OverviewParts): void {
  server.get(ROUTES.getOverview.path, () => encodeOverview(overviewOf(parts())));

  server.get(ROUTES.listKeys.path, (request: FastifyRequest) => {
    const most = Math.min(wholeFrom(request, 'limit') ?? MOST_KEYS, MOST_KEYS);
    const after = wholeFrom(request, 'after') ?? 0;
    return encodeKeys(parts().labels.page({ search: textFrom(request, 'search') ?? '', most, after }));
  });

  server.get(ROUTES.compareRuns.path, (request: FastifyRequest) =>
    encodeComparison(comparisonOf(parts(), runsFrom(request))),
  );

  server.get(ROUTES.getHistory.path, (request: FastifyRequest) =>
    encodeHistory(historyOf(parts(), idFrom(request, 'test_id'))),
  );
}

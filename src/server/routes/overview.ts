import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { encodeComparison } from '../../contract/comparison-codec.ts';
import { encodeHistory, encodeKeys, encodeOverview } from '../../contract/overview-codec.ts';
import { ROUTES } from '../../contract/routes.ts';
import { readComparison } from '../domain/comparison.ts';
import { readTestHistory, readOverview, type OverviewDeps } from '../domain/overview.ts';
import { isKeyOrder } from '../store/label-store.ts';
import { unprocessable } from '../refusal.ts';
import { addRoute } from './add-route.ts';
import { idFrom, runIdsFrom, stringFrom, integerFrom } from './request.ts';

const MAX_KEYS = 100;

export function addOverviewRoutes(server: FastifyInstance, deps: () => OverviewDeps): void {
  addRoute(server, ROUTES.getOverview, (request) =>
    encodeOverview(readOverview(deps()), stringFrom(request, 'known'), (text) =>
      createHash('sha256').update(text).digest('hex').slice(0, 16),
    ),
  );

  addRoute(server, ROUTES.listKeys, (request) => {
    const max = Math.min(integerFrom(request, 'limit') ?? MAX_KEYS, MAX_KEYS);
    const offset = integerFrom(request, 'after') ?? 0;
    const order = stringFrom(request, 'sort') ?? 'name';
    if (!isKeyOrder(order))
      throw unprocessable(
        `"sort" must be the name of a column, optionally after "-" for descending order, such as "-started"`,
      );
    const [project, environment, verdict] = ['project', 'environment', 'verdict'].map((name) =>
      stringFrom(request, name),
    );
    return encodeKeys(
      deps().labels.listKeys({
        search: stringFrom(request, 'search') ?? '',
        project: project ?? null,
        environment: environment ?? null,
        verdict: verdict ?? null,
        order,
        max,
        offset,
      }),
    );
  });

  addRoute(server, ROUTES.compareRuns, (request) =>
    encodeComparison(readComparison(deps(), runIdsFrom(request))),
  );

  addRoute(server, ROUTES.getHistory, (request) =>
    encodeHistory(readTestHistory(deps(), idFrom(request, 'test_id'))),
  );
}

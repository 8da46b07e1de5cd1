import type { FastifyInstance } from 'fastify';
import { createOpenApiDocument } from '../../contract/openapi.ts';
import { ROUTES } from '../../contract/routes.ts';
import { once } from '../../core/once.ts';
import { apiSchemaText } from '../../schema/schema-files.ts';
import type { MetricsReader } from '../prometheus.ts';
import { addRoute } from './add-route.ts';

export function addMetaRoutes(
  server: FastifyInstance,
  deps: {
    readonly version: string;
    readonly metrics: (() => MetricsReader | null) | null;
    readonly openMetrics: boolean;
  },
): void {
  const { metrics, version } = deps;
  // Each command requests the document.
  const openApiDocument = once(() =>
    createOpenApiDocument(version, (name) => JSON.parse(apiSchemaText(name)) as unknown),
  );
  addRoute(server, ROUTES.openapi, openApiDocument);
  if (metrics === null) return;
  server.get(
    '/metrics',
    { config: deps.openMetrics ? { access: 'public' } : {} },
    async (_request, reply) => {
      const reader = metrics();
      if (reader === null) throw new Error('Bug: the metrics reader is missing');
      return await reply.type(reader.contentType).send(await reader.text());
    },
  );
}

import type { FastifyInstance } from 'fastify';
import { createOpenApiDocument } from '../../contract/openapi.ts';
import { ROUTES } from '../../contract/routes.ts';
import { apiSchemaText } from '../../schema/schema-files.ts';
import type { MetricsReader } from '../prometheus.ts';
import { addRoute } from './add-route.ts';

/** OpenAPI documents by version. Each command requests the document of its own service. */
const documents = new Map<string, ReturnType<typeof createOpenApiDocument>>();

function openApiDocumentOf(version: string): ReturnType<typeof createOpenApiDocument> {
  const known = documents.get(version);
  if (known !== undefined) return known;
  const created = createOpenApiDocument(version, (name) => JSON.parse(apiSchemaText(name)) as unknown);
  documents.set(version, created);
  return created;
}

export function addMetaRoutes(
  server: FastifyInstance,
  deps: {
    readonly version: string;
    readonly metrics: (() => MetricsReader | null) | null;
    readonly openMetrics: boolean;
  },
): void {
  const { metrics } = deps;
  addRoute(server, ROUTES.openapi, () => openApiDocumentOf(deps.version));
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

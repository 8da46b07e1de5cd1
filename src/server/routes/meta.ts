/** The routes about the service itself: its API as a document, and what it counts. */
import type { FastifyInstance } from 'fastify';
import { createOpenApiDocument } from '../../contract/openapi.ts';
import { ROUTES } from '../../contract/routes.ts';
import { apiSchemaText } from '../../schema/schema-files.ts';
import type { MetricsReader } from '../metrics.ts';

export function addMetaRoutes(
  server: FastifyInstance,
  parts: {
    readonly version: string;
    readonly metrics: (() => MetricsReader | null) | null;
    /** Whether metrics are read without the key. */
    readonly openMetrics: boolean;
  },
): void {
  const { metrics } = parts;
  const { method, path } = ROUTES.openapi;
  server.route({
    method,
    url: path,
    // Read when it is asked for: few do, and never often.
    handler: () => createOpenApiDocument(parts.version, (name) => JSON.parse(apiSchemaText(name)) as unknown),
  });
  if (metrics === null) return;
  server.get(
    '/metrics',
    { config: parts.openMetrics ? { access: 'anybody' } : {} },
    async (_request, reply) => {
      const reader = metrics();
      if (reader === null) throw new Error('Bug: nobody counts what is to be read');
      return await reply.type(reader.contentType).send(await reader.text());
    },
  );
}

import type { FastifyInstance } from 'fastify';
import { encodePayloadFile } from '../../contract/responses.ts';
import { ROUTES } from '../../contract/routes.ts';
import { MAX_PAYLOAD_BYTES } from '../../core/model/payload-file.ts';
import type { UploadedFiles } from '../domain/uploaded-files.ts';
import { Refusal } from '../refusal.ts';
import { addRoute } from './add-route.ts';
import { idFrom } from './request.ts';

/** Maximum number of uploads that are in memory at the same time. */
const MAX_CONCURRENT_UPLOADS = 2;

export function addPayloadFileRoutes(server: FastifyInstance, files: () => UploadedFiles): void {
  let receiving = 0;

  addRoute(server, ROUTES.getPayloadFile, (request) =>
    encodePayloadFile(files().get(idFrom(request, 'sha256'))),
  );

  server.route({
    method: ROUTES.putPayloadFile.method,
    url: ROUTES.putPayloadFile.path,
    bodyLimit: MAX_PAYLOAD_BYTES,
    onRequest(_request, reply, done) {
      if (receiving >= MAX_CONCURRENT_UPLOADS) {
        done(
          new Refusal(429, ['too many payload files are being uploaded; try again later'], { retryAfter: 1 }),
        );
        return;
      }
      receiving++;
      reply.raw.once('close', () => {
        receiving--;
      });
      done();
    },
    handler(request) {
      const digest = idFrom(request, 'sha256');
      if (request.headers['content-type'] !== 'application/octet-stream') {
        throw new Refusal(415, ['the content type must be application/octet-stream']);
      }
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      return encodePayloadFile(files().put(digest, body));
    },
  });
}

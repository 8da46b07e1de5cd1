/** Streams JSON lists in chunks, so that a long list is never in memory as a whole. */
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';

/** Minimum number of characters per chunk, except the last. */
const CHUNK_LENGTH = 64 * 1024;

/** An error after the first chunk closes the connection, so that clients detect an incomplete list. */
export function sendList(reply: FastifyReply, members: Iterable<object>): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(Readable.from(toChunks(members)));
}

async function* toChunks(members: Iterable<object>): AsyncGenerator<string> {
  let chunk = '[';
  let separator = '';
  for (const member of members) {
    chunk += separator + JSON.stringify(member);
    separator = ',';
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = '';
    // Pauses so that other requests can run, even if the client reads fast.
    await setImmediate();
  }
  yield `${chunk}]`;
}

/** Lists of any length, made while they are sent, so that no more than a part of one is ever in memory. */
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';

/** Characters that are sent at a time. */
const CHUNK_LENGTH = 64 * 1024;

/** An error after the first part ends the connection, so that nobody takes the part for the whole. */
export function sendList(reply: FastifyReply, members: Iterable<object>): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(Readable.from(toChunks(members)));
}

async function* toChunks(members: Iterable<object>): AsyncGenerator<string> {
  let part = '[';
  let separator = '';
  for (const member of members) {
    part += separator + JSON.stringify(member);
    separator = ',';
    if (part.length < CHUNK_LENGTH) continue;
    yield part;
    part = '';
    // Other requests come in between, also where the reader is fast.
    await setImmediate();
  }
  yield `${part}]`;
}

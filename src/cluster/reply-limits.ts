/** Limits for data from Redis, to protect the memory and CPU time of this process. */
import type { Redis } from 'ioredis';

/** Error for a reply from Redis that is too large, or for data that no command requested. */
export class RedisDataError extends Error {}

export const MAX_REPLY_BYTES = 64 * 1024 * 1024;

/**
 * Size of the pieces in which data is checked and parsed. Small pieces limit the number of replies that one check
 * covers.
 */
const PIECE_BYTES = 4096;

/**
 * Limits the data that a connection receives. If Redis violates a limit, closes the connection and rejects the commands
 * that wait for a reply.
 */
export function limitReplies(redis: Redis, maxBytes = MAX_REPLY_BYTES): void {
  redis.on('connect', () => {
    const { stream } = redis;
    // The first listener is the parser of ioredis.
    const [parse] = stream.listeners('data') as ((data: Buffer) => void)[];
    if (parse === undefined) throw new Error('Bug: the connection to Redis has no parser');
    stream.removeListener('data', parse);
    let waiting: unknown;
    let received = 0;
    let isOpen = true;
    const close = (reason: string) => {
      isOpen = false;
      const error = new RedisDataError(reason);
      redis.recoverFromFatalError(error, error, { offlineQueue: false });
      // `destroy`, unlike `disconnect`, discards data that has not been read.
      stream.destroy();
    };
    stream.prependListener('data', (data: Buffer) => {
      for (let from = 0; isOpen && from < data.length; from += PIECE_BYTES) {
        const piece = data.subarray(from, from + PIECE_BYTES);
        const command = redis.commandQueue.peekFront();
        if (command !== waiting) received = 0;
        waiting = command;
        received += piece.length;
        if (command === undefined) close('Redis sent data that was not requested');
        else if (received > maxBytes) close(`Redis sent a reply of more than ${maxBytes} bytes`);
        else parse(piece);
      }
    });
    stream.resume();
  });
}

/** A small HTTP server on 127.0.0.1 that gets callbacks and keeps what came. */
import type { ServerResponse } from 'node:http';
import { openTarget, type Target } from './target.ts';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** The id that stays the same over all attempts. */
  readonly event: string;
  readonly testId: string;
}

export interface Receiver {
  readonly target: Target;
  readonly url: string;
  /** In the order in which they came. */
  readonly received: readonly Received[];
  /** How callbacks are answered from now on: a status, or whatever is done with the answer. */
  answerWith(answer: number | ((received: Received, response: ServerResponse) => void)): void;
}

export async function openReceiver(): Promise<Receiver> {
  let answer: Parameters<Receiver['answerWith']>[0] = 200;
  const received: Received[] = [];
  const target = await openTarget((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const one: Received = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body,
        event: String(request.headers['x-loadtests-event']),
        testId: new URLSearchParams(body).get('test_id') ?? '',
      };
      received.push(one);
      if (typeof answer === 'function') answer(one, response);
      else response.writeHead(answer).end('thanks');
    });
  });
  return {
    target,
    url: target.url,
    received,
    answerWith(next) {
      answer = next;
    },
  };
}

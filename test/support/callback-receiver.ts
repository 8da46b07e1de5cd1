/** A small HTTP server on 127.0.0.1 that gets callbacks and keeps what came. */
import type { ServerResponse } from 'node:http';
import { openTestTarget, type TestTarget } from './test-target.ts';

export interface ReceivedCallback {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** The id that stays the same over all attempts. */
  readonly event: string;
  readonly testId: string;
}

export interface CallbackReceiver {
  readonly target: TestTarget;
  readonly url: string;
  /** In the order in which they came. */
  readonly received: readonly ReceivedCallback[];
  /** How callbacks are answered from now on: a status, or whatever is done with the answer. */
  respondWith(answer: number | ((received: ReceivedCallback, response: ServerResponse) => void)): void;
}

export async function openCallbackReceiver(): Promise<CallbackReceiver> {
  let answer: Parameters<CallbackReceiver['respondWith']>[0] = 200;
  const received: ReceivedCallback[] = [];
  const target = await openTestTarget((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const one: ReceivedCallback = {
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
    respondWith(next) {
      answer = next;
    },
  };
}

/** An HTTP server on 127.0.0.1 that receives and records callbacks. */
import type { ServerResponse } from 'node:http';
import { openTestTarget, type TestTarget } from './test-target.ts';

export interface ReceivedCallback {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Id that is equal in all attempts. */
  readonly event: string;
  readonly testId: string;
}

export interface CallbackReceiver {
  readonly target: TestTarget;
  readonly url: string;
  /** In order of arrival. */
  readonly received: readonly ReceivedCallback[];
  /** Sets the response to callbacks: a status, or a function that handles the response. */
  respondWith(reply: number | ((received: ReceivedCallback, response: ServerResponse) => void)): void;
}

export async function openCallbackReceiver(): Promise<CallbackReceiver> {
  let reply: Parameters<CallbackReceiver['respondWith']>[0] = 200;
  const received: ReceivedCallback[] = [];
  const target = await openTestTarget((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      const callback: ReceivedCallback = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body,
        event: String(request.headers['x-loadtests-event']),
        testId: new URLSearchParams(body).get('test_id') ?? '',
      };
      received.push(callback);
      if (typeof reply === 'function') reply(callback, response);
      else response.writeHead(reply).end('thanks');
    });
  });
  return {
    target,
    url: target.url,
    received,
    respondWith(next) {
      reply = next;
    },
  };
}

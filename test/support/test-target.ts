/** A small HTTP server on 127.0.0.1 as the host under test. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onScopeEnd } from './shared.ts';

export interface TestTarget {
  /** As apps are named: `127.0.0.1:40123`. */
  readonly host: string;
  readonly port: number;
  readonly url: string;
  /** Method and path of every request so far. */
  readonly requests: readonly string[];
  /** Sets the handler. */
  respondWith(handler: TargetHandler): void;
}

export type TargetHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Opens a target that is closed after the test or group. */
export async function openTestTarget(handler: TargetHandler): Promise<TestTarget> {
  let current = handler;
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method ?? ''} ${request.url ?? ''}`);
    current(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onScopeEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo; // the server listens on TCP
  return {
    host: `127.0.0.1:${port}`,
    port,
    url: `http://127.0.0.1:${port}`,
    requests,
    respondWith(next) {
      current = next;
    },
  };
}

/**
 * Delays each response by 20 ms, because clients that repeat requests immediately use all CPU time with a
 * fast target.
 */
export function withDelay(handler: TargetHandler): TargetHandler {
  return (request, response) => {
    setTimeout(handler, 20, request, response);
  };
}

/** Responds with the given pages, and with 404 to all other paths. */
export function servePages(content: Readonly<Record<string, string>>): TargetHandler {
  return (request, response) => {
    const body = content[request.url ?? ''];
    response.statusCode = body === undefined ? 404 : 200;
    response.end(body ?? 'not found');
  };
}

/** Target that accepts only clients with a certificate, and counts the requests of each. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { openAuthority, type CertificateAuthority } from './certificate-authority.ts';

export interface ClosedTarget {
  /** Authority of the certificates of the target and its clients. */
  readonly authority: CertificateAuthority;
  /** Numbers of requests to `/` by the common name of the client. */
  readonly requests: ReadonlyMap<string, number>;
  readonly port: number;
  /** Pages in addition to `/`. */
  readonly pages: Map<string, string>;
}

/** Opens a target on 127.0.0.1 with a certificate for `name`. */
export async function openClosedTarget(name: string): Promise<ClosedTarget> {
  const authority = openAuthority();
  const requests = new Map<string, number>();
  const pages = new Map([['/', 'ok']]);
  const options = { ...authority.sign(name), ca: authority.pem, requestCert: true };
  const server = createServer({ ...options, rejectUnauthorized: true }, (request, response) => {
    // The server accepts only TLS.
    const { CN } = (request.socket as TLSSocket).getPeerCertificate().subject;
    if (request.url === '/') requests.set(String(CN), (requests.get(String(CN)) ?? 0) + 1);
    const page = pages.get(request.url ?? '');
    response.statusCode = page === undefined ? 404 : 200;
    response.end(page);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    authority.close();
  });
  return { authority, requests, pages, port: (server.address() as AddressInfo).port }; // it listens on TCP
}

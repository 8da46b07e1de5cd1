/** Target that verifies AWS Signature Version 4 with its own implementation, and accepts only valid requests. */
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface SigningKey {
  readonly id: string;
  readonly secret: string;
  readonly token: string | null;
}

export interface SignedTarget {
  readonly port: number;
  /** Paths of the accepted requests, in their order. */
  readonly accepted: readonly string[];
  /** Reasons why requests were refused. */
  readonly refused: readonly string[];
}

/**
 * Opens a target. A request to `/go` receives a redirect to the path in its query.
 * @param files - Contents of paths that end with `.txt`, whose requests need no signature
 */
export async function openSignedTarget(
  key: SigningKey,
  files: Readonly<Record<string, string>> | null = null,
): Promise<SignedTarget> {
  const accepted: string[] = [];
  const refused: string[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      const { url = '' } = request;
      if (files !== null && url.endsWith('.txt')) {
        response.statusCode = files[url] === undefined ? 404 : 200;
        response.end(files[url]);
        return;
      }
      const reason = faultOfSignature(request, body, key);
      if (reason === null) accepted.push(url);
      else refused.push(`${request.method} ${url}: ${reason}`);
      const location = /^\/go\?to=(.*)$/.exec(url)?.[1];
      response.statusCode = reason !== null ? 403 : location === undefined ? 200 : 307;
      if (location !== undefined) response.setHeader('Location', decodeURIComponent(location));
      response.end('{"id":"a b/c+ü&="}');
    });
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, accepted, refused }; // it listens on TCP
}

/** Returns the reason why the signature of a request is invalid; null if it is valid. */
function faultOfSignature(request: IncomingMessage, body: Buffer, key: SigningKey): string | null {
  const fields =
    /^AWS4-HMAC-SHA256 Credential=(\w+)\/(\d{8})\/([\w-]+)\/([\w-]+)\/aws4_request, SignedHeaders=([\w;-]+), Signature=([\da-f]{64})$/.exec(
      request.headers.authorization ?? '',
    );
  if (fields === null) return 'no signature';
  const [, id, day = '', region = '', service = '', names = '', signature] = fields;
  if (id !== key.id) return 'unknown key';
  const headerOf = (name: string): string => String(request.headers[name] ?? '');
  const time = headerOf('x-amz-date');
  const at = Date.parse(time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (!(Math.abs(Date.now() - at) < 300_000) || !time.startsWith(day)) return `wrong time ${time}`;
  if (headerOf('x-amz-security-token') !== (key.token ?? '')) return 'wrong token';
  const hash = (data: Buffer | string) => createHash('sha256').update(data).digest('hex');
  if (service === 's3' && headerOf('x-amz-content-sha256') !== hash(body)) return 'wrong hash of the body';
  const signed = names.split(';');
  const required = Object.keys(request.headers).filter(
    (name) => name === 'host' || name === 'content-type' || name.startsWith('x-amz-'),
  );
  if (!required.every((name) => signed.includes(name))) return `unsigned header in ${required.join()}`;
  const strict = (text: string) =>
    encodeURIComponent(text).replaceAll(
      /[!'()*]/g,
      (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  const { pathname, searchParams } = new URL(`http://host${request.url}`);
  const segments = pathname.split('/').map((one) => strict(service === 's3' ? decodeURIComponent(one) : one));
  const query = [...searchParams]
    .map(([name, value]): [string, string] => [strict(name), strict(value)])
    .sort((a, b) => Buffer.compare(Buffer.from(a.join('\0')), Buffer.from(b.join('\0'))))
    .map((pair) => pair.join('='));
  const canonical = `${request.method}\n${segments.join('/')}\n${query.join('&')}\n${signed
    .map((name) => `${name}:${headerOf(name).replace(/\s+/g, ' ')}\n`)
    .join('')}\n${names}\n${hash(body)}`;
  const mac = (secret: Buffer | string, text: string) => createHmac('sha256', secret).update(text).digest();
  const signing = mac(mac(mac(mac(`AWS4${key.secret}`, day), region), service), 'aws4_request');
  const text = `AWS4-HMAC-SHA256\n${time}\n${day}/${region}/${service}/aws4_request\n${hash(canonical)}`;
  return mac(signing, text).toString('hex') === signature ? null : 'wrong signature';
}

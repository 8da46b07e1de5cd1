import { createServer, type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { dial, prepareDestination } from '../../../src/egress/dial.ts';
import { fetchCapped, type CappedRequest } from '../../../src/egress/capped-fetch.ts';
import {
  responseText,
  createSelfSigned,
  startRawTarget,
  type RawTarget,
  type RawReply,
} from '../../support/raw-target.ts';
import { findFreePort } from '../../support/free-port.ts';
import { WAIT_MS } from '../../support/wait.ts';

const targets: RawTarget[] = [];
async function startTarget(...options: Parameters<typeof startRawTarget>): Promise<RawTarget> {
  const target = await startRawTarget(...options);
  targets.push(target);
  return target;
}
afterEach(() => Promise.all(targets.splice(0).map((target) => target.close())));

function request(url: string, changes: Partial<CappedRequest> = {}): CappedRequest {
  return {
    url,
    method: 'GET',
    headers: {},
    body: null,
    addresses: ['127.0.0.1'],
    maxBodyBytes: 1024,
    // Only tests of the deadline set one that a busy machine could exceed.
    deadlineMs: WAIT_MS,
    tlsVerify: true,
    ...changes,
  };
}

describe('fetchCapped', () => {
  test('fetchCapped connects to the given address and sends the host name of the URL', async () => {
    const shop = await startTarget((_request, write) => {
      write(responseText(200, 'hällo', ['X-One: a', 'X-One: b']));
    });
    const response = await fetchCapped(request(`http://shop.invalid:${shop.port}/a?b=c`));
    expect(response).toMatchObject({
      status: 200,
      body: 'hällo',
      isTruncated: false,
      headers: { 'x-one': 'a, b' },
    });
    expect(shop.requests[0]).toMatchObject({ method: 'GET', path: '/a?b=c' });
    expect(shop.requests[0]?.headers).toContainEqual(['Host', `shop.invalid:${shop.port}`]);
  });

  test('the Content-Length of a POST request is the length of the body in bytes', async () => {
    const shop = await startTarget();
    await fetchCapped(
      request(`http://shop.invalid:${shop.port}/`, {
        method: 'POST',
        body: 'ä',
        headers: { 'Content-Type': 'text/plain' },
      }),
    );
    expect(shop.requests[0]).toMatchObject({ method: 'POST', body: '\u00c3\u00a4' });
    expect(shop.requests[0]?.headers).toContainEqual(['Content-Length', '2']);
  });

  test('fetchCapped truncates an endless body at maxBodyBytes', async () => {
    const shop = await startTarget((_request, write, socket) => {
      write('HTTP/1.1 200 OK\r\n\r\n');
      const writeMore = (): void => {
        if (!socket.destroyed) socket.write('x'.repeat(65536), writeMore);
      };
      writeMore();
    });
    const response = await fetchCapped(request(`http://shop.invalid:${shop.port}/`, { maxBodyBytes: 128 }));
    expect(response).toMatchObject({ body: 'x'.repeat(128), isTruncated: true });
  });

  test('fetchCapped returns a redirect without following the Location header', async () => {
    const shop = await startTarget((_request, write) => {
      write(responseText(302, '', ['Location: http://169.254.169.254/']));
    });
    expect((await fetchCapped(request(`http://shop.invalid:${shop.port}/`))).status).toBe(302);
  });

  test('a request to a literal IPv6 host sends the address in brackets in the Host header', async () => {
    const shop = await startTarget(undefined, { host: '::1' });
    const url = `http://[::1]:${shop.port}/`;
    expect((await fetchCapped(request(url, { addresses: ['::1'] }))).status).toBe(200);
    expect(shop.requests[0]?.headers).toContainEqual(['Host', `[::1]:${shop.port}`]);
  });

  test('fetchCapped tries the next address if one address refuses the connection', async () => {
    // The servers of other tests on 127.0.0.1 do not use this port.
    const shop = await startTarget(undefined, { host: '127.0.0.2', port: await findFreePort() });
    const url = `http://shop.invalid:${shop.port}/`;
    expect((await fetchCapped(request(url, { addresses: ['127.0.0.1', '127.0.0.2'] }))).status).toBe(200);
  });

  test('a request to a host with an untrusted certificate fails unless verification is disabled', async () => {
    const shop = await startTarget(undefined, { tls: createSelfSigned() });
    const url = `https://localhost:${shop.port}/`;
    await expect(fetchCapped(request(url))).rejects.toMatchObject({ kind: 'tls' });
    expect(shop.requests).toEqual([]);
    expect((await fetchCapped(request(url, { tlsVerify: false }))).status).toBe(200);
  });

  const stallingBody: RawReply = (_request, write) => write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n');
  const truncatedBody: RawReply = (_request, write, socket) => {
    write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc');
    socket.end();
  };
  const noResponse: RawReply = () => undefined;
  test.each([
    ['a body that stalls', 'timeout', stallingBody],
    ['a missing response', 'timeout', noResponse],
    ['a truncated body', 'protocol', truncatedBody],
    ['invalid data', 'protocol', ((_request, write) => write('SSH-2.0\r\n')) satisfies RawReply],
    [
      'a protocol switch',
      'protocol',
      ((_request, write) => {
        write('HTTP/1.1 101 X\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n');
      }) satisfies RawReply,
    ],
    [
      'an oversized header',
      'protocol',
      ((_request, write) => write(`HTTP/1.1 200 X\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`)) satisfies RawReply,
    ],
  ])('fetchCapped reports %s as a failure of the kind "%s"', async (_name, kind, reply) => {
    const shop = await startTarget(reply);
    const deadline = kind === 'timeout' ? { deadlineMs: 300 } : {};
    await expect(fetchCapped(request(`http://shop.invalid:${shop.port}/`, deadline))).rejects.toMatchObject({
      kind,
    });
  });

  test('fetchCapped fails for a refused connection, a host name in place of an address, user info and an unsupported scheme', async () => {
    const url = `http://shop.invalid:${await findFreePort()}/`;
    await expect(fetchCapped(request(url))).rejects.toMatchObject({ kind: 'connect' });
    await expect(fetchCapped(request(url, { addresses: ['localhost'] }))).rejects.toMatchObject({
      kind: 'refused',
    });
    await expect(fetchCapped(request('http://a:b@shop.invalid/'))).rejects.toMatchObject({ kind: 'refused' });
    await expect(fetchCapped(request('file:///etc/passwd'))).rejects.toMatchObject({ kind: 'refused' });
  });
});

describe('dial', () => {
  test('a TLS handshake without a response times out, and the path of the request is not sent in plain text', async () => {
    const received: Buffer[] = [];
    const server = createServer((socket) => socket.on('data', (chunk) => received.push(chunk)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // A TCP server has a numeric port.
    const { port } = server.address() as AddressInfo;
    const url = `https://shop.invalid:${port}/secret`;
    await expect(fetchCapped(request(url, { deadlineMs: 200 }))).rejects.toMatchObject({ kind: 'timeout' });
    expect(Buffer.concat(received).toString('latin1')).not.toContain('secret');
    server.close();
  });

  test('a dialed socket writes received bytes into the buffer of the caller', async () => {
    const shop = await startTarget();
    const host = {
      hostname: 'shop.invalid',
      port: shop.port,
      secure: false,
      addresses: ['127.0.0.1'],
      tlsVerify: true,
      connection: null,
    };
    const buffer = Buffer.alloc(1024);
    const text = await new Promise<string>((resolve) => {
      const socket = dial(prepareDestination(host), 0, {
        session: null,
        onread: {
          buffer,
          callback: (length) => {
            resolve(buffer.toString('latin1', 0, length));
            socket.destroy();
            return true;
          },
        },
      });
      socket.once('connect', () => socket.write('GET / HTTP/1.1\r\n\r\n'));
    });
    expect(text).toBe(responseText(200, 'ok'));
  });
});

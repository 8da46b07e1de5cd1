/** TLS failures: each has its own error code, and nothing is sent before the peer is verified. */
// @module-tag load
import { once } from 'node:events';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { createSecureContext, createServer as createTlsServer, TLSSocket, type TlsOptions } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { JobConnection } from '../../src/core/load/load-job.ts';
import type { RunReport } from '../../src/core/load/run-report.ts';
import { encryptKey, openAuthority, type CertificateAuthority } from '../support/certificate-authority.ts';
import {
  jobOf,
  openTestEngine,
  runJob,
  startEngineProcess,
  targetOf,
  type EngineProcess,
  type OpenTestEngine,
  type JobChanges,
} from '../support/test-engine.ts';
import { responseText, type Certificate } from '../support/raw-target.ts';

let testEngine: OpenTestEngine;
let authority: CertificateAuthority;
/** Issued by the authority for `shop.test`. */
let shopCertificate: Certificate;
/** A process that trusts the authority like those of the system. */
let trustingProcess: EngineProcess;
beforeAll(() => {
  testEngine = openTestEngine();
  authority = openAuthority();
  shopCertificate = authority.sign('shop.test');
  trustingProcess = startEngineProcess(testEngine, { NODE_EXTRA_CA_CERTS: authority.trusted });
});
afterAll(async () => {
  await trustingProcess.close();
  authority.close();
  await testEngine.close();
});

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port; // it listens on TCP
}

/** Starts a TLS server that responds to every request and counts connections and requests. */
async function secureServer(options: TlsOptions) {
  const stats = { requests: 0, resumed: 0, handshakes: 0, names: new Set<string | false | null>() };
  const server = createTlsServer(options, (socket: TLSSocket) => {
    stats.handshakes++;
    if (socket.isSessionReused()) stats.resumed++;
    stats.names.add(socket.servername);
    socket.on('error', () => undefined);
    socket.on('data', () => {
      stats.requests++;
      socket.write(responseText(200, 'ok'));
    });
  });
  server.on('tlsClientError', () => undefined);
  return { stats, port: await listen(server) };
}

/** Runs a job in the process that trusts the authority. */
async function runTrusting(port: number, changes: JobChanges = {}): Promise<RunReport> {
  const job = jobOf([targetOf(port, { secure: true, hostname: 'shop.test' })], {
    tlsVerify: true,
    total: 4,
    duration: 100,
    timeout: 20_000,
    ...changes,
  });
  return await trustingProcess.run(job);
}

describe('a certificate', () => {
  test('the engine sends the host name in SNI, and accepts a certificate with a matching name from a trusted authority', async () => {
    const { stats, port } = await secureServer(shopCertificate);
    const { total } = await runTrusting(port);
    expect(total.ledger).toMatchObject({ success: 4, network: {} });
    expect(stats.requests).toBe(4);
    expect([...stats.names]).toEqual(['shop.test']);
  });

  test.each([
    ['an expired certificate', () => authority.sign('shop.test', { days: -1 }), 'CERT_HAS_EXPIRED'],
    ['a certificate for another name', () => authority.sign('other.test'), 'ERR_TLS_CERT_ALTNAME_INVALID'],
    [
      'a certificate from an unknown authority',
      () => authority.sign('shop.test', { unknown: true }),
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ],
  ])('%s is refused with the network error $2, and no request is sent', async (_name, certificate, code) => {
    const { stats, port } = await secureServer(certificate());
    const { total, errorSamples } = await runTrusting(port);
    expect(total.ledger).toMatchObject({ started: 4, success: 0, network: { [code]: 4 } });
    expect(errorSamples[0]?.error).toBe(`network: ${code}`);
    expect(stats.requests).toBe(0);
  });

  test.each([
    ['an expired certificate', () => authority.sign('shop.test', { days: -1 })],
    ['a certificate for another name', () => authority.sign('other.test')],
    ['a certificate from an unknown authority', () => authority.sign('shop.test', { unknown: true })],
  ])('%s is accepted if the test disables TLS verification', async (_name, certificate) => {
    const { stats, port } = await secureServer(certificate());
    const { total } = await runTrusting(port, { tlsVerify: false });
    expect(total.ledger).toMatchObject({ success: 4, network: {} });
    expect(stats.requests).toBe(4);
  });
});

describe('the settings of a connection', () => {
  /** Runs a job against a server of the known authority, which the process does not trust. */
  async function runWith(port: number, connection: JobConnection) {
    const target = targetOf(port, { secure: true, hostname: '127.0.0.1', connection });
    const job = jobOf([target], { tlsVerify: true, total: 4, duration: 100, timeout: 20_000 });
    return (await runJob(testEngine.engine, job)).ledger;
  }

  test('the engine sends the client certificate, and verifies the server with the custom authority and server name', async () => {
    const subjects = new Set<string>();
    const server = createTlsServer(
      { ...shopCertificate, ca: authority.pem, requestCert: true, rejectUnauthorized: true },
      (socket) => {
        socket.on('error', () => undefined);
        subjects.add(`${String(socket.servername)} ${String(socket.getPeerCertificate().subject.CN)}`);
        socket.on('data', () => socket.write(responseText(200, 'ok')));
      },
    );
    const port = await listen(server);
    const ledger = await runWith(port, {
      ...authority.sign('client'),
      ca: authority.pem,
      serverName: 'shop.test',
    });
    expect(ledger).toMatchObject({ success: 4, network: {} });
    expect([...subjects]).toEqual(['shop.test client']);
  });

  test('the private key of a client certificate can be encrypted', async () => {
    const options = { ca: authority.pem, requestCert: true, rejectUnauthorized: true };
    const { stats, port } = await secureServer({ ...shopCertificate, ...options });
    const { cert, key } = authority.sign('client');
    const ledger = await runWith(port, {
      ...{ cert, key: encryptKey(key, 'two words'), passphrase: 'two words' },
      ...{ ca: authority.pem, serverName: 'shop.test' },
    });
    expect(ledger).toMatchObject({ success: 4, network: {} });
    expect(stats.requests).toBe(4);
  });

  test.each<[string, () => JobConnection, string]>([
    [
      'a server name that the certificate does not contain',
      () => ({ ca: authority.pem, serverName: 'other.test' }),
      'ERR_TLS_CERT_ALTNAME_INVALID',
    ],
    ['no trusted authority', () => ({ serverName: 'shop.test' }), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
    [
      'a minimum TLS version that the server does not support',
      () => ({ ca: authority.pem, serverName: 'shop.test', tlsMin: '1.3' }),
      'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    ],
  ])('with %s, the TLS handshake fails with the network error $2', async (_name, connection, code) => {
    const { stats, port } = await secureServer({ ...shopCertificate, maxVersion: 'TLSv1.2' });
    expect(await runWith(port, connection())).toMatchObject({
      started: 4,
      success: 0,
      network: { [code]: 4 },
    });
    expect(stats.requests).toBe(0);
  });
});

describe('a TLS handshake', () => {
  test.each([
    ['TLS 1.0', 'TLSv1', 'TLSv1'],
    ['TLS 1.1', 'TLSv1.1', 'TLSv1.1'],
  ] as const)(
    'a handshake with a server that supports only %s fails with ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    async (_name, min, max) => {
      const options = { minVersion: min, maxVersion: max, ciphers: 'DEFAULT@SECLEVEL=0' } as const;
      const { stats, port } = await secureServer({ ...shopCertificate, ...options });
      const { total } = await runTrusting(port);
      expect(total.ledger).toMatchObject({
        started: 4,
        network: { ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 4 },
      });
      expect(stats.handshakes).toBe(0);
    },
  );

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'over %s, if the server requires a client certificate, requests without a certificate fail with the code of a TLS alert, and none arrives',
    async (version) => {
      const options = {
        requestCert: true,
        rejectUnauthorized: true,
        minVersion: version,
        maxVersion: version,
      };
      const { stats, port } = await secureServer({ ...shopCertificate, ...options });
      const { total } = await runTrusting(port);
      const codes = Object.entries(total.ledger.network);
      expect(codes.reduce((sum, [, count]) => sum + count, 0)).toBe(4);
      expect(codes.map(([code]) => code)).toEqual([
        version === 'TLSv1.3'
          ? 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'
          : // OpenSSL 3.2 has changed this code.
            expect.stringMatching(/^ERR_SSL_(SSLV3|SSL\/TLS)_ALERT_HANDSHAKE_FAILURE$/),
      ]);
      expect(stats.requests).toBe(0);
    },
  );

  test.each([
    ['closes', 'end', 'closed'],
    ['resets', 'reset', 'ECONNRESET'],
  ] as const)(
    'a request counts as a network error if the server %s the connection during the TLS handshake',
    async (_name, closeMethod, code) => {
      const port = await listen(
        createTcpServer((socket) => {
          socket.on('error', () => undefined);
          socket.once('data', () => {
            if (closeMethod === 'end') socket.end();
            else socket.resetAndDestroy();
          });
        }),
      );
      const { total } = await runTrusting(port);
      expect(total.ledger).toMatchObject({ started: 4, network: { [code]: 4 }, protocol: {} });
    },
  );

  test('a stalled TLS handshake counts as a TLS timeout, not as a response timeout', async () => {
    const port = await listen(
      createTcpServer((socket) => {
        socket.on('error', () => undefined);
        // The beginning of a ServerHello that never completes.
        socket.once('data', () => socket.write(Buffer.from([22, 3, 3, 0, 122, 2, 0, 0])));
      }),
    );
    const { total } = await runTrusting(port, { total: 4, duration: 800, timeout: 400 });
    expect(total.ledger.timeout).toEqual({ connect: 0, tls: 4, response: 0 });
  });
});

describe('a TLS connection', () => {
  test.each([
    ['closed', 'end', { protocol: { truncated: 4 }, network: {} }],
    ['reset', 'reset', { protocol: {}, network: { ECONNRESET: 4 } }],
  ] as const)(
    'a request fails if its connection is %s without a close_notify before the response is complete',
    async (_name, closeMethod, expected) => {
      const secureContext = createSecureContext(shopCertificate);
      const port = await listen(
        createTcpServer((tcpSocket) => {
          const socket = new TLSSocket(tcpSocket, { isServer: true, secureContext });
          for (const each of [tcpSocket, socket]) each.on('error', () => undefined);
          socket.once('data', () => {
            socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc', () => {
              if (closeMethod === 'end') tcpSocket.end();
              // A reset may overtake bytes, so they have time to be read.
              else setTimeout(() => tcpSocket.resetAndDestroy(), 300);
            });
          });
        }),
      );
      const { total } = await runTrusting(port);
      expect(total.ledger).toMatchObject({ started: 4, success: 0, ...expected });
      expect(total.bytesReceived).toBe(4 * 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc'.length);
    },
  );

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'with %s, more than a quarter of the connections resume an earlier TLS session',
    async (version) => {
      const options = { minVersion: version, maxVersion: version };
      const { stats, port } = await secureServer({ ...shopCertificate, ...options });
      // On one thread, one after another, each connection except the first finds a session. Connections that
      // start together after a stall of the machine may not.
      const job = jobOf([targetOf(port, { secure: true })], { total: 20, duration: 1000, threads: 1 });
      const { ledger } = await runJob(testEngine.engine, job);
      const { started } = ledger;
      expect(ledger.success).toBe(started);
      expect(stats.handshakes).toBe(started);
      expect(stats.resumed).toBeGreaterThan(started / 4);
    },
  );
});

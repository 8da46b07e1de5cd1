/** TLS failures: each has its own error code, and nothing is sent before the peer is verified. */
// @module-tag load
import { once } from 'node:events';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
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

/**
 * Runs a job with one request to each port per client in the process that trusts the authority. Requests of one run
 * share a thread, which takes more time than the requests.
 */
async function runTrusting(ports: readonly number[], changes: JobChanges = {}): Promise<RunReport> {
  const targets = ports.map((port) => targetOf(port, { secure: true, hostname: 'shop.test' }));
  const job = jobOf(targets, {
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
    const { total } = await runTrusting([port]);
    expect(total.ledger).toMatchObject({ success: 4, network: {} });
    expect(stats.requests).toBe(4);
    expect([...stats.names]).toEqual(['shop.test']);
  });

  describe('an invalid certificate', () => {
    const codes = ['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'];
    let certificates: readonly Certificate[];
    beforeAll(() => {
      certificates = [
        authority.sign('shop.test', { days: -1 }),
        authority.sign('other.test'),
        authority.sign('shop.test', { unknown: true }),
      ];
    });

    test(`an expired certificate, a certificate for another name and a certificate from an unknown authority are refused with the network errors ${codes.join(', ')}, and no request is sent`, async () => {
      const shops = await Promise.all(certificates.map(secureServer));
      const { targets, errorSamples } = await runTrusting(shops.map(({ port }) => port));
      const expected = codes.map((code) => ({ started: 4, success: 0, network: { [code]: 4 } }));
      expect(targets.map(({ ledger }) => ledger)).toMatchObject(expected);
      expect(new Set(errorSamples.map(({ error }) => error))).toEqual(
        new Set(codes.map((code) => `network: ${code}`)),
      );
      expect(shops.map(({ stats }) => stats.requests)).toEqual([0, 0, 0]);
    });

    test('an expired certificate, a certificate for another name and a certificate from an unknown authority are accepted if the test disables TLS verification', async () => {
      const shops = await Promise.all(certificates.map(secureServer));
      const { targets } = await runTrusting(
        shops.map(({ port }) => port),
        { tlsVerify: false },
      );
      const expected = certificates.map(() => ({ success: 4, network: {} }));
      expect(targets.map(({ ledger }) => ledger)).toMatchObject(expected);
      expect(shops.map(({ stats }) => stats.requests)).toEqual([4, 4, 4]);
    });
  });
});

describe('the settings of a connection', () => {
  /**
   * Runs a job against a server of the known authority, which the process does not trust, with one request per
   * connection and client. Returns the ledgers of the requests.
   */
  async function runWith(port: number, connections: readonly JobConnection[]) {
    const targets = connections.map((connection) =>
      targetOf(port, { secure: true, hostname: '127.0.0.1', connection }),
    );
    const job = jobOf(targets, { tlsVerify: true, total: 4, duration: 100, timeout: 20_000 });
    return (await runJob(testEngine.engine, job)).report.targets.map(({ ledger }) => ledger);
  }

  test('the engine sends client certificates with plain and encrypted private keys, and verifies the server with the custom authority and server name', async () => {
    const subjects: string[] = [];
    const server = createTlsServer(
      { ...shopCertificate, ca: authority.pem, requestCert: true, rejectUnauthorized: true },
      (socket) => {
        socket.on('error', () => undefined);
        const subject = `${String(socket.servername)} ${String(socket.getPeerCertificate().subject.CN)}`;
        socket.on('data', () => {
          subjects.push(subject);
          socket.write(responseText(200, 'ok'));
        });
      },
    );
    const port = await listen(server);
    const settings = { ca: authority.pem, serverName: 'shop.test' };
    const [plain, encrypted] = [authority.sign('plain'), authority.sign('encrypted')];
    const passphrase = 'two words';
    const ledgers = await runWith(port, [
      { ...settings, ...plain },
      { ...settings, cert: encrypted.cert, key: encryptKey(encrypted.key, passphrase), passphrase },
    ]);
    expect(ledgers).toMatchObject([
      { success: 4, network: {} },
      { success: 4, network: {} },
    ]);
    const expected = ['shop.test encrypted', 'shop.test plain'].flatMap((subject) =>
      Array<string>(4).fill(subject),
    );
    expect(subjects.sort()).toEqual(expected);
  });

  test('a TLS handshake fails with its own network error for a server name that the certificate does not contain, without a trusted authority, and with a minimum TLS version that the server does not support', async () => {
    const { stats, port } = await secureServer({ ...shopCertificate, maxVersion: 'TLSv1.2' });
    const ledgers = await runWith(port, [
      { ca: authority.pem, serverName: 'other.test' },
      { serverName: 'shop.test' },
      { ca: authority.pem, serverName: 'shop.test', tlsMin: '1.3' },
    ]);
    const codes = [
      'ERR_TLS_CERT_ALTNAME_INVALID',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION',
    ];
    expect(ledgers).toMatchObject(codes.map((code) => ({ started: 4, success: 0, network: { [code]: 4 } })));
    expect(stats.requests).toBe(0);
  });
});

describe('a TLS handshake', () => {
  test('a handshake with a server that supports only TLS 1.0 or only TLS 1.1 fails with ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', async () => {
    const shops = await Promise.all(
      (['TLSv1', 'TLSv1.1'] as const).map((version) =>
        secureServer({
          ...{ ...shopCertificate, ciphers: 'DEFAULT@SECLEVEL=0' },
          ...{ minVersion: version, maxVersion: version },
        }),
      ),
    );
    const { targets } = await runTrusting(shops.map(({ port }) => port));
    const expected = { started: 4, network: { ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 4 } };
    expect(targets.map(({ ledger }) => ledger)).toMatchObject([expected, expected]);
    expect(shops.map(({ stats }) => stats.handshakes)).toEqual([0, 0]);
  });

  test('over TLS 1.2 and 1.3, if the server requires a client certificate, requests without a certificate fail with the code of a TLS alert, and none arrives', async () => {
    const shops = await Promise.all(
      (['TLSv1.2', 'TLSv1.3'] as const).map((version) =>
        secureServer({
          ...{ ...shopCertificate, requestCert: true, rejectUnauthorized: true },
          ...{ minVersion: version, maxVersion: version },
        }),
      ),
    );
    const { targets } = await runTrusting(shops.map(({ port }) => port));
    expect(targets.map(({ ledger }) => Object.entries(ledger.network))).toEqual([
      // OpenSSL 3.2 has changed this code.
      [[expect.stringMatching(/^ERR_SSL_(SSLV3|SSL\/TLS)_ALERT_HANDSHAKE_FAILURE$/), 4]],
      [['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 4]],
    ]);
    expect(shops.map(({ stats }) => stats.requests)).toEqual([0, 0]);
  });

  test('a request counts as a network error if the server closes or resets the connection during the TLS handshake', async () => {
    const ends = [(socket: Socket) => socket.end(), (socket: Socket) => socket.resetAndDestroy()];
    const ports = await Promise.all(
      ends.map((end) =>
        listen(
          createTcpServer((socket) => {
            socket.on('error', () => undefined);
            socket.once('data', () => end(socket));
          }),
        ),
      ),
    );
    const { targets } = await runTrusting(ports);
    expect(targets.map(({ ledger }) => ledger)).toMatchObject([
      { started: 4, network: { closed: 4 }, protocol: {} },
      { started: 4, network: { ECONNRESET: 4 }, protocol: {} },
    ]);
  });

  test('a stalled TLS handshake counts as a TLS timeout, not as a response timeout', async () => {
    const port = await listen(
      createTcpServer((socket) => {
        socket.on('error', () => undefined);
        // The beginning of a ServerHello that never completes.
        socket.once('data', () => socket.write(Buffer.from([22, 3, 3, 0, 122, 2, 0, 0])));
      }),
    );
    const { total } = await runTrusting([port], { total: 4, duration: 800, timeout: 400 });
    expect(total.ledger.timeout).toEqual({ connect: 0, tls: 4, response: 0 });
  });
});

/** A response of which a part is missing. */
const INCOMPLETE = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc';

describe('a TLS connection', () => {
  test('a request fails if its connection is closed or reset without a close_notify before the response is complete', async () => {
    const secureContext = createSecureContext(shopCertificate);
    const ends = [
      (socket: Socket) => socket.end(),
      // A reset may overtake bytes, so they have time to be read.
      (socket: Socket) => setTimeout(() => socket.resetAndDestroy(), 300),
    ];
    const ports = await Promise.all(
      ends.map((end) =>
        listen(
          createTcpServer((tcpSocket) => {
            const socket = new TLSSocket(tcpSocket, { isServer: true, secureContext });
            for (const each of [tcpSocket, socket]) each.on('error', () => undefined);
            socket.once('data', () => socket.write(INCOMPLETE, () => end(tcpSocket)));
          }),
        ),
      ),
    );
    const { targets } = await runTrusting(ports);
    const common = { started: 4, success: 0 };
    expect(targets.map(({ ledger }) => ledger)).toMatchObject([
      { ...common, protocol: { truncated: 4 }, network: {} },
      { ...common, protocol: {}, network: { ECONNRESET: 4 } },
    ]);
    const bytes = 4 * INCOMPLETE.length;
    expect(targets.map(({ bytesReceived }) => bytesReceived)).toEqual([bytes, bytes]);
  });

  test('over TLS 1.2 and 1.3, more than a quarter of the connections resume an earlier TLS session', async () => {
    const shops = await Promise.all(
      (['TLSv1.2', 'TLSv1.3'] as const).map((version) =>
        secureServer({ ...shopCertificate, minVersion: version, maxVersion: version }),
      ),
    );
    // On one thread, one after another, each connection except the first finds a session. Connections that
    // start together after a stall of the machine may not.
    const targets = shops.map(({ port }) => targetOf(port, { secure: true }));
    const { report } = await runJob(
      testEngine.engine,
      jobOf(targets, { total: 20, duration: 1000, threads: 1 }),
    );
    for (const [index, { stats }] of shops.entries()) {
      const ledger = report.targets[index]?.ledger;
      expect(ledger?.success).toBe(ledger?.started);
      expect(stats.handshakes).toBe(ledger?.started);
      expect(stats.resumed).toBeGreaterThan(stats.handshakes / 4);
    }
  });
});

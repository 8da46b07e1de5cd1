/** TLS as it goes wrong: each way has a code of its own, nothing is sent before the other side is proven. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createTcpServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext, createServer as createTlsServer, TLSSocket, type TlsOptions } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { RunReport } from '../../src/core/load/run-report.ts';
import {
  jobOf,
  openTestEngine,
  runJob,
  runInChildProcess,
  targetOf,
  type TestEngine,
  type JobChanges,
} from '../support/test-engine.ts';
import { responseText, type Certificate } from '../support/raw-target.ts';

let rig: TestEngine;
let authority: Authority;
beforeAll(async () => {
  rig = await openTestEngine();
  authority = openAuthority();
});
afterAll(async () => {
  authority.close();
  await rig.close();
});

interface Authority {
  /** File with the certificates that it signs with. */
  readonly trusted: string;
  /** A certificate for a name. */
  sign(name: string, how?: { readonly days?: number; readonly unknown?: boolean }): Certificate;
  close(): void;
}

/** Two authorities, of which one is not among those that are trusted. */
function openAuthority(): Authority {
  const directory = mkdtempSync(join(tmpdir(), 'authority-'));
  const file = (name: string): string => join(directory, name);
  const openssl = (...args: readonly string[]): void => {
    execFileSync('openssl', args, { stdio: 'ignore' });
  };
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  for (const name of ['known', 'unknown']) {
    const files = ['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)];
    openssl('req', '-x509', ...key, '-days', '30', '-subj', `/CN=${name} authority`, ...files);
  }
  return {
    trusted: file('known.pem'),
    sign: (name, { days = 30, unknown = false } = {}) => {
      const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
      openssl('req', '-new', ...key, ...names, '-keyout', file('leaf.key'), '-out', file('leaf.csr'));
      const by = unknown ? 'unknown' : 'known';
      const signer = ['-CA', file(`${by}.pem`), '-CAkey', file(`${by}.key`), '-CAcreateserial'];
      const made = ['-copy_extensions', 'copy', '-days', String(days), '-out', file('leaf.pem')];
      openssl('x509', '-req', '-in', file('leaf.csr'), ...signer, ...made);
      return { key: readFileSync(file('leaf.key'), 'utf8'), cert: readFileSync(file('leaf.pem'), 'utf8') };
    },
    close: () => {
      rmSync(directory, { recursive: true });
    },
  };
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port; // it listens on TCP
}

/** Answers every request on TLS, and counts what came. */
async function secureServer(options: TlsOptions) {
  const seen = { requests: 0, resumed: 0, handshakes: 0, names: new Set<string | false | null>() };
  const server = createTlsServer(options, (socket: TLSSocket) => {
    seen.handshakes++;
    if (socket.isSessionReused()) seen.resumed++;
    seen.names.add(socket.servername);
    socket.on('error', () => undefined);
    socket.on('data', () => {
      seen.requests++;
      socket.write(responseText(200, 'ok'));
    });
  });
  server.on('tlsClientError', () => undefined);
  return { seen, port: await listening(server) };
}

/** A run in a process that trusts the authority as the system's own ones. */
async function runTrusting(port: number, changes: JobChanges = {}): Promise<RunReport> {
  const job = jobOf([targetOf(port, { secure: true, hostname: 'shop.test' })], {
    ...{ tlsVerify: true, total: 4, duration: 100, timeout: 20_000 },
    ...changes,
  });
  return await runInChildProcess(rig, job, { env: { NODE_EXTRA_CA_CERTS: authority.trusted } }).report;
}

describe('a certificate', () => {
  test('of a known authority for the right name is taken, and the name is told', async () => {
    const { seen, port } = await secureServer(authority.sign('shop.test'));
    const { total } = await runTrusting(port);
    expect(total.ledger).toMatchObject({ success: 4, network: {} });
    expect(seen.requests).toBe(4);
    expect([...seen.names]).toEqual(['shop.test']);
  });

  test.each([
    ['that has expired', () => authority.sign('shop.test', { days: -1 }), 'CERT_HAS_EXPIRED'],
    ['for another name', () => authority.sign('other.test'), 'ERR_TLS_CERT_ALTNAME_INVALID'],
    [
      'of an unknown authority',
      () => authority.sign('shop.test', { unknown: true }),
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ],
  ])('%s is refused with its own code, and nothing is sent', async (_name, certificate, code) => {
    const { seen, port } = await secureServer(certificate());
    const { total, errorSamples } = await runTrusting(port);
    expect(total.ledger).toMatchObject({ started: 4, success: 0, network: { [code]: 4 } });
    expect(errorSamples[0]?.error).toBe(`network: ${code}`);
    expect(seen.requests).toBe(0);
  });

  test.each([
    ['that has expired', () => authority.sign('shop.test', { days: -1 })],
    ['for another name', () => authority.sign('other.test')],
    ['of an unknown authority', () => authority.sign('shop.test', { unknown: true })],
  ])('%s is taken where the test says that it is not verified', async (_name, certificate) => {
    const { seen, port } = await secureServer(certificate());
    const { total } = await runTrusting(port, { tlsVerify: false });
    expect(total.ledger).toMatchObject({ success: 4, network: {} });
    expect(seen.requests).toBe(4);
  });
});

describe('a handshake', () => {
  test.each([
    ['TLS 1.0', 'TLSv1', 'TLSv1'],
    ['TLS 1.1', 'TLSv1.1', 'TLSv1.1'],
  ] as const)('with a server that knows no more than %s fails with its own code', async (_name, min, max) => {
    const old = { minVersion: min, maxVersion: max, ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    const { seen, port } = await secureServer({ ...authority.sign('shop.test'), ...old });
    const { total } = await runTrusting(port);
    expect(total.ledger).toMatchObject({ started: 4, network: { ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 4 } });
    expect(seen.handshakes).toBe(0);
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'that wants a certificate of the client fails with its own code: %s',
    async (version) => {
      const wants = { requestCert: true, rejectUnauthorized: true, minVersion: version, maxVersion: version };
      const { seen, port } = await secureServer({ ...authority.sign('shop.test'), ...wants });
      const { total } = await runTrusting(port);
      const codes = Object.entries(total.ledger.network);
      expect(codes.reduce((sum, [, count]) => sum + count, 0)).toBe(4);
      expect(codes.map(([code]) => code)).toEqual([
        version === 'TLSv1.3'
          ? 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED'
          : // OpenSSL's own words, which its 3.2 has changed.
            expect.stringMatching(/^ERR_SSL_(SSLV3|SSL\/TLS)_ALERT_HANDSHAKE_FAILURE$/),
      ]);
      expect(seen.requests).toBe(0);
    },
  );

  test.each([
    ['ends', 'end', 'closed'],
    ['resets', 'reset', 'ECONNRESET'],
  ] as const)('that the server %s is an error of the network', async (_name, how, code) => {
    const port = await listening(
      createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', () => {
          if (how === 'end') socket.end();
          else socket.resetAndDestroy();
        });
      }),
    );
    const { total } = await runTrusting(port);
    expect(total.ledger).toMatchObject({ started: 4, network: { [code]: 4 }, protocol: {} });
  });

  test('that stalls in the middle is a timeout of TLS, and never one of the answer', async () => {
    const port = await listening(
      createTcpServer((socket) => {
        socket.on('error', () => undefined);
        // The beginning of a ServerHello, which then does not come.
        socket.once('data', () => socket.write(Buffer.from([22, 3, 3, 0, 122, 2, 0, 0])));
      }),
    );
    const { total } = await runTrusting(port, { total: 4, duration: 800, timeout: 400 });
    expect(total.ledger.timeout).toEqual({ connect: 0, tls: 4, response: 0 });
  });
});

describe('a TLS connection', () => {
  test.each([
    ['ended', 'end', { protocol: { truncated: 4 }, network: {} }],
    ['reset', 'reset', { protocol: {}, network: { ECONNRESET: 4 } }],
  ] as const)(
    'that is %s in the middle of an answer, without a word of TLS, gives none',
    async (_name, how, expected) => {
      const secureContext = createSecureContext(authority.sign('shop.test'));
      const port = await listening(
        createTcpServer((below) => {
          const socket = new TLSSocket(below, { isServer: true, secureContext });
          for (const one of [below, socket]) one.on('error', () => undefined);
          socket.once('data', () => {
            socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc', () => {
              if (how === 'end') below.end();
              // A reset may overtake bytes, so they are given time to be read.
              else setTimeout(() => below.resetAndDestroy(), 30);
            });
          });
        }),
      );
      const { total } = await runTrusting(port);
      expect(total.ledger).toMatchObject({ started: 4, success: 0, ...expected });
      expect(total.bytesReceived).toBe(4 * 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc'.length);
    },
  );

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('resumes the session of an earlier one: %s', async (version) => {
    const only = { minVersion: version, maxVersion: version };
    const { seen, port } = await secureServer({ ...authority.sign('shop.test'), ...only });
    // On one thread, one after the other: each but the first finds a session, and those who come at once on a machine
    // that has stood still.
    const job = jobOf([targetOf(port, { secure: true })], { total: 20, duration: 1000, threads: 1 });
    const { ledger } = await runJob(rig.engine, job);
    const { started } = ledger;
    expect(ledger.success).toBe(started);
    expect(seen.handshakes).toBe(started);
    expect(seen.resumed).toBeGreaterThan(started / 4);
  });
});

/** Request and response bytes: they match the declaration and are counted exactly. */
// @module-tag load
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JobField, JobTarget } from '../../src/core/load/load-job.ts';
import type { RunReport } from '../../src/core/load/run-report.ts';
import { isReservedHeader } from '../../src/core/model/header-name.ts';
import { METHODS, takesBody } from '../../src/core/model/method.ts';
import { arbitraryString } from '../support/arbitrary-string.ts';
import { jobOf, useTestEngine, runJob, targetOf, textBody, paramsBody } from '../support/test-engine.ts';
import { startNginx, type NginxTarget } from '../support/nginx-target.ts';
import {
  createSelfSigned,
  openRawTarget,
  responseText,
  startRawTarget,
  type RawTarget,
} from '../support/raw-target.ts';
import { startReferenceTarget, type ReferenceTarget } from '../support/reference-target.ts';
import { scaleCount } from '../support/test-scale.ts';
import { runInVirtualTime } from '../support/virtual-run.ts';

const SIZES = [0, 1, 1023, 1024, 64 * 1024, 10 * 1024 * 1024];

/** Number of generated requests. */
const REQUESTS = scaleCount(1000);

const testEngine = useTestEngine();

const clients = { testType: 'non-cycling', total: 2, duration: 200, timeout: 20_000 } as const;

/** Compares the byte counts with those of the target, by the first segment of the path. */
function expectBytes(
  report: RunReport,
  kinds: readonly string[],
  logged: readonly { readonly kind: string; readonly bytesIn: number; readonly bytesOut: number }[],
): void {
  report.targets.forEach((metrics, index) => {
    const entries = logged.filter(({ kind }) => kind === kinds[index]);
    expect(metrics.ledger).toMatchObject({ started: entries.length, success: entries.length });
    expect(entries).toHaveLength(clients.total);
    expect(metrics.bytesSent, kinds[index]).toBe(entries.reduce((sum, { bytesIn }) => sum + bytesIn, 0));
    expect(metrics.bytesReceived, kinds[index]).toBe(
      entries.reduce((sum, { bytesOut }) => sum + bytesOut, 0),
    );
  });
}

describe('byte counts of bodies of many sizes', () => {
  let rawTarget: ReferenceTarget;
  let nginx: NginxTarget;
  beforeAll(async () => {
    const files = Object.fromEntries(SIZES.map((size) => [`get-${size}`, Buffer.alloc(size, 'x')]));
    [rawTarget, nginx] = await Promise.all([startReferenceTarget(), startNginx({ files })]);
  });
  afterAll(() => Promise.all([rawTarget.close(), nginx.close()]));

  test('for bodies of up to 10 MiB, the byte counts of the engine match the counts of a raw TCP server', async () => {
    const kinds = SIZES.flatMap((size) => [`get-${size}`, `post-${size}`]);
    const targets = SIZES.flatMap((size) => [
      targetOf(rawTarget.port, { path: `/get-${size}/%{1:9}?size=${size}` }),
      targetOf(rawTarget.port, {
        path: `/post-${size}/%{1:9}`,
        method: 'POST',
        body: textBody('x'.repeat(size)),
      }),
    ]);
    const { report } = await runJob(testEngine.engine, jobOf(targets, clients));
    expectBytes(report, kinds, (await rawTarget.log()).requests);
  });

  test('for bodies of up to 10 MiB, the byte counts of the engine match the log of nginx', async () => {
    const kinds = SIZES.flatMap((size) => [`get-${size}`, `post-${size}`]);
    const targets = SIZES.flatMap((size) => [
      targetOf(nginx.port, { path: `/files/get-${size}` }),
      targetOf(nginx.port, { path: `/post/post-${size}`, method: 'POST', body: textBody('x'.repeat(size)) }),
    ]);
    const { report } = await runJob(testEngine.engine, jobOf(targets, clients));
    const logged = (await nginx.log()).map((line) => ({ ...line, kind: line.path.split('/')[2] ?? '' }));
    expectBytes(report, kinds, logged);
  });

  test('after a HEAD request, the connection is reused, and the byte counts match the log of nginx', async () => {
    const path = '/files/get-65536';
    const targets = [targetOf(nginx.port, { path, method: 'HEAD' }), targetOf(nginx.port, { path })];
    const { report } = await runJob(testEngine.engine, jobOf(targets, clients));
    const logged = (await nginx.log()).map((line) => ({ ...line, kind: line.method }));
    expectBytes(report, ['HEAD', 'GET'], logged);
    expect(new Set(logged.map(({ connection }) => connection)).size).toBe(clients.total);
  });
});

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'over %s, the number of sent bytes includes retried requests and matches the number of bytes that the server received',
  async (version) => {
    const shop = await openRawTarget(
      ({ connection }, write, socket) => {
        write(responseText(200, 'ok'));
        // A server that closes at this time may still receive the next request.
        if (connection % 3 !== 0) setImmediate(() => socket.end());
      },
      { tls: { ...createSelfSigned(), minVersion: version, maxVersion: version, allowHalfOpen: true } },
    );
    const { report, ledger } = await runJob(
      testEngine.engine,
      jobOf([targetOf(shop.port, { secure: true })], {
        testType: 'cycling',
        initial: 12,
        total: 12,
        duration: 60_000,
        iterations: 200,
      }),
    );
    expect(ledger.resent).toBeGreaterThan(0);
    await expect.poll(() => shop.bytesIn()).toBe(report.total.bytesSent);
  },
);

describe('declared requests', () => {
  let shop: RawTarget;
  beforeAll(async () => {
    shop = await startRawTarget();
  });
  afterAll(() => shop.close());

  /** Braces would be variables, and control characters are refused earlier. */
  const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((text) => !/[{}\p{Cc}]/u.test(text));
  const value = text.filter((text) => text === text.trim());
  const name = fc
    .stringMatching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,12}$/)
    .map((name) => `X-${name}`)
    .filter((name) => !isReservedHeader(name));
  const field = (names: fc.Arbitrary<string>, values: fc.Arbitrary<string>): fc.Arbitrary<JobField> =>
    fc.record({ name: names, value: values });
  const anyRequest = fc
    .record({
      method: fc.constantFrom(...METHODS),
      segments: fc.array(text.map(encodeURIComponent), { minLength: 1, maxLength: 4 }),
      headers: fc.array(field(fc.oneof(name, fc.constant('X-Same')), value), { maxLength: 6 }),
      body: fc.oneof(
        fc.constant(null),
        fc.array(field(text, text), { maxLength: 4 }).map(paramsBody),
        arbitraryString({ maxLength: 300 })
          .filter((value) => !/[{}]/.test(value))
          .map(textBody),
      ),
    })
    .filter(({ method, body }) => takesBody(method) || body?.kind !== 'text');

  test.each([
    ['GET', 'absent'],
    ['HEAD', 'absent'],
    ['DELETE', 'absent'],
    ['OPTIONS', 'absent'],
    ['POST', '0'],
    ['PUT', '0'],
    ['PATCH', '0'],
  ] as const)('for %s requests without a body, the Content-Length header is %s', async (method, length) => {
    const target = await openRawTarget();
    await runInVirtualTime(jobOf([targetOf(target.port, { method })], { total: 1, duration: 10 }), target);
    const headers = new Map(target.requests[0]?.headers.map(([name, text]) => [name.toLowerCase(), text]));
    expect(target.requests[0]?.method).toBe(method);
    expect(headers.get('content-length') ?? 'absent').toBe(length);
  });

  test(`for ${REQUESTS} generated requests, the method, path, parameters, headers and body arrive unchanged`, async () => {
    const requests = fc.sample(anyRequest, REQUESTS);
    const targets = requests.map(({ segments, ...rest }): JobTarget =>
      targetOf(shop.port, { ...rest, path: `/${segments.join('/')}` }),
    );
    const { ledger } = await runJob(
      testEngine.engine,
      jobOf(targets, { total: 1, threads: 1, timeout: 10_000 }),
    );
    expect(ledger.success).toBe(requests.length);
    requests.forEach((request, index) => {
      const received = shop.requests[index];
      if (received === undefined) throw new Error('the request did not arrive');
      const [path = '', query = ''] = received.path.split('?');
      const { method, body } = request;
      const isForm = takesBody(method) && body?.kind !== 'text';
      const params = body?.kind === 'params' ? body.fields : [];
      expect(received.method).toBe(method);
      expect(path).toBe(`/${request.segments.join('/')}`);
      expect([...new URLSearchParams(isForm ? received.body : query)]).toEqual(
        params.map((param) => [param.name, param.value]),
      );
      const expectedHeaders = request.headers.map((header) => [
        header.name,
        Buffer.from(header.value).toString('latin1'),
      ]);
      expect(
        received.headers.filter(([name]) => name.startsWith('X-') && name !== 'X-Loadtests-Run'),
      ).toEqual(expectedHeaders);
      if (!isForm) {
        const sent = body?.kind === 'text' ? body.text : '';
        expect(Buffer.from(received.body, 'latin1').equals(Buffer.from(sent))).toBe(true);
      }
    });
  });
});

/** What goes over the wire is what was declared, and is counted to the byte. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JobField, JobTarget } from '../../src/core/load/load-job.ts';
import type { RunReport } from '../../src/core/load/run-report.ts';
import { isReservedHeader } from '../../src/core/model/header-name.ts';
import { METHODS } from '../../src/core/model/method.ts';
import { arbitraryString } from '../support/arbitrary-string.ts';
import { jobOf, openTestEngine, runJob, targetOf, type TestEngine } from '../support/test-engine.ts';
import { startNginx, type NginxTarget } from '../support/nginx-target.ts';
import { startRawTarget, type RawTarget } from '../support/raw-target.ts';
import { startReferenceTarget, type ReferenceTarget } from '../support/reference-target.ts';

const SIZES = [0, 1, 1023, 1024, 64 * 1024, 10 * 1024 * 1024];

let rig: TestEngine;
beforeAll(async () => {
  rig = await openTestEngine();
});
afterAll(() => rig.close());

/** Sums of the target's own, by the first part of the path. */
function expectBytes(
  report: RunReport,
  kinds: readonly string[],
  logged: readonly { readonly kind: string; readonly bytesIn: number; readonly bytesOut: number }[],
): void {
  report.targets.forEach((metrics, index) => {
    const own = logged.filter(({ kind }) => kind === kinds[index]);
    expect(metrics.ledger).toMatchObject({ started: own.length, success: own.length });
    expect(own).toHaveLength(4);
    expect(metrics.bytesSent, kinds[index]).toBe(own.reduce((all, { bytesIn }) => all + bytesIn, 0));
    expect(metrics.bytesReceived, kinds[index]).toBe(own.reduce((all, { bytesOut }) => all + bytesOut, 0));
  });
}

describe('bodies of many sizes, both ways, byte for byte', () => {
  let raw: ReferenceTarget;
  let nginx: NginxTarget;
  beforeAll(async () => {
    const files = Object.fromEntries(SIZES.map((size) => [`get-${size}`, Buffer.alloc(size, 'x')]));
    [raw, nginx] = await Promise.all([startReferenceTarget(), startNginx({ files })]);
  });
  afterAll(() => Promise.all([raw.close(), nginx.close()]));

  const clients = { testType: 'non-cycling', total: 4, duration: 200, timeout: 20_000 } as const;

  test('as a raw TCP server counts them', async () => {
    const kinds = SIZES.flatMap((size) => [`get-${size}`, `post-${size}`]);
    const targets = SIZES.flatMap((size) => [
      targetOf(raw.port, { path: `/get-${size}/%{1:9}?size=${size}` }),
      targetOf(raw.port, { path: `/post-${size}/%{1:9}`, method: 'POST', body: 'x'.repeat(size) }),
    ]);
    const { report } = await runJob(rig.engine, jobOf(targets, clients));
    expectBytes(report, kinds, (await raw.log()).requests);
  });

  test('as nginx logs them', async () => {
    const kinds = SIZES.flatMap((size) => [`get-${size}`, `post-${size}`]);
    const targets = SIZES.flatMap((size) => [
      targetOf(nginx.port, { path: `/files/get-${size}` }),
      targetOf(nginx.port, { path: `/post/post-${size}`, method: 'POST', body: 'x'.repeat(size) }),
    ]);
    const { report } = await runJob(rig.engine, jobOf(targets, clients));
    const logged = (await nginx.log()).map((line) => ({ ...line, kind: line.path.split('/')[2] ?? '' }));
    expectBytes(report, kinds, logged);
  });

  test('HEAD leaves the connection to the next request, as nginx logs it', async () => {
    const path = '/files/get-65536';
    const targets = [targetOf(nginx.port, { path, method: 'HEAD' }), targetOf(nginx.port, { path })];
    const { report } = await runJob(rig.engine, jobOf(targets, clients));
    const logged = (await nginx.log()).map((line) => ({ ...line, kind: line.method }));
    expectBytes(report, ['HEAD', 'GET'], logged);
    expect(new Set(logged.map(({ connection }) => connection)).size).toBe(4);
  });
});

describe('what was declared', () => {
  let shop: RawTarget;
  beforeAll(async () => {
    shop = await startRawTarget();
  });
  afterAll(() => shop.close());

  /** Braces would be variables, control characters are refused before. */
  const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((one) => !/[{}\p{Cc}]/u.test(one));
  const value = text.filter((one) => one === one.trim());
  const name = fc
    .stringMatching(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,12}$/)
    .map((one) => `X-${one}`)
    .filter((one) => !isReservedHeader(one));
  const field = (names: fc.Arbitrary<string>, values: fc.Arbitrary<string>): fc.Arbitrary<JobField> =>
    fc.record({ name: names, value: values });
  const anyRequest = fc.record({
    method: fc.constantFrom(...METHODS),
    segments: fc.array(text.map(encodeURIComponent), { minLength: 1, maxLength: 4 }),
    headers: fc.array(field(fc.oneof(name, fc.constant('X-Same')), value), { maxLength: 6 }),
    params: fc.array(field(text, text), { maxLength: 4 }),
    body: fc.oneof(
      fc.constant(null),
      arbitraryString({ maxLength: 300 }).filter((one) => !/[{}]/.test(one)),
    ),
  });

  test.each([
    ['GET', undefined],
    ['HEAD', undefined],
    ['DELETE', undefined],
    ['OPTIONS', undefined],
    ['POST', '0'],
    ['PUT', '0'],
    ['PATCH', '0'],
  ] as const)('%s without content says the length %s', async (method, length) => {
    const own = await startRawTarget();
    await runJob(rig.engine, jobOf([targetOf(own.port, { method })], { total: 1, threads: 1 }));
    await own.close();
    const headers = new Map(own.requests[0]?.headers.map(([one, text]) => [one.toLowerCase(), text]));
    expect(own.requests[0]?.method).toBe(method);
    expect(headers.get('content-length')).toBe(length);
  });

  test('arrives: method, path, parameters, headers in their order, body', async () => {
    const requests = fc.sample(anyRequest, 300);
    const targets = requests.map(({ segments, ...rest }): JobTarget =>
      targetOf(shop.port, { ...rest, path: `/${segments.join('/')}` }),
    );
    const { ledger } = await runJob(rig.engine, jobOf(targets, { total: 1, threads: 1, timeout: 10_000 }));
    expect(ledger.success).toBe(requests.length);
    requests.forEach((request, index) => {
      const seen = shop.requests[index];
      if (seen === undefined) throw new Error('not seen');
      const [path = '', query = ''] = seen.path.split('?');
      const { method, body } = request;
      const carries = method !== 'GET' && method !== 'HEAD';
      const isForm = carries && body === null;
      expect(seen.method).toBe(method);
      expect(path).toBe(`/${request.segments.join('/')}`);
      expect([...new URLSearchParams(isForm ? seen.body : query)]).toEqual(
        request.params.map((param) => [param.name, param.value]),
      );
      const own = request.headers.map((header) => [
        header.name,
        Buffer.from(header.value).toString('latin1'),
      ]);
      expect(seen.headers.filter(([one]) => one.startsWith('X-') && one !== 'X-Loadtests-Run')).toEqual(own);
      if (!isForm) {
        const sent = carries ? (body ?? '') : '';
        expect(Buffer.from(seen.body, 'latin1').equals(Buffer.from(sent))).toBe(true);
      }
    });
  });
});

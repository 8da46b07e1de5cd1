/** Multipart bodies and bodies from files, as the target receives them. */
// @module-tag load
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JobFile } from '../../src/core/load/load-job.ts';
import type { BodyPart } from '../../src/core/model/request-body.ts';
import { compileJob } from '../../src/engine/request-compiler.ts';
import { openRawTarget } from '../support/raw-target.ts';
import { iterationOf, jobOf, useTestEngine, targetOf, runJob } from '../support/test-engine.ts';
import { runInVirtualTime } from '../support/virtual-run.ts';

const jobFile = (content: Uint8Array): JobFile => ({
  sha256: createHash('sha256').update(content).digest('hex'),
  content: Buffer.from(content).toString('base64'),
});

/** Returns the request that the engine sends for the parts. */
function requestOf(parts: readonly BodyPart<string, string>[], bodyFiles: readonly JobFile[]) {
  const target = targetOf(80, { method: 'POST', body: { kind: 'multipart', parts } });
  const [compiled] = compileJob(jobOf([target], { bodyFiles })).targets;
  const text = compiled?.render(iterationOf([])) ?? '';
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1] ?? '';
  return { header, body: Buffer.from(rest.join('\r\n\r\n'), 'latin1'), compiled };
}

describe('multipart bodies', () => {
  test('the FormData parser of Node.js reads the declared parts from multipart bodies, for generated names and contents', async () => {
    const name = fc
      .string({ minLength: 1, unit: 'grapheme' })
      .filter((one) => !/[\r\n"%{}]|\p{C}/u.test(one));
    const text = fc.string({ unit: 'grapheme' }).filter((one) => !/[%{]\{|\r|\n/.test(one));
    const content = fc.uint8Array({ maxLength: 50 });
    const part = fc.record({ name, text, content, isFile: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(part, { minLength: 1, maxLength: 4, selector: (one) => one.name }),
        async (all) => {
          const parts = all.map((one): BodyPart<string, string> =>
            one.isFile
              ? {
                  name: one.name,
                  file: jobFile(one.content).sha256,
                  contentType: 'application/pdf',
                  filename: 'a.pdf',
                }
              : { name: one.name, value: one.text },
          );
          const { header, body } = requestOf(
            parts,
            all.map((one) => jobFile(one.content)),
          );
          expect(Number(header('content-length'))).toBe(body.length);
          const headers = { 'content-type': header('content-type') };
          const form = await new Response(body, { headers }).formData();
          expect([...form.keys()]).toEqual(all.map((one) => one.name));
          for (const one of all) {
            const value = form.get(one.name);
            if (typeof value === 'string' || value === null) {
              expect(value).toBe(one.text);
              continue;
            }
            expect([value.name, value.type]).toEqual(['a.pdf', 'application/pdf']);
            expect(new Uint8Array(await value.arrayBuffer())).toEqual(one.content);
          }
        },
      ),
    );
  });

  test('compileJob renders a multipart body in advance only if the body contains no expression', () => {
    const parts = [{ name: 'title', value: 'Invoice' }];
    expect(requestOf(parts, []).compiled?.bytes).not.toBeNull();
    expect(requestOf([{ name: 'title', value: '%{1:9}' }], []).compiled?.bytes).toBeNull();
  });

  test('a value in a multipart body can have a content type and a file name', async () => {
    const parts = [
      { name: 'a', value: '{"n":%{7}}', contentType: 'application/json', filename: 'a.json' },
      { name: 'b', value: 'x', contentType: 'text/plain' },
    ];
    const { header, body } = requestOf(parts, []);
    const form = await new Response(body, { headers: { 'content-type': header('content-type') } }).formData();
    const file = form.get('a');
    if (!(file instanceof File)) throw new Error('not a file');
    expect([file.name, file.type, await file.text()]).toEqual(['a.json', 'application/json', '{"n":7}']);
    expect(form.get('b')).toBe('x');
    expect(body.toString('latin1')).toContain('name="b"\r\nContent-Type: text/plain\r\n\r\nx\r\n');
  });

  test('quotes and line breaks in the name of a multipart part are percent-encoded, so they cannot add a header', () => {
    const parts = [{ name: 'a"\r\nx: y', value: '1' }];
    const { body } = requestOf(parts, []);
    expect(body.toString()).toContain('name="a%22%0D%0Ax: y"\r\n\r\n1\r\n--');
  });
});

describe('the requests that a target receives', () => {
  const testEngine = useTestEngine();

  test.each([1, 2])(
    'with a thread count of %d, files in raw and multipart bodies arrive unchanged, and each request is counted',
    async (threads) => {
      const shop = await openRawTarget();
      const bytes = Uint8Array.from({ length: 3000 }, (_, index) => index % 256);
      const file = jobFile(bytes);
      const parts: readonly BodyPart<string, string>[] = [
        { name: 'number', value: '%{1000:1999}' },
        { name: 'scan', file: file.sha256, contentType: null, filename: 'scan.bin' },
      ];
      const job = jobOf(
        [
          targetOf(shop.port, { method: 'POST', path: '/file', body: { kind: 'file', file: file.sha256 } }),
          targetOf(shop.port, { method: 'PUT', path: '/parts', body: { kind: 'multipart', parts } }),
        ],
        { bodyFiles: [file], total: 20, duration: 200, threads },
      );
      const report = await (threads === 1
        ? runInVirtualTime(job, shop)
        : runJob(testEngine.engine, job).then((result) => result.report));
      expect(report.targets.map(({ ledger }) => [ledger.started, ledger.success])).toEqual([
        [20, 20],
        [20, 20],
      ]);
      const content = Buffer.from(bytes).toString('latin1');
      const bodiesOf = (path: string) =>
        shop.requests.filter((request) => request.path === path).map(({ body }) => body);
      expect(bodiesOf('/file')).toHaveLength(20);
      expect(bodiesOf('/parts')).toHaveLength(20);
      for (const body of bodiesOf('/file')) expect(body).toBe(content);
      for (const body of bodiesOf('/parts')) {
        expect(body).toMatch(/name="number"\r\n\r\n1\d{3}\r\n/);
        expect(body).toContain(`filename="scan.bin"\r\n\r\n${content}\r\n--`);
      }
    },
  );
});

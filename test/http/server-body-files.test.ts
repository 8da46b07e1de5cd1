/** Request bodies from uploaded files: the job of a run contains their content once. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openShop } from '../support/shop.ts';
import { smallTestFields } from '../support/test-service.ts';

const PDF = 'PDF \u0000 %{1:2} {{x}}';
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const sha256 = digestOf(PDF);

async function shopWithFile() {
  const shop = await openShop();
  const raw = { type: 'application/octet-stream', body: PDF };
  await shop.service.call('PUT', `/v2/payload-files/${sha256}`, { raw });
  return shop;
}

describe('request bodies from files', () => {
  test('the load generator receives each body file of a run once, and the record of the test lists the parts of a multipart body', async () => {
    const { service, target } = await shopWithFile();
    const url = `${target.url}/`;
    const multipart = [
      { name: 'title', value: 'Invoice' },
      { name: 'scan', file: sha256, content_type: 'application/pdf', filename: 'a.pdf' },
    ];
    const urls = [
      { url, request_type: 'POST', body_file: sha256 },
      { url, request_type: 'POST', multipart },
    ];
    const created = await service.call('POST', '/v2/tests', { json: smallTestFields('', { urls }) });
    expect(created.status).toBe(200);
    const { job } = service.runner.latest();
    expect(job.bodyFiles).toEqual([{ sha256, content: Buffer.from(PDF).toString('base64') }]);
    expect(job.targets.map(({ body }) => body)).toEqual([
      { kind: 'file', file: sha256 },
      {
        kind: 'multipart',
        parts: [
          { name: 'title', value: 'Invoice' },
          { name: 'scan', file: sha256, contentType: 'application/pdf', filename: 'a.pdf' },
        ],
      },
    ]);
    const { list } = await service.call('GET', '/v2/tests');
    expect(list).toMatchObject([{ urls: [{ body_file: sha256 }, { multipart }] }]);
  });

  test.each([
    ['body_file', { body_file: 'a'.repeat(64) }],
    ['multipart', { multipart: [{ name: 'scan', file: 'a'.repeat(64) }] }],
  ])(
    'a test is refused if the file in "%s" was not uploaded, and the error names the upload route',
    async (field, body) => {
      const { service, target } = await openShop();
      const urls = [{ url: `${target.url}/`, request_type: 'POST', ...body }];
      const refused = await service.call('POST', '/v2/tests', { json: smallTestFields('', { urls }) });
      expect(refused.status).toBe(422);
      expect(refused.json.errors).toEqual([
        `urls[0]: the file in "${field}" has not been uploaded; upload it first, with PUT /v2/payload-files/${'a'.repeat(64)}`,
      ]);
    },
  );

  test.each([
    [{ multipart: [{ name: 'a', value: 'x', file: sha256 }] }, /multipart/],
    [{ multipart: [{ name: 'a' }] }, /multipart/],
    [{ multipart: [] }, /multipart/],
    [{ body_file: 'abc' }, /body_file/],
    [{ body_file: sha256, raw_post_body: 'x' }, /"raw_post_body" and "body_file" both define the body/],
    [
      { multipart: ['x', 'y'].map((value) => ({ name: 'a', value })) },
      /"multipart" has two parts with the name "a"/,
    ],
  ])('a test is refused if a request has the invalid body %j', async (body, message) => {
    const { service, target } = await shopWithFile();
    const urls = [{ url: `${target.url}/`, request_type: 'POST', ...body }];
    const refused = await service.call('POST', '/v2/tests', { json: smallTestFields('', { urls }) });
    expect(refused.status).toBe(422);
    expect(String(refused.json.errors)).toMatch(message);
  });
});

/** Payload files that clients upload: each is stored once by its digest, as long as a test refers to it. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { HOUR } from '../support/test-clock.ts';
import { sendRaw } from '../support/raw-request.ts';
import { API_KEY, openTestService, smallTestFields, waitUntil } from '../support/test-service.ts';
import { openShop, type Shop } from '../support/shop.ts';

const CSV = 'user,pin\nanna,0042\nbert,2\n';

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const pathOf = (text: string): string => `/v2/payload-files/${digestOf(text)}`;

const put = (rig: Shop['service'], text: string, path = pathOf(text)) =>
  rig.call('PUT', path, { raw: { type: 'application/octet-stream', body: text } });

async function create({ service, target }: Shop, text: string) {
  const urls = [{ url: `${target.url}/{{user}}`, payload_file: digestOf(text) }];
  return await service.call('POST', '/v2/tests', { json: smallTestFields('', { urls }) });
}

describe('payload files by digest', () => {
  test('an uploaded payload file is found by its digest and provides the rows for iterations', async () => {
    const shop = await openShop();
    const { service } = shop;
    expect((await service.call('GET', pathOf(CSV))).status).toBe(404);
    const description = { sha256: digestOf(CSV), bytes: CSV.length, rows: 2 };
    expect(await put(service, CSV)).toMatchObject({ status: 200, json: description });
    expect(await put(service, CSV)).toMatchObject({ status: 200, json: description });
    expect((await service.call('GET', pathOf(CSV))).json).toEqual(description);
    expect((await create(shop, CSV)).status).toBe(200);
    const rows = [
      {
        names: ['user', 'pin'],
        values: [
          ['anna', '0042'],
          ['bert', '2'],
        ],
      },
    ];
    expect(service.runner.latest().job.iterationRows).toEqual(rows);
    const { list } = await service.call('GET', '/v2/tests');
    expect(list).toMatchObject([{ urls: [{ payload_file: digestOf(CSV) }] }]);
  });

  test('a test is refused if its payload file has not been uploaded, and the error names the upload route', async () => {
    const shop = await openShop();
    const refused = await create(shop, CSV);
    expect(refused.status).toBe(422);
    expect(refused.json.errors).toEqual([
      `urls[0]: the file in "payload_file" has not been uploaded; upload it first, with PUT ${pathOf(CSV)}`,
    ]);
    expect((await shop.service.call('GET', '/v2/tests')).list).toEqual([]);
  });

  test.each([
    [
      'content that does not match its digest',
      CSV,
      pathOf('other'),
      422,
      'the SHA-256 digest of the body does not match the path',
    ],
    ['an invalid digest in the path', CSV, '/v2/payload-files/abc', 404, 'Requested record was not found'],
  ])('a payload file with %s is refused with an error object', async (_name, text, path, status, message) => {
    const { service } = await openShop();
    const response = await put(service, text, path);
    expect(response.status).toBe(status);
    expect(response.json.errors).toEqual([message]);
    expect((await service.call('GET', pathOf(text))).status).toBe(404);
  });

  test.each([
    ['no rows', 'user\n', 'the file in "payload_file" has no rows below its first line (line 1, column 1)'],
    ['an invalid variable name', '1\n2\n', 'has an invalid variable name in column 1 of its first line'],
    ['invalid JSON', '{"keys": 1}', 'the file in "payload_file" must have a list of names at keys'],
    ['no content', '', 'the file in "payload_file" is empty (line 1, column 1)'],
  ])('a file with %s is stored, but a test cannot use it as a payload file', async (_name, text, message) => {
    const shop = await openShop();
    expect(await put(shop.service, text)).toMatchObject({ status: 200, json: { rows: 0 } });
    const refused = await create(shop, text);
    expect(refused.status).toBe(422);
    expect(refused.json.errors).toEqual([expect.stringContaining(message)]);
  });

  test('a payload file of 3 MB is accepted, and a payload file of more than 64 MiB is refused', async () => {
    const { service } = await openShop();
    const large = `user\n${`${'x'.repeat(60_000)}\n`.repeat(50)}`;
    expect((await put(service, large)).status).toBe(200);
    const lines = [
      `PUT ${pathOf(CSV)} HTTP/1.1`,
      `Host: ${new URL(service.service.url).host}`,
      `service-auth: ${API_KEY}`,
      `Content-Type: application/octet-stream`,
      `Content-Length: ${64 * 1024 * 1024 + 1}`,
    ];
    const refused = await sendRaw(Number(new URL(service.service.url).port), `${lines.join('\r\n')}\r\n\r\n`);
    expect([refused.status, refused.body]).toEqual([413, expect.stringContaining('67108864 bytes')]);
  });

  test('a payload file is refused if the payload files of the account would exceed their total size limit', async () => {
    const rig = await openTestService({ limits: { maxPayloadBytes: 40 } });
    expect((await put(rig, CSV)).status).toBe(200);
    const refused = await put(rig, `${CSV}carl,3\n`);
    expect(refused.status).toBe(422);
    expect(refused.json.errors[0]).toMatch(
      /^with this file, the payload files of this account would exceed 40 bytes in total;/,
    );
    // A file that already exists needs no space.
    expect((await put(rig, CSV)).status).toBe(200);
  });

  test('a payload file that no test uses is deleted after an hour', async () => {
    const shop = await openShop();
    const other = 'user\ncarl\n';
    await put(shop.service, CSV);
    await put(shop.service, other);
    expect((await create(shop, CSV)).status).toBe(200);
    shop.service.runner.latest().end();
    shop.clock.advance(HOUR + 1000);
    await put(shop.service, 'user\ndora\n');
    expect((await shop.service.call('GET', pathOf(CSV))).status).toBe(200);
    expect((await shop.service.call('GET', pathOf(other))).status).toBe(404);
    // Deleting the app deletes its test, and therefore the payload file.
    const [app] = (await shop.service.call('GET', '/v2/apps')).list;
    await waitUntil(async () =>
      (await shop.service.call('DELETE', `/v2/apps/${String(app?.app_id)}`)).status === 200 ? true : null,
    );
    shop.clock.advance(HOUR + 1000);
    await put(shop.service, 'user\nemil\n');
    expect((await shop.service.call('GET', pathOf(CSV))).status).toBe(404);
  });
});

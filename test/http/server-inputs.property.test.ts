/**
 * Arbitrary requests: the service returns documented responses, does not fail, and sends no load to other
 * hosts.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAppHost, readUrl } from '../../src/core/model/url.ts';
import { parseAppHost } from '../../src/egress/app-host.ts';
import { arbitraryString } from '../support/arbitrary-string.ts';
import { apiMismatch } from '../support/schema-checks.ts';
import { openTestService, smallTestFields } from '../support/test-service.ts';
import { scaleCount } from '../support/test-scale.ts';

const HOST = '127.0.0.1:4080';

/** Values that often reveal bugs. */
const awkwardValue = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  arbitraryString(),
  fc.constantFrom(
    null,
    '',
    '\0',
    '\ud800',
    -0,
    1e308,
    2 ** 53,
    '5',
    true,
    [],
    {},
    '{{a}}',
    '%{1:2}',
    '\r\nHost: x',
  ),
);

const field = fc.constantFrom(
  'test_type',
  'urls',
  'duration',
  'initial',
  'total',
  'timeout',
  'name',
  'notes',
);
const urlField = fc.constantFrom(
  'url',
  'request_type',
  'credentials',
  'headers',
  'request_params',
  'raw_post_body',
);

test('a test with an arbitrary value in one of 14 fields is accepted or refused without an internal error, and never sends load to another host', async () => {
  const rig = await openTestService();
  await rig.verifiedApp(HOST);
  await fc.assert(
    fc.asyncProperty(field, urlField, awkwardValue, fc.boolean(), async (name, urlName, value, inUrl) => {
      const urls = [{ url: `http://${HOST}/`, [urlName]: value }];
      const json = smallTestFields(`http://${HOST}/`, inUrl ? { urls } : { [name]: value });
      const response = await rig.call('POST', '/v2/tests', { json });
      expect([200, 422]).toContain(response.status);
      expect(apiMismatch(response.status === 200 ? 'test-created' : 'error', response.json)).toBeNull();
    }),
    { numRuns: scaleCount(150) },
  );
  expect((await rig.call('GET', '/v2/tests')).status).toBe(200);
  expect(rig.log.filter(({ event }) => event === 'request-failed')).toEqual([]);
  for (const { job } of rig.runner.runs) {
    for (const target of job.targets)
      expect([target.authority, target.addresses]).toEqual([HOST, ['127.0.0.1']]);
  }
});

test('a create or app registration request with a body of arbitrary bytes causes no internal error', async () => {
  const rig = await openTestService();
  const types = fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'text/plain');
  const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
  await fc.assert(
    fc.asyncProperty(types, bytes, async (type, body) => {
      const response = await rig.call('POST', '/v2/tests', { raw: { type, body } });
      expect([415, 422]).toContain(response.status);
      expect([200, 415, 422]).toContain((await rig.call('POST', '/v2/apps', { raw: { type, body } })).status);
    }),
    { numRuns: scaleCount(100) },
  );
  expect(rig.log.filter(({ event }) => event === 'request-failed')).toEqual([]);
});

const urlPart = fc.constantFrom(
  ...'/\\@:?#%[].{}a1'.split(''),
  'evil.example',
  '127.0.0.1',
  '\t',
  '\u3002',
  '%2f',
  '%40',
);

test('readUrl and the URL class return equal hosts and paths for every URL that readUrl accepts', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('http://', 'https://', 'HTTP://'),
      fc.array(urlPart, { maxLength: 8 }),
      (scheme, parts) => {
        const text = scheme + parts.join('');
        const read = readUrl(text);
        if (read === null) return;
        const url = new URL(text);
        expect(read.authority).toBe(url.host);
        expect(read.bareHost).toBe(url.hostname);
        expect(url.username + url.password).toBe('');
        expect(read.path.startsWith('/')).toBe(true);
        expect(`${url.pathname}${url.search}`).toBe(read.path);
      },
    ),
    { numRuns: scaleCount(5000) },
  );
});

test('readAppHost returns every accepted host in its canonical spelling', () => {
  fc.assert(
    fc.property(fc.array(urlPart, { minLength: 1, maxLength: 6 }), (parts) => {
      const read = readAppHost(parts.join(''));
      if ('fault' in read) return;
      const { host } = read;
      expect(readAppHost(host)).toEqual(read);
      const { hostname, port } = parseAppHost(host);
      const url = new URL(`http://${host}/`);
      expect(hostname).toBe(url.hostname.replace(/^\[|\]$/g, ''));
      expect(port === null ? '' : String(port)).toBe(url.port);
    }),
    { numRuns: scaleCount(5000) },
  );
});

/** Requests with AWS Signature Version 4. */
// @module-tag load
import { describe, expect, test } from 'vitest';
import { createAwsSigner } from '../../src/engine/aws-signer.ts';
import { openSignedTarget } from '../support/signed-target.ts';
import { jobOf, useTestEngine, paramsBody, runJob, targetOf, textBody } from '../support/test-engine.ts';

const testEngine = useTestEngine();

/** Key of the published test suite of AWS. */
const KEY = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const SETTINGS = { ...KEY, region: 'us-east-1', service: 'service', sessionToken: null };
const NOON = Date.UTC(2015, 7, 30, 12, 36, 0);

function sign(request: string, changes: Partial<typeof SETTINGS> = {}, at = NOON): string {
  return createAwsSigner({ ...SETTINGS, ...changes }, { constantBody: null, now: () => at })(request);
}

function signatureOf(signed: string): string {
  return /Signature=(\w+)/.exec(signed)?.[1] ?? '';
}

const get = (target: string): string => `GET ${target} HTTP/1.1\r\nHost: example.amazonaws.com\r\n\r\n`;

describe('AWS signatures', () => {
  test('the signature of a GET request from the AWS test suite matches the published signature', () => {
    expect(sign(get('/')).split('\r\n').slice(2)).toEqual([
      'X-Amz-Date: 20150830T123600Z',
      'Authorization: AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
      '',
      '',
    ]);
  });

  test('the signature of a POST request from the AWS test suite matches the published signature', () => {
    expect(signatureOf(sign(get('/').replace('GET', 'POST')))).toBe(
      '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    );
  });

  test('the signature of the documented request to IAM matches the published signature', () => {
    const request =
      'GET /?Action=ListUsers&Version=2010-05-08 HTTP/1.1\r\nHost: iam.amazonaws.com\r\nContent-Type: application/x-www-form-urlencoded; charset=utf-8\r\n\r\n';
    expect(sign(request, { service: 'iam' })).toContain(
      'SignedHeaders=content-type;host;x-amz-date, Signature=5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7\r\n',
    );
  });

  test.each([
    ['/?lifecycle', 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
    ['/?max-keys=2&prefix=J', '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
  ])(
    'the signature of the documented request to S3 for %s matches the published signature',
    (target, signature) => {
      const key = {
        accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
        secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      };
      const request = `GET ${target} HTTP/1.1\r\nHost: examplebucket.s3.amazonaws.com\r\n\r\n`;
      const signed = sign(request, { ...key, service: 's3' }, Date.UTC(2013, 4, 24));
      expect(signed).toContain(`SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${signature}`);
    },
  );

  test.each([
    ['parameters in another order', '/?b=1&a=2&a=1', '/?a=1&a=2&b=1'],
    ['the parameter a-b before the parameter a', '/?a-b=1&a=2', '/?a=2&a-b=1'],
    ['escapes in lower case', '/?a=%c3%bc%2f', '/?a=%C3%BC%2F'],
    ['an unescaped reserved character in the query', '/?a=b/c:d', '/?a=b%2Fc%3Ad'],
    ['a parameter without a value', '/?a', '/?a='],
    ['repeated slashes and dot segments', '/a//b/./c/../d/', '/a/b/d/'],
    ['a path that leads above the root', '/../', '/'],
  ])('a request with %s has the same signature as the request in canonical form', (_name, target, equal) => {
    expect(signatureOf(sign(get(target)))).toBe(signatureOf(sign(get(equal))));
  });

  test('AWS signatures treat "%2D" in a path as "-" only for S3, and S3 signatures for "/a//b" and "/a/b" differ', () => {
    const signatures = (service: string, ...paths: readonly string[]) =>
      new Set(paths.map((path) => signatureOf(sign(get(path), { service })))).size;
    expect(signatures('s3', '/a-b', '/a%2Db')).toBe(1);
    expect(signatures('service', '/a-b', '/a%2Db')).toBe(2);
    expect(signatures('s3', '/a//b', '/a/b')).toBe(2);
  });

  test('the date and the signing key of a signature change at midnight UTC', () => {
    let at = Date.UTC(2015, 7, 30, 23, 59, 59, 999);
    const signer = createAwsSigner(SETTINGS, { constantBody: null, now: () => at });
    const before = signer(get('/'));
    at++;
    const after = signer(get('/'));
    expect(
      [before, after].map((text) => /Date: (\w+)[^]*Credential=[^/]*\/(\d+)/.exec(text)?.slice(1)),
    ).toEqual([
      ['20150830T235959Z', '20150830'],
      ['20150831T000000Z', '20150831'],
    ]);
    expect(after).toBe(sign(get('/'), {}, at));
  });

  const key = { id: KEY.accessKeyId, secret: KEY.secretAccessKey };

  test.each([
    [1, 'execute-api', null],
    [2, 'execute-api', 'IQoJb3JpZ2luX2VjE+/='],
    [2, 's3', 'IQoJb3JpZ2luX2VjE+/='],
  ])(
    'with a thread count of %i, a server accepts signed requests for the AWS service %s with variables and expressions in the path, query, headers and body',
    async (threads, service, token) => {
      const target = await openSignedTarget({ ...key, token });
      const awsSigv4 = { ...SETTINGS, service, sessionToken: token };
      const at = (path: string, changes: Parameters<typeof targetOf>[1] = {}) =>
        targetOf(target.port, { path, awsSigv4, ...changes });
      const variables = [{ name: 'id', json: '/id' }];
      const targets = [
        at('/constant/a%20b?z=1&a=%C3%BC'),
        at('/create', { method: 'POST', body: textBody('{"constant":"ü"}'), variables }),
        at('/items/{{id}}', { body: paramsBody([{ name: 'q', value: '{{id}} +%{1:9}' }]) }),
        at('/items/{{id}}', { method: 'PUT', body: textBody('<{{id}} %{1:1000}>') }),
        at('/form', { method: 'POST', body: paramsBody([{ name: 'f', value: '{{id}}' }]) }),
        at('/meta', { headers: [{ name: 'X-Amz-Meta-Note', value: ' a   b %{1:9}' }] }),
        at('/go?to=/items/x%3Fb%3D1%26a%3D2', { method: 'POST', body: textBody('again') }),
      ];
      const job = jobOf(targets, { threads, total: 8, duration: 200 });
      const { ledger } = await runJob(testEngine.engine, job);
      expect(target.refused).toEqual([]);
      // The redirect is followed with its own signature.
      expect(target.accepted).toHaveLength(8 * (targets.length + 1));
      expect(ledger.success).toBe(8 * (targets.length + 1));
    },
  );

  test('a server refuses requests that are signed with a different key', async () => {
    const target = await openSignedTarget({ ...key, secret: 'another', token: null });
    const job = jobOf([targetOf(target.port, { awsSigv4: SETTINGS })], { total: 2, duration: 100 });
    const { ledger } = await runJob(testEngine.engine, job);
    expect(target.refused).toEqual(Array(2).fill('GET /: wrong signature'));
    expect(ledger.success).toBe(0);
  });
});

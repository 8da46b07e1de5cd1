/** Problems of `connection` in a file, with their locations, and the merge of the fields of apps and tests. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { peaksOf } from '../../../src/core/reconcile/planned-load.ts';
import { sharesHost } from '../../../src/core/reconcile/run-order.ts';
import { revealText } from '../../../src/core/model/secret.ts';
import { encryptKey, openAuthority, type CertificateAuthority } from '../../support/certificate-authority.ts';
import { linesOf, loaded, loadText } from '../config/load-text.ts';

let authority: CertificateAuthority;
const env: Record<string, string> = {};
beforeAll(() => {
  authority = openAuthority();
  const { cert, key } = authority.sign('client');
  const old = authority.sign('old', { days: -1 });
  Object.assign(env, {
    ...{ CERT: cert, KEY: key, OLD: old.cert, OLD_KEY: old.key, CA: authority.pem },
    ...{ ENCRYPTED: encryptKey(key, 'right'), RIGHT: 'right', WRONG: 'wrong' },
    BROKEN: cert.replace(/M/g, '!'),
  });
});
afterAll(() => authority.close());

/** Returns a file with an app and a test that each have these fields. */
function fileWith({
  app = '{}',
  own = '{}',
  url = 'https://shop.example/',
  more = '',
  other = 'https://auth.example/',
}): string {
  return `version: 1
project: shop
apps:
  shop: { app: shop.example, connection: ${app} }
  auth: auth.example
tests:
  home:
    test_type: cycling
    duration: 1s
    ${more}
    connection: ${own}
    urls: ['${url}', '${other}']
`;
}

const PAIR = "{ cert: '${secret:CERT}', key: '${secret:KEY}' }";

function problemsOf(text: string): readonly string[] {
  const result = loadText(text, { env });
  return linesOf(result.ok ? result.warnings : result.problems);
}

describe('problems of connection settings', () => {
  test.each<[string, Parameters<typeof fileWith>[0], string]>([
    [
      'a certificate without a key',
      { own: "{ cert: '${secret:CERT}' }" },
      '11:19+4 error LT_CONFIG_VALUE: "cert" requires "key"; set both',
    ],
    [
      'a key without a certificate in an app',
      { app: "{ key: '${secret:KEY}' }" },
      '4:44+3 error LT_CONFIG_VALUE: "key" requires "cert"; set both',
    ],
    [
      'a text that is not a certificate',
      { own: "{ cert: '${secret:KEY}', key: '${secret:KEY}' }" },
      '11:25+15 error LT_CONFIG_VALUE: "cert" contains no valid certificate in PEM format, which begins with "-----BEGIN CERTIFICATE-----"',
    ],
    [
      'a broken certificate of an authority',
      { own: "{ ca: '${secret:BROKEN}' }" },
      '11:23+18 error LT_CONFIG_VALUE: "ca" contains no valid certificate in PEM format, which begins with "-----BEGIN CERTIFICATE-----"',
    ],
    [
      'a text that is not a key',
      { own: "{ cert: '${secret:CERT}', key: '${secret:CERT}' }" },
      '11:48+16 error LT_CONFIG_VALUE: "key" contains no private key in PEM format, which begins with "-----BEGIN PRIVATE KEY-----"',
    ],
    [
      'the key of another certificate in an app',
      {
        app: "{ key: '${secret:OLD_KEY}' }",
        own: "{ cert: '${secret:CERT}' }",
        other: 'https://shop.example/b',
      },
      '4:49+19 error LT_CONFIG_VALUE: "key" is not the private key of the first certificate in "cert"; use the key of this certificate',
    ],
    [
      'an encrypted key without a passphrase',
      { own: "{ cert: '${secret:CERT}', key: '${secret:ENCRYPTED}' }" },
      '11:48+21 error LT_CONFIG_VALUE: "key" is encrypted; set "passphrase"',
    ],
    [
      'a wrong passphrase',
      { own: "{ cert: '${secret:CERT}', key: '${secret:ENCRYPTED}', passphrase: '${secret:WRONG}' }" },
      '11:48+21 error LT_CONFIG_VALUE: "key" cannot be decrypted with "passphrase"; check both',
    ],
    [
      'a TLS version that is not supported',
      { own: '{ tls_min: 1.1 }' },
      '11:28+3 error LT_CONFIG_VALUE: "1.1" is not a supported TLS version; write "1.2" or "1.3"',
    ],
    [
      'an address as a server name',
      { own: '{ server_name: 127.0.0.1 }' },
      '11:32+9 error LT_CONFIG_VALUE: "127.0.0.1" is not a valid server name; write a host name without a port, such as "shop.example.com"',
    ],
    [
      'a certificate authority that is not used',
      { own: "{ ca: '${secret:CA}' }", more: 'tls_verify: false' },
      '11:19+2 error LT_CONFIG_VALUE: "ca" has no effect, because "tls_verify" is false; remove "ca", or remove "tls_verify"',
    ],
    [
      'an expired certificate',
      { own: "{ cert: '${secret:OLD}', key: '${secret:OLD_KEY}' }" },
      '11:25+15 warning LT_CONFIG_VALUE: "cert": the certificate "CN=old" expired on',
    ],
  ])('the problem with %s is reported once, at its location', (_name, fields, problem) => {
    expect(problemsOf(fileWith(fields))).toEqual([expect.stringContaining(`loadtests.yaml:${problem}`)]);
  });

  test.each<[string, Parameters<typeof fileWith>[0], string]>([
    [
      'an address with a port',
      { own: "{ resolve: { shop.example: '192.0.2.1:80' } }" },
      '11:44+14 error LT_CONFIG_VALUE: "192.0.2.1:80" is not a valid address; write an IP address in standard form, without a port, such as "192.0.2.10" or "2001:db8::1"',
    ],
    [
      'a host without a URL',
      { own: '{ resolve: { other.example: 192.0.2.1 } }' },
      '11:30+13 error LT_CONFIG_VALUE: the entry "other.example" of "resolve" has no effect, because no URL of the test has this host; correct the host or remove the entry',
    ],
    [
      'the address of another host in an app',
      { app: '{ resolve: { auth.example: 192.0.2.1 } }' },
      '4:55+12 error LT_CONFIG_VALUE: the entry "auth.example" of "resolve" has no effect, because the host of the app is "shop.example"; correct the host or remove the entry',
    ],
    [
      'an IP version without an address in an app',
      { app: '{ resolve: { shop.example: 192.0.2.1 }, ip: 6 }' },
      '4:86+1 error LT_CONFIG_VALUE: "resolve" has no IPv6 address; add one, or change "ip"',
    ],
    [
      'an invalid IP version',
      { own: '{ ip: 5 }' },
      '11:23+1 error LT_CONFIG_VALUE: "5" is not an IP version; write 4 or 6',
    ],
  ])('the problem with %s is reported at its location', (_name, fields, problem) => {
    expect(problemsOf(fileWith(fields))).toEqual([`loadtests.yaml:${problem}`]);
  });

  test('the problems of connection settings contain no key material', () => {
    const texts = ['KEY', 'ENCRYPTED', 'OLD_KEY'].flatMap((key) =>
      problemsOf(
        fileWith({
          own: `{ cert: '\${secret:CERT}', key: '\${secret:${key}}', passphrase: '\${secret:WRONG}' }`,
        }),
      ),
    );
    const lines = [env['KEY'], env['ENCRYPTED'], env['OLD_KEY']].flatMap((text) => (text ?? '').split('\n'));
    for (const line of lines.filter((one) => one !== '' && !one.startsWith('-----')))
      expect(texts.join()).not.toContain(line);
  });

  test('the problem with tls_min in a test without https URLs is reported at its location', () => {
    const text = fileWith({ own: '{ tls_min: 1.3 }' }).replace(/https:/g, 'http:');
    expect(problemsOf(text)).toEqual([
      'loadtests.yaml:11:19+7 error LT_CONFIG_VALUE: "tls_min" has no effect, because no URL of the test begins with https://; remove it',
    ]);
  });

  test('unset secrets for a certificate and its key are listed as missing, and cause no other error', () => {
    const result = loadText(fileWith({ own: PAIR }));
    expect(result.ok && result.value.missingSecrets.map(({ name }) => name)).toEqual(['CERT', 'KEY']);
  });
});

describe('the connections of a test', () => {
  test('the connection fields of a test override those of the app for each host', () => {
    const { desired } = loaded(
      fileWith({
        app: "{ ca: '${secret:CA}', server_name: a.example, tls_min: '1.2' }",
        own: '{ tls_min: 1.3 }',
      }),
      { env },
    );
    const [declared] = desired.tests;
    const shown = declared?.spec.connection?.map(({ host, options: { ca, ...options } }) => ({
      ...{ host, ...options },
      ca: ca === undefined ? null : revealText(ca),
    }));
    expect(shown).toEqual([
      { host: 'shop.example', serverName: 'a.example', tlsMin: '1.3', ca: env['CA'] },
      { host: 'auth.example', tlsMin: '1.3', ca: null },
    ]);
  });

  test('the addresses of a host come from the test, or otherwise from the app', () => {
    const connectionsOf = (own: string) =>
      loaded(fileWith({ app: '{ resolve: { shop.example: 192.0.2.1 } }', own })).desired.tests[0]?.spec
        .connection;
    expect(connectionsOf('{}')).toEqual([{ host: 'shop.example', options: { resolve: ['192.0.2.1'] } }]);
    expect(
      connectionsOf("{ resolve: { auth.example: '::1', shop.example: [192.0.2.2, 192.0.2.3] } }"),
    ).toEqual([
      { host: 'shop.example', options: { resolve: ['192.0.2.2', '192.0.2.3'] } },
      { host: 'auth.example', options: { resolve: ['::1'] } },
    ]);
  });

  test('peak connections are listed by host and address, and two tests with a common address count as tests on one host', () => {
    const own = (address: string) => `{ resolve: { shop.example: ${address} } }`;
    const testsOf = (address: string) => loaded(fileWith({ own: own(address) })).desired.tests;
    const [first] = testsOf('192.0.2.1');
    const [second] = loaded(
      fileWith({ own: '{ resolve: { auth.example: 192.0.2.1 } }' }).replaceAll('shop.example', 'b.example'),
    ).desired.tests;
    if (first === undefined || second === undefined) throw new Error('no test');
    expect([...peaksOf(first)]).toEqual([
      ['shop.example', 60],
      ['192.0.2.1', 60],
      ['auth.example', 60],
    ]);
    expect(sharesHost(first, second)).toBe(true);
  });

  test('the JSON of a declared test contains a literal certificate from the configuration file, but not a literal private key', () => {
    const inFile = (key: string) => JSON.stringify((env[key] ?? '').trim());
    const { desired } = loaded(fileWith({ own: `{ cert: ${inFile('CERT')}, key: ${inFile('KEY')} }` }));
    const text = JSON.stringify(desired);
    expect(text).toContain('BEGIN CERTIFICATE');
    expect(text).not.toContain('PRIVATE KEY');
  });
});

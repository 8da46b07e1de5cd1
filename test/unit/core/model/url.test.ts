import { describe, expect, test } from 'vitest';
import {
  authorityOf,
  displayUrl,
  faultOfPlainUrl,
  faultOfRequestUrl,
  isLiteralAddress,
  isLocalHost,
  portOf,
  readAppHost,
  readUrl,
  withoutImpliedPort,
  type ReadUrl,
} from '../../../../src/core/model/url.ts';

function parsed(secure: boolean, authority: string, port: number, path: string): ReadUrl {
  return { secure, authority, bareHost: authority.replace(/:\d+$/, ''), port, path };
}

describe('request URLs', () => {
  test.each<[string, ReadUrl]>([
    ['http://shop.example.com', parsed(false, 'shop.example.com', 80, '/')],
    ['https://shop.example.com', parsed(true, 'shop.example.com', 443, '/')],
    ['HTTPS://Shop.Example.com:443/Cart', parsed(true, 'shop.example.com', 443, '/Cart')],
    ['http://shop.example.com:80/', parsed(false, 'shop.example.com', 80, '/')],
    ['https://shop.example.com:80/', parsed(true, 'shop.example.com:80', 80, '/')],
    ['http://shop.example.com:8080/a?b=c#de', parsed(false, 'shop.example.com:8080', 8080, '/a?b=c')],
    ['http://shop.example.com?b=c', parsed(false, 'shop.example.com', 80, '/?b=c')],
    ['http://[::1]:8080/', { ...parsed(false, '[::1]:8080', 8080, '/'), bareHost: '[::1]' }],
    ['http://127.1/', parsed(false, '127.0.0.1', 80, '/')],
    ['http://bücher.example/', parsed(false, 'xn--bcher-kva.example', 80, '/')],
  ])('readUrl returns the scheme, host, port and path of the URL %s', (text, expected) => {
    expect(readUrl(text)).toEqual(expected);
  });

  test.each([
    'shop.example.com',
    'ftp://shop.example.com/',
    'xhttp://shop.example.com/',
    'http://',
    'http:///cart',
    'http://ada@shop.example.com/',
    'http://shop.example.com\\cart',
    'http://shop.example.com/a\u0000b',
    'http://shop.example.com/#a\nb',
    'http://shop.example.com:0/',
    'http://shop.example.com:70000/',
    'http://sh op.example.com/',
    'http://shop!.example.com/',
    'http://[::1/',
  ])('readUrl returns null for %j', (text) => {
    expect(readUrl(text)).toBeNull();
  });

  test('the host of a request URL may have 261 characters, but not 262', () => {
    const host = (length: number) => `${'a.'.repeat(130)}aaa`.slice(0, length);
    expect(readUrl(`http://${host(261)}/`)?.authority).toBe(host(261));
    expect(readUrl(`http://${host(262)}/`)).toBeNull();
  });

  test.each([
    [{ protocol: 'http:', port: '' }, 80],
    [{ protocol: 'https:', port: '' }, 443],
    [{ protocol: 'https:', port: '8443' }, 8443],
  ])('portOf(%j) returns %d', (url, port) => {
    expect(portOf(url)).toBe(port);
  });
});

test.each([
  ['http://shop.example.com', 'shop.example.com'],
  ['HTTP://Shop.Example.com:80/Cart', 'shop.example.com'],
  ['HTTPS://Shop.Example.com:443?a', 'shop.example.com'],
  ['http://shop.example.com:443#a', 'shop.example.com:443'],
  ['https://shop.example.com:80/', 'shop.example.com:80'],
  ['https://shop.example.com:08443/', 'shop.example.com:8443'],
  ['https://ada:secret@shop.example.com:8443/', 'shop.example.com:8443'],
  ['https://[::1]:8443/', '[::1]:8443'],
  ['https://[::1]', '[::1]'],
  ['shop.example.com', null],
  ['see http://shop.example.com', null],
  ['ftp://shop.example.com', null],
  ['http://', null],
  ['http://shop.example.com:', null],
  ['http://shop.example.com:x/', null],
  ['http://[::1]x/', null],
])('authorityOf(%j) returns %j', (url, authority) => {
  expect(authorityOf(url)).toBe(authority);
});

const NO_SCHEME = 'is not a valid URL; it must begin with http:// or https://';

describe('errors in URLs', () => {
  test.each([
    ['http://shop.example.com/', null],
    ['HTTPS://shop.example.com?a', null],
    ['http://shop.example.com/{{a b}}/%{ 1 + 2 }?c={{d e}}', null],
    [
      'http://{{host}}/',
      'has a variable or an expression in its host; use variables and expressions only after the host',
    ],
    [
      'https://%{host}/@',
      'has a variable or an expression in its host; use variables and expressions only after the host',
    ],
    ['http://ada@shop.example.com/', 'contains a user name or password; use "credentials" instead'],
    ['http://shop.example.com/@ada', null],
    [
      '{{next}}',
      'is a variable, but no earlier request has a URL with a host; begin the URL with http:// or https://',
    ],
    [
      '{{base}}/cart',
      'begins with a variable; a variable must be the whole URL, or follow the host of the URL',
    ],
    ['{{a}}{{b}}', 'begins with a variable; a variable must be the whole URL, or follow the host of the URL'],
    ['x{{next}}', NO_SCHEME],
    ['http://shop.example.com/a b', 'contains a space; write %20'],
    ['a b', 'contains a space; write %20'],
    ['http://shop.example.com/\t', 'contains a line break or control character'],
    ['http://shop.example.com/{{a\nb}}', 'contains a line break or control character'],
    ['shop.example.com', NO_SCHEME],
    ['see:http://shop.example.com', NO_SCHEME],
    ['see:http://ada@shop.example.com', NO_SCHEME],
    ['http:///cart', NO_SCHEME],
    ['http://', NO_SCHEME],
    ['http://shop.example.com\\cart', 'contains a backslash; write / or %5C'],
    ['http://shop!.example.com/', 'has no valid host'],
  ])('faultOfRequestUrl(%j) returns %j', (text, fault) => {
    expect(faultOfRequestUrl(text)).toBe(fault);
  });

  test.each([
    ['http://shop.example.com/', null],
    ['http://shop.example.com/@ada', null],
    ['http://ada@shop.example.com/', 'contains a user name or password; remove it'],
    ['http://shop.example.com/{{a b}}', 'contains a space; write %20'],
    ['{{next}}', NO_SCHEME],
  ])('faultOfPlainUrl(%j) returns %j', (text, fault) => {
    expect(faultOfPlainUrl(text)).toBe(fault);
  });
});

describe('URLs for display', () => {
  test.each([
    ['ada@shop.example.com/@me', '"***@me"'],
    ['ftp://ada:a/b\nc@shop.example.com/', '"ftp://***@shop.example.com/"'],
    ['x+1.-://ada@shop', '"x+1.-://***@shop"'],
    ['http://shop.example.com/?a#b', '"http://shop.example.com/"'],
    [`http://shop.example.com/${'a'.repeat(54)}`, `"http://shop.example.com/${'a'.repeat(54)}"`],
    [`http://shop.example.com/${'a'.repeat(55)}`, `"http://shop.example.com/${'a'.repeat(52)}…"`],
  ])('the URL %j is displayed without secret parts, in at most 80 characters, as %s', (url, shown) => {
    expect(displayUrl(url)).toBe(shown);
  });
});

const INVALID_HOST = { fault: 'is not a valid host; write "host" or "host:port"' };
const EXPRESSION = { fault: 'contains a variable or an expression, but the host of an app must be constant' };

describe('hosts of apps', () => {
  test.each<[text: string, expected: object]>([
    ['Shop.Example.com', { host: 'shop.example.com', hostname: 'shop.example.com' }],
    ['shop.example.com:80', { host: 'shop.example.com', hostname: 'shop.example.com' }],
    ['shop.example.com:443', { host: 'shop.example.com', hostname: 'shop.example.com' }],
    ['shop.example.com:8443', { host: 'shop.example.com:8443', hostname: 'shop.example.com' }],
    ['[::1]:8443', { host: '[::1]:8443', hostname: '[::1]' }],
    ['bücher.example', { host: 'xn--bcher-kva.example', hostname: 'xn--bcher-kva.example' }],
    ['{{host}}', EXPRESSION],
    ['%{host}', EXPRESSION],
    ['', INVALID_HOST],
    ['shop.example.com/', INVALID_HOST],
    ['shop.example.com:', INVALID_HOST],
    ['shop.example.com.', INVALID_HOST],
    ['shop.example.com.:8080', INVALID_HOST],
    ['shop.example.com:0', INVALID_HOST],
    ['shop.example.com:70000', INVALID_HOST],
    ...Array.from(String.raw`/\?#@%{}`, (character) => [`a${character}b`, INVALID_HOST] as [string, object]),
    ['a b', INVALID_HOST],
    ['a\nb', INVALID_HOST],
    ['a\u0000b', INVALID_HOST],
    ['a!b', INVALID_HOST],
  ])('readAppHost(%j) returns %j', (text, expected) => {
    expect(readAppHost(text)).toEqual(expected);
  });

  test.each([
    ['a:80', 'a'],
    ['a:443', 'a'],
    ['a:8080', 'a:8080'],
    ['a:4430', 'a:4430'],
    ['[::80]', '[::80]'],
    ['a', 'a'],
  ])('withoutImpliedPort("%s") returns "%s"', (host, expected) => {
    expect(withoutImpliedPort(host)).toBe(expected);
  });

  test.each([
    ['127.0.0.1', true],
    ['127.0.0.1:80', true],
    ['127.0.0.1:8080', true],
    ['10.20.30.40', true],
    ['[::1]', true],
    ['[2001:DB8::1]:443', true],
    ['127.1', false],
    ['[0:0:0:0:0:0:0:1]', false],
    ['shop.example.com', false],
    ['1.2.3.4.example.com', false],
    ['a.1.2.3.4x', false],
    ['', false],
  ])('isLiteralAddress(%j) returns %s', (host, expected) => {
    expect(isLiteralAddress(host)).toBe(expected);
  });

  test.each([
    ['localhost', true],
    ['api.localhost', true],
    ['a.b.localhost', true],
    ['127.0.0.1', true],
    ['127.10.200.255', true],
    ['[::1]', true],
    ['[::ffff:7f00:1]', true],
    ['[::ffff:7fff:abcd]', true],
    ['[::ffff:8000:1]', false],
    ['[::ffff:7f00:1]x', false],
    ['.localhost', false],
    ['my-localhost', false],
    ['localhost.example.com', false],
    ['128.0.0.1', false],
    ['127.0.0.1.example.com', false],
    ['a127.0.0.1', false],
    ['x[::1]', false],
  ])('isLocalHost("%s") returns %s', (host, expected) => {
    expect(isLocalHost(host)).toBe(expected);
  });
});

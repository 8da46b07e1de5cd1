/**
 * Signer for requests with AWS Signature Version 4. Requests are strings in which each character represents one byte
 * (latin1).
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
import { createHash, createHmac } from 'node:crypto';
import type { AwsSigv4 } from '../core/model/aws-sigv4.ts';
import { wallTime } from './clock.ts';
import { percentEncode } from './request-template.ts';

export type SignRequest = (request: string) => string;

/** Services that percent-encode paths only once and require the hash of the body in a signed header. */
const STORAGE_SERVICES: ReadonlySet<string> = new Set(['s3', 's3express', 's3-object-lambda', 's3-outposts']);

const ALGORITHM = 'AWS4-HMAC-SHA256';
const TERMINATOR = 'aws4_request';

/**
 * @param constantBody - Common body of all requests that have a body, which is hashed only once; null if bodies differ.
 */
export function createAwsSigner(
  settings: AwsSigv4<string>,
  { constantBody, now = wallTime }: { readonly constantBody: string | null; readonly now?: () => number },
): SignRequest {
  const { region, service, accessKeyId, sessionToken } = settings;
  const isStorage = STORAGE_SERVICES.has(service);
  const emptyHash = hashOf('');
  const constantHash = constantBody === null ? null : hashOf(constantBody);
  let second = -1;
  let time = '';
  let scope = '';
  let key: { readonly scope: string; readonly value: Buffer } = { scope: '', value: Buffer.alloc(0) };

  const updateTime = (): void => {
    const current = Math.floor(now() / 1000);
    if (current === second) return;
    second = current;
    time = new Date(current * 1000).toISOString().replace(/[-:]|\.\d+/g, '');
    scope = [time.slice(0, 8), region, service, TERMINATOR].join('/');
    if (key.scope !== scope) key = { scope, value: deriveKey(settings.secretAccessKey, scope) };
  };

  return (request) => {
    updateTime();
    const end = request.indexOf('\r\n\r\n');
    const [requestLine = '', ...lines] = request.slice(0, end).split('\r\n');
    const [method = '', target = ''] = requestLine.split(' ', 2);
    const body = request.slice(end + 4);
    const bodyHash = body === '' ? emptyHash : (constantHash ?? hashOf(body));
    const added = [
      `X-Amz-Date: ${time}`,
      ...(sessionToken === null ? [] : [`X-Amz-Security-Token: ${sessionToken}`]),
      ...(isStorage ? [`X-Amz-Content-Sha256: ${bodyHash}`] : []),
    ];
    const headers = signedHeadersOf([...lines, ...added]);
    const names = headers.map(([name]) => name).join(';');
    const [path = '', ...query] = target.split('?');
    const canonicalRequest = [
      method,
      canonicalPath(path, isStorage),
      canonicalQuery(query.join('?')),
      ...headers.map(([name, value]) => `${name}:${value}`),
      '',
      names,
      bodyHash,
    ].join('\n');
    const stringToSign = [ALGORITHM, time, scope, hashOf(canonicalRequest)].join('\n');
    const signature = createHmac('sha256', key.value).update(stringToSign, 'latin1').digest('hex');
    const authorization = `Authorization: ${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
    return [request.slice(0, end), ...added, authorization].join('\r\n') + request.slice(end);
  };
}

function deriveKey(secretAccessKey: string, scope: string): Buffer {
  let key = Buffer.from(`AWS4${secretAccessKey}`);
  for (const part of scope.split('/')) key = createHmac('sha256', key).update(part).digest();
  return key;
}

function hashOf(bytes: string): string {
  return createHash('sha256').update(bytes, 'latin1').digest('hex');
}

function signedHeadersOf(lines: readonly string[]): readonly (readonly [string, string])[] {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    if (name !== 'host' && name !== 'content-type' && !name.startsWith('x-amz-')) continue;
    const value = line
      .slice(colon + 1)
      .trim()
      .replaceAll(/ +/g, ' ');
    const earlier = headers.get(name);
    headers.set(name, earlier === undefined ? value : `${earlier},${value}`);
  }
  return [...headers].sort(([a], [b]) => compare(a, b));
}

/**
 * Except for storage services, dot segments and repeated slashes are removed, and the encoded path is percent-encoded
 * again.
 */
function canonicalPath(path: string, isStorage: boolean): string {
  if (isStorage)
    return path
      .split('/')
      .map((segment) => encode(decode(segment)))
      .join('/');
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  const end = segments.length > 0 && /\/\.{0,2}$/.test(path) ? '/' : '';
  return `/${segments.map(encode).join('/')}${end}`;
}

function canonicalQuery(query: string): string {
  return query
    .split('&')
    .filter((parameter) => parameter !== '')
    .map((parameter) => {
      const at = parameter.indexOf('=');
      const [name, value] = at < 0 ? [parameter, ''] : [parameter.slice(0, at), parameter.slice(at + 1)];
      return [name, value].map((text) => encode(decode(text.replaceAll('+', ' '))));
    })
    .sort(([nameA = '', valueA = ''], [nameB = '', valueB = '']) =>
      nameA === nameB ? compare(valueA, valueB) : compare(nameA, nameB),
    )
    .map(([name = '', value = '']) => `${name}=${value}`)
    .join('&');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function decode(text: string): string {
  return text.replaceAll(/%([\da-f]{2})/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

function encode(text: string): string {
  return percentEncode(text, 'percent');
}

/** Conversion of a request of an intake to the fields of a URL. */
import type {
  IntakeBody,
  IntakeCapture,
  IntakeField,
  IntakeNote,
  IntakePart,
  IntakeRequest,
} from '../core/intake/intake.ts';
import {
  cutText,
  joinTexts,
  literalOf,
  splitText,
  type IntakeText,
  decodedFormText,
} from '../core/intake/intake-text.ts';
import { AWS_NAMES } from '../core/model/aws-sigv4.ts';
import { isReservedHeader } from '../core/model/header-name.ts';
import { METHODS, takesBody, type Method } from '../core/model/method.ts';
import { describeExpectation } from './import-account-content.ts';
import { parseJsonBody } from './import-json.ts';
import {
  describeDelay,
  describeRows,
  escapeReferences,
  membersOf,
  type PrintableMember,
  type PrintableText,
  type PrintableValue,
} from './yaml-printer.ts';

export interface RequestFields {
  readonly members: readonly PrintableMember[];
  readonly notes: readonly IntakeNote[];
}

/** Converts a request. The notes report parts that the fields of a URL cannot express. */
export function requestMembers(request: IntakeRequest): RequestFields {
  const notes: IntakeNote[] = [];
  const lose = (message: string) => notes.push({ kind: 'loss', at: request.at, message });
  const method = METHODS.find((name) => name === request.method.toUpperCase()) ?? null;
  if (method === null) lose(`the method ${request.method} is not supported; the request is sent as GET`);
  const used = method ?? 'GET';
  const { url, params } = splitSecretQuery(request.url, used);
  if (request.body !== null && !takesBody(used))
    lose(`the body is omitted, because a ${used} request has no body`);
  const body =
    request.body !== null && takesBody(used) ? bodyMembers(request.body, request.headers, lose) : NO_BODY;
  const headers = headerMembers(
    body.replacesContentType
      ? request.headers.filter(({ name }) => name.toLowerCase() !== 'content-type')
      : request.headers,
    lose,
  );
  const credentials = printCredentials(request, lose);
  if (textsOf(request).some((part) => typeof part === 'string' && INEFFECTIVE_ESCAPE.test(part)))
    lose('a backslash before "{{" or "%{" is not sent');
  const { name, rows, expect, delay, captures } = request;
  const members = [
    ...membersOf<PrintableValue>({
      url: printPlainText(url, encodedLiteral),
      name: name ?? undefined,
      request_type: used === 'GET' ? undefined : used,
      credentials: credentials ?? undefined,
      aws_sigv4: printAws(request, lose) ?? undefined,
      headers: headers.length === 0 ? undefined : headers,
      request_params: params.length === 0 ? undefined : params,
    }),
    ...body.members,
    ...membersOf<PrintableValue>({
      payload_file: rows ? describeRows(rows.file, rows) : undefined,
      expect: expect ? describeExpectation(expect) : undefined,
      on_failure: request.stopsOnFailure === true ? 'stop' : undefined,
      delay: delay ? describeDelay(delay) : undefined,
      variables: captures.length === 0 ? undefined : { items: captures.map(captureMembers) },
    }),
  ];
  return { members, notes };
}

/** Converts a text to a template, and escapes `{{` and `%{` in its literal parts. */
export function printText(text: IntakeText): { readonly template: string } {
  return { template: printTemplate(text) };
}

/** Converts a text to a template in which secrets are references to environment variables. */
export function printPlainText(
  text: IntakeText,
  convertLiteral: (literal: string) => string = escapeTemplates,
): { readonly template: string } {
  const parts = text.map((part) => {
    if (typeof part === 'string') return printPart(convertLiteral(part));
    return 'secret' in part ? `\${env:${part.secret}:-}` : printPart(part);
  });
  return { template: parts.join('') };
}

function printTemplate(text: IntakeText): string {
  return text.map((part) => printPart(typeof part === 'string' ? escapeTemplates(part) : part)).join('');
}

function escapeTemplates(literal: string): string {
  return literal.replaceAll(/\{\{|%\{/g, (opening) => `\\${opening}`);
}

/** Matches a backslash before `{{` or `%{`, which makes it impossible to escape the braces with another backslash. */
const INEFFECTIVE_ESCAPE = /(?<!\\)(?:\\\\)*\\(?=\{\{|%\{)/;

function printPart(part: IntakeText[number]): string {
  if (typeof part === 'string') return escapeReferences(part);
  if ('variable' in part) return `{{${part.variable}}}`;
  if ('expression' in part) return `%{${part.expression}}`;
  return `\${secret:${part.secret}}`;
}

function textsOf({ headers, body }: IntakeRequest): IntakeText {
  const fields = body?.kind === 'form' ? body.fields : [];
  const parts = body?.kind === 'multipart' ? body.parts : [];
  return [
    ...[...headers, ...fields].flatMap(({ value }) => value),
    ...(body?.kind === 'text' ? body.text : []),
    ...parts.flatMap(({ content }) => ('text' in content ? content.text : [])),
  ];
}

function printCredentials(
  { credentials, headers }: IntakeRequest,
  lose: (message: string) => void,
): readonly PrintableMember[] | null {
  if (credentials === null) return null;
  const { login, password } = credentials;
  const isVariable = [...login, ...password].some((part) => typeof part === 'object' && !('secret' in part));
  if (isVariable) {
    lose('the credentials are omitted, because "credentials" cannot contain variables or expressions');
    return null;
  }
  if (headers.some(({ name }) => name.toLowerCase() === 'authorization')) {
    lose('the credentials are omitted, because the request has the header "authorization"');
    return null;
  }
  const plain = (text: IntakeText) => ({ template: text.map(printPart).join('') });
  return membersOf({ login: plain(login), password: plain(password) });
}

/** Returns the settings for AWS signatures; null if there are none, or if they contain variables or expressions. */
function printAws(
  { aws }: IntakeRequest,
  lose: (message: string) => void,
): readonly PrintableMember[] | null {
  if (aws === undefined || aws === null) return null;
  const { region, service, accessKeyId, secretAccessKey, sessionToken } = aws;
  const texts = [...accessKeyId, ...secretAccessKey, ...(sessionToken ?? [])];
  if (texts.some((part) => typeof part === 'object' && !('secret' in part))) {
    lose('the request is not signed, because "aws_sigv4" cannot contain variables or expressions');
    return null;
  }
  const plain = (text: IntakeText) => ({ template: text.map(printPart).join('') });
  return membersOf<PrintableText>({
    [AWS_NAMES.region]: region,
    [AWS_NAMES.service]: service,
    [AWS_NAMES.accessKeyId]: plain(accessKeyId),
    [AWS_NAMES.secretAccessKey]: plain(secretAccessKey),
    [AWS_NAMES.sessionToken]: sessionToken ? plain(sessionToken) : undefined,
  });
}

// --- URL

function encodedLiteral(literal: string): string {
  return literal.replaceAll(/[\s"<>`\\\p{Cc}]/gu, (character) => encodeURIComponent(character));
}

/** Moves query parameters with secret values to `request_params`, for a method that takes no body. */
function splitSecretQuery(
  url: IntakeText,
  method: Method,
): { readonly url: IntakeText; readonly params: readonly PrintableMember[] } {
  const cut = takesBody(method) ? null : cutText(url, '?');
  if (cut === null) return { url, params: [] };
  const [start, query] = cut;
  const pairs = splitText(query, '&').map((pair) => {
    const [name, value] = cutText(pair, '=') ?? [pair, []];
    const literal = literalOf(name);
    const isSecret = value.some((part) => typeof part === 'object' && 'secret' in part);
    return {
      pair,
      member:
        isSecret && literal !== null ? { name: decodedFormText(literal), value: printText(value) } : null,
    };
  });
  const names = new Set(pairs.map(({ member }) => member?.name));
  const moved = pairs.filter(({ member }) => member !== null);
  if (moved.length === 0 || names.size < moved.length) return { url, params: [] };
  const rest = pairs.filter(({ member }) => member === null).map(({ pair }) => pair);
  return {
    url: rest.length === 0 ? start : [...start, '?', ...joinTexts(rest, '&')],
    params: moved.flatMap(({ member }) => (member === null ? [] : [member])),
  };
}

// --- headers

function headerMembers(
  headers: readonly IntakeField[],
  lose: (message: string) => void,
): readonly PrintableMember[] {
  const known = new Map<string, PrintableMember>();
  for (const { name, value } of headers) {
    const lower = name.toLowerCase();
    if (isReservedHeader(name)) {
      if (!EXPECTED_HEADERS.includes(lower))
        lose(`the header ${JSON.stringify(name)} is reserved and is omitted`);
      continue;
    }
    if (known.has(lower)) lose(`the header ${JSON.stringify(name)} occurs twice; the last value is used`);
    known.set(lower, { name, value: printText(value) });
  }
  return [...known.values()];
}

/** Reserved headers that can be omitted, because the load generator sets them itself. */
const EXPECTED_HEADERS = ['content-length', 'connection', 'keep-alive', 'expect', 'transfer-encoding', 'te'];

// --- body

interface BodyMembers {
  readonly members: readonly PrintableMember[];
  /** True if the members imply the content type. */
  readonly replacesContentType: boolean;
}

const NO_BODY: BodyMembers = { members: [], replacesContentType: false };

function bodyMembers(
  body: IntakeBody,
  headers: readonly IntakeField[],
  lose: (message: string) => void,
): BodyMembers {
  const header = headers.find(({ name }) => name.toLowerCase() === 'content-type');
  const type = header === undefined ? null : literalOf(header.value);
  switch (body.kind) {
    case 'text':
      return textBodyMembers(body, type);
    case 'form':
      return formBodyMembers(body.fields, type);
    case 'multipart':
      return multipartMembers(body.parts, lose);
  }
}

const JSON_TYPE = 'application/json';

function textBodyMembers(
  { text, isVerbatim = false }: { readonly text: IntakeText; readonly isVerbatim?: boolean },
  type: string | null,
): BodyMembers {
  const template = printTemplate(text);
  if (template === '') return NO_BODY;
  const isJson =
    !(isVerbatim && hasQuotedValue(template)) &&
    type !== null &&
    /^application\/(?:[\w.+-]+\+)?json\b/i.test(type);
  const json = isJson ? parseJsonBody(withoutSpace(template)) : null;
  if (json !== null && typeof json.value === 'object' && json.value !== null) {
    const replacesContentType = type === JSON_TYPE;
    return { members: [{ name: 'json', value: { json: json.value } }], replacesContentType };
  }
  return { members: [{ name: 'raw_post_body', value: { template } }], replacesContentType: false };
}

/** Reports whether a JSON string consists of one variable, or of one expression for a number. */
function hasQuotedValue(template: string): boolean {
  return /"(?:\{\{[^{}"]*\}\}|%\{(?!uuid|text|hex|pick)[^{}"]*\})"/.test(template);
}

function withoutSpace(json: string): string {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|\s+/g, (found) => (found.startsWith('"') ? found : ''));
}

const FORM_TYPE = 'application/x-www-form-urlencoded';

function formBodyMembers(fields: readonly IntakeField[], type: string | null): BodyMembers {
  const names = new Set(fields.map(({ name }) => name));
  const isMap = names.size === fields.length && fields.every(({ name }) => !/\{\{|%\{|\$\{/.test(name));
  if (fields.length === 0) return NO_BODY;
  if (isMap) {
    const value = fields.map((field) => ({ name: field.name, value: printText(field.value) }));
    const replacesContentType = type === null || type.toLowerCase() === FORM_TYPE;
    return { members: [{ name: 'request_params', value }], replacesContentType };
  }
  const pairs = fields.map(({ name, value }): IntakeText => [
    `${formEncoded(name)}=`,
    ...value.map((part) => (typeof part === 'string' ? formEncoded(part) : part)),
  ]);
  return textBodyMembers({ text: joinTexts(pairs, '&') }, type ?? FORM_TYPE);
}

function formEncoded(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Cs}/gu, '\ufffd')).replaceAll('%20', '+');
}

function multipartMembers(parts: readonly IntakePart[], lose: (message: string) => void): BodyMembers {
  const members = new Map<string, PrintableMember>();
  for (const { name, content, fileName, contentType } of parts) {
    if (members.has(name)) lose(`the part ${JSON.stringify(name)} occurs twice; the last part is used`);
    const type = contentType ?? ('file' in content ? contentTypeOf(content.file) : null);
    const options = membersOf({ content_type: type ?? undefined, filename: fileName ?? undefined });
    if ('file' in content) {
      members.set(name, { name, value: [{ name: 'file', value: content.file }, ...options] });
    } else {
      const text = printText(content.text);
      const value = options.length === 0 ? text : [{ name: 'value', value: text }, ...options];
      members.set(name, { name, value });
    }
  }
  return { members: [{ name: 'multipart', value: [...members.values()] }], replacesContentType: true };
}

/** Returns the content type for the extension of a file name. */
function contentTypeOf(path: string): string {
  const extension = /\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return CONTENT_TYPES.get(extension) ?? 'application/octet-stream';
}

const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['gif', 'image/gif'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['png', 'image/png'],
  ['svg', 'image/svg+xml'],
  ['txt', 'text/plain'],
  ['htm', 'text/html'],
  ['html', 'text/html'],
  ['pdf', 'application/pdf'],
  ['xml', 'application/xml'],
]);

function captureMembers({ name, source, property, pick }: IntakeCapture): PrintableMember[] {
  const hasProperty = property !== '' || source !== 'status';
  return membersOf({ name, property: hasProperty ? property : undefined, source, pick });
}

/** Rules for the headers, credentials, body parts, payload files and delay of a request. */
import { MAX_DELAY } from '../delay.ts';
import { formatDuration, milliseconds } from '../../units.ts';
import type { Capabilities } from '../capabilities.ts';
import type { FieldPath } from '../../field-reference.ts';
import { AWS_HEADERS, AWS_NAMES, textsOfAws } from '../aws-sigv4.ts';
import { isHeaderToken, isReservedHeader } from '../header-name.ts';
import { SPEC_DEFAULTS, type NamedText, type TargetSpec } from '../load-test.ts';
import { URL_FIELDS } from '../test-fields.ts';
import { displayUrl, faultOfPlainUrl, readUrl } from '../url.ts';
import { urlVariableOf } from '../resolved-url.ts';
import { takesBody } from '../method.ts';
import { quote } from '../../quote.ts';
import { addFault, knownText, maskedText, type FaultList } from './fault.ts';
import { callbackRefusalOf } from './notice-rules.ts';

export function checkRequest(
  found: FaultList,
  target: TargetSpec,
  { path, capabilities }: { readonly path: FieldPath; readonly capabilities: Capabilities },
): void {
  checkResolvedUrl(found, target, path);
  checkPayloadFiles(found, target, { path, capabilities });
  checkDelay(found, target, path);
  checkHeaders(found, target, path);
  checkMultipart(found, target, path);
  checkCredentials(found, target, path);
  checkAwsSigv4(found, target, path);
}

function checkPayloadFiles(
  found: FaultList,
  target: TargetSpec,
  { path, capabilities }: { readonly path: FieldPath; readonly capabilities: Capabilities },
): void {
  const { payloadFileUrl: file } = target;
  if (file === null) return;
  const refusal = faultOfPlainUrl(file) ?? callbackRefusalOf(file, capabilities);
  if (refusal !== null) {
    const message = `the payload file ${displayUrl(file)} ${refusal}`;
    addFault(found, { path: [...path, URL_FIELDS.payloadFileUrl.name], about: 'value', message });
  }
  if (target.payloadFile !== null) {
    const message = '"payload_file" and "payload_file_url" cannot be combined; remove one of them';
    addFault(found, { path: [...path, URL_FIELDS.payloadFile.name], about: 'key', message });
  }
}

function checkResolvedUrl(found: FaultList, target: TargetSpec, path: FieldPath): void {
  if (target.resolveUrl !== true) return;
  const read = readUrl(target.url);
  const { url, resolveUrl, params } = URL_FIELDS;
  if (read !== null && urlVariableOf(read.path) === null) {
    const message = `"${resolveUrl.name}" requires a URL whose path is one variable, such as "https://www.example.com/{{next}}"`;
    addFault(found, { path: [...path, url.name], about: 'value', message });
  }
  if (target.body?.kind !== 'params' || takesBody(target.method ?? SPEC_DEFAULTS.method)) return;
  const message = `"${params.name}" cannot be added to a URL that is the value of a variable; remove "${params.name}"`;
  addFault(found, { path: [...path, params.name], about: 'key', message });
}

function checkDelay(found: FaultList, { delay }: TargetSpec, path: FieldPath): void {
  if (delay === null) return;
  const at = [...path, URL_FIELDS.delay.name];
  const { min, max } = delay;
  const longest = Math.max(min, max);
  if (longest > MAX_DELAY) {
    const message = `a delay of ${formatDuration(milliseconds(longest))} is too long; "delay" must be at most ${formatDuration(MAX_DELAY)}`;
    addFault(found, { path: at, about: 'value', message });
  } else if (min > max) {
    const [from, to] = [formatDuration(min), formatDuration(max)];
    const message = `"delay" begins with the longer time; write the shorter time first: [${to}, ${from}]`;
    addFault(found, { path: at, about: 'value', message });
  }
}

export function faultOfHeaderName(name: string): string | null {
  if (isReservedHeader(name)) return `the header ${quote(name)} is reserved and cannot be set`;
  return isHeaderToken(name) ? null : `${quote(name)} is not a valid header name`;
}

/** Matches control characters except the tab, which header values may contain (RFC 9110, section 5.5). */
export const CONTROL_IN_HEADER = /(?!\t)\p{Cc}/u;

const CONTROL = /\p{Cc}/u;

function checkHeaders(found: FaultList, target: TargetSpec, path: FieldPath): void {
  const namesByCase = new Map<string, string>();
  for (const { name, value } of target.headers ?? []) {
    const at = [...path, URL_FIELDS.headers.name, name];
    const reason = faultOfHeaderName(name);
    if (reason !== null) addFault(found, { path: at, about: 'key', message: reason });
    const other = namesByCase.get(name.toLowerCase());
    if (other !== undefined) {
      const message = `the headers ${quote(other)} and ${quote(name)} are the same header, because header names are case-insensitive; remove one of them`;
      addFault(found, { path: at, about: 'key', message });
    }
    namesByCase.set(name.toLowerCase(), name);
    warnOfMultipart(found, { name, value, body: target.body }, at);
    if (CONTROL_IN_HEADER.test(knownText(value))) {
      const message = `the value of the header ${quote(name)} contains a line break or control character`;
      addFault(found, { path: at, about: 'value', message });
    }
  }
}

/** Warns about a `multipart/form-data` header without a boundary, or with `request_params`. */
function warnOfMultipart(
  found: FaultList,
  { name, value, body }: NamedText & Pick<TargetSpec, 'body'>,
  path: FieldPath,
): void {
  const type = maskedText(value);
  if (name.toLowerCase() !== 'content-type' || !/^\s*multipart\/form-data\b/i.test(type)) return;
  // `checkMultipart` checks the header if the body is multipart.
  if (body?.kind === 'multipart') return;
  if (body?.kind !== 'params' && /;\s*boundary=/i.test(type)) return;
  const message =
    body?.kind === 'params'
      ? `"request_params" are not sent as multipart/form-data; remove the header ${quote(name)}, and move the parameters to "multipart" if the target requires this media type`
      : `the header ${quote(name)} has no "boundary" parameter, so the target cannot parse the body; write the parts in "multipart", or add the boundary that the body uses`;
  addFault(found, { path, about: 'value', severity: 'warning', message });
}

/** Matches a media type with parameters (RFC 9110, section 8.3.1). */
const MEDIA_TYPE = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:\s*;[ -~]*)?$/;

function checkMultipart(found: FaultList, { body, headers }: TargetSpec, path: FieldPath): void {
  const declared = (headers ?? []).find(({ name }) => name.toLowerCase() === 'content-type');
  const at = [...path, URL_FIELDS.multipart.name];
  if (body?.kind !== 'multipart') return;
  if (declared !== undefined) {
    const message = `"multipart" sets the header ${quote(declared.name)} automatically; remove the header`;
    addFault(found, { path: [...path, URL_FIELDS.headers.name, declared.name], about: 'key', message });
  }
  const seen = new Set<string>();
  for (const part of body.parts) {
    const { name } = part;
    if (name === '')
      addFault(found, {
        path: at,
        about: 'value',
        message: 'the name of a part of "multipart" is empty; set a name',
      });
    if (seen.has(name)) {
      const message = `"multipart" has two parts with the name ${quote(name)}; rename one of them`;
      addFault(found, { path: at, about: 'value', message });
    }
    seen.add(name);
    const { contentType = null, filename = null } = part;
    if (contentType !== null && !MEDIA_TYPE.test(contentType)) {
      const message = `${quote(contentType)} is not a valid media type; "content_type" must be a type and a subtype, such as "application/pdf"`;
      addFault(found, { path: [...at, name, 'content_type'], about: 'value', message });
    }
    if (filename !== null && CONTROL.test(filename)) {
      const message = '"filename" contains a line break or control character';
      addFault(found, { path: [...at, name, 'filename'], about: 'value', message });
    }
  }
}

/** Checks credentials for Basic authentication, which sends `login:password`. */
function checkCredentials(found: FaultList, { credentials, headers }: TargetSpec, path: FieldPath): void {
  if (credentials === null) return;
  const at = [...path, URL_FIELDS.credentials.name];
  if ((headers ?? []).some(({ name }) => name.toLowerCase() === 'authorization')) {
    const message = '"credentials" and the header "authorization" cannot be combined; remove one of them';
    addFault(found, { path: at, about: 'key', message });
  }
  for (const part of ['login', 'password'] as const) {
    const text = knownText(credentials[part]);
    if (CONTROL.test(text)) {
      const message = `"${part}" contains a line break or control character`;
      addFault(found, { path: [...at, part], about: 'value', message });
    }
    if (part === 'login' && text.includes(':')) {
      const message = '"login" contains a colon, which Basic authentication does not allow';
      addFault(found, { path: [...at, part], about: 'value', message });
    }
  }
}

const SCOPE_PART = /^[\w.-]{1,64}$/;

/** The region and service cannot contain slashes, because slashes separate them in the signature. */
function checkAwsSigv4(
  found: FaultList,
  { awsSigv4, credentials, headers }: TargetSpec,
  path: FieldPath,
): void {
  if (awsSigv4 === null) return;
  const at = [...path, URL_FIELDS.awsSigv4.name];
  const refuse = (message: string, member: string | null = null): void => {
    const isKey = member === null;
    addFault(found, { path: isKey ? at : [...at, member], about: isKey ? 'key' : 'value', message });
  };
  if (credentials !== null) refuse('"credentials" and "aws_sigv4" cannot be combined; remove one of them');
  const header = (headers ?? []).find(({ name }) => AWS_HEADERS.has(name.toLowerCase()));
  if (header !== undefined)
    refuse(`"aws_sigv4" and the header ${quote(header.name)} cannot be combined; remove one of them`);
  for (const [key, example] of [
    ['region', 'us-east-1'],
    ['service', 'execute-api'],
  ] as const) {
    if (awsSigv4[key] === '' || SCOPE_PART.test(awsSigv4[key])) continue;
    refuse(`${quote(awsSigv4[key])} is not a valid ${key}; write a name such as "${example}"`, key);
  }
  for (const { name, value } of textsOfAws(awsSigv4)) {
    const text = knownText(value);
    // The access key ID and the session token are inserted into headers, which limits their characters.
    const isValid = name === AWS_NAMES.accessKeyId ? /^\w*$/.test(text) : /^[!-~]*$/.test(text);
    if (!isValid)
      refuse(
        `"${name}" contains a character that is not allowed in this AWS credential; copy the value again`,
        name,
      );
  }
}

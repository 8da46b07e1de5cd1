/** One URL entry to a target: method, headers, parameters, body and what they may not be. */
import type { NamedText, TargetSpec, VariableSpec } from '../core/model/load-test.ts';
import { revealText, type Text } from '../core/model/secret.ts';
import { isHeaderToken, isReservedHeader } from '../core/model/header-name.ts';
import { pointerOf } from '../core/pointer.ts';
import { faultsOfExpressions } from '../core/load/expression.ts';
import type { CredentialsEntry, UrlEntry } from './generated/config-file.ts';
import { readHttpUrl, readTarget } from './hosts.ts';
import { hasControl, quote, report, type Lowering } from './quantities.ts';

/** What the URL of a target is looked up in. */
export type Hosts = ReadonlySet<string>;

export function lowerTarget(to: Lowering, entry: UrlEntry, pointer: string, hosts: Hosts): TargetSpec {
  const method = entry.request_type ?? null;
  checkBodies(to, entry, pointer);
  const credentials = lowerCredentials(to, entry, pointer);
  const headers = lowerHeaders(to, entry, pointer);
  return {
    url: lowerUrl(to, entry, pointer, hosts),
    method,
    credentials,
    headers,
    params:
      entry.request_params === undefined
        ? null
        : textsOf(to, entry.request_params, `${pointer}/request_params`),
    body: entry.raw_post_body === undefined ? null : sentTextAt(to, `${pointer}/raw_post_body`),
    payloadFileUrl: lowerPayloadUrl(to, entry, pointer),
    variables: lowerVariables(to, entry, pointer),
  };
}

function lowerUrl(to: Lowering, entry: UrlEntry, pointer: string, hosts: Hosts): string {
  if (entry.url === undefined) {
    report(to, 'LT_CONFIG_SHAPE', 'the entry has no "url"; it is needed', pointer);
    return '';
  }
  const target = readTarget(entry.url);
  if ('reason' in target) {
    report(to, 'LT_CONFIG_VALUE', target.reason, `${pointer}/url`);
    return entry.url;
  }
  checkExpressions(to, entry.url, `${pointer}/url`, { escaped: true });
  if (!hosts.has(target.host) && !hosts.has(target.bareHost)) {
    const known = hosts.size === 0 ? '' : ` (declared: ${[...hosts].slice(0, 10).join(', ')})`;
    const message = `no app is declared for "${target.host}"${known}; add it below "apps", such as: ${keyFor(target.host)}: "${target.host}"`;
    report(to, 'LT_CONFIG_NO_APP', message, `${pointer}/url`);
  }
  return target.url;
}

function keyFor(host: string): string {
  const word = host.replace(/^www\./, '').replace(/[^a-z0-9].*$/, '');
  return /^[a-z]/.test(word) ? word : 'app';
}

function checkBodies(to: Lowering, entry: UrlEntry, pointer: string): void {
  if (entry.raw_post_body === undefined) return;
  if (entry.request_type !== 'POST') {
    report(
      to,
      'LT_CONFIG_VALUE',
      'a GET has no body; leave out "raw_post_body", or say "request_type: POST"',
      to.places.key(`${pointer}/raw_post_body`),
    );
  } else if (entry.request_params !== undefined) {
    const message = '"raw_post_body" and "request_params" are both the body of a POST; leave out one';
    report(to, 'LT_CONFIG_VALUE', message, to.places.key(`${pointer}/request_params`));
  }
}

/** Basic authentication carries `login:password`. */
function lowerCredentials(to: Lowering, entry: UrlEntry, pointer: string): TargetSpec['credentials'] {
  const { credentials } = entry;
  if (credentials === undefined) return null;
  const at = `${pointer}/credentials`;
  const absent = (['login', 'password'] as const).filter((key) => credentials[key] === undefined);
  for (const key of absent)
    report(
      to,
      'LT_CONFIG_SHAPE',
      `"credentials" has no "${key}"; it needs both login and password`,
      to.places.key(at),
    );
  const names = Object.keys(entry.headers ?? {}).map((name) => name.toLowerCase());
  if (names.includes('authorization')) {
    report(
      to,
      'LT_CONFIG_VALUE',
      '"credentials" and the header "authorization" are the same header; leave out one',
      to.places.key(at),
    );
  }
  const part = (key: keyof CredentialsEntry): Text => {
    if (credentials[key] === undefined) return '';
    const text = textAt(to, `${at}/${key}`);
    const known = knownPart(text);
    if (hasControl(known))
      report(
        to,
        'LT_CONFIG_VALUE',
        `"${key}" holds a line break or control character; credentials have none`,
        `${at}/${key}`,
      );
    if (key === 'login' && known.includes(':')) {
      report(
        to,
        'LT_CONFIG_VALUE',
        '"login" holds a colon, which Basic authentication cannot carry',
        `${at}/login`,
      );
    }
    return text;
  };
  return { login: part('login'), password: part('password') };
}

/** Says why a name cannot be the name of a header; null when it can. */
export function headerNameProblem(name: string): string | null {
  if (isReservedHeader(name)) {
    return `the header ${quote(name)} is set by whoever sends the request; leave it out`;
  }
  return isHeaderToken(name) ? null : `${quote(name)} is no header name; it has letters, digits and - only`;
}

function lowerHeaders(to: Lowering, entry: UrlEntry, pointer: string): NamedText[] | null {
  if (entry.headers === undefined) return null;
  const seen = new Map<string, string>();
  const headers = textsOf(to, entry.headers, `${pointer}/headers`);
  for (const { name, value } of headers) {
    const at = pointer + pointerOf(['headers', name]);
    const reason = headerNameProblem(name);
    if (reason !== null) report(to, 'LT_CONFIG_VALUE', reason, to.places.key(at));
    const other = seen.get(name.toLowerCase());
    if (other !== undefined) {
      report(
        to,
        'LT_CONFIG_VALUE',
        `the header ${quote(name)} stands twice, also as "${other}"; case makes no difference`,
        to.places.key(at),
      );
    }
    seen.set(name.toLowerCase(), name);
    // A tab is the one control character that a header value may hold.
    if (hasControl(knownPart(value).replaceAll('\t', ''))) {
      report(
        to,
        'LT_CONFIG_VALUE',
        `the value of the header ${quote(name)} holds a line break or control character; a header is one line`,
        at,
      );
    }
  }
  return headers;
}

function lowerPayloadUrl(to: Lowering, entry: UrlEntry, pointer: string): string | null {
  if (entry.payload_file_url === undefined) return null;
  const url = readHttpUrl(entry.payload_file_url);
  if ('reason' in url) report(to, 'LT_CONFIG_VALUE', url.reason, `${pointer}/payload_file_url`);
  return entry.payload_file_url;
}

function lowerVariables(to: Lowering, entry: UrlEntry, pointer: string): VariableSpec[] | null {
  if (entry.variables === undefined) return null;
  return entry.variables.map(({ name, property, source }, index) => {
    if (!isHeaderToken(property)) {
      report(
        to,
        'LT_CONFIG_VALUE',
        `${quote(property)} is no header name; "property" names a header of the answer`,
        `${pointer}/variables/${index}/property`,
      );
    }
    return { name, property, source: source ?? 'header' };
  });
}

function textsOf(to: Lowering, map: Readonly<Record<string, unknown>>, pointer: string): NamedText[] {
  return Object.keys(map).map((name) => ({ name, value: sentTextAt(to, pointer + pointerOf([name])) }));
}

/** A text in which variables and expressions mean something. */
function sentTextAt(to: Lowering, pointer: string): Text {
  const text = textAt(to, pointer);
  // A secret may stand for a number of an expression, and stands in no message.
  const plain =
    typeof text === 'string'
      ? text
      : text.parts.map((part) => (typeof part === 'string' ? part : '0')).join('');
  checkExpressions(to, plain, pointer);
  return text;
}

function checkExpressions(
  to: Lowering,
  text: string,
  pointer: string,
  options: { readonly escaped?: boolean } = {},
): void {
  for (const fault of faultsOfExpressions(text, options)) report(to, 'LT_CONFIG_VALUE', fault, pointer);
}

/** The text as it was written: a number keeps its digits, a secret stays one. */
function textAt(to: Lowering, pointer: string): Text {
  const node = to.places.node(pointer);
  if (node?.kind !== 'scalar') throw new Error(`Bug: the shape of ${pointer} was not checked`);
  return node.secret ?? node.written;
}

/** What is known of a text now: a secret that is not set counts as empty. */
function knownPart(text: Text): string {
  if (typeof text === 'string') return text;
  const known = text.parts.filter((part) => typeof part === 'string' || part.present);
  return revealText({ parts: known });
}

/** Names that are used as `{{name}}` in what a target sends. Secrets are not looked into. */
export function usedVariables(target: TargetSpec): ReadonlySet<string> {
  const texts: Text[] = [target.url];
  for (const { value } of [...(target.headers ?? []), ...(target.params ?? [])]) texts.push(value);
  if (target.body !== null) texts.push(target.body);
  const plain = texts.flatMap((text) =>
    typeof text === 'string' ? [text] : text.parts.filter((part) => typeof part === 'string'),
  );
  return new Set(
    plain.flatMap((text) =>
      [...text.matchAll(/\{\{\s*([A-Za-z_][A-Za-z0-9_-]*)\s*\}\}/g)].map((match) => match[1] ?? ''),
    ),
  );
}

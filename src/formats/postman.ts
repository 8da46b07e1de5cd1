/**
 * Reads Postman collections (v2.0 and v2.1), with environments. Recognizes common patterns in scripts without executing
 * the scripts.
 */
import {
  EMPTY_REQUEST,
  type Intake,
  type IntakeAws,
  type IntakeBody,
  type IntakeCapture,
  type IntakeField,
  type IntakePart,
  type IntakeRequest,
  type SourceConstant,
  type SourcePosition,
  START,
  ONLY_REQUESTS,
} from '../core/intake/intake.ts';
import { secretName } from '../core/intake/intake-secrets.ts';
import { literalOf, literalStart, type IntakeText } from '../core/intake/intake-text.ts';
import { InvalidSource, type IntakeSource } from '../core/intake/source-text.ts';
import { EXAMPLE_ORIGIN, UNKNOWN_HOST } from './example-origin.ts';
import { pointerOfPath } from './json-path.ts';
import { parseJsonSource } from './json-tree.ts';
import { valueNamed, variableName } from './names.ts';
import { ResponseExpectation, withRedirects } from './response-expectation.ts';
import { SourceNotes } from './source-notes.ts';
import { at, flagOf, itemsOf, textOf, type SourceNode } from './source-tree.ts';
import { resolveReferences } from './text-references.ts';
import { withQuery } from './url-query.ts';

export function readPostman(source: IntakeSource): Intake {
  const root = parseJsonSource(source);
  // Exports from the Postman API nest the collection in an additional map.
  const collection = at(root, 'collection') ?? root;
  if (at(collection, 'item')?.kind !== 'list')
    throw new InvalidSource(
      source,
      root.at,
      'a Postman collection requires a list "item"; export the collection in the format v2.0 or v2.1',
    );
  const reader = new PostmanReader();
  reader.addVariables(at(collection, 'variable'));
  for (const other of source.others) reader.addVariables(at(parseJsonSource(other), 'values'));
  reader.readItems(collection, null);
  const { requests, setup, constants, notes } = reader;
  const [first] = requests;
  if (first === undefined)
    throw new InvalidSource(source, root.at, 'the collection contains no request with a URL');
  const flow = { at: first.at, name: 'collection', weight: 1, values: [], requests, notes: [] };
  return {
    ...ONLY_REQUESTS,
    flows: [flow],
    setup: setup.length === 0 ? null : { ...flow, name: 'setup', requests: setup },
    constants,
    notes: notes.all,
  };
}

class PostmanReader {
  readonly requests: IntakeRequest[] = [];
  /** Requests for access tokens, which the setup sends. */
  readonly setup: IntakeRequest[] = [];
  readonly notes = new SourceNotes();
  readonly constants: SourceConstant[] = [];
  /** Values of variables. An empty value counts as unknown. */
  readonly #values = new Map<string, string>();
  /** Names of variables that earlier responses set. */
  readonly #captured = new Set<string>();
  #requestNotes = new SourceNotes();

  addVariables(list: SourceNode | null): void {
    for (const item of itemsOf(list)) {
      const name = textOf(at(item, 'key')) ?? textOf(at(item, 'id'));
      const isOff = flagOf(at(item, 'enabled')) === false || flagOf(at(item, 'disabled')) === true;
      const value = textOf(at(item, 'value')) ?? '';
      if (name === null || isOff) continue;
      this.#values.set(name, value);
      this.constants.push({ name: textOf(at(item, 'type')) === 'secret' ? 'secret' : name, value });
    }
  }

  readItems(parent: SourceNode, inheritedAuth: SourceNode | null): void {
    const auth = at(parent, 'auth') ?? inheritedAuth;
    for (const event of itemsOf(at(parent, 'event'))) {
      if (scriptOf(event).trim() !== '' && at(parent, 'request') === null)
        this.notes.lose(
          event.at,
          'the script of the folder or collection is not executed; make its changes to requests by hand',
        );
    }
    for (const item of itemsOf(at(parent, 'item'))) {
      const request = at(item, 'request');
      if (request === null) this.readItems(item, auth);
      else this.#readRequest(item, request, auth);
    }
  }

  #readRequest(item: SourceNode, request: SourceNode, inheritedAuth: SourceNode | null): void {
    this.#requestNotes = new SourceNotes();
    const where = item.at;
    const url = this.#url(request, where);
    if (url === null) {
      this.notes.all.push(...this.#requestNotes.all);
      return;
    }
    const headers = itemsOf(at(request, 'header')).flatMap((header): readonly IntakeField[] => {
      const name = textOf(at(header, 'key'));
      if (name === null || flagOf(at(header, 'disabled')) === true) return [];
      return [{ name, value: this.#text(textOf(at(header, 'value')) ?? '', header.at) }];
    });
    const auth = this.#auth(at(request, 'auth') ?? inheritedAuth, where);
    const { body, type } = this.#body(at(request, 'body'));
    const hasType = headers.some(({ name }) => name.toLowerCase() === 'content-type');
    const read: IntakeRequest = {
      ...EMPTY_REQUEST,
      at: where,
      name: textOf(at(item, 'name')),
      method: (textOf(at(request, 'method')) ?? 'GET').toUpperCase(),
      url: auth.query === null ? url : withQuery(url, auth.query),
      headers: [
        ...headers,
        ...auth.headers,
        ...(type === null || hasType ? [] : [{ name: 'content-type', value: [type] }]),
      ],
      credentials: auth.credentials,
      aws: auth.aws,
      body,
    };
    const { captures, expected } = this.#scripts(item);
    const isFollowed = flagOf(at(item, 'protocolProfileBehavior', 'followRedirects')) !== false;
    this.requests.push({
      ...read,
      captures,
      expect: withRedirects(expected.build(), isFollowed, (message) =>
        this.#requestNotes.lose(item.at, message),
      ),
      notes: this.#requestNotes.all,
    });
    for (const { name } of captures) this.#captured.add(name);
  }

  #url(request: SourceNode, where: SourcePosition): IntakeText | null {
    const node = request.kind === 'scalar' ? request : at(request, 'url');
    let raw = textOf(node) ?? textOf(at(node, 'raw')) ?? joinedUrl(node);
    for (const variable of itemsOf(at(node, 'variable'))) {
      const name = textOf(at(variable, 'key')) ?? textOf(at(variable, 'id')) ?? '';
      const value = textOf(at(variable, 'value')) ?? '';
      if (name !== '' && value !== '')
        raw = raw
          .split('/')
          .map((segment) =>
            segment.split('?', 1)[0] === `:${name}` ? value + segment.slice(name.length + 1) : segment,
          )
          .join('/');
    }
    if (raw.trim() === '') {
      this.#requestNotes.lose(node?.at ?? where, 'the request is omitted, because it has no URL');
      return null;
    }
    const text = this.#text(raw.split('#', 1)[0] ?? '', node?.at ?? where);
    const start = literalStart(text);
    if (/^https?:\/\/[^/]/i.test(start)) return text;
    const [first, ...rest] = text;
    if (typeof first === 'string' && first !== '') return [`http://${first}`, ...rest];
    this.#requestNotes.change(node?.at ?? where, UNKNOWN_HOST);
    return [EXAMPLE_ORIGIN, ...rest];
  }

  #auth(
    auth: SourceNode | null,
    where: SourcePosition,
  ): {
    readonly headers: readonly IntakeField[];
    readonly credentials: IntakeRequest['credentials'];
    readonly aws: IntakeAws | null;
    readonly query: IntakeText | null;
  } {
    const none = { headers: [], credentials: null, aws: null, query: null };
    const type = textOf(at(auth, 'type'));
    if (type === null || type === 'noauth') return none;
    const values = at(auth, type);
    const value = (key: string) => {
      const node =
        values?.kind === 'list'
          ? at(values.items.find((item) => textOf(at(item, 'key')) === key) ?? null, 'value')
          : at(values, key);
      return this.#text(textOf(node) ?? '', node?.at ?? where);
    };
    const [key] = value('key');
    switch (type) {
      case 'bearer':
        return { ...none, headers: [{ name: 'authorization', value: ['Bearer ', ...value('token')] }] };
      case 'basic':
        return { ...none, credentials: { login: value('username'), password: value('password') } };
      case 'apikey':
        if (typeof key !== 'string') break;
        this.constants.push({ name: 'api_key', value: literalOrEmpty(value('value')) });
        return literalOrEmpty(value('in')) === 'query'
          ? { ...none, query: [`${encodeURIComponent(key)}=`, ...value('value')] }
          : { ...none, headers: [{ name: key, value: value('value') }] };
      case 'awsv4': {
        const isInQuery = literalOrEmpty(value('addAuthDataToQuery')) === 'true';
        const [region, service] = [literalOf(value('region')), literalOf(value('service'))];
        const sessionToken = value('sessionToken');
        if (isInQuery || region === null || service === null) break;
        const aws: IntakeAws = {
          region: region === '' ? 'us-east-1' : region,
          service: service === '' ? 'execute-api' : service,
          accessKeyId: value('accessKey'),
          secretAccessKey: value('secretKey'),
          sessionToken: sessionToken.every((part) => part === '') ? null : sessionToken,
        };
        return { ...none, aws };
      }
      case 'oauth2': {
        const grant = literalOrEmpty(value('grant_type'));
        const [given, url] = [value('accessToken'), value('accessTokenUrl')];
        const isHeader = literalOrEmpty(value('addTokenTo')) !== 'queryParams';
        const hasRequest = grant === 'client_credentials' && /^https?:\/\/[^/]/i.test(literalStart(url));
        if (!isHeader || (!hasRequest && given.length === 0)) break;
        const token = hasRequest ? this.#token(url, value, where) : given;
        const prefix = literalOrEmpty(value('headerPrefix')).trim() || 'Bearer';
        return { ...none, headers: [{ name: 'authorization', value: [`${prefix} `, ...token] }] };
      }
    }
    this.#requestNotes.lose(
      auth?.at ?? where,
      `the authentication ${JSON.stringify(type)} is not converted; the request is sent without it`,
    );
    return none;
  }

  /**
   * Adds a request for an access token to the setup, unless an equal request exists. Returns the token as a variable.
   */
  #token(url: IntakeText, value: (key: string) => IntakeText, where: SourcePosition): IntakeText {
    const [login, password, scope] = [value('clientId'), value('clientSecret'), value('scope')];
    const isInBody = literalOrEmpty(value('client_authentication')) === 'body';
    const field = (name: string, text: IntakeText) => (text.length === 0 ? [] : [{ name, value: text }]);
    const fields = [
      ...field('grant_type', ['client_credentials']),
      ...field('scope', scope),
      ...(isInBody ? [...field('client_id', login), ...field('client_secret', password)] : []),
    ];
    const request: IntakeRequest = {
      ...EMPTY_REQUEST,
      at: where,
      method: 'POST',
      url,
      credentials: isInBody ? null : { login, password },
      body: { kind: 'form', fields },
    };
    const isSame = (one: IntakeRequest) =>
      JSON.stringify([one.url, one.body, one.credentials]) ===
      JSON.stringify([url, request.body, request.credentials]);
    const index = this.setup.findIndex(isSame);
    const number = index === -1 ? this.setup.length + 1 : index + 1;
    const name = number === 1 ? 'access_token' : `access_token_${number}`;
    if (index === -1)
      this.setup.push({ ...request, captures: [{ name, source: 'json', property: '/access_token' }] });
    return [{ variable: name }];
  }

  #body(node: SourceNode | null): { readonly body: IntakeBody | null; readonly type: string | null } {
    const mode = textOf(at(node, 'mode'));
    const list =
      mode === null ? [] : itemsOf(at(node, mode)).filter((item) => flagOf(at(item, 'disabled')) !== true);
    const field = (item: SourceNode) => ({
      name: textOf(at(item, 'key')) ?? '',
      value: this.#text(textOf(at(item, 'value')) ?? '', item.at),
    });
    switch (mode) {
      case 'raw': {
        const raw = textOf(at(node, 'raw')) ?? '';
        const isJson = textOf(at(node, 'options', 'raw', 'language')) === 'json';
        if (raw === '') return { body: null, type: null };
        return {
          body: { kind: 'text', text: this.#text(raw, at(node, 'raw')?.at ?? START), isVerbatim: true },
          type: isJson ? 'application/json' : 'text/plain',
        };
      }
      case 'urlencoded':
        return { body: { kind: 'form', fields: list.map(field) }, type: null };
      case 'formdata':
        return {
          body: { kind: 'multipart', parts: list.map((item) => this.#part(item, field(item))) },
          type: null,
        };
      case 'graphql': {
        const [query, variables] = [
          textOf(at(node, 'graphql', 'query')) ?? '',
          textOf(at(node, 'graphql', 'variables')) ?? '',
        ];
        const text = `{"query":${JSON.stringify(query)}${variables.trim() === '' ? '' : `,"variables":${variables}`}}`;
        return {
          body: { kind: 'text', text: this.#text(text, node?.at ?? START), isVerbatim: true },
          type: 'application/json',
        };
      }
      case null:
        return { body: null, type: null };
      default:
        this.#requestNotes.lose(
          node?.at ?? START,
          `the body mode ${JSON.stringify(mode)} is not supported; the request is sent without a body`,
        );
        return { body: null, type: null };
    }
  }

  #part(item: SourceNode, { name, value }: IntakeField): IntakePart {
    const source = at(item, 'src');
    const file = textOf(source) ?? textOf(itemsOf(source)[0] ?? null);
    const isFile = textOf(at(item, 'type')) === 'file' && file !== null;
    return {
      name,
      content: isFile ? { file } : { text: value },
      fileName: null,
      contentType: textOf(at(item, 'contentType')),
    };
  }

  #scripts(item: SourceNode): {
    readonly captures: readonly IntakeCapture[];
    readonly expected: ResponseExpectation;
  } {
    const captures = new Map<string, IntakeCapture>();
    const expected = new ResponseExpectation();
    for (const event of itemsOf(at(item, 'event'))) {
      const script = withoutComments(scriptOf(event));
      if (textOf(at(event, 'listen')) !== 'test') {
        if (script.trim() !== '')
          this.#requestNotes.lose(
            event.at,
            'the pre-request script is not executed; make its changes to the request by hand',
          );
        continue;
      }
      const rest = script
        .replaceAll(
          STATUS,
          (_, one: string | undefined, list: string | undefined, equal: string | undefined) => {
            expected.status((one ?? list ?? equal ?? '').split(',').map((code) => code.trim()));
            return '';
          },
        )
        .replaceAll(CAPTURE, (all, name: string, value: string) => {
          const capture = captureOf(name, value);
          if (capture === null) return all;
          captures.set(capture.name, capture);
          return '';
        });
      if (/\bpm\.(?!test\b|response\.json\(\))|\bpostman\.|\btests\s*\[/.test(rest))
        this.#requestNotes.lose(
          event.at,
          'some statements of the test script are not converted; add their checks and variables by hand',
        );
    }
    return { captures: [...captures.values()], expected };
  }

  #text(text: string, where: SourcePosition): IntakeText {
    return this.#expanded(text, where, 0);
  }

  /** Replaces variables. The value of a variable may contain other variables. */
  #expanded(text: string, where: SourcePosition, depth: number): IntakeText {
    return resolveReferences(text, /\{\{\s*([^{}]+?)\s*\}\}/g, (name) => {
      const value = this.#values.get(name) ?? '';
      const expression = valueNamed(name, GENERATED);
      if (expression !== undefined) return [{ expression }];
      if (this.#captured.has(variableName(name))) return [{ variable: variableName(name) }];
      if (value !== '' && depth < MAX_EXPANSION) return this.#expanded(value, where, depth + 1);
      if (!name.startsWith('$')) return [{ secret: secretName(name) }];
      this.#requestNotes.lose(where, `${JSON.stringify(name)} is replaced with random text`);
      return [{ expression: 'text:8' }];
    });
  }
}

/** Maximum nesting of variables whose values contain variables. */
const MAX_EXPANSION = 5;

const GENERATED: Readonly<Record<string, string>> = {
  $guid: 'uuid',
  $randomUUID: 'uuid',
  $timestamp: 'now:unix',
  $isoTimestamp: 'now',
  $randomInt: '*:0-1000',
  $randomAlphaNumeric: 'text:1',
};

const STATUS =
  /pm\.response\.to\.have\.status\(\s*(\d{3})\s*\)|pm\.expect\(\s*pm\.response\.code\s*\)\.to\.(?:be\.oneOf\(\s*\[([\d,\s]+)\]|(?:equal|eql)\(\s*(\d{3})\s*\))/g;

/** Matches a statement that sets a variable to a part of the response. */
const CAPTURE =
  /(?:pm\.(?:environment|collectionVariables|globals|variables)\.set|postman\.set(?:Environment|Global)Variable)\(\s*["'`]([^"'`\n]{1,100})["'`]\s*,\s*([^;\n]{1,200}?)\s*\)\s*(?:;|\n|$)/g;

function captureOf(name: string, value: string): IntakeCapture | null {
  const [, header] = /^pm\.response\.headers\.get\(\s*["'`]([\w-]+)["'`]\s*\)$/.exec(value) ?? [];
  if (header !== undefined) return { name: variableName(name), source: 'header', property: header };
  const [, path] =
    /^(?:pm\.response\.json\(\)|JSON\.parse\(responseBody\)|[A-Za-z_$]\w*)((?:\??\.\w+|\[(?:\d+|"[^"]*"|'[^']*')\])+)$/.exec(
      value,
    ) ?? [];
  const converted =
    path === undefined || /^pm\b/.test(value.replace('pm.response.json()', ''))
      ? null
      : pointerOfPath(path.replaceAll('?.', '.'));
  return converted === null || converted.hasItems
    ? null
    : { name: variableName(name), source: 'json', property: converted.pointer };
}

/** Builds a URL from its parts if the source does not contain the whole URL. */
function joinedUrl(node: SourceNode | null): string {
  const joined = (key: string, separator: string) =>
    textOf(at(node, key)) ??
    itemsOf(at(node, key))
      .map((part) => textOf(part) ?? textOf(at(part, 'value')) ?? '')
      .join(separator);
  const host = joined('host', '.');
  const path = joined('path', '/').replace(/^\//, '');
  const port = textOf(at(node, 'port'));
  const query = itemsOf(at(node, 'query'))
    .filter((item) => flagOf(at(item, 'disabled')) !== true)
    .map((item) => `${textOf(at(item, 'key')) ?? ''}=${textOf(at(item, 'value')) ?? ''}`)
    .join('&');
  if (host === '') return '';
  const protocol = textOf(at(node, 'protocol')) ?? 'http';
  const origin = host.startsWith('{{') ? host : `${protocol}://${host}`;
  return `${origin}${port === null ? '' : `:${port}`}/${path}${query === '' ? '' : `?${query}`}`;
}

function scriptOf(event: SourceNode): string {
  const exec = at(event, 'script', 'exec');
  return (
    textOf(exec) ??
    itemsOf(exec)
      .map((line) => textOf(line) ?? '')
      .join('\n')
  );
}

function withoutComments(script: string): string {
  return script.replaceAll(/^\s*\/\/.*$/gm, '');
}

function literalOrEmpty(text: IntakeText): string {
  return text.filter((part) => typeof part === 'string').join('');
}

/** Reads API descriptions (OpenAPI 3.0 to 3.2, Swagger 2.0). */
import {
  EMPTY_REQUEST,
  type Intake,
  type IntakeBody,
  type IntakeField,
  type IntakePart,
  type IntakeRequest,
  type SourcePosition,
  ONLY_REQUESTS,
  textPart,
} from '../core/intake/intake.ts';
import { secretName } from '../core/intake/intake-secrets.ts';
import { encodedText, joinTexts, type IntakeText } from '../core/intake/intake-text.ts';
import { InvalidSource, type IntakeSource } from '../core/intake/source-text.ts';
import { matchesAny } from '../core/glob.ts';
import { parseExpectedStatus, type Expectation } from '../core/model/expectation.ts';
import { readUrl } from '../core/model/url.ts';
import { EXAMPLE_ORIGIN } from './example-origin.ts';
import { parseJsonSource } from './json-tree.ts';
import { jsonTextOf, plainTextOf, SchemaSampler, sampleOf, type Sample } from './schema-sample.ts';
import { SourceNotes } from './source-notes.ts';
import { at, entriesOf, flagOf, itemsOf, textOf, type SourceNode } from './source-tree.ts';
import { resolveReferences } from './text-references.ts';
import { encodedParameter } from './url-query.ts';
import { parseYamlSource } from './yaml-tree.ts';

export function readOpenApi(source: IntakeSource): Intake {
  const root = /^\s*\{/.test(source.text) ? parseJsonSource(source) : parseYamlSource(source);
  const version = textOf(at(root, 'openapi')) ?? textOf(at(root, 'swagger')) ?? '';
  if (!/^(?:3\.[012](?:\.|$)|2(?:\.0)?$)/.test(version))
    throw new InvalidSource(
      source,
      root.at,
      'an API description requires "openapi" with the version 3.0, 3.1 or 3.2, or "swagger" with the version 2.0',
    );
  return new DescriptionReader(source, root).read();
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];

/** Maximum number of consecutive references that are followed to find a value. */
const MAX_REFERENCES = 20;

/** Number of requests above which a note recommends the flags for selecting operations. */
const MANY_OPERATIONS = 100;

interface Operation {
  readonly at: SourcePosition;
  readonly path: string;
  readonly method: string;
  readonly node: SourceNode;
  readonly item: SourceNode;
}

interface Parameter {
  readonly name: string;
  readonly place: string;
  readonly value: Sample;
  /** True for the style `deepObject`, which sends members of an object as `name[member]`. */
  readonly isDeep: boolean;
}

class DescriptionReader {
  readonly #source: IntakeSource;
  readonly #root: SourceNode;
  readonly #notes = new SourceNotes();
  readonly #sampler: SchemaSampler;
  /** Notes about the current operation or, while operations are listed, about the API description. */
  #operationNotes = this.#notes;
  /** Parts of the operation whose values are samples. */
  #sampled: string[] = [];

  constructor(source: IntakeSource, root: SourceNode) {
    this.#source = source;
    this.#root = root;
    this.#sampler = new SchemaSampler((node) => this.#resolve(node));
  }

  read(): Intake {
    const { tags, paths } = this.#source.selection;
    const all = this.#operations();
    const selected = all.filter(
      ({ node, path }) =>
        (tags.length === 0 || itemsOf(at(node, 'tags')).some((tag) => tags.includes(textOf(tag) ?? ''))) &&
        (paths.length === 0 || matchesAny(paths, path)),
    );
    const [first] = selected;
    if (first === undefined) {
      const message =
        all.length === 0
          ? 'the API description contains no operations'
          : 'no operation matches the values of --tag and --path';
      throw new InvalidSource(this.#source, this.#root.at, message);
    }
    if (selected.length > MANY_OPERATIONS)
      this.#notes.change(
        first.at,
        `${selected.length} operations are converted; to convert fewer, pass "--tag" or "--path"`,
      );
    const requests = selected.map((operation) => this.#request(operation));
    return {
      ...ONLY_REQUESTS,
      flows: [{ at: first.at, name: 'operations', weight: 1, values: [], requests, notes: [] }],
      notes: this.#notes.all,
    };
  }

  #operations(): readonly Operation[] {
    return entriesOf(at(this.#root, 'paths')).flatMap(([path, { node, keyAt }]) => {
      const item = path.startsWith('/') ? this.#resolve(node) : null;
      if (item === null) return [];
      return entriesOf(item).flatMap(([key, entry]): readonly Operation[] => {
        if (key === 'trace')
          this.#notes.lose(
            entry.keyAt,
            'the TRACE operation is omitted, because this method is not supported',
          );
        if (!METHODS.includes(key) || entry.node.kind !== 'map') return [];
        // If the path item is a reference, the operation is elsewhere, so the position of the path is used.
        const where = item === node ? entry.keyAt : keyAt;
        return [{ at: where, path, method: key.toUpperCase(), node: entry.node, item }];
      });
    });
  }

  /**
   * Follows local references until a value is found; null if there is no target, or if the target is in another file.
   */
  #resolve(node: SourceNode): SourceNode | null {
    let found: SourceNode | null = node;
    for (let count = 0; count < MAX_REFERENCES && found !== null; count++) {
      const reference = textOf(at(found, '$ref'));
      if (reference === null) return found;
      if (!reference.startsWith('#/')) {
        this.#operationNotes.lose(
          found.at,
          'the reference to another file is not followed; bundle the API description into one file first',
        );
        return null;
      }
      found = this.#target(reference);
    }
    this.#operationNotes.lose(
      node.at,
      'the reference is not followed, because it is circular or its target does not exist',
    );
    return null;
  }

  #target(reference: string): SourceNode | null {
    let found: SourceNode | null = this.#root;
    for (const step of reference.slice(2).split('/')) {
      const key: string = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
      found = found?.kind === 'list' ? (found.items[Number(key)] ?? null) : at(found, key);
    }
    return found;
  }

  // --- requests

  #request(operation: Operation): IntakeRequest {
    this.#operationNotes = new SourceNotes();
    this.#sampled = [];
    this.#sampler.unmet.length = 0;
    const { node, method, path } = operation;
    const parameters = this.#parameters(operation);
    const { body, type } = this.#body(operation);
    const security = this.#security(node);
    const query = [...this.#query(parameters), ...security.query];
    const cookies = [...fieldsIn(parameters, 'cookie'), ...security.cookies].map(
      ({ name, value }): IntakeText => [`${name}=`, ...value],
    );
    const url = [...this.#server(operation), ...this.#path(operation, parameters)];
    for (const { name } of fieldsIn(parameters, 'header').filter(isIgnoredHeader))
      this.#sampled = this.#sampled.filter((one) => one !== name);
    const request: IntakeRequest = {
      ...EMPTY_REQUEST,
      at: operation.at,
      name: textOf(at(node, 'operationId')) ?? `${method} ${path}`,
      method,
      url: query.length === 0 ? url : [...url, '?', ...joinTexts(query.map(encodedParameter), '&')],
      headers: [
        ...fieldsIn(parameters, 'header').filter((field) => !isIgnoredHeader(field)),
        ...security.headers,
        ...(cookies.length === 0 ? [] : [{ name: 'cookie', value: joinTexts(cookies, '; ') }]),
        ...(type === null ? [] : [{ name: 'content-type', value: [type] }]),
      ],
      credentials: security.credentials,
      body,
      expect: expectationOf(at(node, 'responses')),
    };
    for (const { at: where, message } of this.#sampler.unmet) this.#operationNotes.lose(where, message);
    if (this.#sampled.length > 0)
      this.#operationNotes.change(
        operation.at,
        `the test sends sample values that are not in the API description: ${this.#sampled.join(', ')}`,
      );
    return { ...request, notes: this.#operationNotes.all };
  }

  /** Returns the required parameters, and the optional parameters that have an example. */
  #parameters({ node, item }: Operation): readonly Parameter[] {
    const found = new Map<string, Parameter>();
    for (const listed of [...itemsOf(at(item, 'parameters')), ...itemsOf(at(node, 'parameters'))]) {
      const parameter = this.#resolve(listed);
      const name = textOf(at(parameter, 'name'));
      const place = textOf(at(parameter, 'in'));
      if (parameter === null || name === null || place === null) continue;
      if (['body', 'formData'].includes(place)) continue;
      const key = `${place} ${name}`;
      found.delete(key);
      const [content] = entriesOf(at(parameter, 'content'));
      const example = exampleOf(parameter, this.#examples(parameter)) ?? exampleOf(content?.[1].node ?? null);
      if (place !== 'path' && flagOf(at(parameter, 'required')) !== true && example === null) continue;
      const schema = at(content?.[1].node ?? parameter, 'schema') ?? parameter;
      const sample = example === null ? this.#sampler.sample(schema, name) : sampleOf(example);
      const value: Sample = content === undefined ? sample : { kind: 'text', text: jsonTextOf(sample) };
      const style = textOf(at(parameter, 'style'));
      if (style !== null && ['matrix', 'label'].includes(style))
        this.#operationNotes.lose(
          parameter.at,
          `the style "${style}" of the parameter ${JSON.stringify(name)} is not converted; the value is sent in the default style`,
        );
      if (example === null && !this.#hasGivenValue(schema)) this.#sampled.push(name);
      found.set(key, { name, place, value, isDeep: style === 'deepObject' });
    }
    return [...found.values()];
  }

  #hasGivenValue(schema: SourceNode): boolean {
    const resolved = this.#resolve(schema);
    return ['example', 'examples', 'default', 'const', 'enum'].some((key) => at(resolved, key) !== null);
  }

  /** Returns the value of the first named example; null if there is none. */
  #examples(node: SourceNode | null): SourceNode | null {
    const [first] = entriesOf(at(node, 'examples'));
    const example = first === undefined ? null : this.#resolve(first[1].node);
    return at(example, 'value');
  }

  #query(parameters: readonly Parameter[]): readonly IntakeField[] {
    return parameters
      .filter(({ place }) => place === 'query')
      .flatMap(({ name, value, isDeep }): readonly IntakeField[] => {
        if (value.kind === 'list') return value.items.map((item) => ({ name, value: plainTextOf(item) }));
        if (value.kind === 'map')
          return value.members.map(([member, one]) => ({
            name: isDeep ? `${name}[${member}]` : member,
            value: plainTextOf(one),
          }));
        return [{ name, value: plainTextOf(value) }];
      });
  }

  #path({ path }: Operation, parameters: readonly Parameter[]): IntakeText {
    return resolveReferences(path, /\{([^{}]*)\}/g, (name) => {
      const parameter = parameters.find((one) => one.place === 'path' && one.name === name);
      if (parameter === undefined) this.#sampled.push(name);
      return encodedText(parameter === undefined ? ['1'] : joinTexts(itemTexts(parameter.value), ','));
    });
  }

  #body(operation: Operation): { readonly body: IntakeBody | null; readonly type: string | null } {
    const none = { body: null, type: null };
    const given = at(operation.node, 'requestBody');
    const requestBody = given === null ? null : this.#resolve(given);
    if (requestBody === null) return this.#oldBody(operation);
    const contents = entriesOf(at(requestBody, 'content'));
    const [type, entry] =
      MEDIA_TYPES.map((pattern) => contents.find(([name]) => pattern.test(name))).find(
        (one) => one !== undefined,
      ) ??
      contents[0] ??
      [];
    if (type === undefined || entry === undefined) return none;
    const example = exampleOf(entry.node, this.#examples(entry.node));
    const schema = at(entry.node, 'schema');
    return this.#content(type, { example, schema, where: entry.keyAt });
  }

  #oldBody({ node, item }: Operation): { readonly body: IntakeBody | null; readonly type: string | null } {
    const parameters = [...itemsOf(at(item, 'parameters')), ...itemsOf(at(node, 'parameters'))]
      .map((parameter) => this.#resolve(parameter))
      .filter((parameter) => parameter !== null);
    const consumes = itemsOf(at(node, 'consumes') ?? at(this.#root, 'consumes')).map(
      (one) => textOf(one) ?? '',
    );
    const body = parameters.find((parameter) => textOf(at(parameter, 'in')) === 'body');
    if (body !== undefined) {
      const type = consumes.find((one) => JSON_TYPE.test(one)) ?? consumes[0] ?? 'application/json';
      return this.#content(type, { example: null, schema: at(body, 'schema'), where: body.at });
    }
    const fields = parameters.filter((parameter) => textOf(at(parameter, 'in')) === 'formData');
    if (fields.length === 0) return { body: null, type: null };
    const hasFile = fields.some((field) => textOf(at(field, 'type')) === 'file');
    const isMultipart = hasFile || consumes.some((one) => /^multipart\//i.test(one));
    const members = fields.map((field) => {
      const name = textOf(at(field, 'name')) ?? '';
      const isFile = textOf(at(field, 'type')) === 'file';
      return { name, sample: isFile ? FILE_SAMPLE : this.#sampler.sample(field, name), isFile, at: field.at };
    });
    this.#sampled.push('the form');
    if (!isMultipart) return { body: { kind: 'form', fields: members.flatMap(formFields) }, type: null };
    return { body: { kind: 'multipart', parts: members.map((member) => this.#part(member)) }, type: null };
  }

  #content(
    type: string,
    {
      example,
      schema,
      where,
    }: {
      readonly example: SourceNode | null;
      readonly schema: SourceNode | null;
      readonly where: SourcePosition;
    },
  ): { readonly body: IntakeBody | null; readonly type: string | null } {
    const resolved = schema === null ? null : this.#resolve(schema);
    const sample = example === null ? this.#sampler.sample(resolved, 'body') : sampleOf(example);
    if (example === null && !this.#hasGivenValue(resolved ?? this.#root)) this.#sampled.push('the body');
    if (JSON_TYPE.test(type)) return { body: { kind: 'text', text: jsonTextOf(sample) }, type };
    const members =
      sample.kind === 'map'
        ? sample.members.map(([name, value]) => {
            const property = at(resolved, 'properties', name);
            const isFile = property !== null && isFileSchema(this.#resolve(property));
            return { name, sample: value, isFile, at: property?.at ?? where };
          })
        : [];
    if (/^application\/x-www-form-urlencoded/i.test(type))
      return { body: { kind: 'form', fields: members.flatMap(formFields) }, type: null };
    if (/^multipart\/form-data/i.test(type))
      return { body: { kind: 'multipart', parts: members.map((member) => this.#part(member)) }, type: null };
    if (sample.kind === 'scalar' || sample.kind === 'text')
      return { body: { kind: 'text', text: plainTextOf(sample) }, type };
    this.#operationNotes.lose(
      where,
      `the body of the type ${JSON.stringify(type)} is omitted, because the API description contains no text example of the body`,
    );
    this.#sampled = this.#sampled.filter((one) => one !== 'the body');
    return { body: null, type: null };
  }

  #part({ name, sample, isFile, at: where }: Member): IntakePart {
    if (isFile)
      this.#operationNotes.lose(
        where,
        `the content of the file ${JSON.stringify(name)} is a sample; replace the content with "{ file: PATH }"`,
      );
    return textPart({ name, value: plainTextOf(sample) });
  }

  // --- authentication

  #security(node: SourceNode): {
    readonly headers: readonly IntakeField[];
    readonly query: readonly IntakeField[];
    readonly cookies: readonly IntakeField[];
    readonly credentials: IntakeRequest['credentials'];
  } {
    const found = {
      headers: new Array<IntakeField>(),
      query: new Array<IntakeField>(),
      cookies: new Array<IntakeField>(),
    };
    let credentials: IntakeRequest['credentials'] = null;
    const alternatives = itemsOf(at(node, 'security') ?? at(this.#root, 'security'));
    const [requirement] = alternatives;
    for (const [name, { keyAt }] of entriesOf(requirement ?? null)) {
      const given =
        at(this.#root, 'components', 'securitySchemes', name) ?? at(this.#root, 'securityDefinitions', name);
      const scheme = given === null ? null : this.#resolve(given);
      const type = textOf(at(scheme, 'type'));
      const kind = type === 'http' ? (textOf(at(scheme, 'scheme')) ?? '').toLowerCase() : type;
      const field = textOf(at(scheme, 'name')) ?? '';
      const secret: IntakeText = [{ secret: secretName(kind === 'apiKey' ? field : name) }];
      if (kind === 'basic')
        credentials = {
          login: [{ secret: secretName(`${name} login`) }],
          password: [{ secret: secretName(`${name} password`) }],
        };
      else if (kind === 'bearer' || kind === 'oauth2' || kind === 'openIdConnect')
        found.headers.push({ name: 'authorization', value: ['Bearer ', ...secret] });
      else if (kind === 'apiKey') {
        const place = textOf(at(scheme, 'in'));
        const list = place === 'query' ? found.query : place === 'cookie' ? found.cookies : found.headers;
        list.push({ name: field, value: secret });
      } else
        this.#operationNotes.lose(
          keyAt,
          `the security scheme ${JSON.stringify(name)} is not converted; the request is sent without its credentials`,
        );
    }
    return { ...found, credentials };
  }

  // --- servers

  #server({ node, item }: Operation): IntakeText {
    const { environment } = this.#source;
    const list = at(node, 'servers') ?? at(item, 'servers') ?? at(this.#root, 'servers');
    const servers = itemsOf(list);
    const named =
      environment === null
        ? servers[0]
        : servers.find((server) => textOf(at(server, 'description')) === environment);
    if (environment !== null && named === undefined)
      throw new InvalidSource(
        this.#source,
        list?.at ?? this.#root.at,
        `the API description has no server with the description ${JSON.stringify(environment)}; correct or omit --env`,
      );
    const server = named ?? null;
    if (servers.length > 1 && environment === null)
      this.#notes.change(
        list?.at ?? this.#root.at,
        `the first of ${servers.length} servers is used; to use another one, pass "--env DESCRIPTION"`,
      );
    const base = (server === null ? this.#oldServer() : expandedServer(server)).replace(/\/+$/, '');
    if (/^https?:\/\/[^/{}]/i.test(base) && readUrl(base) !== null) return [base];
    this.#notes.change(
      server?.at ?? this.#root.at,
      `the server URL is missing, incomplete or invalid; replace the placeholder ${EXAMPLE_ORIGIN} with the URL of the target`,
    );
    const path = base.replace(/^https?:\/\/[^/]*/i, '');
    return [EXAMPLE_ORIGIN, path.startsWith('/') && !path.includes('{') ? path : ''];
  }

  /** Returns the base URL of an API description in the format Swagger 2.0. */
  #oldServer(): string {
    const host = textOf(at(this.#root, 'host'));
    const path = textOf(at(this.#root, 'basePath')) ?? '';
    const schemes = itemsOf(at(this.#root, 'schemes')).map(textOf);
    const scheme = schemes.includes('http') && !schemes.includes('https') ? 'http' : 'https';
    return host === null ? path : `${scheme}://${host}${path}`;
  }
}

interface Member {
  readonly name: string;
  readonly sample: Sample;
  readonly isFile: boolean;
  readonly at: SourcePosition;
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b|^\*\/\*$/i;

/** Media types of bodies, in order of preference. */
const MEDIA_TYPES: readonly RegExp[] = [
  /^application\/json\b/i,
  JSON_TYPE,
  /^application\/x-www-form-urlencoded/i,
  /^multipart\/form-data/i,
  /^text\/plain/i,
];

const FILE_SAMPLE: Sample = { kind: 'scalar', value: 'text' };

function isFileSchema(schema: SourceNode | null): boolean {
  return textOf(at(schema, 'format')) === 'binary' || at(schema, 'contentMediaType') !== null;
}

function exampleOf(node: SourceNode | null, named: SourceNode | null = null): SourceNode | null {
  return at(node, 'example') ?? at(node, 'x-example') ?? named;
}

function formFields({ name, sample }: Pick<Member, 'name' | 'sample'>): readonly IntakeField[] {
  return itemTexts(sample).map((value) => ({ name, value }));
}

function itemTexts(sample: Sample): readonly IntakeText[] {
  return sample.kind === 'list' ? sample.items.map(plainTextOf) : [plainTextOf(sample)];
}

function fieldsIn(parameters: readonly Parameter[], place: string): readonly IntakeField[] {
  return parameters
    .filter((parameter) => parameter.place === place)
    .map(({ name, value }) => ({ name, value: joinTexts(itemTexts(value), ',') }));
}

/**
 * Reports whether OpenAPI ignores a header parameter with this name, because other parts of the API description define
 * the header.
 */
function isIgnoredHeader({ name }: IntakeField): boolean {
  return ['accept', 'content-type', 'authorization'].includes(name.toLowerCase());
}

/**
 * Returns an expectation of the listed 2xx codes or, if there are none, the listed 3xx codes; null if none is listed.
 */
function expectationOf(responses: SourceNode | null): Expectation | null {
  const codes = entriesOf(responses)
    .map(([code]) => parseExpectedStatus(code))
    .filter((code) => code !== null);
  const starting = (digit: string) => codes.filter((code) => String(code).startsWith(digit));
  const successes = starting('2');
  const status = successes.length > 0 ? successes : starting('3');
  return status.length === 0 ? null : { status, headers: null, body: null, json: null };
}

function expandedServer(server: SourceNode): string {
  const url = (textOf(at(server, 'url')) ?? '').replaceAll(
    /\{([^{}]*)\}/g,
    (all, name: string) => textOf(at(server, 'variables', name, 'default')) ?? all,
  );
  return url.startsWith('//') ? `https:${url}` : url;
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}

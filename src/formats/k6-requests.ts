/** Conversion of the requests and think times of k6 scripts. */
import {
  EMPTY_REQUEST,
  textPart,
  type IntakeBody,
  type IntakeField,
  type IntakePart,
  type IntakeRequest,
} from '../core/intake/intake.ts';
import { literalOf, literalStart, type IntakeText } from '../core/intake/intake-text.ts';
import { milliseconds, parseDuration, type Milliseconds } from '../core/units.ts';
import { CommonTimeout } from './common-timeout.ts';
import { EXAMPLE_ORIGIN, UNKNOWN_HOST } from './example-origin.ts';
import type { FlowRequest } from './flow-requests.ts';
import type { K6Script } from './k6-script.ts';
import type { K6Texts } from './k6-texts.ts';
import {
  memberOf,
  membersOfValue,
  NOTHING,
  numberOfValue,
  stringOf,
  type AnyNode,
  type Value,
} from './k6-values.ts';
import { withRedirects } from './response-expectation.ts';
import { rowsUsedBy } from './row-files.ts';

/** Default of k6 for the maximum number of concurrent requests of a batch to one host. */
const MAX_BATCH_PER_HOST = 6;

const SENDING = ['get', 'post', 'put', 'patch', 'del', 'head', 'options', 'request', 'batch', 'asyncRequest'];

const KNOWN_PARAMS = ['headers', 'tags', 'timeout', 'redirects', 'cookies', 'responseType'];

export class K6Requests {
  readonly #script: K6Script;
  readonly #texts: K6Texts;
  readonly #unfollowed = new Set<FlowRequest>();
  readonly #timeout = new CommonTimeout();

  constructor(script: K6Script, texts: K6Texts) {
    this.#script = script;
    this.#texts = texts;
  }

  /** Timeout of the first request that defines one; null if there is none. */
  get timeout(): Milliseconds | null {
    return this.#timeout.value;
  }

  call(method: string, given: readonly Value[], node: AnyNode): Value {
    const [first, second, third, fourth] = given;
    if (method === 'file') {
      const content =
        first?.kind === 'file' ? { file: first.path } : { text: this.#texts.text(first ?? NOTHING, node) };
      const type = stringOf(third) ?? 'application/octet-stream';
      return { kind: 'upload', content, fileName: stringOf(second), type };
    }
    if (method === 'url') return first ?? NOTHING;
    if (method === 'batch') return this.#batch(first, node);
    if (method === 'cookieJar' || method === 'CookieJar') return { kind: 'builtin', name: 'jar' };
    if (!SENDING.includes(method)) return this.#script.unknown(node, method);
    if (method === 'request' || method === 'asyncRequest')
      return this.#request(
        { method: stringOf(first) ?? 'GET', url: second, body: third, params: fourth },
        node,
      );
    if (method === 'get' || method === 'head')
      return this.#request({ method, url: first, body: undefined, params: second }, node);
    return this.#request(
      { method: method === 'del' ? 'DELETE' : method, url: first, body: second, params: third },
      node,
    );
  }

  #batch(list: Value | undefined, node: AnyNode): Value {
    const entries: readonly (readonly [string, Value])[] =
      list?.kind === 'list'
        ? list.items.map((item, index) => [String(index), item] as const)
        : membersOfValue(list);
    if (entries.length === 0)
      this.#script.lose(node, 'the batch is omitted, because its requests are unknown');
    if (entries.length > MAX_BATCH_PER_HOST)
      this.#script.change(
        node,
        `all ${entries.length} requests of the batch are sent at the same time; k6 sends at most ${MAX_BATCH_PER_HOST} to one host by default`,
      );
    const send = ([key, item]: readonly [string, Value]): readonly [string, Value] => {
      const [method, url, body, params] =
        item.kind === 'list'
          ? item.items
          : item.kind === 'map'
            ? ['method', 'url', 'body', 'params'].map((name) => item.members.get(name))
            : [undefined, item];
      return [key, this.#request({ method: stringOf(method) ?? 'GET', url, body, params }, node)];
    };
    const responses: (readonly [string, Value])[] = [];
    this.#script.requests.parallel(this.#script.at(node), () => {
      for (const entry of entries) responses.push(send(entry));
    });
    return list?.kind === 'map'
      ? { kind: 'map', members: new Map(responses) }
      : { kind: 'list', items: responses.map(([, response]) => response) };
  }

  #request(
    {
      method,
      url,
      body,
      params,
    }: {
      readonly method: string;
      readonly url: Value | undefined;
      readonly body: Value | undefined;
      readonly params: Value | undefined;
    },
    node: AnyNode,
  ): Value {
    if (!this.#script.isIteration) return this.#script.unknown(node, 'response');
    for (const [name] of this.#membersOf(params, 'parameters', node)) {
      if (!KNOWN_PARAMS.includes(name))
        this.#script.lose(node, `the parameter "${name}" of the request is not converted`);
    }
    const headers = this.#membersOf(memberOf(params, 'headers'), 'headers', node).map(
      ([name, value]): IntakeField => ({
        name,
        value: this.#texts.text(value, node),
      }),
    );
    const cookies = this.#membersOf(memberOf(params, 'cookies'), 'cookies', node).map(
      ([name, value], index): IntakeText => [
        `${index === 0 ? '' : '; '}${name}=`,
        ...this.#texts.text(value.kind === 'map' ? (value.members.get('value') ?? NOTHING) : value, node),
      ],
    );
    const timeout = memberOf(params, 'timeout');
    this.#timeout.add(
      timeout?.kind === 'number' ? milliseconds(timeout.value) : parseDuration(stringOf(timeout) ?? ''),
      (message) => this.#script.lose(node, message),
    );
    const redirects = memberOf(params, 'redirects');
    const request: IntakeRequest = {
      ...EMPTY_REQUEST,
      at: this.#script.at(node),
      name: stringOf(memberOf(params, 'tags', 'name')),
      method: method.toUpperCase(),
      url: this.#url(url, node),
      headers: cookies.length === 0 ? headers : [...headers, { name: 'cookie', value: cookies.flat() }],
      body: this.#body(body, node),
    };
    const added = this.#script.requests.add({ ...request, rows: rowsUsedBy(request, this.#texts.rows) });
    if (redirects?.kind === 'number' && redirects.value === 0) this.#unfollowed.add(added);
    return { kind: 'response', request: added };
  }

  /** Returns the members of a map, such as the headers of a request. Adds a note if the map is unknown. */
  #membersOf(value: Value | undefined, what: string, node: AnyNode): readonly (readonly [string, Value])[] {
    if (value !== undefined && value.kind !== 'map' && value.kind !== 'nothing')
      this.#script.lose(node, `the ${what} of the request are unknown and are omitted`);
    return membersOfValue(value);
  }

  #url(value: Value | undefined, node: AnyNode): IntakeText {
    const text = this.#texts.text(value ?? NOTHING, node);
    if (value?.kind === 'part' && text.length === 1) return text;
    if (/^https?:\/\/[^/]/i.test(literalStart(text))) {
      return /^https?:\/\/[^/?]+$/i.test(literalOf(text) ?? '') ? [...text, '/'] : text;
    }
    this.#script.change(node, UNKNOWN_HOST);
    const rest = typeof text[0] === 'object' ? text.slice(1) : text;
    const start = literalStart(rest);
    return [EXAMPLE_ORIGIN, ...(start.startsWith('/') ? [] : ['/']), ...rest];
  }

  #body(value: Value | undefined, node: AnyNode): IntakeBody | null {
    if (value === undefined || value.kind === 'nothing') return null;
    if (value.kind === 'map') {
      const members = [...value.members];
      if (members.some(([, member]) => member.kind === 'upload')) {
        const parts = members.map(([name, member]): IntakePart =>
          member.kind === 'upload'
            ? { name, content: member.content, fileName: member.fileName, contentType: member.type }
            : textPart({ name, value: this.#texts.text(member, node) }),
        );
        return { kind: 'multipart', parts };
      }
      return {
        kind: 'form',
        fields: members.map(([name, member]) => ({ name, value: this.#texts.text(member, node) })),
      };
    }
    if (value.kind === 'file') {
      const file = this.#script.source.readFile(value.path);
      if ('text' in file) return { kind: 'text', text: [file.text] };
      this.#script.lose(
        node,
        `the body of the request is omitted: the file ${JSON.stringify(value.path)} ${file.reason}`,
      );
      return null;
    }
    const text = this.#texts.text(value, node);
    return { kind: 'text', text, isVerbatim: !(value.kind === 'text' && value.isJson === true) };
  }

  settleRedirects(request: FlowRequest): void {
    const { expect, at } = request.request;
    const isFollowed = !this.#unfollowed.has(request);
    request.update({
      expect: withRedirects(expect, isFollowed, (message) => request.lose(at, message)),
    });
  }

  sleep(value: Value | undefined, node: AnyNode): void {
    const [min, max] =
      value?.kind === 'random' ? [value.min, value.max] : [numberOfValue(value), numberOfValue(value)];
    const where = this.#script.at(node);
    if (min === null || max === null) {
      const variable = value?.kind === 'text' ? value.text[0] : undefined;
      const given =
        typeof variable === 'object' && 'variable' in variable
          ? this.#script.values.find(({ name }) => name === variable.variable)?.value[0]
          : undefined;
      const [, low, high] =
        /^(?:\*|decimal):([\d.]+)-([\d.]+)$/.exec(
          typeof given === 'object' && 'expression' in given ? given.expression : '',
        ) ?? [];
      if (low !== undefined && high !== undefined)
        this.#script.requests.pause(
          milliseconds(Number(low) * 1000),
          milliseconds(Number(high) * 1000),
          where,
        );
      else
        this.#script.lose(
          node,
          'the think time is omitted, because it is not constant; add a "delay" by hand',
        );
    } else if (max > 0)
      this.#script.requests.pause(
        milliseconds(Math.round(min * 1000)),
        milliseconds(Math.round(max * 1000)),
        where,
      );
  }
}

import {
  EMPTY_REQUEST,
  type Intake,
  type IntakeCapture,
  type IntakeField,
  type SourcePosition,
  ONLY_REQUESTS,
} from '../core/intake/intake.ts';
import { literalStart, type IntakeText, type IntakeTextPart } from '../core/intake/intake-text.ts';
import { InvalidSource, type IntakeSource } from '../core/intake/source-text.ts';
import { readCsv } from '../core/load/csv.ts';
import { milliseconds, seconds } from '../core/units.ts';
import { FlowRequests, type FlowRequest } from './flow-requests.ts';
import { pointerOfPath } from './json-path.ts';
import { variableName } from './names.ts';
import { expectedTexts, ResponseExpectation } from './response-expectation.ts';
import { SourceNotes } from './source-notes.ts';
import { at, comparable, entriesOf, itemsOf, numberOf, textOf, type SourceNode } from './source-tree.ts';
import { BRACES, resolveReferences } from './text-references.ts';
import { parseYamlSource } from './yaml-tree.ts';

export function readDrill(source: IntakeSource): Intake {
  const root = parseYamlSource(source);
  const plan = itemsOf(at(root, 'plan'));
  const reader = new DrillReader(source, textOf(at(root, 'base')) ?? '');
  for (const step of plan) reader.readStep(step);
  const { notes } = reader;
  const flow = reader.requests.finish(true);
  const [first] = flow.requests;
  if (first === undefined)
    throw new InvalidSource(source, root.at, 'a drill benchmark requires "plan" with a request');
  const iterations = numberOf(at(root, 'iterations')) ?? 1;
  const concurrency = Math.max(1, numberOf(at(root, 'concurrency')) ?? Math.min(iterations, MAX_CONCURRENCY));
  const rampUp = numberOf(at(root, 'rampup')) ?? 0;
  return {
    ...ONLY_REQUESTS,
    flows: [{ at: first.at, name: 'drill', weight: 1, values: [], ...flow }],
    load: {
      kind: 'iterations',
      clients: Math.min(concurrency, Math.max(1, iterations)),
      count: Math.max(1, iterations),
      isPerClient: false,
      maxDuration: null,
      ...(rampUp > 0 ? { rampUp: seconds(rampUp) } : {}),
    },
    notes: notes.all,
  };
}

const MAX_ITEMS = 1000;

/** Maximum number of concurrent iterations if the benchmark does not define the number. */
const MAX_CONCURRENCY = 100;

const ITEM_KEYS = ['with_items', 'with_items_range', 'with_items_from_csv', 'with_items_from_file'];

const KNOWN_KEYS = ['name', 'tags', 'request', 'delay', 'assign', 'assert', ...ITEM_KEYS];

class DrillReader {
  readonly requests = new FlowRequests();
  readonly notes = new SourceNotes();
  readonly #source: IntakeSource;
  readonly #base: string;
  readonly #assigned = new Map<string, string>();
  /** Requests, by the name of the variable that contains the response. */
  readonly #responses = new Map<string, FlowRequest>();

  constructor(source: IntakeSource, base: string) {
    this.#source = source;
    this.#base = base.replace(/\/+$/, '');
  }

  readStep(step: SourceNode): void {
    const request = at(step, 'request');
    const delay = numberOf(at(step, 'delay', 'seconds')) ?? numberOf(at(step, 'delay', 'milliseconds'));
    const unit = at(step, 'delay', 'seconds') === null ? 1 : 1000;
    const pause = milliseconds((delay ?? 0) * unit);
    const assigned = textOf(at(step, 'assign', 'key'));
    const asserted = at(step, 'assert');
    if (request !== null) this.#readRequest(step, request);
    else if (delay !== null) this.requests.pause(pause, pause, step.at);
    else if (assigned !== null) this.#assigned.set(assigned, textOf(at(step, 'assign', 'value')) ?? '');
    else if (asserted !== null) this.#assert(asserted);
    else {
      const name = textOf(at(step, 'name'));
      const shown = name === null ? 'the step' : `the step ${JSON.stringify(name)}`;
      this.notes.lose(step.at, `${shown} is not converted`);
    }
    for (const [key, { keyAt }] of entriesOf(step))
      if (!KNOWN_KEYS.includes(key) && (request !== null || delay !== null))
        this.notes.lose(keyAt, `${JSON.stringify(key)} is not converted`);
  }

  /** Adds an assertion to the request whose response the assertion checks. */
  #assert(assertion: SourceNode): void {
    const key = at(assertion, 'key');
    const expected = at(assertion, 'value');
    const { request, property } = this.#propertyOf(textOf(key) ?? '');
    const notes = new SourceNotes();
    const [text] =
      expectedTexts([
        this.#text(textOf(expected) ?? '', { item: null, where: assertion.at, notes, setting: request }),
      ]) ?? [];
    if (request === undefined || property === null || text === undefined || expected?.kind !== 'scalar') {
      this.notes.lose(assertion.at, 'the assertion is not converted');
      return;
    }
    const builder = new ResponseExpectation(request.request.expect);
    const isAdded =
      property.source === 'status'
        ? builder.status([text])
        : property.source === 'json'
          ? builder.json(
              property.property,
              typeof expected.value === 'string' ? text : comparable(expected.value),
            )
          : builder.header(property.property, text);
    if (isAdded) request.update({ expect: builder.build() });
    else this.notes.lose(assertion.at, 'the assertion is not converted');
  }

  /** Returns the part of a response that a name such as `login.body.token` denotes. */
  #propertyOf(name: string): {
    readonly request: FlowRequest | undefined;
    readonly property: Pick<IntakeCapture, 'source' | 'property'> | null;
  } {
    const [, variable = '', part = '', path = ''] = /^([\w-]+)\.(status|body|headers)(.*)$/.exec(name) ?? [];
    const request = this.#responses.get(variable);
    const [, header] = /^(?:\.|\[')([\w-]+)(?:'\])?$/.exec(path) ?? [];
    if (part === 'status' && path === '') return { request, property: { source: 'status', property: '' } };
    if (part === 'headers' && header !== undefined)
      return { request, property: { source: 'header', property: header } };
    const pointer = part === 'body' && path !== '' ? pointerOfPath(path) : null;
    return {
      request,
      property: pointer === null || pointer.hasItems ? null : { source: 'json', property: pointer.pointer },
    };
  }

  #readRequest(step: SourceNode, request: SourceNode): void {
    const items = this.#items(step);
    const name = textOf(at(step, 'assign'));
    this.requests.repeat(items?.length ?? 1, { at: step.at }, (index) => {
      const added = this.#addRequest(step, request, items?.[index] ?? null);
      if (name !== null) this.#responses.set(name, added);
    });
  }

  #items(step: SourceNode): readonly SourceNode[] | null {
    const listed = at(step, 'with_items');
    const range = at(step, 'with_items_range');
    const rows = at(step, 'with_items_from_csv') ?? at(step, 'with_items_from_file');
    if (listed !== null && listed.kind !== 'list') {
      this.notes.lose(listed.at, '"with_items" is not a list; the request is sent only once');
      return null;
    }
    if (listed !== null) return listed.items;
    if (rows !== null) return this.#rows(rows, at(step, 'with_items_from_csv') !== null);
    if (range === null) return null;
    const number = (key: string) => (at(range, key) === null ? 1 : (numberOf(at(range, key)) ?? Number.NaN));
    const [from, by] = [number('start'), number('step')];
    const count = Math.floor((number('stop') - from) / by) + 1;
    if (by > 0 && count > 0 && count <= MAX_ITEMS)
      return Array.from({ length: count }, (_, index) => ({
        kind: 'scalar' as const,
        at: range.at,
        value: from + index * by,
      }));
    this.notes.lose(
      range.at,
      `the request is sent only once, because "with_items_range" must have constant bounds, a positive "step" and 1 to ${MAX_ITEMS} items`,
    );
    return null;
  }

  /** Reads the rows of a CSV file with a header, or the lines of a file. */
  #rows(node: SourceNode, isCsv: boolean): readonly SourceNode[] | null {
    const path = textOf(node) ?? textOf(at(node, 'file_name')) ?? '';
    const file = this.#source.readFile(path.replace(/^\.\//, ''));
    if ('reason' in file) {
      this.notes.lose(node.at, `the file ${JSON.stringify(path)} ${file.reason}`);
      return null;
    }
    const text = file.text.replace(/^\uFEFF/, '');
    const scalar = (value: string): SourceNode => ({ kind: 'scalar', at: node.at, value });
    const lines = text.split(/\r?\n/).filter((line) => line !== '');
    const read = isCsv ? readCsv(text) : null;
    if (read !== null && !read.ok) {
      const { line, column, message } = read.fault;
      this.notes.lose(
        node.at,
        `the file ${JSON.stringify(path)} is not valid CSV: ${message} (${line}:${column})`,
      );
      return null;
    }
    const [header, ...records] = read?.records ?? [];
    const rows =
      read === null
        ? lines.map(scalar)
        : records.map(({ values }): SourceNode => ({
            kind: 'map',
            at: node.at,
            entries: new Map(
              (header?.values ?? []).map((key, index) => [
                key,
                { keyAt: node.at, node: scalar(values[index] ?? '') },
              ]),
            ),
          }));
    if (rows.length > MAX_ITEMS)
      this.notes.lose(node.at, `the request is sent only for the first ${MAX_ITEMS} of ${rows.length} rows`);
    return rows.slice(0, MAX_ITEMS);
  }

  #addRequest(step: SourceNode, request: SourceNode, item: SourceNode | null): FlowRequest {
    const where = at(request, 'url')?.at ?? request.at;
    const notes = new SourceNotes();
    const text = (node: SourceNode | null) => this.#text(textOf(node) ?? '', { item, where, notes });
    const url = text(at(request, 'url'));
    const headers = entriesOf(at(request, 'headers')).map(([name, { node }]): IntakeField => ({
      name,
      value: text(node),
    }));
    const body = at(request, 'body');
    for (const [node, message] of [
      [at(request, 'url'), '"url" is not text; the request is sent to the base URL'],
      [body, '"body" is not text; the request is sent without a body'],
    ] as const)
      if (node !== null && node.kind !== 'scalar') notes.lose(node.at, message);
    return this.requests.add({
      ...EMPTY_REQUEST,
      at: where,
      name: textOf(at(step, 'name')),
      method: (textOf(at(request, 'method')) ?? 'GET').toUpperCase(),
      url: /^https?:\/\//i.test(literalStart(url)) ? url : [this.#base, ...url],
      headers,
      body: body === null ? null : { kind: 'text', text: text(body) },
      notes: notes.all,
    });
  }

  #text(
    text: string,
    {
      item,
      where,
      notes,
      setting,
    }: {
      readonly item: SourceNode | null;
      readonly where: SourcePosition;
      readonly notes: SourceNotes;
      /**
       * Request whose expectation contains the text. The text cannot contain values from the response to this request.
       */
      readonly setting?: FlowRequest | undefined;
    },
  ): IntakeText {
    return resolveReferences(text, BRACES, (name) => {
      const value =
        name === 'item'
          ? textOf(item)
          : name.startsWith('item.')
            ? textOf(at(item, name.slice(5)))
            : (this.#assigned.get(name) ?? this.#captured(name, setting));
      if (value !== null) return [value];
      notes.lose(
        where,
        `the expression ${JSON.stringify(name)} is not converted; nothing is inserted in its place`,
      );
      return [];
    });
  }

  /** Returns a variable for a value from an earlier response, and captures the value; null for other names. */
  #captured(name: string, setting: FlowRequest | undefined): IntakeTextPart | null {
    const { request, property } = this.#propertyOf(name);
    if (request === undefined || property === null || request === setting) return null;
    const words = name.replace(/\.(?:body|headers)/, '').split(/\W+/);
    const variable = variableName(words.filter((word) => word !== '').join('_'));
    const { captures } = request.request;
    if (captures.every((capture) => capture.name !== variable))
      request.update({ captures: [...captures, { name: variable, ...property }] });
    return { variable };
  }
}

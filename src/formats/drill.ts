/** Reads benchmarks of drill. */
import {
  EMPTY_REQUEST,
  type Intake,
  type IntakeField,
  type IntakeNote,
  type SourcePosition,
} from '../core/intake/intake.ts';
import { literalStart, type IntakeText, type IntakeTextPart } from '../core/intake/intake-text.ts';
import { InvalidSource, type IntakeSource } from '../core/intake/source-text.ts';
import { MAX_ITERATION_TIME } from '../core/intake/default-load.ts';
import { milliseconds, seconds } from '../core/units.ts';
import { FlowRequests } from './flow-requests.ts';
import { at, entriesOf, itemsOf, numberOf, textOf, type SourceNode } from './source-tree.ts';
import { parseYamlSource } from './yaml-tree.ts';

export function readDrill(source: IntakeSource): Intake {
  const root = parseYamlSource(source);
  const plan = itemsOf(at(root, 'plan'));
  const reader = new DrillReader(textOf(at(root, 'base')) ?? '');
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
    flows: [{ at: first.at, name: 'drill', weight: 1, values: [], ...flow }],
    load: {
      kind: 'iterations',
      clients: Math.min(concurrency, Math.max(1, iterations)),
      count: Math.max(1, iterations),
      isPerClient: false,
      maxDuration: MAX_ITERATION_TIME,
      ...(rampUp > 0 ? { rampUp: seconds(rampUp) } : {}),
    },
    thresholds: [],
    timeout: null,
    tlsVerify: true,
    notes,
  };
}

/** Maximum number of items of a range. */
const MAX_ITEMS = 1000;

/** Number of concurrent iterations if the benchmark does not define it. */
const MAX_CONCURRENCY = 100;

class DrillReader {
  readonly requests = new FlowRequests();
  readonly notes: IntakeNote[] = [];
  readonly #base: string;
  readonly #assigned = new Map<string, string>();

  constructor(base: string) {
    this.#base = base.replace(/\/+$/, '');
  }

  #lose(where: SourcePosition, message: string): void {
    this.notes.push({ kind: 'loss', at: where, message });
  }

  readStep(step: SourceNode): void {
    const request = at(step, 'request');
    const delay = numberOf(at(step, 'delay', 'seconds'));
    const pause = milliseconds((delay ?? 0) * 1000);
    const assigned = textOf(at(step, 'assign', 'key'));
    if (request !== null) this.#readRequest(step, request);
    else if (delay !== null) this.requests.pause(pause, pause, step.at);
    else if (assigned !== null) this.#assigned.set(assigned, textOf(at(step, 'assign', 'value')) ?? '');
    else this.#lose(step.at, `the step ${JSON.stringify(textOf(at(step, 'name')) ?? '')} is not converted`);
  }

  #readRequest(step: SourceNode, request: SourceNode): void {
    for (const key of ['with_items_from_csv', 'assign']) {
      const node = at(step, key);
      if (node !== null) this.#lose(node.at, `"${key}" is not converted`);
    }
    const items = this.#items(step);
    this.requests.repeat(items?.length ?? 1, { at: step.at }, (index) => {
      this.#addRequest(step, request, items?.[index] ?? null);
    });
  }

  /** Returns the items for which a request is repeated; null if there are none. */
  #items(step: SourceNode): readonly SourceNode[] | null {
    const listed = at(step, 'with_items');
    const range = at(step, 'with_items_range');
    if (listed !== null) return itemsOf(listed);
    if (range === null) return null;
    const number = (key: string) => numberOf(at(range, key)) ?? 1;
    const [from, by] = [number('start'), number('step')];
    const count = Math.floor((number('stop') - from) / by) + 1;
    if (by > 0 && count > 0 && count <= MAX_ITEMS)
      return Array.from({ length: count }, (_, index) => ({
        kind: 'scalar' as const,
        at: range.at,
        value: from + index * by,
      }));
    this.#lose(range.at, '"with_items_range" is not converted');
    return null;
  }

  #addRequest(step: SourceNode, request: SourceNode, item: SourceNode | null): void {
    const where = at(request, 'url')?.at ?? request.at;
    const notes: IntakeNote[] = [];
    const text = (node: SourceNode | null) => this.#text(textOf(node) ?? '', { item, where, notes });
    const url = text(at(request, 'url'));
    const headers = entriesOf(at(request, 'headers')).map(([name, { node }]): IntakeField => ({
      name,
      value: text(node),
    }));
    const body = at(request, 'body');
    if (at(request, 'url')?.kind === 'list')
      notes.push({ kind: 'loss', at: where, message: 'a list of URLs is not converted' });
    this.requests.add({
      ...EMPTY_REQUEST,
      at: where,
      name: textOf(at(step, 'name')),
      method: (textOf(at(request, 'method')) ?? 'GET').toUpperCase(),
      url: /^https?:\/\//i.test(literalStart(url)) ? url : [this.#base, ...url],
      headers,
      body: body === null ? null : { kind: 'text', text: text(body) },
      notes,
    });
  }

  #text(
    text: string,
    {
      item,
      where,
      notes,
    }: { readonly item: SourceNode | null; readonly where: SourcePosition; readonly notes: IntakeNote[] },
  ): IntakeText {
    const parts: IntakeTextPart[] = [];
    let from = 0;
    for (const match of text.matchAll(/\{\{\s*([^{}]*?)\s*\}\}/g)) {
      const name = match[1] ?? '';
      const value =
        name === 'item'
          ? textOf(item)
          : name.startsWith('item.')
            ? textOf(at(item, name.slice(5)))
            : (this.#assigned.get(name) ?? null);
      parts.push(text.slice(from, match.index));
      from = match.index + match[0].length;
      if (value !== null) parts.push(value);
      else
        notes.push({
          kind: 'loss',
          at: where,
          message: `the expression ${JSON.stringify(name)} is not converted`,
        });
    }
    parts.push(text.slice(from));
    return parts.filter((part) => part !== '');
  }
}

import {
  EMPTY_REQUEST,
  type Intake,
  type IntakeBody,
  type IntakeCapture,
  type IntakeField,
  type IntakeFlow,
  type IntakeLoad,
  type IntakeNote,
  type IntakeRequest,
  type IntakeRows,
  type IntakeStage,
  type IntakeThreshold,
  type SourcePosition,
} from '../core/intake/intake.ts';
import { isSecretName, secretName } from '../core/intake/intake-secrets.ts';
import {
  joinTexts,
  jsonStringOf,
  literalOf,
  isOneOf,
  literalStart,
  splitText,
  type IntakeText,
  type IntakeTextPart,
} from '../core/intake/intake-text.ts';
import { InvalidSource, type IntakeSource } from '../core/intake/source-text.ts';
import type { VariableCondition } from '../core/model/condition.ts';
import type { Expectation } from '../core/model/expectation.ts';
import type { Metric } from '../core/model/threshold.ts';
import { readUrl } from '../core/model/url.ts';
import { readCsv } from '../core/load/csv.ts';
import { parseDuration, seconds, type Milliseconds } from '../core/units.ts';
import { EXAMPLE_ORIGIN } from './example-origin.ts';
import { randomInteger, randomText } from './generated-values.ts';
import { FlowRequests } from './flow-requests.ts';
import { pointerOfPath } from './json-path.ts';
import { jsonOfNode } from './json-text.ts';
import { metricNamed, valueNamed, variableName } from './names.ts';
import { ResponseExpectation, withRedirects } from './response-expectation.ts';
import { rowsOf, rowsUsedBy } from './row-files.ts';
import { SourceNotes } from './source-notes.ts';
import {
  at,
  entriesOf,
  flagOf,
  itemsOf,
  itemsOrValue,
  jsonOfScalar,
  mergedWith,
  numberOf,
  textOf,
  type MapNode,
  type ScalarNode,
  type SourceNode,
} from './source-tree.ts';
import { BRACES, resolveReferences } from './text-references.ts';
import { encodedParameter } from './url-query.ts';
import { parseYamlSource } from './yaml-tree.ts';

export function readArtillery(source: IntakeSource): Intake {
  const root = parseYamlSource(source);
  const scenarios = itemsOf(at(root, 'scenarios'));
  if (root.kind !== 'map' || scenarios.length === 0)
    throw new InvalidSource(
      source,
      root.at,
      'an Artillery script requires a list "scenarios" with at least one scenario',
    );
  return new ArtilleryReader(source, root).read(scenarios);
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];

const KNOWN_ROOT = ['config', 'scenarios', 'before', 'after', 'name'];
const KNOWN_HTTP = ['headers', 'timeout', 'pool', 'defaults', 'extendedMetrics'];

/** Keys of `config` that are supported or do not change the load. */
const KNOWN_CONFIG = [
  'target',
  'phases',
  'environments',
  'payload',
  'variables',
  'defaults',
  'http',
  'tls',
  'ensure',
  'plugins',
  'name',
  'description',
];
const KNOWN_PLUGINS = ['expect', 'ensure', 'metrics-by-endpoint', 'apdex'];

/** A value of a variable. `json` is the JSON text of a number or boolean, and null for any other value. */
interface VariableValue {
  readonly text: IntakeText;
  readonly json: string | null;
}

type LoopValues = ReadonlyMap<string, VariableValue>;

interface JsonForm {
  /** True to use the JSON types of Artillery. Must be false if the JSON contains inserted text. */
  readonly isExact: boolean;
  /** Notes about values whose JSON types differ from those in Artillery unless `isExact` is true. */
  readonly losses: IntakeNote[];
  hasInsertedText: boolean;
}

class ArtilleryReader {
  readonly #source: IntakeSource;
  readonly #root: MapNode;
  readonly #environment: SourceNode | null;
  /** Settings of the script, merged with those of the environment. */
  readonly #settings: SourceNode | null;
  readonly #notes = new SourceNotes();
  readonly #variables = new Map<string, readonly VariableValue[]>();
  /**
   * Columns of payload files that contain numbers. `all`: every cell is a number that Artillery sends unchanged;
   * otherwise `some`.
   */
  readonly #numberColumns = new Map<string, 'some' | 'all'>();
  /** Payload files, by the names of their columns. */
  readonly #columns = new Map<string, IntakeRows>();
  /**
   * Expressions that are assigned to variables at the start of each iteration of the current flow, by variable name.
   */
  #picked = new Map<string, IntakeTextPart>();
  /** False for `before` and `after`, whose requests cannot share values. */
  #hasValues = true;
  readonly #captured = new Set<string>();
  readonly #lists = new Set<string>();
  #stepNotes = new SourceNotes();

  constructor(source: IntakeSource, root: MapNode) {
    this.#source = source;
    this.#root = root;
    const config = at(root, 'config');
    const environments = at(config, 'environments');
    const name = source.environment;
    this.#environment = name === null ? null : at(environments, name);
    this.#settings = config && this.#environment ? mergedWith(config, this.#environment) : config;
    if (name !== null && this.#environment === null)
      throw new InvalidSource(
        source,
        environments?.at ?? root.at,
        `the script does not define the environment ${JSON.stringify(name)}; correct or omit --env`,
      );
    const names = entriesOf(environments).map(([key]) => key);
    if (name === null && names.length > 0 && environments !== null)
      this.#notes.change(
        environments.at,
        `the conversion uses no environment of the script (${names.join(', ')}); to use one, pass "--env NAME"`,
      );
  }

  read(scenarios: readonly SourceNode[]): Intake {
    this.#checkKeys();
    this.#readVariables();
    this.#readPayload();
    for (const scenario of scenarios) this.#findLists(scenario);
    const flows = scenarios.flatMap((scenario, index) => this.#flow(scenario, index));
    if (flows.length === 0)
      throw new InvalidSource(
        this.#source,
        this.#root.at,
        'the script has no scenario with the HTTP engine, a request and a weight above 0',
      );
    const timeout =
      numberOf(at(this.#config('http'), 'timeout')) ?? numberOf(at(this.#config('defaults'), 'timeout'));
    return {
      flows,
      setup: this.#phase('before'),
      teardown: this.#phase('after'),
      load: this.#load(),
      thresholds: this.#thresholds(),
      connections: numberOf(at(this.#config('http'), 'pool')),
      timeout: timeout === null || timeout <= 0 ? null : seconds(timeout),
      tlsVerify: flagOf(at(this.#config('tls'), 'rejectUnauthorized')) !== false,
      constants: [...this.#variables].flatMap(([name, values]) =>
        values.map(({ text }) => ({ name, value: literalOf(text) ?? '' })),
      ),
      notes: this.#notes.all,
    };
  }

  #config(key: string): SourceNode | null {
    return at(this.#settings, key);
  }

  #checkKeys(): void {
    this.#notes.loseUnknown(this.#root, KNOWN_ROOT);
    this.#notes.loseUnknown(at(this.#root, 'config'), KNOWN_CONFIG, 'config.');
    this.#notes.loseUnknown(
      this.#environment,
      KNOWN_CONFIG,
      `config.environments.${this.#source.environment}.`,
    );
    this.#notes.loseUnknown(this.#config('defaults'), KNOWN_HTTP, 'config.defaults.');
    this.#notes.loseUnknown(this.#config('http'), KNOWN_HTTP, 'config.http.');
    this.#notes.loseUnknown(at(this.#config('http'), 'defaults'), ['headers'], 'config.http.defaults.');
    this.#notes.loseUnknown(this.#config('tls'), ['rejectUnauthorized'], 'config.tls.');
    for (const phase of ['before', 'after'])
      this.#notes.loseUnknown(at(this.#root, phase), ['flow', 'name'], `${phase}.`);
    for (const [key, { keyAt }] of entriesOf(this.#config('plugins'))) {
      if (!KNOWN_PLUGINS.includes(key))
        this.#notes.lose(keyAt, `the plugin ${JSON.stringify(key)} is not converted`);
    }
  }

  #readVariables(): void {
    for (const [name, { node }] of entriesOf(this.#config('variables'))) {
      const items = itemsOrValue(node);
      const values = items.flatMap((item) => this.#valueOf(item) ?? []);
      if (values.length < items.length)
        this.#notes.lose(
          node.at,
          `values of the variable ${JSON.stringify(name)} that are lists, objects or null are omitted`,
        );
      this.#variables.set(name, values);
    }
  }

  #valueOf(node: SourceNode): VariableValue | null {
    const text = textOf(node);
    if (node.kind !== 'scalar' || text === null) return null;
    return {
      text: this.#text(text, node.at, new Map()),
      json: typeof node.value === 'string' ? null : text,
    };
  }

  #readPayload(): void {
    for (const one of itemsOrValue(this.#config('payload'))) {
      const path = textOf(at(one, 'path'))?.replace(/^\.\//, '') ?? null;
      const fields = itemsOf(at(one, 'fields'))
        .map(textOf)
        .filter((name) => name !== null);
      if (path === null || at(one, 'loadAll') !== null) {
        this.#notes.lose(one.at, 'the payload is not converted, because it has no "path" or sets "loadAll"');
        continue;
      }
      const file = this.#source.readFile(path);
      if ('reason' in file)
        this.#notes.lose(one.at, `the payload file ${JSON.stringify(path)} ${file.reason}`);
      const rows = rowsOf(file, path, {
        columns: fields,
        delimiter: textOf(at(one, 'delimiter')),
        skipsHeader: flagOf(at(one, 'skipHeader')) === true,
      });
      if (rows === null)
        this.#notes.lose(
          one.at,
          `the first line of the payload file ${JSON.stringify(path)} does not contain the column names of the script; replace the line with: ${fields.join(textOf(at(one, 'delimiter')) ?? ',')}`,
        );
      const order = textOf(at(one, 'order')) === 'sequence' ? ({ order: 'sequential' } as const) : {};
      for (const name of fields) this.#columns.set(name, { ...(rows ?? { file: path }), ...order });
      if ('text' in file && flagOf(at(one, 'cast')) !== false) this.#findNumbers(file.text, fields, rows);
    }
  }

  /** Finds the columns with cells that Artillery converts to numbers. */
  #findNumbers(text: string, fields: readonly string[], rows: IntakeRows | null): void {
    const read = readCsv(text.replace(/^\ufeff/, ''), rows?.delimiter);
    if (!read.ok) return;
    const records = read.records.slice(rows?.columns === undefined ? 1 : 0);
    fields.forEach((name, column) => {
      const cells = records.map(({ values }) => values[column] ?? '');
      if (cells.length > 0 && cells.every((cell) => JSON_NUMBER.test(cell) && String(Number(cell)) === cell))
        this.#numberColumns.set(name, 'all');
      else if (cells.some((cell) => cell !== '' && Number.isFinite(Number(cell))))
        this.#numberColumns.set(name, 'some');
    });
  }

  // --- load

  #load(): IntakeLoad | null {
    const phases = itemsOf(this.#config('phases'));
    const [only] = phases;
    const count = numberOf(at(only ?? null, 'arrivalCount'));
    if (only !== undefined && phases.length === 1 && count !== null && count > 0)
      return { kind: 'clients', total: count, duration: this.#duration(at(only, 'duration')) ?? seconds(1) };
    const stages: IntakeStage[] = [];
    let initial: number | null = null;
    let level = 0;
    for (const phase of phases) {
      const read = this.#loadPhase(phase);
      if (read === null) continue;
      if (initial === null) initial = read.from;
      else if (read.from !== level) stages.push({ duration: seconds(0), to: read.from });
      stages.push({ duration: read.duration, to: read.to });
      level = read.to;
    }
    // Pauses at the end have no effect.
    while (stages.length > 0 && stages.at(-1)?.to === 0 && (stages.at(-2)?.to ?? 0) === 0) stages.pop();
    if (initial === null || stages.every(({ to }) => to === 0)) {
      if (phases.length > 0)
        this.#notes.lose(
          phases[0]?.at ?? this.#root.at,
          'no phase has a load that can be converted; replace the example load of the test',
        );
      return null;
    }
    return { kind: 'rate', initial, stages };
  }

  #loadPhase(
    phase: SourceNode,
  ): { readonly from: number; readonly to: number; readonly duration: Milliseconds } | null {
    const pause = this.#duration(at(phase, 'pause'));
    if (pause !== null) return { from: 0, to: 0, duration: pause };
    const duration = this.#duration(at(phase, 'duration'));
    if (at(phase, 'maxVusers') !== null)
      this.#notes.lose(
        phase.at,
        '"maxVusers" is not converted; the test does not limit the number of concurrent iterations',
      );
    if (duration === null || duration <= 0) {
      this.#notes.lose(phase.at, 'the phase is omitted, because its "duration" is not a positive constant');
      return null;
    }
    const count = numberOf(at(phase, 'arrivalCount'));
    if (count !== null) return { from: (count * 1000) / duration, to: (count * 1000) / duration, duration };
    const from = numberOf(at(phase, 'arrivalRate'));
    const to = numberOf(at(phase, 'rampTo'));
    if (from === null && to === null) {
      this.#notes.lose(
        phase.at,
        'the phase is omitted, because it has no constant "arrivalRate", "rampTo" or "arrivalCount"',
      );
      return null;
    }
    return { from: Math.max(0, from ?? 0), to: Math.max(0, to ?? from ?? 0), duration };
  }

  /** Reads a number of seconds, or a string such as `5 min`. */
  #duration(node: SourceNode | null): Milliseconds | null {
    const number = numberOf(node);
    if (number !== null) return seconds(number);
    const [, count = '', unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]+)\s*$/i.exec(textOf(node) ?? '') ?? [];
    const short = UNITS.find(([words]) => words.test(unit))?.[1];
    return short === undefined ? null : parseDuration(`${count}${short}`);
  }

  #thresholds(): readonly IntakeThreshold[] {
    const ensure = this.#config('ensure') ?? at(this.#config('plugins'), 'ensure');
    const found: IntakeThreshold[] = [];
    const add = (name: string, operator: string, value: number | null, where: SourcePosition) => {
      const metric = metricOf(name);
      if (metric === null || value === null)
        this.#notes.lose(
          where,
          `the "ensure" condition on ${JSON.stringify(name)} is not converted to a threshold`,
        );
      else found.push({ at: where, metric, limit: `${operator} ${value}${unitOf(metric)}` });
    };
    if (ensure?.kind === 'list')
      this.#notes.lose(ensure.at, '"ensure" is a list instead of a map; its conditions are not converted');
    for (const [key, { node, keyAt }] of entriesOf(ensure)) {
      if (key === 'thresholds') {
        for (const item of itemsOf(node))
          for (const [name, entry] of entriesOf(item)) add(name, '<', numberOf(entry.node), entry.keyAt);
      } else if (key === 'conditions') {
        for (const item of itemsOf(node)) {
          const text = textOf(item.kind === 'map' ? at(item, 'expression') : item) ?? '';
          const [, name = text, operator = '', value = ''] =
            /^\s*([\w.]+)\s*(<=?|>=?)\s*(\d+(?:\.\d+)?)\s*$/.exec(text) ?? [];
          add(name, operator, operator === '' ? null : Number(value), item.at);
        }
      } else add(key, key === 'maxErrorRate' ? '<=' : '<', numberOf(node), keyAt);
    }
    return found;
  }

  // --- flows

  #flow(scenario: SourceNode, index: number): readonly IntakeFlow[] {
    const name = textOf(at(scenario, 'name')) ?? `scenario ${index + 1}`;
    const engine = textOf(at(scenario, 'engine'));
    const weight = numberOf(at(scenario, 'weight')) ?? 1;
    if (engine !== null && engine !== 'http') {
      this.#notes.lose(
        scenario.at,
        `the scenario ${JSON.stringify(name)} is omitted, because its engine ${JSON.stringify(engine)} is not supported`,
      );
      return [];
    }
    this.#notes.loseUnknown(scenario, KNOWN_SCENARIO, 'scenarios.');
    for (const key of HOOKS) {
      const node = at(scenario, key);
      if (node !== null) this.#notes.lose(node.at, functionsNotExecuted(key));
    }
    const flow = this.#steppedFlow(scenario, { name, weight });
    if (flow !== null && weight > 0) return [flow];
    this.#notes.lose(
      scenario.at,
      `the scenario ${JSON.stringify(name)} is omitted, because it has no HTTP request or its weight is not above 0`,
    );
    return [];
  }

  /** Returns the requests that are sent once, before or after the load; null if there are none. */
  #phase(key: 'before' | 'after'): IntakeFlow | null {
    const node = at(this.#root, key);
    this.#hasValues = false;
    const flow = node && this.#steppedFlow(node, { name: key, weight: 1 });
    if (node !== null && flow === null && itemsOf(at(node, 'flow')).some((step) => at(step, 'log') === null))
      this.#notes.lose(node.at, `"${key}" contains no HTTP request; its steps are not converted`);
    if (flow !== null && flow.values.length > 0)
      this.#notes.lose(
        flow.at,
        `variables with random values are not available in "${key}"; replace each of them with a constant`,
      );
    return flow;
  }

  #steppedFlow(node: SourceNode, named: Pick<IntakeFlow, 'name' | 'weight'>): IntakeFlow | null {
    const requests = new FlowRequests();
    this.#picked = new Map();
    this.#steps(itemsOf(at(node, 'flow')), requests, new Map());
    if (requests.count === 0) return null;
    const values = Array.from(this.#picked, ([variable, value]) => ({ name: variable, value: [value] }));
    return { at: node.at, ...named, values, ...requests.finish(false) };
  }

  #findLists(node: SourceNode): void {
    const over = textOf(at(node, 'over'));
    if (over !== null) this.#lists.add(over);
    const inner = node.kind === 'list' ? node.items : entriesOf(node).map(([, entry]) => entry.node);
    for (const one of inner) this.#findLists(one);
  }

  #steps(steps: readonly SourceNode[], into: FlowRequests, loop: LoopValues): void {
    for (const step of steps) {
      this.#stepNotes = new SourceNotes();
      const entries = entriesOf(step);
      const method = entries.find(([key]) => METHODS.includes(key));
      if (method !== undefined) {
        const [name, { node, keyAt }] = method;
        const request = this.#request(name, node, { at: keyAt, loop });
        const when = this.#condition(at(node, 'ifTrue'));
        const add = () => into.add({ ...request, notes: this.#stepNotes.all });
        if (when === null) add();
        else into.group(() => ({ at: keyAt, when: [when] }), add);
      } else if (at(step, 'think') !== null) this.#think(at(step, 'think'), into, loop);
      else if (at(step, 'loop') !== null) this.#loop(step, into, loop);
      else if (at(step, 'parallel') !== null)
        into.parallel(step.at, () => this.#steps(itemsOf(at(step, 'parallel')), into, loop));
      else if (at(step, 'log') === null) {
        const [kind = textOf(step)] = entries.map(([key]) => key);
        const shown = kind === null ? 'the empty step' : `the step ${JSON.stringify(kind)}`;
        into.lose(step.at, `${shown} is not converted`);
      }
    }
  }

  #think(node: SourceNode | null, into: FlowRequests, loop: LoopValues): void {
    if (node === null) return;
    const count = loop.get('$loopCount');
    const text = (textOf(node) ?? '').replaceAll(/\{\{\s*\$loopCount\s*\}\}/g, count?.json ?? '');
    const [, low, high] = /^\s*(\d+(?:\.\d+)?)\s*-\s*(\d+(?:\.\d+)?)\s*$/.exec(text) ?? [];
    const [, first, second] = /^\{\{\s*\$randomNumber\(\s*(\d+)\s*,\s*(\d+)\s*\)\s*\}\}$/.exec(text) ?? [];
    const [min, max] = [low ?? first, high ?? second];
    const fixed = this.#duration(node);
    if (fixed !== null) into.pause(fixed, fixed, node.at);
    else if (min !== undefined && max !== undefined)
      into.pause(seconds(Number(min)), seconds(Number(max)), node.at);
    else into.lose(node.at, 'the think time is omitted, because it is not constant; add a "delay" by hand');
  }

  #loop(step: SourceNode, into: FlowRequests, loop: LoopValues): void {
    const steps = itemsOf(at(step, 'loop'));
    const over = at(step, 'over');
    const given = textOf(at(step, 'loopElement'));
    const counter = textOf(at(step, 'loopValue')) ?? '$loopCount';
    const variable = given ?? '$loopElement';
    const item = variableName(given ?? 'item');
    const list = textOf(over);
    if (at(step, 'whileTrue') !== null)
      into.lose(step.at, '"whileTrue" is not converted and does not end the loop');
    if (list !== null && !this.#variables.has(list)) {
      const message = `the loop uses at most ${MAX_ITEMS} items of the list ${JSON.stringify(list)}; to use more, increase "at_most"`;
      into.change(step.at, message);
      into.group(
        () => ({ at: step.at, forEach: { name: item, list, atMost: MAX_ITEMS } }),
        () => {
          const element = { text: [{ variable: item }], json: null };
          this.#steps(steps, into, new Map([...loop, [variable, element]]));
        },
      );
      return;
    }
    const listed =
      over?.kind === 'list'
        ? over.items.map((one) => this.#valueOf(one))
        : (this.#variables.get(list ?? '') ?? null);
    if (over?.kind !== 'list' && listed !== null)
      into.change(
        step.at,
        `the loop uses all values of the variable ${JSON.stringify(list)}; in Artillery, an iteration uses only one of them`,
      );
    const count = over === null ? this.#count(at(step, 'count')) : (listed?.length ?? null);
    if (count === null || count < 1 || listed?.some((one) => one === null) === true) {
      into.lose(
        step.at,
        'the loop is executed only once, because its number of iterations or its items cannot be converted; to repeat the requests, add "repeat"',
      );
      this.#steps(steps, into, loop);
      return;
    }
    into.repeat(count, { at: step.at, variable: listed === null ? 'count' : item }, (index) => {
      const element = listed?.[index] ?? null;
      const repetition = { text: [String(index)], json: String(index) };
      const values = new Map(loop).set(counter, repetition);
      this.#steps(steps, into, element === null ? values : values.set(variable, element));
    });
  }

  /** Reads a number of repetitions, which may be a variable with one value; null if it is not a known integer. */
  #count(node: SourceNode | null): number | null {
    const [, name = ''] = /^\s*\{\{\s*(\w+)\s*\}\}\s*$/.exec(textOf(node) ?? '') ?? [];
    const [value, ...others] = this.#variables.get(name) ?? [];
    const count =
      numberOf(node) ?? (value === undefined || others.length > 0 ? null : Number(literalOf(value.text)));
    return Number.isInteger(count) ? count : null;
  }

  /** Converts a condition on one variable; null if the condition is missing or cannot be expressed. */
  #condition(node: SourceNode | null): VariableCondition | null {
    if (node === null) return null;
    const [, name, operator, number, text] =
      /^\s*([A-Za-z_]\w*)\s*(?:(==|!=|[<>]=?)\s*(?:(-?\d+(?:\.\d+)?)|"([^"{}]*)")\s*)?$/.exec(
        textOf(node) ?? '',
      ) ?? [];
    const isKnown = name !== undefined && (this.#captured.has(name) || this.#columns.has(name));
    if (!isKnown || (text !== undefined && /[<>]/.test(operator ?? ''))) {
      this.#stepNotes.loseOnce(
        node.at,
        'the condition "ifTrue" is not converted; the request is always sent',
      );
      return null;
    }
    if (operator === undefined) {
      this.#notes.change(
        node.at,
        `the condition ${JSON.stringify(name)} is met by every non-empty value, including 0 and false`,
      );
      return { name, value: { exists: true, not: '' } };
    }
    const value = text ?? Number(number);
    if (operator === '==') return { name, value };
    return { name, value: operator === '!=' ? { not: value } : { number: `${operator} ${value}` } };
  }

  // --- requests

  #request(
    method: string,
    given: SourceNode,
    { at: where, loop }: { at: SourcePosition; loop: LoopValues },
  ): IntakeRequest {
    const node = given;
    for (const [key, entry] of entriesOf(node)) {
      if (!KNOWN_REQUEST.includes(key))
        this.#stepNotes.loseOnce(entry.keyAt, valueNamed(key, REQUEST_LOSSES) ?? `"${key}" is not converted`);
    }
    const text = (value: SourceNode | null) => this.#text(textOf(value) ?? '', value?.at ?? where, loop);
    const headers = this.#headers(node, loop);
    const auth = at(node, 'auth');
    const credentials =
      auth === null
        ? null
        : {
            login: text(at(auth, 'user') ?? at(auth, 'username')),
            password: text(at(auth, 'pass') ?? at(auth, 'password')),
          };
    const { body, type } = this.#body(node, loop);
    const hasType = headers.some(({ name }) => name.toLowerCase() === 'content-type');
    const url = this.#url(node, where, loop);
    const request: IntakeRequest = {
      ...EMPTY_REQUEST,
      at: where,
      name: textOf(at(node, 'name')),
      method: method.toUpperCase(),
      url,
      headers: type === null || hasType ? headers : [...headers, { name: 'content-type', value: [type] }],
      credentials,
      body,
      captures: this.#captures(at(node, 'capture')),
      expect: this.#redirects(node, this.#expectation(at(node, 'expect'))),
    };
    return { ...request, rows: rowsUsedBy(request, this.#columns) };
  }

  #url(node: SourceNode, where: SourcePosition, loop: LoopValues): IntakeText {
    const given = at(node, 'url') ?? at(node, 'uri') ?? (node.kind === 'scalar' ? node : null);
    const path = this.#text(textOf(given) ?? '/', given?.at ?? where, loop);
    const query = entriesOf(at(node, 'qs')).map(([name, { node: value }]): IntakeText => {
      const text = this.#text(textOf(value) ?? '', value.at, loop);
      return encodedParameter({ name, value: text }).map((part) =>
        typeof part === 'string' ? part.replaceAll('%20', '+') : part,
      );
    });
    if (query.length === 0 && isOneOf(path, this.#captured)) return path;
    const absolute = /^https?:\/\//i.test(literalStart(path))
      ? path
      : [...this.#target(), ...withSlash(path)];
    if (query.length === 0) return absolute;
    // The `qs` parameters replace the query in the URL.
    const [start] = splitText(absolute, '?');
    return [...(start ?? absolute), '?', ...joinTexts(query, '&')];
  }

  #target(): IntakeText {
    const node = this.#config('target');
    const text = this.#text(textOf(node) ?? '', node?.at ?? this.#root.at, new Map());
    const literal = literalOf(text) ?? '';
    if (/^https?:\/\/[^/]/i.test(literal) && readUrl(literal) !== null) return [literal.replace(/\/+$/, '')];
    this.#notes.change(
      node?.at ?? this.#root.at,
      `the script contains no constant target URL; replace the placeholder ${EXAMPLE_ORIGIN} with the URL of the target`,
    );
    return [EXAMPLE_ORIGIN];
  }

  #headers(node: SourceNode, loop: LoopValues): readonly IntakeField[] {
    const maps = [
      at(this.#config('defaults'), 'headers'),
      at(this.#config('http'), 'defaults', 'headers'),
      at(node, 'headers'),
    ];
    const known = new Map<string, IntakeField>();
    for (const map of maps) {
      for (const [name, { node: value }] of entriesOf(map))
        known.set(name.toLowerCase(), { name, value: this.#text(textOf(value) ?? '', value.at, loop) });
    }
    const cookies = entriesOf(at(node, 'cookie')).map(([name, { node: value }], index): IntakeText => [
      `${index === 0 ? '' : '; '}${name}=`,
      ...this.#text(textOf(value) ?? '', value.at, loop),
    ]);
    if (cookies.length > 0) known.set('cookie', { name: 'cookie', value: cookies.flat() });
    if (flagOf(at(node, 'gzip')) === true)
      known.set('accept-encoding', { name: 'accept-encoding', value: ['gzip'] });
    return [...known.values()];
  }

  #body(
    node: SourceNode,
    loop: LoopValues,
  ): { readonly body: IntakeBody | null; readonly type: string | null } {
    const [json, form, formData, body] = [
      at(node, 'json'),
      at(node, 'form'),
      at(node, 'formData'),
      at(node, 'body'),
    ];
    const fields = (map: SourceNode) =>
      entriesOf(map).map(([name, { node: value }]) => ({
        name,
        value: this.#text(textOf(value) ?? '', value.at, loop),
      }));
    if (json !== null) return { body: this.#jsonBody(json, loop), type: 'application/json' };
    if (form !== null) return { body: { kind: 'form', fields: fields(form) }, type: null };
    if (formData !== null) {
      const parts = entriesOf(formData).map(([name, { node: value }]) => {
        const file = textOf(at(value, 'fromFile'));
        const content = file === null ? { text: this.#text(textOf(value) ?? '', value.at, loop) } : { file };
        return { name, content, fileName: null, contentType: textOf(at(value, 'contentType')) };
      });
      return { body: { kind: 'multipart', parts }, type: null };
    }
    if (body === null) return { body: null, type: null };
    if (body.kind !== 'scalar') return { body: this.#jsonBody(body, loop), type: null };
    return { body: { kind: 'text', text: this.#text(textOf(body) ?? '', body.at, loop) }, type: null };
  }

  /** Returns a JSON body. Adds notes about values whose JSON types differ from those in Artillery. */
  #jsonBody(node: SourceNode, loop: LoopValues): IntakeBody {
    const exact: JsonForm = { isExact: true, losses: [], hasInsertedText: false };
    const json = (form: JsonForm) => jsonOfNode(node, (scalar) => this.#jsonScalar(scalar, loop, form));
    const text = json(exact);
    if (exact.losses.length === 0) return { kind: 'text', text };
    if (!exact.hasInsertedText) return { kind: 'text', text, isVerbatim: true };
    const form: JsonForm = { ...exact, isExact: false, losses: [] };
    const body: IntakeBody = { kind: 'text', text: json(form) };
    this.#stepNotes.all.push(...form.losses);
    return body;
  }

  #jsonScalar(node: ScalarNode, loop: LoopValues, form: JsonForm): IntakeText {
    if (typeof node.value !== 'string') return [jsonOfScalar(node.value)];
    if (node.isPlain === true && OLD_YAML.test(node.value))
      this.#stepNotes.loseOnce(
        node.at,
        'the unquoted date or time is sent as written; Artillery converts it as defined in YAML 1.1',
      );
    const [, name = ''] = /^\{\{\s*([\w$.-]+)\s*\}\}$/.exec(node.value) ?? [];
    const known = loop.get(name) ?? this.#constantOf(name);
    if (known?.json != null) return [known.json];
    const text = this.#text(node.value, node.at, loop);
    const isNumber = this.#isNumber(name);
    if (isNumber || isRandomNumber(text)) {
      const message = isNumber
        ? `numbers and booleans in the variable ${JSON.stringify(name)} are sent as JSON strings`
        : 'the random number is sent as a JSON number, not as a string';
      form.losses.push({ kind: 'loss', at: node.at, message });
      if (this.#numberColumns.get(name) === 'some') form.hasInsertedText = true;
      return form.isExact === isNumber ? text : jsonStringOf(text);
    }
    if (text.some((part) => typeof part === 'object' && ('variable' in part || 'secret' in part)))
      form.hasInsertedText = true;
    return jsonStringOf(text);
  }

  /** Reports whether Artillery inserts values of a variable into JSON as numbers or booleans, not as strings. */
  #isNumber(name: string): boolean {
    if (this.#columns.has(name)) return this.#numberColumns.has(name);
    return !this.#captured.has(name) && this.#variables.get(name)?.some(({ json }) => json !== null) === true;
  }

  /** Declares a variable that is set at the start of each iteration, and returns a reference to it. */
  #pick(name: string, value: IntakeTextPart): IntakeTextPart {
    this.#picked.set(name, value);
    return { variable: name };
  }

  #constantOf(name: string): VariableValue | null {
    const [value, ...others] = this.#columns.has(name) ? [] : (this.#variables.get(name) ?? []);
    return others.length > 0 ? null : (value ?? null);
  }

  #captures(node: SourceNode | null): readonly IntakeCapture[] {
    return itemsOrValue(node).flatMap((capture): readonly IntakeCapture[] => {
      const name = textOf(at(capture, 'as')) ?? textOf(at(capture, 'capture', 'as'));
      if (name !== null) this.#captured.add(name);
      const [json, header, pattern] = [
        textOf(at(capture, 'json')),
        textOf(at(capture, 'header')),
        textOf(at(capture, 'regexp')),
      ];
      if (name === null) {
        this.#stepNotes.loseOnce(capture.at, 'the capture is not converted, because it has no "as"');
        return [];
      }
      if (header !== null) return [{ name, source: 'header', property: header }];
      if (pattern !== null)
        return [{ name, source: 'body', property: /\((?!\?)/.test(pattern) ? pattern : `(${pattern})` }];
      const path = json === null ? null : pointerOfPath(json);
      if (path === null) {
        this.#stepNotes.loseOnce(
          capture.at,
          `the capture of ${JSON.stringify(name)} is not converted; add it to "variables" of the request by hand`,
        );
        return [];
      }
      if (path.hasItems) return [{ name, source: 'json', property: path.pointer, pick: 'random' }];
      if (!this.#lists.has(name)) return [{ name, source: 'json', property: path.pointer }];
      return [{ name, source: 'json', property: `${path.pointer}/*`, pick: 'all' }];
    });
  }

  #expectation(node: SourceNode | null): Expectation | null {
    const expected = new ResponseExpectation();
    if (node !== null && at(this.#config('plugins'), 'expect') === null)
      this.#notes.change(node.at, 'expectations are checked, even though the plugin "expect" is not enabled');
    for (const one of itemsOrValue(node)) {
      for (const [key, { node: value, keyAt }] of entriesOf(one)) {
        if (!this.#expects(expected, key, value))
          this.#stepNotes.loseOnce(keyAt, `the expectation "${key}" is not converted`);
      }
    }
    return expected.build();
  }

  #expects(expected: ResponseExpectation, key: string, value: SourceNode): boolean {
    const text = textOf(value);
    const [name, wanted] = itemsOf(value).map(textOf);
    switch (key) {
      case 'statusCode': {
        const codes = itemsOrValue(value).map(numberOf);
        // In Artillery, all conditions must be met. A second status condition cannot be converted, because its codes
        // would be added as alternatives.
        return !expected.hasStatus && expected.status(codes.map((code) => code ?? ''));
      }
      case 'contentType':
        if (text === null) return false;
        expected.header('content-type', text === 'json' ? 'application/json*' : `${text}*`);
        return true;
      case 'hasHeader':
        if (text === null) return false;
        expected.header(text, '*');
        return true;
      case 'headerEquals':
        if (typeof name !== 'string' || typeof wanted !== 'string') return false;
        expected.header(name, wanted);
        return true;
      case 'matchesRegexp':
        if (text === null) return false;
        expected.body('matches', [text]);
        return true;
      case 'hasProperty': {
        const path = text === null ? null : pointerOfPath(text);
        return path !== null && expected.json(path.pointer, { exists: true });
      }
      default:
        return false;
    }
  }

  #redirects(node: SourceNode, expected: Expectation | null): Expectation | null {
    const flag = at(node, 'followRedirect');
    const isFollowed = flagOf(flag) !== false;
    const where = flag === null || isFollowed ? node.at : flag.at;
    return withRedirects(expected, isFollowed, (message) => this.#stepNotes.loseOnce(where, message));
  }

  // --- templates

  #text(text: string, where: SourcePosition, loop: LoopValues): IntakeText {
    return resolveReferences(text, BRACES, (content) => this.#expression(content, where, loop));
  }

  #expression(content: string, where: SourcePosition, loop: LoopValues): IntakeText {
    const known = loop.get(content) ?? this.#constantOf(content);
    if (known !== null) return known.text;
    const [, fallback] = /^[\w$.]+\s*\|\|\s*(?:'([^']*)'|"[^"]*")$/.exec(content) ?? [];
    if (fallback !== undefined) return [fallback];
    const [, number, first = '', second] =
      /^\$(randomNumber|randomString)\(\s*(\d*)\s*(?:,\s*(\d+)\s*)?\)$/.exec(content) ?? [];
    if (number === 'randomNumber' && first !== '')
      return [randomInteger(Number(first), Number(second ?? first))];
    if (number === 'randomString' || content === '$randomString')
      return [randomText(first === '' ? DEFAULT_TEXT_LENGTH : Number(first))];
    // All requests of an iteration share one UUID. In setup and teardown, requests cannot share values.
    if (content === '$uuid' && !this.#hasValues) return [{ expression: 'uuid' }];
    if (content === '$uuid') return [this.#pick('uuid', { expression: 'uuid' })];
    if (content === '$timestamp') {
      this.#stepNotes.loseOnce(
        where,
        '"$timestamp" is not defined in Artillery; the test inserts the current time in milliseconds',
      );
      return [{ expression: 'now:unix_ms' }];
    }
    if (content === '$environment' && this.#source.environment !== null) return [this.#source.environment];
    const [, variable] = /^\$(?:processEnvironment|env)\.(\w+)$/.exec(content) ?? [];
    if (variable !== undefined) return [{ secret: variable.toUpperCase() }];
    const values = this.#columns.has(content) ? [] : (this.#variables.get(content) ?? []);
    const [value] = values;
    if (value !== undefined) {
      if (isSecretName(content)) {
        this.#stepNotes.loseOnce(
          where,
          `the secret ${secretName(content)} replaces all values of the variable ${JSON.stringify(content)}`,
        );
        return [{ secret: secretName(content) }];
      }
      const literals = values.map(({ text }) => literalOf(text));
      if (literals.every((one) => one !== null && one !== '' && !/[,{}]/.test(one))) {
        return [this.#pick(content, { expression: `pick:${literals.join(',')}` })];
      }
      this.#stepNotes.loseOnce(
        where,
        `only the first value of the variable ${JSON.stringify(content)} is used`,
      );
      return value.text;
    }
    if (/^[A-Za-z_][\w-]*$/.test(content)) return [{ variable: content }];
    // The arguments of a function may be secret, so the note omits the arguments.
    const shown = content.replaceAll(/'[^']*'|"[^"]*"/g, "'…'");
    this.#stepNotes.loseOnce(
      where,
      `the expression ${JSON.stringify(shown)} is not converted; nothing is inserted in its place`,
    );
    return [];
  }
}

/** Maximum number of items of a captured list over which a loop iterates. */
const MAX_ITEMS = 100;

/** Length of `$randomString()` without an argument. */
const DEFAULT_TEXT_LENGTH = 10;

const HOOKS = ['beforeScenario', 'afterScenario', 'beforeRequest', 'afterResponse'];

const KNOWN_SCENARIO = ['name', 'flow', 'weight', 'engine', ...HOOKS];

const KNOWN_REQUEST = [
  'url',
  'uri',
  'name',
  'headers',
  'json',
  'body',
  'form',
  'formData',
  'qs',
  'cookie',
  'auth',
  'capture',
  'expect',
  'gzip',
  'followRedirect',
  'ifTrue',
];

const REQUEST_LOSSES: Readonly<Record<string, string>> = {
  beforeRequest: functionsNotExecuted('beforeRequest'),
  afterResponse: functionsNotExecuted('afterResponse'),
};

function functionsNotExecuted(key: string): string {
  return `the functions in "${key}" are not executed; make their changes to requests by hand`;
}

const UNITS: readonly (readonly [RegExp, string])[] = [
  [/^(?:ms|milliseconds?)$/i, 'ms'],
  [/^(?:s|secs?|seconds?)$/i, 's'],
  [/^(?:m|mins?|minutes?)$/i, 'm'],
  [/^(?:h|hours?|hrs?)$/i, 'h'],
  [/^(?:d|days?)$/i, 'd'],
];

/** Matches text that YAML 1.1, which Artillery uses, defines as a date or as a number in base 60. */
const OLD_YAML = /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt\s].*)?$|^[-+]?\d+(?::[0-5]?\d)+$/;

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

function isRandomNumber(text: IntakeText): boolean {
  const [only] = text;
  return (
    text.length === 1 && typeof only === 'object' && 'expression' in only && only.expression.startsWith('*')
  );
}

const METRICS: Readonly<Record<string, Metric>> = {
  median: 'p50',
  min: 'min',
  max: 'max',
  mean: 'avg_response_time',
  // In Artillery, the error rate is the share of virtual users that did not complete their scenario.
  maxErrorRate: 'iteration_error_rate',
  'http.request_rate': 'requests_per_second',
};

function metricOf(name: string): Metric | null {
  const short = name.replace(/^(?:aggregate\.)?(?:http\.)?(?:response_time|latency)\./, '');
  return metricNamed(short, METRICS);
}

function unitOf(metric: Metric): string {
  return metric === 'iteration_error_rate' ? '%' : metric === 'requests_per_second' ? '' : 'ms';
}

function withSlash(path: IntakeText): IntakeText {
  return /^[/?]/.test(literalStart(path)) ? path : ['/', ...path];
}

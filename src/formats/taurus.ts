import {
  EMPTY_REQUEST,
  type Intake,
  type IntakeBody,
  type IntakeCapture,
  type IntakeField,
  type IntakeFlow,
  type IntakeLoad,
  type IntakePart,
  type IntakeRequest,
  type IntakeRows,
  type IntakeStage,
  type IntakeThreshold,
  type SourcePosition,
  textPart,
} from '../core/intake/intake.ts';
import {
  joinTexts,
  jsonStringOf,
  literalOf,
  literalStart,
  type IntakeText,
} from '../core/intake/intake-text.ts';
import { InvalidSource, type IntakeSource } from '../core/intake/source-text.ts';
import type { Expectation } from '../core/model/expectation.ts';
import type { Metric } from '../core/model/threshold.ts';
import { milliseconds, parseDuration, seconds, type Milliseconds } from '../core/units.ts';
import { CommonTimeout } from './common-timeout.ts';
import { EXAMPLE_ORIGIN, UNKNOWN_HOST } from './example-origin.ts';
import { FlowRequests } from './flow-requests.ts';
import { conditionsOf, negated, repeatWhile } from './jmeter-conditions.ts';
import { JMeterExpressions } from './jmeter-expressions.ts';
import { pointerOfPath } from './json-path.ts';
import { jsonOfNode } from './json-text.ts';
import { metricNamed, variableName } from './names.ts';
import { expectedTexts, ResponseExpectation, withRedirects } from './response-expectation.ts';
import { headerOf, rowsOf, rowsUsedBy } from './row-files.ts';
import { SourceNotes } from './source-notes.ts';
import {
  at,
  comparable,
  entriesOf,
  flagOf,
  itemsOf,
  itemsOrValue,
  jsonOfScalar,
  numberOf,
  textOf,
  type SourceNode,
} from './source-tree.ts';
import { encodedParameter, withQuery } from './url-query.ts';
import { parseYamlSource } from './yaml-tree.ts';

export function readTaurus(source: IntakeSource): Intake {
  const root = parseYamlSource(source);
  const given = at(root, 'execution');
  const executions = given?.kind === 'map' ? [given] : itemsOf(given);
  if (executions.length === 0)
    throw new InvalidSource(
      source,
      root.at,
      'a Taurus configuration requires "execution" with at least one execution',
    );
  return new TaurusReader(source, root).read(executions);
}

interface Profile {
  readonly at: SourcePosition;
  readonly concurrency: number;
  readonly rampUp: Milliseconds;
  readonly holdFor: Milliseconds;
  readonly steps: number;
  readonly iterations: number | null;
  /** Requests per second. */
  readonly throughput: number | null;
}

interface Execution {
  readonly profile: Profile;
  readonly flow: IntakeFlow;
}

/** Maximum depth of scenarios that include each other. */
const MAX_INCLUDED = 10;

const KNOWN_REQUEST = [
  'url',
  'label',
  'method',
  'headers',
  'body',
  'body-file',
  'think-time',
  'timeout',
  'follow-redirects',
  'upload-files',
  'extract-jsonpath',
  'extract-regexp',
  'assert',
  'assert-jsonpath',
];

const KNOWN_EXECUTION = [
  'concurrency',
  'ramp-up',
  'hold-for',
  'steps',
  'iterations',
  'throughput',
  'scenario',
  'executor',
];

const KNOWN_SCENARIO = [
  'default-address',
  'headers',
  'think-time',
  'timeout',
  'variables',
  'data-sources',
  'requests',
  'store-cookie',
  'store-cache',
  'use-dns-cache-mgr',
  'keepalive',
  'retrieve-resources',
  'follow-redirects',
  'force-parent-sample',
  'script',
];

class TaurusReader {
  readonly #source: IntakeSource;
  readonly #root: SourceNode;
  readonly #notes = new SourceNotes();
  readonly #timeout = new CommonTimeout();
  #keepsAlive = true;
  #expressions = this.#newExpressions();
  #requestNotes = new SourceNotes();

  constructor(source: IntakeSource, root: SourceNode) {
    this.#source = source;
    this.#root = root;
  }

  read(nodes: readonly SourceNode[]): Intake {
    for (const [key, { keyAt }] of entriesOf(this.#root)) {
      if (key === 'services') this.#notes.lose(keyAt, '"services" are not converted');
    }
    const executions = nodes.map((node) => this.#execution(node)).filter((one) => one !== null);
    const [first] = executions;
    if (first === undefined) {
      const message =
        'no executed scenario contains a request; convert a "script" with the --from format of its tool';
      throw new InvalidSource(this.#source, this.#root.at, message);
    }
    const load = this.#load(executions, first);
    return {
      flows: executions.map(({ flow, profile }) => ({
        ...flow,
        weight: executions.length === 1 ? 1 : profile.concurrency,
      })),
      load,
      keepAlive: this.#keepsAlive,
      thresholds: this.#thresholds(),
      timeout: this.#timeout.value,
      tlsVerify: true,
      constants: this.#expressions.constants,
      notes: this.#notes.all,
    };
  }

  #newExpressions(): JMeterExpressions {
    return new JMeterExpressions({
      lose: (where, message) => this.#requestNotes.loseOnce(where, message),
      change: (where, message) => this.#notes.change(where, message),
    });
  }

  // --- load

  #execution(node: SourceNode): Execution | null {
    const given = at(node, 'scenario');
    const name = textOf(given) ?? 'scenario';
    const scenario = given?.kind === 'map' ? given : at(this.#root, 'scenarios', name);
    if (scenario === null) {
      this.#notes.lose(
        node.at,
        `the execution is omitted, because the scenario ${JSON.stringify(name)} does not exist`,
      );
      return null;
    }
    const script = at(scenario, 'script');
    if (script !== null) {
      this.#notes.lose(
        script.at,
        `the script of the scenario ${JSON.stringify(name)} is not read; convert the script separately`,
      );
    }
    this.#notes.loseUnknown(node, KNOWN_EXECUTION);
    const profile: Profile = {
      at: node.at,
      concurrency: this.#number(at(node, 'concurrency')) ?? 1,
      rampUp: this.#duration(at(node, 'ramp-up')) ?? seconds(0),
      holdFor: this.#duration(at(node, 'hold-for')) ?? seconds(0),
      steps: this.#number(at(node, 'steps')) ?? 0,
      iterations: this.#number(at(node, 'iterations')),
      throughput: this.#number(at(node, 'throughput')),
    };
    const isClosed = profile.throughput === null;
    const requests = new FlowRequests();
    this.#expressions = this.#newExpressions();
    this.#readScenario(scenario, requests, 0);
    const finished = requests.finish(isClosed);
    if (finished.requests.length === 0) return null;
    return { profile, flow: { at: scenario.at, name, weight: 1, values: [], ...finished } };
  }

  /** Reads a number in a load. The number may be the default value of a property. */
  #number(node: SourceNode | null): number | null {
    if (node === null || numberOf(node) !== null) return numberOf(node);
    const text = this.#expressions.literal(textOf(node) ?? '', node.at) ?? '';
    if (/^\d+(?:\.\d+)?$/.test(text)) return Number(text);
    // The value can be a map with separate numbers for local and remote runs. The first number is used.
    const [[, first] = []] = entriesOf(node);
    if (first !== undefined) return this.#number(first.node);
    this.#notes.lose(
      node.at,
      'the value is omitted, because it is not a constant number; correct the load of the test by hand',
    );
    return null;
  }

  #duration(node: SourceNode | null): Milliseconds | null {
    if (node === null) return null;
    const number = numberOf(node);
    if (number !== null) return seconds(number);
    const text = (this.#expressions.literal(textOf(node) ?? '', node.at) ?? '').replaceAll(/\s+/g, '');
    const found = parseDuration(text.toLowerCase());
    if (found === null)
      this.#notes.lose(
        node.at,
        'the duration is omitted, because it is not a valid constant; add it by hand',
      );
    return found;
  }

  #load(executions: readonly Execution[], { profile: first }: Execution): IntakeLoad | null {
    const profiles = executions.map(({ profile }) => profile);
    if (profiles.length > 1)
      this.#notes.change(
        first.at,
        'the executions become flows; iterations are distributed in proportion to the concurrency',
      );
    for (const other of profiles.slice(1)) {
      const isEqual =
        other.rampUp === first.rampUp &&
        other.holdFor === first.holdFor &&
        other.iterations === first.iterations &&
        (other.throughput === null) === (first.throughput === null);
      if (!isEqual)
        this.#notes.lose(
          other.at,
          'the load profile of this execution is not converted; all executions use the profile of the first one',
        );
    }
    const concurrency = profiles.reduce((sum, one) => sum + one.concurrency, 0);
    if (first.throughput !== null) return this.#rate(executions, first, concurrency);
    const { rampUp, holdFor, iterations } = first;
    if (rampUp + holdFor === 0) {
      if ((iterations ?? 1) === 1) {
        this.#notes.change(first.at, 'the clients start within one second, not all at the same time');
        return { kind: 'clients', total: concurrency, duration: seconds(1) };
      }
      return iterationLoad(concurrency, iterations ?? 1, null);
    }
    if (iterations !== null && rampUp === 0) return iterationLoad(concurrency, iterations, holdFor);
    if (iterations !== null)
      this.#notes.lose(
        first.at,
        `the iteration limit of each client (${iterations}) is not converted; only the duration limits the load`,
      );
    return {
      kind: 'connections',
      initial: rampUp > 0 ? 0 : concurrency,
      stages: stagesOf(first, concurrency),
    };
  }

  #rate(executions: readonly Execution[], first: Profile, concurrency: number): IntakeLoad | null {
    const rate = executions.reduce(
      (sum, { profile, flow }) => sum + (profile.throughput ?? 0) / flow.requests.length,
      0,
    );
    if (first.rampUp + first.holdFor === 0) {
      this.#notes.lose(
        first.at,
        'the load is not converted, because the execution has "throughput" but no duration; replace the example load of the test',
      );
      return null;
    }
    this.#notes.change(
      first.at,
      `the throughput becomes an iteration rate of ${Number(rate.toFixed(3))} per second`,
    );
    this.#notes.lose(
      first.at,
      `the concurrency limit (${concurrency}) is not converted; the test does not limit the number of concurrent iterations`,
    );
    return { kind: 'rate', initial: first.rampUp > 0 ? 0 : rate, stages: stagesOf(first, rate) };
  }

  #thresholds(): readonly IntakeThreshold[] {
    const reporters = itemsOf(at(this.#root, 'reporting'));
    const criteria = reporters.flatMap((reporter) => {
      const list = at(reporter, 'criteria');
      return list?.kind === 'map' ? entriesOf(list).map(([, { node }]) => node) : itemsOf(list);
    });
    return criteria.flatMap((criterion): readonly IntakeThreshold[] => {
      const text = textOf(criterion) ?? '';
      const [, name = '', operator = '', value = '', unit = '', timeframe, result = ''] =
        CRITERION.exec(text) ?? [];
      const metric = metricNamed(name, METRICS);
      const inverse = INVERSE[operator];
      if (result === 'non-failed') return [];
      if (metric === null || inverse === undefined || (metric === 'error_rate' && unit !== '%')) {
        this.#notes.lose(
          criterion.at,
          `the criterion ${JSON.stringify(text)} is not converted to a threshold`,
        );
        return [];
      }
      if (timeframe !== undefined)
        this.#notes.change(criterion.at, 'thresholds are evaluated for the whole run, not for a part of it');
      const isTime = metric !== 'error_rate' && metric !== 'requests_per_second';
      const shown = metric === 'error_rate' ? '%' : isTime ? (unit === '' ? 'ms' : unit) : '';
      return [{ at: criterion.at, metric, limit: `${inverse} ${value}${shown}` }];
    });
  }

  // --- scenarios

  #readScenario(scenario: SourceNode, into: FlowRequests, depth: number): void {
    this.#notes.loseUnknown(scenario, KNOWN_SCENARIO);
    if (flagOf(at(scenario, 'keepalive')) === false) this.#keepsAlive = false;
    const requests = itemsOf(at(scenario, 'requests'));
    if (requests.length > 0 && flagOf(at(scenario, 'retrieve-resources')) !== false)
      this.#notes.lose(
        scenario.at,
        'the embedded resources of pages are not requested, and responses are not cached',
      );
    if (flagOf(at(scenario, 'store-cookie')) === false)
      this.#notes.lose(
        scenario.at,
        'cookies from responses are sent with later requests of the same iteration, although "store-cookie" is false',
      );
    for (const [name, { node }] of entriesOf(at(scenario, 'variables')))
      this.#expressions.define(name, textOf(node) ?? '');
    const rows = this.#dataSources(at(scenario, 'data-sources'));
    this.#steps(requests, into, { scenario, rows, depth });
  }

  #dataSources(node: SourceNode | null): ReadonlyMap<string, IntakeRows> {
    const columns = new Map<string, IntakeRows>();
    for (const one of itemsOf(node)) {
      const path = textOf(one.kind === 'map' ? at(one, 'path') : one)?.replace(/^\.\//, '') ?? null;
      if (path === null) {
        this.#notes.lose(one.at, 'the data source is not converted, because it has no "path"');
        continue;
      }
      const file = this.#source.readFile(path);
      if ('reason' in file) this.#notes.lose(one.at, `the file ${JSON.stringify(path)} ${file.reason}`);
      const given = textOf(at(one, 'delimiter'));
      const delimiter = given === 'tab' ? '\t' : given;
      const listed = textOf(at(one, 'variable-names'));
      const rows = rowsOf(file, path, {
        columns: listed?.split(',').map((name) => name.trim()) ?? [],
        delimiter,
        skipsHeader: false,
      });
      const names = rows?.columns ?? ('text' in file ? headerOf(file.text, delimiter ?? ',') : []);
      const order = flagOf(at(one, 'random-order')) === true ? 'random' : 'sequential';
      for (const name of names) {
        columns.set(name, { ...(rows ?? { file: path }), order });
        this.#expressions.declare(name);
      }
    }
    return columns;
  }

  #steps(
    steps: readonly SourceNode[],
    into: FlowRequests,
    scope: {
      readonly scenario: SourceNode;
      readonly rows: ReadonlyMap<string, IntakeRows>;
      readonly depth: number;
    },
  ): void {
    const inner = (step: SourceNode, key = 'do') => this.#steps(itemsOf(at(step, key)), into, scope);
    for (const step of steps) {
      const loop = numberOf(at(step, 'loop'));
      const included = textOf(at(step, 'include-scenario'));
      if (step.kind === 'scalar' || at(step, 'url') !== null) this.#addRequest(step, into, scope);
      else if (at(step, 'transaction') !== null) inner(step);
      else if (loop !== null && loop > 0) into.repeat(loop, step, () => inner(step));
      else if (this.#conditional(step, into, inner)) continue;
      else if (textOf(at(step, 'action')) === 'pause') {
        const pause = this.#duration(at(step, 'pause-duration'));
        if (pause !== null) into.pause(pause, pause, step.at);
      } else if (at(step, 'set-variables') !== null) {
        for (const [name, { node }] of entriesOf(at(step, 'set-variables')))
          this.#expressions.define(name, textOf(node) ?? '');
      } else if (included !== null && scope.depth < MAX_INCLUDED) {
        const scenario = at(this.#root, 'scenarios', included);
        if (scenario !== null) this.#readScenario(scenario, into, scope.depth + 1);
        else
          into.lose(
            step.at,
            `the step is omitted, because the scenario ${JSON.stringify(included)} does not exist`,
          );
      } else if (at(step, 'if') !== null) {
        into.lose(
          step.at,
          'the condition is not converted; the steps of "then" are always executed, and any steps of "else" are omitted',
        );
        inner(step, 'then');
      } else {
        const [kind] = entriesOf(step).map(([key]) => key);
        const shown = kind === undefined ? 'the empty step' : `the step ${JSON.stringify(kind)}`;
        const steps = at(step, 'do') === null ? '' : '; its steps are executed once in each iteration';
        into.lose(step.at, `${shown} is not converted${steps}`);
        inner(step);
      }
    }
  }

  /** Reads a conditional step as groups. Returns false for other steps and for conditions that cannot be expressed. */
  #conditional(
    step: SourceNode,
    into: FlowRequests,
    inner: (step: SourceNode, key?: string) => void,
  ): boolean {
    const key = ['if', 'while'].find((name) => at(step, name) !== null);
    const conditions = key === undefined ? null : conditionsOf(textOf(at(step, key)) ?? '');
    const [only, ...others] = conditions ?? [];
    if (conditions === null || only === undefined) return false;
    const isKnown = conditions.every(({ name }) => this.#expressions.isDeclared(name));
    if (key === 'while') {
      if (others.length > 0 || this.#expressions.isConstant(only.name)) return false;
      repeatWhile(only, into, { at: step.at, isKnown }, () => inner(step));
      return true;
    }
    const hasElse = at(step, 'else') !== null;
    if (!isKnown || (hasElse && others.length > 0)) return false;
    into.group(
      () => ({ at: step.at, when: conditions }),
      () => inner(step, 'then'),
    );
    if (hasElse)
      into.group(
        () => ({ at: step.at, when: [negated(only)] }),
        () => inner(step, 'else'),
      );
    return true;
  }

  #addRequest(
    step: SourceNode,
    into: FlowRequests,
    { scenario, rows }: { readonly scenario: SourceNode; readonly rows: ReadonlyMap<string, IntakeRows> },
  ): void {
    this.#requestNotes = new SourceNotes();
    this.#requestNotes.loseUnknown(step, KNOWN_REQUEST);
    const given = step.kind === 'scalar' ? step : at(step, 'url');
    const pause = this.#duration(at(step, 'think-time') ?? at(scenario, 'think-time'));
    if (pause !== null && pause > 0) into.pause(pause, pause, step.at);
    const timeout = at(step, 'timeout') ?? at(scenario, 'timeout');
    this.#timeout.add(this.#duration(timeout), (message) =>
      this.#requestNotes.loseOnce(timeout?.at ?? step.at, message),
    );
    const headers = new Map<string, IntakeField>();
    for (const map of [at(scenario, 'headers'), at(step, 'headers')]) {
      for (const [name, { node }] of entriesOf(map))
        headers.set(name.toLowerCase(), { name, value: this.#text(textOf(node) ?? '', node.at) });
    }
    const method = (textOf(at(step, 'method')) ?? 'GET').toUpperCase();
    const type = literalOf(headers.get('content-type')?.value ?? []) ?? '';
    const body = this.#body(step, type);
    const redirects = at(step, 'follow-redirects') ?? at(scenario, 'follow-redirects');
    const expected = this.#expectation(step);
    const request: IntakeRequest = {
      ...EMPTY_REQUEST,
      at: given?.at ?? step.at,
      name: textOf(at(step, 'label')),
      method,
      url: this.#url(this.#text(textOf(given) ?? '', given?.at ?? step.at), scenario, { method, body }),
      headers: [...headers.values()],
      body: method === 'GET' || method === 'HEAD' ? (body?.kind === 'form' ? null : body) : body,
      expect: withRedirects(expected, flagOf(redirects) !== false, (message) =>
        this.#requestNotes.loseOnce(step.at, message),
      ),
    };
    const captures = this.#captures(step);
    into.add({ ...request, captures, rows: rowsUsedBy(request, rows), notes: this.#requestNotes.all });
    for (const { name } of captures) this.#expressions.declare(name);
  }

  #text(text: string, where: SourcePosition): IntakeText {
    return this.#expressions.toText(text, where);
  }

  #url(
    text: IntakeText,
    scenario: SourceNode,
    { method, body }: { readonly method: string; readonly body: IntakeBody | null },
  ): IntakeText {
    const address = at(scenario, 'default-address');
    const base = address === null ? [] : this.#text(textOf(address) ?? '', address.at);
    const isAbsolute = /^https?:\/\//i.test(literalStart(text));
    const slash = /^[/?]/.test(literalStart(text)) ? '' : '/';
    const joined = isAbsolute
      ? text
      : [...withoutSlash(base), ...(text.length === 0 ? ['/'] : [slash, ...text])];
    const fields = (method === 'GET' || method === 'HEAD') && body?.kind === 'form' ? body.fields : [];
    const query = joinTexts(fields.map(encodedParameter), '&');
    const complete = fields.length === 0 ? joined : withQuery(joined, query);
    const url = complete.filter((part) => part !== '');
    if (/^https?:\/\/[^/$]/i.test(literalStart(url))) return url;
    this.#notes.change(address?.at ?? scenario.at, UNKNOWN_HOST);
    const path = literalOf(text);
    return [EXAMPLE_ORIGIN, path?.startsWith('/') === true ? path : '/'];
  }

  #body(step: SourceNode, type: string): IntakeBody | null {
    const uploads = itemsOf(at(step, 'upload-files'));
    const body = at(step, 'body');
    const fields = (): readonly IntakeField[] =>
      entriesOf(body).map(([name, { node }]) => ({ name, value: this.#text(textOf(node) ?? '', node.at) }));
    if (uploads.length > 0) {
      const parts = uploads.map((upload): IntakePart => ({
        name: textOf(at(upload, 'param')) ?? 'file',
        content: { file: textOf(at(upload, 'path')) ?? '' },
        fileName: null,
        contentType: textOf(at(upload, 'mime-type')) ?? 'application/octet-stream',
      }));
      return { kind: 'multipart', parts: [...fields().map(textPart), ...parts] };
    }
    const path = textOf(at(step, 'body-file'));
    if (path !== null) {
      const file = this.#source.readFile(path.replace(/^\.\//, ''));
      if ('text' in file) return { kind: 'text', text: this.#text(file.text, step.at), isVerbatim: true };
      this.#requestNotes.loseOnce(
        step.at,
        `the body of the request is omitted: the file ${JSON.stringify(path)} ${file.reason}`,
      );
      return null;
    }
    if (body === null) return null;
    if (body.kind === 'scalar')
      return { kind: 'text', text: this.#text(textOf(body) ?? '', body.at), isVerbatim: true };
    if (/json/i.test(type) || body.kind === 'list')
      return { kind: 'text', text: this.#json(body), isVerbatim: true };
    return { kind: 'form', fields: fields() };
  }

  #json(node: SourceNode): IntakeText {
    return jsonOfNode(node, ({ value, at: where }) =>
      typeof value === 'string' ? jsonStringOf(this.#text(value, where)) : [jsonOfScalar(value)],
    );
  }

  #captures(step: SourceNode): readonly IntakeCapture[] {
    const json = entriesOf(at(step, 'extract-jsonpath')).flatMap(
      ([name, { node }]): readonly IntakeCapture[] => {
        const path = pointerOfPath(textOf(node) ?? textOf(at(node, 'jsonpath')) ?? '');
        if (path === null) {
          this.#requestNotes.loseOnce(
            node.at,
            `the extractor for ${JSON.stringify(name)} is not converted; add the variable to "variables" of the request by hand`,
          );
          return [];
        }
        const pick = path.hasItems ? ({ pick: 'random' } as const) : {};
        return [{ name: variableName(name), source: 'json', property: path.pointer, ...pick }];
      },
    );
    const patterns = entriesOf(at(step, 'extract-regexp')).flatMap(
      ([name, { node }]): readonly IntakeCapture[] => {
        const pattern = textOf(node) ?? textOf(at(node, 'regexp')) ?? '';
        const isUsual =
          (numberOf(at(node, 'match-no')) ?? 1) === 1 &&
          (numberOf(at(node, 'template')) ?? 1) === 1 &&
          (textOf(at(node, 'subject')) ?? 'body') === 'body';
        if (pattern === '' || !isUsual) {
          this.#requestNotes.loseOnce(
            node.at,
            `the extractor for ${JSON.stringify(name)} is not converted; add the variable to "variables" of the request by hand`,
          );
          return [];
        }
        const property = /\((?!\?)/.test(pattern) ? pattern : `(${pattern})`;
        return [{ name: variableName(name), source: 'body', property }];
      },
    );
    return [...json, ...patterns];
  }

  #expectation(step: SourceNode): Expectation | null {
    const expected = new ResponseExpectation();
    for (const one of itemsOf(at(step, 'assert'))) {
      const subject = textOf(at(one, 'subject')) ?? 'body';
      const nodes = itemsOrValue(one.kind === 'scalar' ? one : at(one, 'contains'));
      const texts = expectedTexts(nodes.map((node) => this.#text(textOf(node) ?? '', node.at)));
      const isPattern = flagOf(at(one, 'regexp')) === true;
      const isNot = flagOf(at(one, 'not')) === true;
      const headers = texts?.map((text) => HEADER_TEXT.exec(text)) ?? [null];
      if (subject === 'http-code' && !isNot && texts !== null && expected.status(texts)) continue;
      if (subject === 'headers' && !isNot && !isPattern && !headers.includes(null))
        for (const header of headers) expected.header(header?.[1] ?? '', `${header?.[2] ?? ''}*`);
      else if (subject !== 'body' || (isPattern && isNot) || texts === null)
        this.#requestNotes.loseOnce(one.at, 'the assertion is not converted');
      else expected.body(isPattern ? 'matches' : isNot ? 'notContains' : 'contains', texts);
    }
    for (const one of itemsOf(at(step, 'assert-jsonpath'))) {
      const path = pointerOfPath(textOf(one) ?? textOf(at(one, 'jsonpath')) ?? '');
      const wanted = at(one, 'expected-value');
      const value =
        wanted?.kind !== 'scalar'
          ? { exists: true }
          : flagOf(at(one, 'regexp')) === true
            ? { matches: `^(?:${textOf(wanted) ?? ''})$` }
            : comparable(wanted.value);
      const isUsual = path !== null && !path.hasItems && flagOf(at(one, 'invert')) !== true;
      if (!isUsual || !expected.json(path.pointer, value))
        this.#requestNotes.loseOnce(one.at, 'the assertion is not converted');
    }
    return expected.build();
  }
}

function iterationLoad(clients: number, count: number, maxDuration: Milliseconds | null): IntakeLoad {
  return { kind: 'iterations', clients, count, isPerClient: true, maxDuration };
}

function withoutSlash(base: IntakeText): IntakeText {
  const [last, ...others] = base.toReversed();
  return typeof last === 'string' ? [...others.toReversed(), last.replace(/\/+$/, '')] : base;
}

/** Returns the stages of the ramp, which may consist of steps, and the stage with the full load. */
function stagesOf({ rampUp, holdFor, steps }: Profile, level: number): readonly IntakeStage[] {
  const hold = holdFor > 0 ? [{ duration: holdFor, to: level }] : [];
  if (rampUp === 0) return hold;
  if (steps < 2) return [{ duration: rampUp, to: level }, ...hold];
  const count = Math.min(steps, MAX_STEPS);
  const stages = Array.from({ length: count }, (_, index): readonly IntakeStage[] => {
    const to = (level * (index + 1)) / count;
    return [
      { duration: seconds(0), to },
      { duration: milliseconds(rampUp / count), to },
    ];
  });
  return [...stages.flat(), ...hold];
}

const MAX_STEPS = 20;

/** Matches the name of a response header, and the beginning of its value. */
const HEADER_TEXT = /^([\w-]+)(?:: ?(.*))?$/;

const CRITERION =
  /^\s*([\w.-]+)\s*(<=|>=|<|>)\s*([\d.]+)\s*(ms|s|m|%)?(?:\s+(?:for|within|over)\s+(\w+))?(?:\s*,\s*(?:stop|continue)\s+as\s+(failed|non-failed))?\s*$/;

/** Inverse of each operator, because criteria describe failures and thresholds describe successes. */
const INVERSE: Readonly<Record<string, string>> = { '>': '<=', '>=': '<', '<': '>=', '<=': '>' };

const METRICS: Readonly<Record<string, Metric>> = {
  'avg-rt': 'avg_response_time',
  fail: 'error_rate',
  failures: 'error_rate',
  hits: 'requests_per_second',
  rps: 'requests_per_second',
};

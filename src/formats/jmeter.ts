import {
  EMPTY_REQUEST,
  type Intake,
  type IntakeBody,
  type IntakeCapture,
  type IntakeField,
  type IntakeFlow,
  type IntakePart,
  type IntakeRequest,
  type IntakeRows,
  type SourcePosition,
  START,
  textPart,
} from '../core/intake/intake.ts';
import {
  encodedText,
  joinTexts,
  literalOf,
  isOneOf,
  literalStart,
  type IntakeText,
} from '../core/intake/intake-text.ts';
import { InvalidSource, type IntakeSource } from '../core/intake/source-text.ts';
import type { Expectation } from '../core/model/expectation.ts';
import { milliseconds } from '../core/units.ts';
import { CommonTimeout } from './common-timeout.ts';
import { EXAMPLE_ORIGIN, UNKNOWN_HOST } from './example-origin.ts';
import { FlowRequests } from './flow-requests.ts';
import { randomInteger } from './generated-values.ts';
import { conditionsOf, MAX_REPETITIONS, repeatWhile } from './jmeter-conditions.ts';
import { JMeterExpressions } from './jmeter-expressions.ts';
import { isThreadGroup, readThreadGroup, type GroupLoad } from './jmeter-load.ts';
import { membersOf, planElements, propertyNode, propertyOf, type PlanElement } from './jmeter-plan.ts';
import { pointerOfPath } from './json-path.ts';
import { variableName } from './names.ts';
import { escapePattern, expectedTexts, ResponseExpectation, withRedirects } from './response-expectation.ts';
import { headerOf, rowsOf, rowsUsedBy } from './row-files.ts';
import { SourceNotes } from './source-notes.ts';
import { withQuery } from './url-query.ts';
import { parseXmlSource, type XmlElement } from './xml-tree.ts';

export function readJMeter(source: IntakeSource): Intake {
  const root = parseXmlSource(source);
  const tree = root.children.find(({ name }) => name === 'hashTree');
  if (root.name !== 'jmeterTestPlan' || tree === undefined)
    throw new InvalidSource(
      source,
      root.at,
      'a JMeter test plan requires a root element <jmeterTestPlan> that contains <hashTree>',
    );
  return new JMeterReader(source).read(planElements(tree));
}

/** The elements that apply to a sampler, those of the outermost scope first. */
type Scope = readonly PlanElement[];

const PHASES = ['SetupThreadGroup', 'PostThreadGroup'];
const SAMPLERS = ['HTTPSamplerProxy', 'HTTPSampler', 'HTTPSampler2'];
const EXTRACTORS = ['JSONPostProcessor', 'RegexExtractor', 'BoundaryExtractor'];
const ASSERTIONS = ['ResponseAssertion', 'JSONPathAssertion'];
const TIMERS = ['ConstantTimer', 'UniformRandomTimer', 'GaussianRandomTimer', 'PoissonRandomTimer'];

/** Elements that apply to all samplers in the scope of their parent. */
const SCOPED = [
  ...EXTRACTORS,
  ...ASSERTIONS,
  ...TIMERS,
  'ConfigTestElement',
  'HeaderManager',
  'AuthManager',
  'CookieManager',
];

const PLAIN_CONTROLLERS = [
  'GenericController',
  'TransactionController',
  'RecordingController',
  'CriticalSectionController',
];

const SCRIPTS = /^(?:BeanShell|JSR223)PostProcessor$/;

/** Matches a statement of a script that stores the value of a variable as a property. */
const STORED_PROPERTY =
  /props\.put\(\s*["'](\w+)["']\s*,\s*vars\.get\(\s*["'](\w+)["']\s*\)\s*\)\s*;?|\$\{__setProperty\(\s*(\w+)\s*,\s*\$\{(\w+)\}\s*,?\s*\)\}\s*;?/g;

const WITHOUT_EFFECT =
  /Visualizer|ResultCollector|Summariser|Listener|Summary|Graph|Debug|^TestPlan$|WorkBench|DNSCacheManager|StatAggregate|ViewResults|ReportGui|PerfMon|ResultSaver|^Arguments$|NonTestElement|TestFragment/;

class JMeterReader {
  readonly #source: IntakeSource;
  readonly #notes = new SourceNotes();
  readonly #expressions: JMeterExpressions;
  readonly #columns = new Map<string, IntakeRows>();
  /** Requests of Once Only Controllers at the start of the flow; null if such requests remain in the flow. */
  #onStart: FlowRequests | null = null;
  readonly #captured = new Set<string>();
  /** Variables that are set at the start of each iteration. */
  readonly #values: (IntakeField & { readonly at: SourcePosition })[] = [];
  /** The thread group that contains each element, by the position of the element. */
  readonly #groups = new Map<SourcePosition, PlanElement>();
  readonly #timeout = new CommonTimeout();
  /** True if at least one request keeps its connection open. */
  #keepsAlive = false;
  /** Notes about the current request; null outside of a request. */
  #requestNotes: SourceNotes | null = null;

  constructor(source: IntakeSource) {
    this.#source = source;
    this.#expressions = new JMeterExpressions({
      lose: (at, message) => this.#lose(at, message),
      change: (at, message) => this.#notes.change(at, message),
    });
  }

  read(roots: readonly PlanElement[]): Intake {
    const plan = roots.find(({ type }) => type === 'TestPlan') ?? roots[0];
    const all = flattened(roots);
    for (const element of all) this.#define(element);
    this.#reportGlobals(all);
    const scope = scopeWith([], plan?.children ?? []);
    for (const { type, at } of plan?.children ?? []) {
      if (!isKnown(type) && !PHASES.includes(type)) this.#lose(at, `the element ${type} is not converted`);
    }
    const groups = all.filter(({ type }) => isThreadGroup(type));
    for (const group of groups) for (const { at } of flattened([group])) this.#groups.set(at, group);
    const phase = (type: string) =>
      this.#phase(
        all.filter((element) => element.type === type),
        scope,
      );
    const setup = phase('SetupThreadGroup');
    const loads: GroupLoad[] = [];
    const flows = groups.flatMap((group): readonly IntakeFlow[] => {
      const load = readThreadGroup(group, this.#expressions);
      // Requests before the first iteration apply to all flows, so they are used only if there is a single flow.
      const keepsOnce = groups.length === 1 && load.isClosed && hasOtherSamplers(group);
      this.#onStart = keepsOnce ? new FlowRequests() : null;
      const flow = this.#flow(group, { load, scope, repetitions: 1 });
      if (flow !== null) loads.push(load);
      return flow === null ? [] : [flow];
    });
    const [first] = loads;
    if (first === undefined)
      throw new InvalidSource(
        this.#source,
        plan?.at ?? START,
        'no enabled thread group of the test plan contains an enabled HTTP request',
      );
    if (loads.length > 1)
      this.#notes.change(
        first.at,
        'the thread groups become flows; iterations are distributed in proportion to their thread counts or arrival rates',
      );
    for (const other of loads.slice(1)) {
      if (other.shape !== first.shape)
        this.#lose(
          other.at,
          'the load of this thread group differs from that of the first one; the test uses the load of the first one',
        );
    }
    return {
      flows: flows.length === 1 ? flows.map((flow) => ({ ...flow, weight: 1 })) : flows,
      setup,
      onStart: this.#onStartFlow(first),
      teardown: phase('PostThreadGroup'),
      keepAlive: this.#keepsAlive,
      load: first.load(loads.reduce((sum, { weight }) => sum + weight, 0)),
      thresholds: [],
      timeout: this.#timeout.value,
      tlsVerify: true,
      constants: this.#expressions.constants,
      notes: this.#notes.all,
    };
  }

  #onStartFlow({ at }: Pick<GroupLoad, 'at'>): IntakeFlow | null {
    const finished = this.#onStart?.finish(true) ?? null;
    if (finished === null || finished.requests.length === 0) return null;
    return { at, name: 'on_start', weight: 1, values: [], ...finished };
  }

  #flow(
    group: PlanElement,
    {
      load,
      scope,
      repetitions,
    }: { readonly load: GroupLoad; readonly scope: Scope; readonly repetitions: number },
  ): IntakeFlow | null {
    const requests = new FlowRequests();
    requests.repeat(repetitions, group, () =>
      this.#walk(group.children, requests, scopeWith(scope, group.children)),
    );
    const finished = requests.finish(load.isClosed);
    if (finished.requests.length === 0) {
      this.#notes.all.push(...finished.notes);
      return null;
    }
    const name = group.name === '' ? 'thread group' : group.name;
    const failure = propertyOf(group.element, 'ThreadGroup.on_sample_error');
    if (failure.startsWith('stop'))
      this.#lose(
        group.at,
        `a failed request does not stop a client or the test, although "on_sample_error" is ${JSON.stringify(failure)}`,
      );
    const sent =
      failure === 'startnextloop'
        ? finished.requests.map((request) => ({ ...request, stopsOnFailure: true }))
        : finished.requests;
    const notes = [...load.notes, ...finished.notes];
    return {
      at: group.at,
      name,
      weight: load.weight,
      values: this.#values.filter((value) => (this.#groups.get(value.at) ?? group) === group),
      ...finished,
      requests: sent,
      notes,
    };
  }

  /** Returns the requests of setUp or tearDown thread groups, which a single client sends; null if there are none. */
  #phase(groups: readonly PlanElement[], scope: Scope): IntakeFlow | null {
    const flows = groups.map((group) => {
      const load = readThreadGroup(group, this.#expressions);
      if (load.weight > 1)
        this.#lose(
          group.at,
          `one client instead of ${load.weight} threads sends the requests of this setUp or tearDown thread group`,
        );
      return this.#flow(group, { load: { ...load, notes: [] }, scope, repetitions: load.iterations });
    });
    const [first, ...others] = flows.filter((flow) => flow !== null);
    return first === undefined ? null : others.reduce(joinedFlow, first);
  }

  #lose(at: SourcePosition, message: string): void {
    const notes = this.#requestNotes ?? this.#notes;
    if (notes.all.every((note) => note.message !== message || note.at !== at)) notes.lose(at, message);
  }

  #text(text: string, at: SourcePosition): IntakeText {
    return this.#expressions.toText(text, at);
  }

  #literal(text: string, at: SourcePosition): string {
    return this.#expressions.literal(text, at) ?? '';
  }

  // --- variables

  /** Reads elements that define variables. The variables apply to the whole plan. */
  #define({ type, element, at }: PlanElement): void {
    const property = (name: string) => propertyOf(element, name);
    if (type === 'TestPlan' || type === 'Arguments') {
      const list =
        type === 'TestPlan'
          ? membersOf(element, 'TestPlan.user_defined_variables', 'Arguments.arguments')
          : membersOf(element, 'Arguments.arguments');
      for (const one of list)
        this.#expressions.define(propertyOf(one, 'Argument.name'), propertyOf(one, 'Argument.value'));
    } else if (SCRIPTS.test(type))
      for (const [, put = '', from = '', set = put, value = from] of property('script').matchAll(
        STORED_PROPERTY,
      ))
        this.#expressions.store(set, value);
    else if (type === 'CSVDataSet') this.#rows(element, at);
    else if (type === 'RandomVariableConfig') {
      const [from, to] = [Number(property('minimumValue')), Number(property('maximumValue'))];
      if (property('outputFormat') !== '')
        this.#lose(
          at,
          '"outputFormat" of the random variable is not converted; the number is inserted without the format',
        );
      if (Number.isInteger(from) && Number.isInteger(to))
        this.#value(property('variableName'), [randomInteger(from, to)], at);
      else
        this.#lose(at, 'the random variable is not converted, because its bounds are not constant integers');
    } else if (type === 'CounterConfig') {
      const [start, step] = [property('CounterConfig.start'), property('CounterConfig.incr')];
      if (step !== '' && step !== '1')
        this.#lose(
          at,
          'the counter is the index of the iteration in the run, starting at 0; its increment is not converted',
        );
      else if (start !== '' && start !== '0')
        this.#notes.change(at, 'the counter is the index of the iteration in the run, starting at 0');
      this.#value(property('CounterConfig.name'), [{ expression: 'iteration' }], at);
    }
  }

  #value(name: string, value: IntakeText, at: SourcePosition): void {
    if (name === '') return;
    this.#values.push({ name: variableName(name), value, at });
    this.#expressions.declare(name);
  }

  #rows(element: XmlElement, at: SourcePosition): void {
    const property = (name: string) => this.#literal(propertyOf(element, name), at);
    const path = property('filename').replaceAll('\\', '/').replace(/^\.\//, '');
    const file = this.#source.readFile(path);
    if ('reason' in file) {
      this.#lose(at, `the file ${JSON.stringify(path)} ${file.reason}`);
      return;
    }
    const delimiter = property('delimiter').replace('\\t', '\t');
    const listed = property('variableNames')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '');
    const separator = delimiter === '' ? null : delimiter;
    const rows = rowsOf(file, path, {
      columns: listed,
      delimiter: separator,
      skipsHeader: property('ignoreFirstLine') === 'true',
    });
    if (rows === null)
      this.#lose(
        at,
        `the first line of the file ${JSON.stringify(path)} does not contain the column names of the plan; replace the line with: ${listed.join(separator ?? ',')}`,
      );
    if (property('recycle') === 'false')
      this.#lose(at, 'after the last row, the test continues with the first row; "recycle" is not converted');
    const names = listed.length > 0 ? listed : headerOf(file.text, separator ?? ',');
    for (const name of names) {
      this.#columns.set(name, { ...(rows ?? { file: path }), order: 'sequential' });
      this.#expressions.declare(name);
    }
  }

  #reportGlobals(all: readonly PlanElement[]): void {
    const cookies = all.find(({ type }) => type === 'CookieManager');
    const first = all.find(({ type }) => SAMPLERS.includes(type));
    if (cookies === undefined && first !== undefined)
      this.#notes.change(
        first.at,
        'cookies from responses are sent, even though the plan has no cookie manager',
      );
    else if (
      cookies !== undefined &&
      propertyOf(cookies.element, 'CookieManager.clearEachIteration') !== 'true'
    )
      this.#notes.change(cookies.at, 'each iteration starts without cookies from earlier iterations');
  }

  // --- tree

  #walk(children: readonly PlanElement[], into: FlowRequests, scope: Scope): void {
    for (const child of children) {
      const { type, element, at } = child;
      const inner = () => this.#walk(child.children, into, scopeWith(scope, child.children));
      if (SAMPLERS.includes(type)) this.#request(child, into, scope);
      else if (PLAIN_CONTROLLERS.includes(type)) inner();
      else if (type === PARALLEL) {
        if (isFlat(child)) into.parallel(at, inner);
        else {
          into.lose(
            at,
            'the requests of the parallel controller are sent one after another, because it contains other controllers',
          );
          inner();
        }
      } else if (type === ONCE_ONLY && this.#onStart !== null && into.count === 0 && isFlat(child))
        this.#walk(child.children, this.#onStart, scopeWith(scope, child.children));
      else if (type === 'LoopController') {
        const count = Number(this.#literal(propertyOf(element, 'LoopController.loops'), at));
        if (Number.isInteger(count) && count > 0) into.repeat(count, child, inner);
        else {
          into.lose(
            at,
            'the loop is executed only once, because its number of iterations is not a positive constant; to repeat the requests, add "repeat"',
          );
          inner();
        }
      } else if (this.#conditional(child, into, inner)) continue;
      else if (type === 'ForeachController') {
        const property = (name: string) => propertyOf(element, `ForeachController.${name}`);
        const list = variableName(property('inputVal'));
        this.#expressions.declare(property('returnVal'));
        into.change(
          at,
          `the loop uses at most ${MAX_REPETITIONS} items of the list; to use more, increase "at_most"`,
        );
        const forEach = { name: variableName(property('returnVal')), list, atMost: MAX_REPETITIONS };
        into.group(() => ({ at, forEach }), inner);
      } else if (type === 'TestAction') {
        const pause = this.#number(propertyOf(element, 'ActionProcessor.duration'), at);
        const isPause = ['', '1'].includes(propertyOf(element, 'ActionProcessor.action'));
        if (isPause && pause !== null) into.pause(milliseconds(pause), milliseconds(pause), at);
        else into.lose(at, 'the flow control action is omitted; the iteration continues without it');
        for (const { element: timer, at: where, type: kind } of child.children)
          if (TIMERS.includes(kind)) this.#pause(kind, timer, where, into);
      } else if (type.endsWith('Controller') || type === 'InterleaveControl') {
        const elements =
          child.children.length === 0 ? '' : '; its elements are executed once in each iteration';
        into.lose(at, `the ${type} is not converted${elements}`);
        inner();
      } else if (!isKnown(type)) {
        const what = type.endsWith('Sampler') ? 'sampler' : 'element';
        into.lose(at, `the ${what} ${type} is not converted`);
      }
    }
  }

  /**
   * Reads a conditional controller. Returns false for other controllers, and for conditions that cannot be expressed.
   */
  #conditional({ type, element, at }: PlanElement, into: FlowRequests, inner: () => void): boolean {
    if (type === 'IfController') {
      const conditions = conditionsOf(propertyOf(element, 'IfController.condition'));
      if (conditions?.every(({ name }) => this.#expressions.isDeclared(name)) !== true) return false;
      into.group(() => ({ at, when: conditions }), inner);
      return true;
    }
    if (type === 'WhileController') {
      const [only, ...others] = conditionsOf(propertyOf(element, 'WhileController.condition')) ?? [];
      if (only === undefined || others.length > 0 || this.#expressions.isConstant(only.name)) return false;
      repeatWhile(only, into, { at, isKnown: this.#expressions.isDeclared(only.name) }, inner);
      return true;
    }
    const percent = this.#percentOf(type, element, at);
    if (percent === null) return false;
    if (percent >= 100) inner();
    else {
      const name = `percent_${at.line}`;
      if (this.#values.every((value) => value.name !== name)) this.#value(name, [randomInteger(1, 100)], at);
      into.change(
        at,
        `each iteration sends the requests of the throughput controller with a probability of ${percent}%`,
      );
      into.group(() => ({ at, when: [{ name, value: { number: `<= ${percent}` } }] }), inner);
    }
    return true;
  }

  /** Returns the percentage of iterations that execute an element; null if the element has no constant percentage. */
  #percentOf(type: string, element: XmlElement, at: SourcePosition): number | null {
    if (type !== 'ThroughputController' || propertyOf(element, 'ThroughputController.style') !== '1')
      return null;
    const value = propertyNode(element, 'ThroughputController.percentThroughput');
    const text = value === undefined ? '' : value.text || propertyOf(value, 'value');
    const percent = this.#number(text, at);
    return percent === null ? null : Math.round(percent);
  }

  #number(text: string, at: SourcePosition): number | null {
    const literal = this.#literal(text, at);
    return /^\d+(?:\.\d+)?$/.test(literal) ? Number(literal) : null;
  }

  #pause(type: string, element: XmlElement, at: SourcePosition, into: FlowRequests): void {
    const delay = this.#number(propertyOf(element, 'ConstantTimer.delay') || '0', at);
    const range = this.#number(propertyOf(element, 'RandomTimer.range') || '0', at);
    if (delay === null || range === null) {
      into.lose(at, 'the timer is omitted, because its delay is not constant; add a "delay" by hand');
      return;
    }
    if (type === 'ConstantTimer') into.pause(milliseconds(delay), milliseconds(delay), at);
    else if (type === 'UniformRandomTimer') into.pause(milliseconds(delay), milliseconds(delay + range), at);
    else {
      const from = type === 'PoissonRandomTimer' ? delay : Math.max(0, delay - range);
      const to = type === 'PoissonRandomTimer' ? delay + 2 * range : delay + range;
      into.change(at, `the random delay is distributed uniformly between ${from} and ${to} ms`);
      into.pause(milliseconds(from), milliseconds(to), at);
    }
  }

  // --- requests

  #request(sampler: PlanElement, into: FlowRequests, outer: Scope): void {
    const scope = scopeWith(outer, sampler.children);
    for (const { type, element, at } of scopedOf(scope, TIMERS)) this.#pause(type, element, at, into);
    const notes = new SourceNotes();
    this.#requestNotes = notes;
    for (const { type, element, at } of sampler.children) {
      const isRead =
        SCRIPTS.test(type) && propertyOf(element, 'script').replaceAll(STORED_PROPERTY, '').trim() === '';
      if (!isKnown(type) && !isRead) this.#lose(at, `the element ${type} is not converted`);
    }
    const request = this.#readRequest(sampler, scope);
    const captures = scopedOf(scope, EXTRACTORS).flatMap((extractor) => this.#captures(extractor));
    const expected = this.#expectation(scopedOf(scope, ASSERTIONS));
    const redirects = this.#redirects(sampler, expected);
    this.#requestNotes = null;
    const complete = { ...request, captures, expect: redirects };
    into.add({ ...complete, rows: rowsUsedBy(complete, this.#columns), notes: notes.all });
    for (const { name } of captures) {
      this.#expressions.declare(name);
      this.#captured.add(name);
    }
  }

  #redirects({ element, at }: PlanElement, expected: Expectation | null): Expectation | null {
    const isFollowed =
      propertyOf(element, 'HTTPSampler.follow_redirects') !== 'false' ||
      propertyOf(element, 'HTTPSampler.auto_redirects') === 'true';
    return withRedirects(expected, isFollowed, (message) => this.#lose(at, message));
  }

  #readRequest(sampler: PlanElement, scope: Scope): IntakeRequest {
    const { element, at } = sampler;
    // The sampler takes precedence over the defaults.
    const elements = [...scopedOf(scope, ['ConfigTestElement']), sampler].map((one) => one.element);
    const property = (name: string) =>
      elements.map((one) => propertyOf(one, name)).findLast((value) => value !== '') ?? '';
    if (propertyOf(element, 'HTTPSampler.use_keepalive') !== 'false') this.#keepsAlive = true;
    const method = this.#literal(property('HTTPSampler.method') || 'GET', at).toUpperCase();
    const list = elements.flatMap((one) => membersOf(one, 'HTTPsampler.Arguments', 'Arguments.arguments'));
    const isRaw =
      propertyOf(element, 'HTTPSampler.postBodyRaw') === 'true' ||
      (list.length > 0 && list.every((one) => propertyOf(one, 'Argument.name') === ''));
    const hasQuery = !isRaw && ['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(method);
    const query = hasQuery ? list.map((one) => this.#pair(one, at)) : [];
    const url = this.#url(property, at);
    if (property('HTTPSampler.image_parser') === 'true')
      this.#lose(at, 'the embedded resources of pages are not requested');
    if (property('HTTPSampler.proxyHost') !== '')
      this.#lose(at, 'the proxy is not converted; the request is sent directly to the target');
    const timeout = milliseconds(this.#number(property('HTTPSampler.response_timeout'), at) ?? 0);
    this.#timeout.add(timeout, (message) => this.#lose(at, message));
    const body = hasQuery ? null : this.#body(element, { list, isRaw, at });
    const headers = this.#headers(scope, element);
    const hasType = headers.some(({ name }) => name.toLowerCase() === 'content-type');
    return {
      ...EMPTY_REQUEST,
      at,
      name: sampler.name === '' || sampler.name === 'HTTP Request' ? null : sampler.name,
      method,
      url: query.length === 0 ? url : withQuery(url, joinTexts(query, '&')),
      headers: isRaw && body !== null && !hasType ? [...headers, PLAIN_TEXT] : headers,
      credentials: this.#credentials(scope),
      body,
    };
  }

  #url(property: (name: string) => string, at: SourcePosition): IntakeText {
    const path = this.#text(property('HTTPSampler.path'), at);
    if (isOneOf(path, this.#captured)) return path;
    if (/^https?:\/\//i.test(literalStart(path))) return withPath(path);
    const protocol = this.#literal(property('HTTPSampler.protocol'), at) || 'http';
    const domain = this.#expressions.literal(property('HTTPSampler.domain'), at) ?? '';
    const given = this.#literal(property('HTTPSampler.port'), at);
    const port = given === '' || given === '0' ? '' : `:${given}`;
    const slash = literalStart(path).startsWith('/') ? [] : ['/'];
    const origin = /^https?:\/\//i.test(domain)
      ? `${domain.replace(/\/+$/, '')}${port}`
      : `${protocol}://${domain}${port}`;
    if (/^https?:\/\/[\w.[\]:-]+$/i.test(origin) && domain !== '') return [origin, ...slash, ...path];
    this.#notes.change(at, UNKNOWN_HOST);
    return [EXAMPLE_ORIGIN, ...slash, ...path];
  }

  #pair(argument: XmlElement, at: SourcePosition): IntakeText {
    const name = this.#text(propertyOf(argument, 'Argument.name'), at);
    const isEncoded = propertyOf(argument, 'HTTPArgument.always_encode') === 'true';
    const value = this.#text(propertyOf(argument, 'Argument.value'), at);
    const encoded = isEncoded ? encodedText(value) : value;
    return propertyOf(argument, 'HTTPArgument.use_equals') === 'false' && value.length === 0
      ? name
      : [...name, '=', ...encoded];
  }

  #body(
    element: XmlElement,
    {
      list,
      isRaw,
      at,
    }: { readonly list: readonly XmlElement[]; readonly isRaw: boolean; readonly at: SourcePosition },
  ): IntakeBody | null {
    const files = membersOf(element, 'HTTPsampler.Files', 'HTTPFileArgs.files');
    const value = (one: XmlElement) => this.#text(propertyOf(one, 'Argument.value'), at);
    if (isRaw) {
      const text = list.flatMap(value);
      return text.length === 0 ? null : { kind: 'text', text, isVerbatim: true };
    }
    const fields = list.map((one): IntakeField => ({
      name: this.#literal(propertyOf(one, 'Argument.name'), at),
      value: value(one),
    }));
    const isMultipart = propertyOf(element, 'HTTPSampler.DO_MULTIPART_POST') === 'true' || files.length > 0;
    if (!isMultipart && fields.length === 0) return null;
    // A form encodes all fields, so it cannot contain a field that is already encoded.
    const isEncoded = list.every(
      (one, index) =>
        propertyOf(one, 'HTTPArgument.always_encode') === 'true' ||
        fields[index]?.value.every((part) => typeof part !== 'string' || /^[\w.*-]*$/.test(part)) === true,
    );
    if (!isMultipart && isEncoded) return { kind: 'form', fields };
    if (!isMultipart)
      return {
        kind: 'text',
        text: joinTexts(
          list.map((one) => this.#pair(one, at)),
          '&',
        ),
        isVerbatim: true,
      };
    const parts = files.map((file): IntakePart => ({
      name: propertyOf(file, 'File.paramname') || 'file',
      content: { file: this.#literal(propertyOf(file, 'File.path'), at).replaceAll('\\', '/') },
      fileName: null,
      contentType: propertyOf(file, 'File.mimetype') || 'application/octet-stream',
    }));
    return { kind: 'multipart', parts: [...fields.map(textPart), ...parts] };
  }

  #headers(scope: Scope, sampler: XmlElement): readonly IntakeField[] {
    const known = new Map<string, IntakeField>();
    const lists = scopedOf(scope, ['HeaderManager']).map(({ element, at }) => ({
      at,
      list: membersOf(element, 'HeaderManager.headers'),
    }));
    // If JMeter did not write the plan, the sampler may contain the headers.
    const own = membersOf(sampler, 'HTTPSampler.header_manager', 'HeaderManager.headers');
    for (const { at, list } of [...lists, { at: sampler.at, list: own }]) {
      for (const header of list) {
        const name = this.#literal(propertyOf(header, 'Header.name'), at);
        if (name !== '')
          known.set(name.toLowerCase(), { name, value: this.#text(propertyOf(header, 'Header.value'), at) });
      }
    }
    const cookies = scopedOf(scope, ['CookieManager']).flatMap(({ element, at }) =>
      membersOf(element, 'CookieManager.cookies').map((cookie): IntakeText => [
        `${cookie.attributes['name'] ?? ''}=`,
        ...this.#text(propertyOf(cookie, 'Cookie.value'), at),
      ]),
    );
    if (cookies.length > 0) known.set('cookie', { name: 'cookie', value: joinTexts(cookies, '; ') });
    return [...known.values()];
  }

  #credentials(scope: Scope): IntakeRequest['credentials'] {
    for (const { element, at } of scopedOf(scope, ['AuthManager']).toReversed()) {
      for (const one of membersOf(element, 'AuthManager.auth_list')) {
        const mechanism = propertyOf(one, 'Authorization.mechanism');
        if (['', 'BASIC', 'BASIC_DIGEST'].includes(mechanism))
          return {
            login: this.#text(propertyOf(one, 'Authorization.username'), at),
            password: this.#text(propertyOf(one, 'Authorization.password'), at),
          };
        this.#lose(at, `the ${mechanism} authentication is not converted; the request is sent without it`);
      }
    }
    return null;
  }

  // --- responses

  #captures({ type, element, at }: PlanElement): readonly IntakeCapture[] {
    const property = (name: string) => this.#literal(propertyOf(element, name), at);
    const lost = (name: string): readonly IntakeCapture[] => {
      this.#lose(
        at,
        `the extractor for ${JSON.stringify(name)} is not converted; add the variable to "variables" of the request by hand`,
      );
      return [];
    };
    if (type === 'JSONPostProcessor') {
      const names = splitList(property('JSONPostProcessor.referenceNames'));
      const paths = splitList(property('JSONPostProcessor.jsonPathExprs'));
      const numbers = splitList(property('JSONPostProcessor.match_numbers'));
      return names.flatMap((name, index): readonly IntakeCapture[] => {
        const path = pointerOfPath(paths[index] ?? '');
        const number = numbers[index] ?? numbers[0] ?? '';
        if (path === null || !['', '0', '1', '-1'].includes(number) || (number === '-1' && !path.hasItems))
          return lost(name);
        const pick =
          number === '-1'
            ? ({ pick: 'all' } as const)
            : path.hasItems && number !== '1'
              ? ({ pick: 'random' } as const)
              : {};
        return [{ name: variableName(name), source: 'json', property: path.pointer, ...pick }];
      });
    }
    if (type === 'RegexExtractor') {
      const name = property('RegexExtractor.refname');
      const pattern = propertyOf(element, 'RegexExtractor.regex');
      const isUsual =
        ['', '0', '1'].includes(property('RegexExtractor.match_number')) &&
        ['', '$1$', '$0$'].includes(propertyOf(element, 'RegexExtractor.template').trim()) &&
        !pattern.includes('${');
      const where = property('RegexExtractor.useHeaders');
      const [, header, rest] = /^\(?\?i?\)?([\w-]+): ?(\(\.\+?\*?\??\))\$?$/.exec(pattern) ?? [];
      if (where === 'true' && header !== undefined && rest !== undefined)
        return [{ name: variableName(name), source: 'header', property: header }];
      if (!isUsual || !['', 'false', 'as_document', 'unescaped'].includes(where) || name === '')
        return lost(name);
      const isWhole = propertyOf(element, 'RegexExtractor.template').trim() === '$0$';
      const property1 = isWhole || !/\((?!\?)/.test(pattern) ? `(${pattern})` : pattern;
      return [{ name: variableName(name), source: 'body', property: property1 }];
    }
    const name = property('BoundaryExtractor.refname');
    const isBody = ['', 'false'].includes(property('BoundaryExtractor.useHeaders'));
    const number = property('BoundaryExtractor.match_number');
    if (name === '' || !isBody || !['', '0', '1'].includes(number)) return lost(name);
    const [left, right] = ['lboundary', 'rboundary'].map((key) =>
      escapePattern(property(`BoundaryExtractor.${key}`)),
    );
    return [{ name: variableName(name), source: 'body', property: `${left ?? ''}(.*?)${right ?? ''}` }];
  }

  #expectation(assertions: readonly PlanElement[]): Expectation | null {
    const expected = new ResponseExpectation();
    for (const { type, element, at } of assertions) {
      if (type === 'JSONPathAssertion') this.#jsonAssertion(element, at, expected);
      else this.#responseAssertion(element, at, expected);
    }
    return expected.build();
  }

  #jsonAssertion(element: XmlElement, at: SourcePosition, to: ResponseExpectation): void {
    const path = pointerOfPath(propertyOf(element, 'JSON_PATH'));
    const isOn = (name: string) => propertyOf(element, name) === 'true';
    const text = this.#text(propertyOf(element, 'EXPECTED_VALUE'), at);
    // JMeter compares the JSON value as text.
    const isPattern = isOn('ISREGEX');
    const [expected] =
      expectedTexts([
        isPattern ? text : text.map((part) => (typeof part === 'string' ? escapePattern(part) : part)),
      ]) ?? [];
    const pattern = isPattern ? `(?:${expected ?? ''})` : expected;
    const value = isOn('JSONVALIDATION') ? { matches: `^${pattern ?? ''}$` } : { exists: true };
    const isUsual = !isOn('INVERT') && !isOn('EXPECT_NULL') && expected !== undefined;
    if (path === null || path.hasItems || !isUsual || !to.json(path.pointer, value))
      this.#lose(at, 'the JSON assertion is not converted');
  }

  #responseAssertion(element: XmlElement, at: SourcePosition, to: ResponseExpectation): void {
    // Reads both spellings, because JMeter misspells the name of `Assertion.test_strings`.
    const texts = expectedTexts(
      ['Asserion.test_strings', 'Assertion.test_strings']
        .flatMap((name) => membersOf(element, name))
        .map(({ text }) => this.#text(text, at)),
    );
    const field = propertyOf(element, 'Assertion.test_field');
    const kind = Number(propertyOf(element, 'Assertion.test_type') || '2');
    const [isNot, isAny, isMatch, isRegex, isEqual, isSubstring] = [4, 32, 1, 2, 8, 16].map(
      (bit) => (kind & bit) !== 0,
    );
    const codes = (texts ?? []).map((text) => (/^2\.\.$|^2\\d\\d$|^2\\d\{2\}$/.test(text) ? '2xx' : text));
    const isBody = field === 'Assertion.response_data' || field === 'Assertion.response_data_as_document';
    const isLost =
      isNot === true ? isSubstring !== true || isAny === true : isAny === true && codes.length > 1;
    if (field === 'Assertion.response_code' && isNot !== true && to.status(codes)) return;
    if (texts === null || !isBody || isLost || isEqual === true)
      this.#lose(at, 'the response assertion is not converted');
    else if (isNot === true) to.body('notContains', texts);
    else if (isSubstring === true) to.body('contains', texts);
    else if (isMatch === true)
      to.body(
        'matches',
        texts.map((text) => `^(?s:${text})$`),
      );
    else if (isRegex === true) to.body('matches', texts);
    else this.#lose(at, 'the response assertion is not converted');
  }
}

/** The header that JMeter adds to a raw body without a content type. */
const PLAIN_TEXT: IntakeField = { name: 'content-type', value: ['text/plain; charset=UTF-8'] };

function joinedFlow(before: IntakeFlow, after: IntakeFlow): IntakeFlow {
  const moved = (after.groups ?? []).map((group) => ({
    ...group,
    first: group.first + before.requests.length,
  }));
  return {
    ...before,
    requests: [...before.requests, ...after.requests],
    groups: [...(before.groups ?? []), ...moved],
    notes: [...before.notes, ...after.notes],
  };
}

function flattened(elements: readonly PlanElement[]): readonly PlanElement[] {
  return elements.flatMap((element) => [element, ...flattened(element.children)]);
}

function scopeWith(outer: Scope, children: readonly PlanElement[]): Scope {
  return [...outer, ...children.filter(({ type }) => SCOPED.includes(type))];
}

function scopedOf(scope: Scope, types: readonly string[]): readonly PlanElement[] {
  return scope.filter(({ type }) => types.includes(type));
}

function isKnown(type: string): boolean {
  const read = [...SCOPED, 'CSVDataSet', 'RandomVariableConfig', 'CounterConfig'];
  return read.includes(type) || WITHOUT_EFFECT.test(type) || isThreadGroup(type);
}

function withPath(url: IntakeText): IntakeText {
  return /^https?:\/\/[^/?]+$/i.test(literalOf(url) ?? '') ? [...url, '/'] : url;
}

function splitList(text: string): readonly string[] {
  return text
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

const PARALLEL = 'ParallelSampler';

const ONCE_ONLY = 'OnceOnlyController';

/** Reports whether a thread group has samplers outside of Once Only Controllers. */
function hasOtherSamplers({ children }: PlanElement): boolean {
  return children.some(
    (child) => SAMPLERS.includes(child.type) || (child.type !== ONCE_ONLY && hasOtherSamplers(child)),
  );
}

/** Reports whether a controller contains no other controllers, at any depth. */
function isFlat({ children }: PlanElement): boolean {
  return children.every(
    (child) => !child.type.endsWith('Controller') && child.type !== PARALLEL && isFlat(child),
  );
}

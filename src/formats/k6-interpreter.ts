/** Interprets the statements of k6 scripts in order, using only values that are known without running the script. */
import { pointerOf } from '../core/pointer.ts';
import type {
  CallExpression,
  Expression,
  NewExpression,
  Pattern,
  Program,
  SpreadElement,
  Statement,
} from 'acorn';
import {
  EMPTY_REQUEST,
  type IntakeBody,
  type IntakeField,
  type IntakeFlow,
  type IntakeNote,
  type IntakePart,
  type IntakeRequest,
  type SourcePosition,
  textPart,
} from '../core/intake/intake.ts';
import type { VariableCondition } from '../core/model/condition.ts';
import { secretName } from '../core/intake/intake-secrets.ts';
import {
  encodedText,
  jsonStringOf,
  literalOf,
  literalStart,
  type IntakeText,
  type IntakeTextPart,
} from '../core/intake/intake-text.ts';
import type { IntakeSource, PositionAt } from '../core/intake/source-text.ts';
import { milliseconds, parseDuration, type Milliseconds } from '../core/units.ts';
import { EXAMPLE_ORIGIN, UNKNOWN_HOST } from './example-origin.ts';
import { FlowRequests, type FlowRequest } from './flow-requests.ts';
import { randomInteger, randomText } from './generated-values.ts';
import { negated } from './jmeter-conditions.ts';
import { CheckedResponse, shortened } from './k6-check.ts';
import {
  itemsOfValue,
  memberOf,
  membersOfValue,
  NOTHING,
  numberOfValue,
  numberValue,
  Scope,
  stringOf,
  textValue,
  valueOfJson,
  type AnyNode,
  type FunctionNode,
  type Value,
} from './k6-values.ts';
import { variableName } from './names.ts';
import {
  followingRedirects,
  FOLLOWS_REDIRECTS,
  ResponseExpectation,
  withoutRedirects,
} from './response-expectation.ts';

type FunctionValue = Value & { readonly kind: 'function' };

interface InterpreterOptions {
  readonly source: IntakeSource;
  /** Receives the notes that do not belong to a request. */
  readonly notes: IntakeNote[];
  readonly parseModule: (text: string, at: SourcePosition) => Program;
}

type ReadRequests = Omit<IntakeFlow, 'name' | 'weight'>;

interface ModuleExports {
  readonly values: ReadonlyMap<string, Value>;
  readonly optionsAt: SourcePosition | null;
}

const MAX_STEPS = 100_000;

const MAX_CALLS = 25;
const MAX_NESTING = 200;

const MAX_MODULES = 50;

/** End of a block before its last statement. */
interface Ended {
  /** Statement that ends the block. */
  readonly by: 'return' | 'throw' | 'fail' | 'break' | 'continue';
  readonly value: Value;
}

/** Default of k6 for the maximum number of concurrent requests of a batch to one host. */
const MAX_BATCH_PER_HOST = 6;

const SENDING = ['get', 'post', 'put', 'patch', 'del', 'head', 'options', 'request', 'batch', 'asyncRequest'];

export class K6Interpreter {
  readonly #options: InterpreterOptions;
  #positionAt: PositionAt = () => ({ line: 1, column: 1 });
  #requests = new FlowRequests();
  #values: IntakeField[] = [];
  /** Names of captures and values that are in use, each with a string that identifies the value. */
  #names = new Map<string, string>();
  /** Numbers that distinguish the names of captures, by request. */
  readonly #numbers = new Map<FlowRequest, number>();
  #env: Value | undefined;
  #isIteration = false;
  readonly #modulesRead: (() => void)[] = [];
  readonly #unfollowed = new Set<FlowRequest>();
  #loops = 0;
  /** Level of the scope around the outermost uncertain branch or loop; null outside of such code. */
  #uncertainLevel: number | null = null;
  #steps = 0;
  #nesting = 0;
  #calls = 0;
  /** Number of enclosing "try" statements with a "catch" clause. */
  #catches = 0;
  #modules = 0;
  #timeout: Milliseconds | null = null;

  constructor(options: InterpreterOptions) {
    this.#options = options;
  }

  /** Timeout of the first request that defines one; null if there is none. */
  get timeout(): Milliseconds | null {
    return this.#timeout;
  }

  readModule(program: Program, positionAt: PositionAt): ModuleExports {
    this.#positionAt = positionAt;
    const scope = new Scope();
    const exported = new Map<string, Value>();
    let optionsAt: SourcePosition | null = null;
    const declared = (node: AnyNode) => {
      if (node.type === 'FunctionDeclaration') return node.id === null ? [] : [node.id.name];
      if (node.type !== 'VariableDeclaration') return [];
      return node.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.name] : []));
    };
    // Functions can be called before their declaration.
    for (const node of program.body) {
      const declaration = node.type === 'ExportNamedDeclaration' ? node.declaration : node;
      if (declaration?.type === 'FunctionDeclaration' && 'name' in declaration.id)
        scope.declare(declaration.id.name, { kind: 'function', node: declaration, scope });
    }
    for (const node of program.body) {
      if (node.type === 'ImportDeclaration') this.#import(node, scope);
      else if (node.type === 'ExportNamedDeclaration') {
        if (node.declaration === null || node.declaration === undefined) {
          for (const { local, exported: name } of node.specifiers)
            if (local.type === 'Identifier' && name.type === 'Identifier')
              exported.set(name.name, scope.find(local.name) ?? this.#unknown(local, local.name));
          continue;
        }
        this.#statement(node.declaration, scope);
        for (const name of declared(node.declaration)) {
          exported.set(name, scope.find(name) ?? NOTHING);
          if (name === 'options') optionsAt = this.#at(node);
        }
      } else if (node.type === 'ExportDefaultDeclaration') {
        const { declaration } = node;
        const isFunction = declaration.type === 'FunctionDeclaration';
        if (isFunction) exported.set('default', { kind: 'function', node: declaration, scope });
        else if (declaration.type !== 'ClassDeclaration')
          exported.set('default', this.#evaluate(declaration, scope));
      } else if (node.type !== 'ExportAllDeclaration') this.#statement(node, scope);
    }
    this.#modulesRead.push(scope.snapshot());
    return { values: exported, optionsAt };
  }

  /**
   * Interprets a function, and collects its requests.
   * @param data - Arguments of the function.
   */
  readRequests(
    given: FunctionValue,
    { env, data }: { readonly env?: Value | undefined; readonly data: readonly Value[] },
  ): { readonly finish: (isClosed: boolean) => ReadRequests; readonly returned: Value } {
    const [requests, values] = [new FlowRequests(), new Array<IntakeField>()];
    [this.#requests, this.#values] = [requests, values];
    for (const restore of this.#modulesRead) restore();
    this.#env = env;
    this.#isIteration = true;
    const returned = this.#callFunction(given, data);
    this.#isIteration = false;
    const finish = (isClosed: boolean) => {
      for (const request of requests.entries) this.#settleRedirects(request);
      const finished = requests.finish(isClosed);
      return { at: finished.requests[0]?.at ?? this.#at(given.node), values, ...finished };
    };
    return { finish, returned };
  }

  #settleRedirects(request: FlowRequest): void {
    const { expect, at } = request.request;
    const lose = (message: string) => request.lose(at, message);
    if (!this.#unfollowed.has(request)) request.update({ expect: followingRedirects(expect, lose) });
    else {
      const without = withoutRedirects(expect);
      if (without === null) lose(FOLLOWS_REDIRECTS);
      else request.update({ expect: without });
    }
  }

  #at(node: { readonly start: number }): SourcePosition {
    return this.#positionAt(node.start);
  }

  #unknown(node: { readonly start: number }, name: string): Value {
    return { kind: 'unknown', name, at: this.#at(node) };
  }

  #lose(node: { readonly start: number }, message: string): void {
    if (this.#isIteration) this.#requests.lose(this.#at(node), message);
    else {
      const note: IntakeNote = { kind: 'loss', at: this.#at(node), message };
      const isSame = ({ at, message: other }: IntakeNote) =>
        other === message && at.line === note.at.line && at.column === note.at.column;
      if (!this.#options.notes.some(isSame)) this.#options.notes.push(note);
    }
  }

  #change(node: { readonly start: number }, message: string): void {
    if (this.#options.notes.every((note) => note.message !== message))
      this.#options.notes.push({ kind: 'change', at: this.#at(node), message });
  }

  // --- modules

  #import(node: AnyNode & { readonly type: 'ImportDeclaration' }, scope: Scope): void {
    const path = String(node.source.value);
    const local = path.startsWith('.') ? this.#localModule(path, node) : null;
    if (/^k6\/(?:ws|net\/grpc|browser|experimental\/(?:websockets|browser|redis))|^k6\/x\//.test(path))
      this.#lose(node, `the module ${JSON.stringify(path)} is not converted`);
    for (const specifier of node.specifiers) {
      const name =
        specifier.type === 'ImportSpecifier'
          ? specifier.imported.type === 'Identifier'
            ? specifier.imported.name
            : ''
          : specifier.type === 'ImportDefaultSpecifier'
            ? 'default'
            : '*';
      const builtin = builtinName(path, name);
      const value: Value =
        local !== null
          ? name === '*'
            ? { kind: 'map', members: new Map(local) }
            : (local.get(name) ?? this.#unknown(node, specifier.local.name))
          : { kind: 'builtin', name: builtin };
      scope.declare(specifier.local.name, value);
    }
  }

  #localModule(path: string, node: AnyNode): ReadonlyMap<string, Value> | null {
    const file = this.#options.source.readFile(path.replace(/^\.\//, ''));
    this.#modules += 1;
    if ('reason' in file || this.#modules > MAX_MODULES) {
      const reason =
        'reason' in file
          ? file.reason
          : `is not read, because the script imports more than ${MAX_MODULES} modules`;
      this.#lose(node, `the module ${JSON.stringify(path)} ${reason}`);
      return null;
    }
    const at = this.#at(node);
    const outer = this.#positionAt;
    // Positions in the imported file are reported as the position of the import.
    const { values } = this.readModule(this.#options.parseModule(file.text, at), () => at);
    this.#positionAt = outer;
    return values;
  }

  // --- statements

  #block(statements: readonly AnyNode[], scope: Scope): Ended | null {
    for (const node of statements) {
      if (node.type === 'FunctionDeclaration' && node.id !== null)
        scope.declare(node.id.name, { kind: 'function', node, scope });
    }
    for (const node of statements) {
      const ended = this.#statement(node, scope);
      if (ended !== null) return ended;
    }
    return null;
  }

  #statement(node: AnyNode, scope: Scope): Ended | null {
    this.#steps += 1;
    if (this.#steps > MAX_STEPS) return { by: 'return', value: NOTHING };
    if (node.type === 'VariableDeclaration') {
      for (const { id, init } of node.declarations)
        this.#bind(id, init === null || init === undefined ? NOTHING : this.#evaluate(init, scope), scope);
      return null;
    }
    if (node.type === 'ExpressionStatement') {
      const value = this.#evaluate(node.expression, scope);
      return value.kind === 'builtin' && value.name === FAILED ? { by: 'fail', value: NOTHING } : null;
    }
    if (node.type === 'ThrowStatement') {
      return { by: 'throw', value: NOTHING };
    }
    if (node.type === 'BreakStatement' || node.type === 'ContinueStatement') {
      return { by: node.type === 'BreakStatement' ? 'break' : 'continue', value: NOTHING };
    }
    if (node.type === 'ReturnStatement') {
      return {
        by: 'return',
        value:
          node.argument === null || node.argument === undefined
            ? NOTHING
            : this.#evaluate(node.argument, scope),
      };
    }
    if (node.type === 'BlockStatement') {
      return this.#block(node.body, new Scope(scope));
    }
    if (node.type === 'IfStatement') {
      return this.#if(node, scope);
    }
    if (node.type === 'TryStatement') {
      const isCaught = node.handler !== null && node.handler !== undefined;
      if (isCaught) this.#catches += 1;
      const ended = this.#block(node.block.body, new Scope(scope));
      if (isCaught) this.#catches -= 1;
      return (
        (isCaught && ended !== null && isFailure(ended) ? null : ended) ??
        (node.finalizer === null || node.finalizer === undefined
          ? null
          : this.#block(node.finalizer.body, new Scope(scope)))
      );
    }
    if (node.type === 'ForStatement') {
      return this.#for(node, scope);
    }
    if (node.type === 'ForOfStatement') {
      return this.#forOf(node, scope);
    }
    if (
      node.type === 'WhileStatement' ||
      node.type === 'DoWhileStatement' ||
      node.type === 'ForInStatement'
    ) {
      this.#once(node, node.body, scope);
      return null;
    }
    if (node.type === 'SwitchStatement') {
      this.#lose(node, 'the "switch" statement is omitted, including its requests');
      return null;
    }
    return null;
  }

  #if(node: AnyNode & { readonly type: 'IfStatement' }, scope: Scope): Ended | null {
    const { truth, conditions, failed } = this.#test(node.test, scope);
    const branch = (statement: Statement | null | undefined) =>
      statement === null || statement === undefined ? null : this.#statement(statement, new Scope(scope));
    if (truth !== null) return branch(truth ? node.consequent : node.alternate);
    const first = this.#requests.count;
    const ended = this.#branch({ node, scope }, conditions, () => branch(node.consequent));
    const hasRequests = this.#requests.count > first;
    if (ended !== null && !hasRequests && failed !== null && this.#endsIteration(ended)) {
      failed();
      return null;
    }
    const report = (end: Ended | null) => {
      // Before the iterations, such code only checks the environment of the script.
      if (end === null || (!this.#isIteration && isFailure(end))) return;
      const message = `the conditional "${end.by}" is not converted; the requests after it are always sent`;
      this.#lose(node, message);
    };
    report(ended);
    if (node.alternate === null || node.alternate === undefined) return null;
    const opposite = () => {
      const [only, ...others] = conditions() ?? [];
      return only === undefined || others.length > 0 ? null : [negated(only)];
    };
    // Without a condition, the second branch would always be executed.
    if (hasRequests && opposite() === null) {
      this.#lose(
        node.alternate,
        'the branch after "else" is not converted, because the opposite of its condition cannot be expressed',
      );
      return null;
    }
    const second = this.#requests.count;
    report(this.#branch({ node, scope }, opposite, () => branch(node.alternate)));
    if (hasRequests && this.#requests.count > second) this.#requests.pairGroups();
    return null;
  }

  /** Reports whether the end of a block is the end of the iteration. */
  #endsIteration(ended: Ended): boolean {
    if (isFailure(ended)) return this.#catches === 0;
    return ended.by === 'return' && this.#calls === 1;
  }

  /** Reads code that may run once, never or several times. */
  #uncertain<T>(scope: Scope, read: () => T): T {
    const outer = this.#uncertainLevel;
    this.#uncertainLevel = outer ?? scope.level;
    const result = read();
    this.#uncertainLevel = outer;
    return result;
  }

  /**
   * Adds a note about an assignment in a condition or loop, or to a variable of the module in an iteration.
   */
  #checkChange(name: string, level: number, node: AnyNode): void {
    if (this.#uncertainLevel !== null && level <= this.#uncertainLevel)
      this.#lose(
        node,
        `the value of ${JSON.stringify(name)} depends on a condition or a loop; check the converted value`,
      );
    else if (this.#isIteration && level === 0)
      this.#change(
        node,
        `the module variable ${JSON.stringify(name)} is reset at the start of each iteration`,
      );
  }

  /**
   * Reads a branch as a group with conditions. If the conditions cannot be expressed, adds the requests without a
   * group.
   */
  #branch(
    { node, scope }: { readonly node: AnyNode; readonly scope: Scope },
    conditions: () => readonly VariableCondition[] | null,
    read: () => Ended | null,
  ): Ended | null {
    const result: { ended: Ended | null } = { ended: null };
    const create = () => {
      const when = conditions();
      if (when === null)
        this.#lose(node, 'the condition is not converted; the requests that depend on it are always sent');
      return when && { at: this.#at(node), when };
    };
    this.#requests.group(create, () => {
      result.ended = this.#uncertain(scope, read);
    });
    return result.ended;
  }

  #test(node: AnyNode, scope: Scope): Test {
    if (node.type === 'ParenthesizedExpression') return this.#test(node.expression, scope);
    if (node.type === 'LogicalExpression' && node.operator === '&&') {
      const [left, right] = [this.#test(node.left, scope), this.#test(node.right, scope)];
      if (left.truth !== null) return left.truth ? right : left;
      if (right.truth !== null) return right.truth ? left : right;
      const conditions = () => {
        const [first, second] = [left.conditions(), right.conditions()];
        const names = new Set([...(first ?? []), ...(second ?? [])].map(({ name }) => name));
        if (first === null || second === null) return null;
        return names.size === first.length + second.length ? [...first, ...second] : null;
      };
      return { truth: null, conditions, failed: null };
    }
    if (node.type === 'BinaryExpression') {
      const [left, right] = [this.#evaluate(node.left, scope), this.#evaluate(node.right, scope)];
      const truth = truthOf(this.#binary(node.operator, left, right, node));
      const operator = shortened(node.operator);
      const conditions = () => this.#comparison(operator, left, right, node);
      return { truth, conditions, failed: operator === '!=' ? stopUnlessStatus(left, right) : null };
    }
    const isNegated = node.type === 'UnaryExpression' && node.operator === '!';
    const value = this.#evaluate(isNegated ? node.argument : node, scope);
    const truth = truthOf(value);
    if (truth !== null) return { truth: truth !== isNegated, conditions: () => null, failed: null };
    if (isNegated)
      return {
        truth,
        conditions: () => null,
        failed:
          value.kind === 'checked'
            ? () => {
                value.request.update({ stopsOnFailure: true });
              }
            : null,
      };
    const conditions = () => {
      const name = value.kind === 'part' && value.source === 'json' ? this.#variableOf(value, node) : null;
      return name === null ? null : [{ name, value: { exists: true, not: { oneOf: ['', false, 0, null] } } }];
    };
    return { truth, conditions, failed: null };
  }

  #comparison(
    operator: string,
    left: Value,
    right: Value,
    node: AnyNode,
  ): readonly VariableCondition[] | null {
    const text = stringOf(right) ?? (right.kind === 'boolean' ? String(right.value) : null);
    if (text === null || !['==', '!=', '<', '<=', '>', '>='].includes(operator)) return null;
    const isOrder = /[<>]/.test(operator);
    const name = isOrder && numberOfValue(right) === null ? null : this.#variableOf(left, node);
    if (name === null) return null;
    if (isOrder) return [{ name, value: { number: `${operator} ${text}` } }];
    return [{ name, value: operator === '==' ? text : { not: text } }];
  }

  /** Returns the name of the variable that contains a value during the run; null if there is none. */
  #variableOf(value: Value, node: AnyNode): string | null {
    if (value.kind === 'part' && value.source !== 'json' && value.source !== 'status') return null;
    if (!['part', 'random', 'text'].includes(value.kind)) return null;
    const stored = value.kind === 'random' ? this.#stored('chance', value, node) : value;
    const [only, ...others] = this.#text(stored, node);
    return typeof only === 'object' && 'variable' in only && others.length === 0 ? only.variable : null;
  }

  /** Repeats a loop with a counter and constant bounds. Reads the body of any other loop once. */
  #for(node: AnyNode & { readonly type: 'ForStatement' }, scope: Scope): Ended | null {
    const declaration = node.init?.type === 'VariableDeclaration' ? node.init.declarations[0] : undefined;
    const name = declaration?.id.type === 'Identifier' ? declaration.id.name : null;
    const from =
      declaration?.init === null || declaration?.init === undefined
        ? null
        : numberOfValue(this.#evaluate(declaration.init, scope));
    const { test, update } = node;
    const isUsual =
      test?.type === 'BinaryExpression' &&
      test.left.type === 'Identifier' &&
      test.left.name === name &&
      ['<', '<='].includes(test.operator) &&
      update?.type === 'UpdateExpression' &&
      update.operator === '++';
    const to = isUsual ? numberOfValue(this.#evaluate(test.right, scope)) : null;
    if (name === null || from === null || to === null || !isUsual) {
      this.#once(node, node.body, scope);
      return null;
    }
    const count = Math.max(0, Math.ceil(to - from) + (test.operator === '<=' ? 1 : 0));
    return this.#repeat(count, { node, variable: name }, (index) => {
      const inner = new Scope(scope);
      inner.declare(name, numberValue(from + index));
      return this.#statement(node.body, inner);
    });
  }

  #forOf(node: AnyNode & { readonly type: 'ForOfStatement' }, scope: Scope): Ended | null {
    const list = this.#evaluate(node.right, scope);
    const id = node.left.type === 'VariableDeclaration' ? node.left.declarations[0]?.id : node.left;
    if (list.kind !== 'list' || id === undefined) {
      this.#once(node, node.body, scope);
      return null;
    }
    const variable = id.type === 'Identifier' ? id.name : 'item';
    return this.#repeat(list.items.length, { node, variable }, (index) => {
      const inner = new Scope(scope);
      this.#bind(id, list.items[index] ?? NOTHING, inner);
      return this.#statement(node.body, inner);
    });
  }

  #repeat(
    count: number,
    { node, variable }: { readonly node: AnyNode; readonly variable: string },
    readPass: (index: number) => Ended | null,
  ): Ended | null {
    const result: { ended: Ended | null } = { ended: null };
    this.#loops += 1;
    this.#requests.repeat(count, { at: this.#at(node), variable: variableName(variable) }, (index) => {
      const ended = result.ended === null ? readPass(index) : null;
      if (ended !== null && ended.by !== 'continue') result.ended = ended;
    });
    this.#loops -= 1;
    return result.ended?.by === 'break' ? null : result.ended;
  }

  #once(node: AnyNode, body: AnyNode, scope: Scope): void {
    const count = this.#requests.count;
    this.#loops += 1;
    this.#uncertain(scope, () => this.#statement(body, new Scope(scope)));
    this.#loops -= 1;
    if (this.#requests.count > count)
      this.#lose(
        node,
        'the loop is executed only once, because its number of iterations is unknown; to repeat the requests, add "repeat"',
      );
  }

  #bind(pattern: Pattern, value: Value, scope: Scope): void {
    if (pattern.type === 'Identifier') {
      scope.declare(pattern.name, this.#stored(pattern.name, value, pattern));
      return;
    }
    if (pattern.type === 'AssignmentPattern') {
      this.#bind(
        pattern.left,
        value.kind === 'nothing' ? this.#evaluate(pattern.right, scope) : value,
        scope,
      );
      return;
    }
    if (pattern.type === 'ObjectPattern') {
      for (const property of pattern.properties) {
        if (property.type !== 'Property' || property.key.type !== 'Identifier') continue;
        this.#bind(property.value, this.#member(value, property.key.name, property), scope);
      }
      return;
    }
    if (pattern.type === 'ArrayPattern') {
      pattern.elements.forEach((element, index) => {
        if (element !== null) this.#bind(element, this.#member(value, String(index), element), scope);
      });
      return;
    }
  }

  /**
   * Returns the value to assign to a variable. In an iteration, stores a generated value, so that all uses are equal.
   */
  #stored(name: string, value: Value, node: AnyNode): Value {
    const isGenerated =
      value.kind === 'random' ||
      (value.kind === 'text' &&
        value.isJson !== true &&
        value.text.some((part) => typeof part === 'object' && 'expression' in part));
    if (!isGenerated || !this.#isIteration) return value;
    if (this.#loops > 0)
      this.#lose(
        node,
        `the generated value of ${JSON.stringify(name)} is the same in all iterations of the loop`,
      );
    const key = this.#uniqueName(name, `value ${this.#at(node).line}:${this.#at(node).column}`);
    const [start, only] = value.kind === 'text' ? value.text : [];
    const isPath = start === '/' && value.kind === 'text' && value.text.length === 2 && only !== undefined;
    if (this.#values.every((one) => one.name !== key))
      this.#values.push({ name: key, value: isPath ? [only] : this.#text(value, node) });
    return {
      kind: 'text',
      text: [...(isPath ? ['/'] : []), { variable: key }],
      ...(value.kind === 'random' || isNumeric(value) ? { isNumber: true } : {}),
    };
  }

  #uniqueName(name: string, what: string): string {
    const base = variableName(name);
    let key = base;
    for (let count = 2; this.#names.has(key) && this.#names.get(key) !== what; count++)
      key = `${base}_${count}`;
    this.#names.set(key, what);
    return key;
  }

  // --- expressions

  #evaluate(node: AnyNode, scope: Scope): Value {
    this.#steps += 1;
    this.#nesting += 1;
    const value =
      this.#steps > MAX_STEPS || this.#nesting > MAX_NESTING
        ? this.#unknown(node, 'value')
        : this.#evaluateNode(node, scope);
    this.#nesting -= 1;
    return isTooLarge(value) ? this.#unknown(node, 'value') : value;
  }

  #evaluateNode(node: AnyNode, scope: Scope): Value {
    if (node.type === 'Literal') {
      return 'regex' in node ? this.#unknown(node, 'pattern') : valueOfJson(node.value);
    }
    if (node.type === 'TemplateLiteral') {
      return this.#template(node, scope);
    }
    if (node.type === 'TaggedTemplateExpression') {
      return this.#template(node.quasi, scope);
    }
    if (node.type === 'Identifier') {
      return scope.find(node.name) ?? this.#global(node.name, node);
    }
    if (node.type === 'ArrayExpression') {
      return {
        kind: 'list',
        items: node.elements.flatMap((element): readonly Value[] => {
          if (element === null) return [NOTHING];
          return this.#given(element, scope);
        }),
      };
    }
    if (node.type === 'ObjectExpression') {
      const members = new Map<string, Value>();
      for (const property of node.properties) {
        if (property.type === 'SpreadElement')
          for (const [key, value] of membersOfValue(this.#evaluate(property.argument, scope)))
            members.set(key, value);
        else {
          const key = this.#key(property.key, property.computed, scope);
          if (key !== null) members.set(key, this.#evaluate(property.value, scope));
        }
      }
      return { kind: 'map', members };
    }
    if (node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression') {
      return { kind: 'function', node, scope };
    }
    if (node.type === 'BinaryExpression') {
      return this.#binary(
        node.operator,
        this.#evaluate(node.left, scope),
        this.#evaluate(node.right, scope),
        node,
      );
    }
    if (node.type === 'UnaryExpression') {
      return this.#unary(node.operator, this.#evaluate(node.argument, scope), node);
    }
    if (node.type === 'LogicalExpression') {
      return this.#logical(node, scope);
    }
    if (node.type === 'ConditionalExpression') {
      const isTrue = truthOf(this.#evaluate(node.test, scope));
      if (isTrue === null)
        this.#lose(
          node,
          'the condition of "?:" is not converted; the expression always has the value before the colon',
        );
      return this.#evaluate(isTrue === false ? node.alternate : node.consequent, scope);
    }
    if (node.type === 'UpdateExpression') {
      const { argument, operator, prefix } = node;
      const before = this.#evaluate(argument, scope);
      const after = this.#binary(operator.charAt(0), before, numberValue(1), node);
      if (argument.type === 'Identifier') {
        this.#checkChange(argument.name, scope.levelOf(argument.name), node);
        scope.assign(argument.name, after);
      } else this.#lose(node, `"${operator}" on an object property or a list item is not executed`);
      return prefix ? after : before;
    }
    if (node.type === 'AssignmentExpression') {
      return this.#assign(node, scope);
    }
    if (node.type === 'MemberExpression') {
      const object = this.#evaluate(node.object, scope);
      const property = node.computed ? this.#evaluate(node.property, scope) : null;
      if (property !== null) return this.#item(object, property, node);
      return this.#member(object, node.property.type === 'Identifier' ? node.property.name : '', node);
    }
    if (node.type === 'CallExpression' || node.type === 'NewExpression') {
      return this.#call(node, scope);
    }
    if (node.type === 'AwaitExpression' || node.type === 'ParenthesizedExpression') {
      return this.#evaluate(node.type === 'AwaitExpression' ? node.argument : node.expression, scope);
    }
    if (node.type === 'ChainExpression') {
      return this.#evaluate(node.expression, scope);
    }
    if (node.type === 'SequenceExpression') {
      return node.expressions.map((one) => this.#evaluate(one, scope)).at(-1) ?? NOTHING;
    }
    return this.#unknown(node, 'value');
  }

  #key(key: AnyNode, isComputed: boolean, scope: Scope): string | null {
    if (!isComputed && key.type === 'Identifier') return key.name;
    return stringOf(this.#evaluate(key, scope));
  }

  #global(name: string, node: AnyNode): Value {
    if (name === 'undefined') return NOTHING;
    if (name === '__VU' || name === '__ITER') {
      this.#change(
        node,
        '"__VU" and "__ITER" become numbers that start at 0; iterations are numbered across the run, not for each client',
      );
      return {
        kind: 'text',
        text: [{ expression: name === '__VU' ? 'client' : 'iteration' }],
        isNumber: true,
      };
    }
    return { kind: 'builtin', name };
  }

  #template(node: AnyNode & { readonly type: 'TemplateLiteral' }, scope: Scope): Value {
    const text = node.quasis.flatMap((quasi, index): IntakeText => {
      const expression = node.expressions[index];
      return [
        quasi.value.cooked ?? quasi.value.raw,
        ...(expression === undefined ? [] : this.#text(this.#evaluate(expression, scope), expression)),
      ];
    });
    return { kind: 'text', text: text.filter((part) => part !== '') };
  }

  #binary(operator: string, left: Value, right: Value, node: AnyNode): Value {
    const [a, b] = [left.kind === 'number' ? left.value : null, right.kind === 'number' ? right.value : null];
    if (a !== null && b !== null) {
      const result = arithmetic(operator, a, b);
      if (result !== null)
        return typeof result === 'boolean' ? { kind: 'boolean', value: result } : numberValue(result);
    }
    const random = left.kind === 'random' ? left : right.kind === 'random' ? right : null;
    const other = left.kind === 'random' ? b : a;
    if (random !== null && other !== null) {
      const { min, max, step } = random;
      if (operator === '+' || (operator === '-' && left.kind === 'random')) {
        const offset = operator === '+' ? other : -other;
        return { ...random, min: min + offset, max: max + offset };
      }
      if (operator === '*' && other !== 0) {
        const bounds = [min * other, max * other];
        return {
          kind: 'random',
          min: Math.min(...bounds),
          max: Math.max(...bounds),
          step: step === null ? null : step * Math.abs(other),
        };
      }
    }
    // Client numbers begin with 0, and the rows repeat after the last row, so `- 1` and `%` are not needed.
    if (isClientNumber(left) && ((operator === '-' && b === 1) || operator === '%')) return left;
    const shifted = shiftedTime(operator, left, b);
    if (shifted !== null) return shifted;
    const isSum = [left, right].every((value) => value.kind === 'number' || isNumeric(value));
    if (operator === '+' && !isSum && [left, right].some(({ kind }) => kind === 'text'))
      return { kind: 'text', text: [...this.#text(left, node), ...this.#text(right, node)] };
    if (/^[!=]==?$/.test(operator) && [left, right].some(({ kind }) => kind === 'nothing')) {
      const isKnown = [left, right].every(
        ({ kind }) => !['unknown', 'part', 'builtin', 'row'].includes(kind),
      );
      if (isKnown) return { kind: 'boolean', value: (left.kind === right.kind) === operator.startsWith('=') };
    }
    const [x, y] = [stringOf(left), stringOf(right)];
    if (x !== null && y !== null && ['===', '==', '!==', '!='].includes(operator))
      return { kind: 'boolean', value: (x === y) === operator.startsWith('=') };
    return this.#unknown(node, 'value');
  }

  #unary(operator: string, value: Value, node: AnyNode): Value {
    if (operator === '!') {
      const isTrue = truthOf(value);
      return isTrue === null ? this.#unknown(node, 'value') : { kind: 'boolean', value: !isTrue };
    }
    if (value.kind === 'number' && (operator === '-' || operator === '+'))
      return numberValue(operator === '-' ? -value.value : value.value);
    return this.#unknown(node, 'value');
  }

  #logical(node: AnyNode & { readonly type: 'LogicalExpression' }, scope: Scope): Value {
    const left = this.#evaluate(node.left, scope);
    if (node.operator === '&&') {
      const isTrue = truthOf(left);
      return isTrue === null || isTrue ? this.#evaluate(node.right, scope) : left;
    }
    const environment = environmentNameOf(left);
    if (environment !== null) {
      this.#change(node, `the environment variable ${environment} is replaced with its default value`);
      return this.#evaluate(node.right, scope);
    }
    return left.kind === 'nothing' || truthOf(left) === false ? this.#evaluate(node.right, scope) : left;
  }

  #assign(node: AnyNode & { readonly type: 'AssignmentExpression' }, scope: Scope): Value {
    const right = this.#evaluate(node.right, scope);
    const { left } = node;
    if (left.type === 'Identifier') {
      const before = scope.find(left.name) ?? NOTHING;
      const value =
        node.operator === '=' ? right : this.#binary(node.operator.slice(0, -1), before, right, node);
      this.#checkChange(left.name, scope.levelOf(left.name), left);
      scope.assign(left.name, this.#stored(left.name, value, left));
    } else if (left.type === 'MemberExpression') {
      const object = this.#evaluate(left.object, scope);
      const key = this.#key(left.property, left.computed, scope);
      const { object: owner } = left;
      if (owner.type === 'Identifier') this.#checkChange(owner.name, scope.levelOf(owner.name), left);
      if (object.kind === 'map' && key !== null) object.members.set(key, right);
      else if (object.kind === 'list' && key !== null && /^\d+$/.test(key)) object.items[Number(key)] = right;
      else if (object.kind === 'map' || object.kind === 'list')
        this.#lose(
          left,
          'the assignment is omitted, because the name of the property or the index is unknown',
        );
    }
    return right;
  }

  #member(object: Value, name: string, node: AnyNode): Value {
    if (object.kind === 'map') {
      return object.members.get(name) ?? NOTHING;
    }
    if (object.kind === 'list') {
      if (name === 'length') return numberValue(object.items.length);
      return /^\d+$/.test(name) ? (object.items[Number(name)] ?? NOTHING) : this.#unknown(node, name);
    }
    if (object.kind === 'text') {
      const text = stringOf(object);
      return name === 'length' && text !== null ? numberValue(text.length) : this.#unknown(node, name);
    }
    if (object.kind === 'builtin') {
      if (object.name === '__ENV') return this.#environment(name);
      return EXECUTION[`${object.name}.${name}`] ?? { kind: 'builtin', name: `${object.name}.${name}` };
    }
    if (object.kind === 'response') {
      return responsePart(object.request, name);
    }
    if (object.kind === 'part') {
      if (object.source === 'header' && object.property === '') return { ...object, property: name };
      if (object.source === 'json') return { ...object, property: object.property + pointerOf([name]) };
      return { ...object, source: 'other' };
    }
    if (object.kind === 'rows') {
      // The length is typically the bound of a random index, for which any large number suffices.
      return name === 'length' ? numberValue(MAX_STEPS) : this.#unknown(node, name);
    }
    if (object.kind === 'row') {
      return { kind: 'text', text: [{ variable: this.#column(object, name) }] };
    }
    return this.#unknown(node, name);
  }

  #environment(name: string): Value {
    const given = memberOf(this.#env, name);
    return given ?? { kind: 'text', text: [{ secret: name.toUpperCase().replaceAll(/[^A-Z0-9_]/g, '_') }] };
  }

  #item(object: Value, property: Value, node: AnyNode): Value {
    const key = stringOf(property);
    if (key !== null) return this.#member(object, key, node);
    if (object.kind === 'rows') {
      if (property.kind === 'random' && (property.min > 0 || property.max < MAX_STEPS - 1))
        this.#lose(
          node,
          'the random row is selected from the whole file, not only from the range of the index',
        );
      const order =
        property.kind === 'random' ? 'random' : isClientNumber(property) ? 'client' : 'sequential';
      return { kind: 'row', file: object.file, order };
    }
    if (object.kind === 'list' && property.kind === 'random' && property.step !== null) {
      const { min, max, step } = property;
      if (min < 0 || max >= object.items.length)
        this.#lose(node, 'the random index can be outside the list; the test selects only existing items');
      const isSelected = (index: number) => index >= min && index <= max && (index - min) % step === 0;
      return this.#picked(
        object.items.filter((_, index) => isSelected(index)),
        node,
      );
    }
    return this.#unknown(node, 'item');
  }

  #picked(items: readonly Value[], node: AnyNode): Value {
    const texts = items.map(stringOf).filter((text) => text !== null && text !== '' && !/[,{}]/.test(text));
    if (texts.length === items.length && items.length > 0) {
      // An expression must not contain the slash after the host of a URL, so the slash precedes the expression.
      const isPath = texts.every((text) => text?.startsWith('/') === true && text.length > 1);
      const expression = `pick:${texts.map((text) => (isPath ? text?.slice(1) : text)).join(',')}`;
      return { kind: 'text', text: [...(isPath ? ['/'] : []), { expression }] };
    }
    this.#lose(node, 'the random selection is not converted; only the first item of the list is used');
    return items[0] ?? NOTHING;
  }

  // --- texts

  /** Counts a step. Reports whether the script exceeds the maximum number of steps. */
  #isExhausted(node: AnyNode): boolean {
    this.#steps += 1;
    if (this.#steps <= MAX_STEPS) return false;
    this.#lose(node, 'the script is too complex; a part of this value is omitted');
    return true;
  }

  /** Returns a value as text. Captures a part of a response as a variable. */
  #text(value: Value, node: AnyNode): IntakeText {
    if (value.kind === 'list' && this.#isExhausted(node)) return [];
    switch (value.kind) {
      case 'text':
        return value.text;
      case 'number':
      case 'boolean':
        return [String(value.value)];
      case 'nothing':
        return [];
      case 'random':
        return [this.#randomText(value, node)];
      case 'part':
        return this.#partText(value, node);
      case 'unknown': {
        const name = secretName(value.name);
        this.#lose(
          node,
          `the value of ${JSON.stringify(value.name)} is unknown and is read from the environment variable ${name}`,
        );
        return [{ secret: name }];
      }
      case 'list':
        return value.items.flatMap((item, index) => [
          ...(index === 0 ? [] : [',']),
          ...this.#text(item, node),
        ]);
      case 'builtin':
      case 'function':
      case 'map':
      case 'response':
      case 'checked':
      case 'rows':
      case 'row':
      case 'file':
      case 'upload':
        this.#lose(node, 'the value is omitted, because it cannot be converted to text');
        return [];
    }
  }

  #randomText({ min, max, step }: Value & { readonly kind: 'random' }, node: AnyNode): IntakeTextPart {
    if (step === 1 && Number.isInteger(min)) return randomInteger(min, max);
    if (step !== null)
      this.#lose(
        node,
        `the random number can be any decimal number from ${min} to ${max}, not only values at intervals of ${step}`,
      );
    return { expression: `decimal:${Number(min.toFixed(6))}-${Number(max.toFixed(6))}` };
  }

  #partText(part: Value & { readonly kind: 'part' }, node: AnyNode): IntakeText {
    const { source } = part;
    const property = source === 'status' ? '' : part.property;
    if (source === 'other' || source === 'body') {
      this.#lose(
        node,
        'the value from the response is omitted; if the body contains the value, capture it with "variables"',
      );
      return [];
    }
    const { captures } = part.request.request;
    const known = captures.find((one) => one.source === source && one.property === property);
    if (known !== undefined) return [{ variable: known.name }];
    const last = property.split('/').findLast((step) => !/^\d*$/.test(step)) ?? 'value';
    const number = this.#numbers.get(part.request) ?? this.#numbers.size;
    this.#numbers.set(part.request, number);
    const name = this.#uniqueName(source === 'status' ? source : last, `${number} ${source} ${property}`);
    part.request.update({ captures: [...captures, { name, source, property }] });
    return [{ variable: name }];
  }

  #column(row: Value & { readonly kind: 'row' }, name: string): string {
    const key = variableName(name);
    this.#rows.set(key, { file: row.file, order: row.order });
    return key;
  }

  readonly #rows = new Map<string, NonNullable<IntakeRequest['rows']>>();

  #json(value: Value, node: AnyNode): IntakeText {
    const parts: IntakeTextPart[] = [];
    this.#addJson(parts, value, node);
    return parts;
  }

  /** Adds the JSON text of a value to the parts, so that deeply nested values take linear time. */
  #addJson(parts: IntakeTextPart[], value: Value, node: AnyNode): void {
    if (this.#isExhausted(node)) {
      parts.push('null');
    } else if (value.kind === 'list') {
      parts.push('[');
      for (const [index, item] of value.items.entries()) {
        if (index > 0) parts.push(',');
        this.#addJson(parts, item, node);
      }
      parts.push(']');
    } else if (value.kind === 'map') {
      const members = [...value.members].filter(([, member]) => member.kind !== 'function');
      parts.push('{');
      for (const [index, [key, member]] of members.entries()) {
        parts.push(`${index === 0 ? '' : ','}${JSON.stringify(key)}:`);
        this.#addJson(parts, member, node);
      }
      parts.push('}');
    } else {
      parts.push(...this.#jsonScalar(value, node));
    }
  }

  #jsonScalar(value: Value, node: AnyNode): IntakeText {
    if (value.kind === 'nothing') return ['null'];
    if (value.kind === 'number' || value.kind === 'boolean' || value.kind === 'random') {
      return this.#text(value, node);
    }
    if (value.kind === 'part' && value.source === 'json' && !this.#requests.has(value.request))
      this.#lose(
        node,
        'the value from "setup" is sent as a JSON string, even if it is a number or a boolean',
      );
    const text = this.#text(value, node);
    if (value.kind === 'text' && value.isNumber === true) return text;
    return jsonStringOf(text);
  }

  // --- calls

  /** Returns the values of an argument or a list item, including a spread list. */
  #given(node: Expression | SpreadElement, scope: Scope): readonly Value[] {
    if (node.type !== 'SpreadElement') return [this.#evaluate(node, scope)];
    const value = this.#evaluate(node.argument, scope);
    return value.kind === 'unknown' ? [value] : itemsOfValue(value);
  }

  #call(node: CallExpression | NewExpression, scope: Scope): Value {
    const { callee } = node;
    const given = () => node.arguments.flatMap((argument) => this.#given(argument, scope));
    if (callee.type === 'MemberExpression') {
      const object = this.#evaluate(callee.object, scope);
      const method = this.#key(callee.property, callee.computed, scope) ?? '';
      const trimmed = method === 'replace' ? withoutEnd(object, node) : null;
      if (trimmed !== null) return trimmed;
      if (object.kind === 'builtin') return this.#callBuiltin(`${object.name}.${method}`, given(), node);
      const member = object.kind === 'map' ? object.members.get(method) : undefined;
      if (member?.kind === 'function') return this.#callFunction(member, given());
      return this.#callMethod(object, method, given(), node);
    }
    const target = this.#evaluate(callee, scope);
    if (target.kind === 'function') return this.#callFunction(target, given());
    if (target.kind === 'builtin') return this.#callBuiltin(target.name, given(), node);
    given();
    return this.#unknown(node, 'value');
  }

  #callFunction({ node, scope }: FunctionValue, given: readonly Value[]): Value {
    if (this.#calls >= MAX_CALLS) {
      this.#lose(node, `calls are nested deeper than ${MAX_CALLS} levels, and the innermost call is omitted`);
      return NOTHING;
    }
    const inner = new Scope(scope);
    node.params.forEach((parameter, index) => this.#bind(parameter, given[index] ?? NOTHING, inner));
    this.#calls += 1;
    const value =
      node.body.type === 'BlockStatement'
        ? (this.#block(node.body.body, inner)?.value ?? NOTHING)
        : this.#evaluate(node.body, inner);
    this.#calls -= 1;
    return value;
  }

  #callMethod(object: Value, method: string, given: readonly Value[], node: AnyNode): Value {
    const [first] = given;
    if (object.kind === 'response') {
      if (method === 'json') return this.#jsonPart(object.request, first, node);
      if (method === 'submitForm' || method === 'clickLink') {
        this.#lose(node, `the request that "${method}" sends is omitted`);
        return this.#unknown(node, 'response');
      }
      return { kind: 'part', request: object.request, source: 'other', property: method };
    }
    const time = object.kind === 'map' ? object.members.get('time') : undefined;
    if (time !== undefined && (method === 'toISOString' || method === 'toJSON')) return time;
    if (object.kind === 'list') {
      if (method === 'push') {
        if (this.#uncertainLevel !== null)
          this.#lose(
            node,
            'the items of the list depend on a condition or a loop; check the converted values',
          );
        object.items.push(...given);
        return numberValue(object.items.length);
      }
      if (MUTATING.includes(method))
        this.#lose(node, `"${method}" is not applied to the list; check the converted values`);
      if (method === 'forEach' && first?.kind === 'function') {
        const [parameter] = first.node.params;
        const variable = parameter?.type === 'Identifier' ? parameter.name : 'item';
        this.#repeat(object.items.length, { node, variable }, (index) => {
          this.#callFunction(first, [object.items[index] ?? NOTHING, numberValue(index)]);
          return null;
        });
        return NOTHING;
      }
      if (method === 'map' && first?.kind === 'function')
        return {
          kind: 'list',
          items: object.items.map((item, index) => this.#callFunction(first, [item, numberValue(index)])),
        };
      if (method === 'join') {
        const separator = first === undefined ? ',' : (stringOf(first) ?? ',');
        return {
          kind: 'text',
          text: object.items.flatMap((item, index) => [
            ...(index === 0 ? [] : [separator]),
            ...this.#text(item, node),
          ]),
        };
      }
    }
    if (
      ['toString', 'trim', 'toFixed', 'valueOf'].includes(method) &&
      ['text', 'number', 'random', 'part'].includes(object.kind)
    )
      return object;
    const text = stringOf(object);
    if (text !== null && method === 'toLowerCase') return textValue(text.toLowerCase());
    if (text !== null && method === 'toUpperCase') return textValue(text.toUpperCase());
    if (text !== null && method === 'split' && first !== undefined)
      return { kind: 'list', items: text.split(stringOf(first) ?? ',').map(textValue) };
    if (given.some(({ kind }) => kind === 'function'))
      this.#lose(node, `the function that is passed to "${method}" is not executed`);
    // Adds no note, because methods such as those of metrics have no effect on the requests.
    return this.#unknown(node, method);
  }

  #jsonPart(request: FlowRequest, path: Value | undefined, node: AnyNode): Value {
    const text = path === undefined ? '' : stringOf(path);
    if (text === null || /[#*?|@]/.test(text)) return this.#unknown(node, 'value');
    const pointer = text === '' ? '' : pointerOf(text.split('.'));
    return { kind: 'part', request, source: 'json', property: pointer };
  }

  #callBuiltin(name: string, given: readonly Value[], node: AnyNode): Value {
    const [first, second] = given;
    const http = /^http\.(\w+)$/.exec(name)?.[1];
    if (http !== undefined) return this.#callHttp(http, given, node);
    switch (name) {
      case 'sleep':
        this.#sleep(first, node);
        return NOTHING;
      case 'check':
        return this.#check(first, second, node);
      case 'group':
        return second?.kind === 'function' ? this.#callFunction(second, []) : NOTHING;
      case 'fail':
        return { kind: 'builtin', name: FAILED };
      case 'execution.test.abort':
        this.#lose(node, 'the call of "exec.test.abort" is not converted, and does not end the run');
        return NOTHING;
      case 'jar.set':
      case 'jar.clear':
      case 'jar.delete':
        this.#lose(
          node,
          'the change of the cookie jar is not converted; to send a cookie, add the header "cookie" by hand',
        );
        return NOTHING;
      case 'JSON.stringify':
        return first === undefined ? NOTHING : { kind: 'text', text: this.#json(first, node), isJson: true };
      case 'JSON.parse':
        return this.#parsed(first, node);
      case 'Object.assign': {
        const target =
          first?.kind === 'map' ? first : { kind: 'map' as const, members: new Map<string, Value>() };
        for (const [key, value] of given.slice(1).flatMap(membersOfValue)) target.members.set(key, value);
        return target;
      }
      case 'Math.random':
        return { kind: 'random', min: 0, max: 1, step: null };
      case 'Math.floor':
      case 'Math.round':
      case 'Math.ceil':
      case 'Math.trunc':
      case 'parseInt':
        return this.#rounded(name, first, node);
      case 'Math.max':
      case 'Math.min': {
        const numbers = given.map(numberOfValue);
        const known = numbers.filter((number) => number !== null);
        if (known.length < numbers.length || known.length === 0) return this.#unknown(node, 'number');
        return numberValue(name === 'Math.max' ? Math.max(...known) : Math.min(...known));
      }
      case 'Number':
      case 'parseFloat': {
        const number = numberOfValue(first);
        return number === null ? (first ?? NOTHING) : numberValue(number);
      }
      case 'String':
      case 'Promise.all':
        return first ?? NOTHING;
      case 'Date.now':
      case 'date.getTime':
        return NOW;
      case 'Date': {
        const time = first ?? NOW;
        const [only, ...others] = time.kind === 'text' ? time.text : [];
        if (typeof only !== 'object' || !('expression' in only) || others.length > 0)
          return this.#unknown(node, 'date');
        const expression = only.expression.replace(/:unix_ms$/, '');
        return expression === 'now'
          ? { kind: 'builtin', name: 'date' }
          : {
              kind: 'map',
              members: new Map<string, Value>([['time', { kind: 'text', text: [{ expression }] }]]),
            };
      }
      case 'Array.from':
        return this.#listOf(first, second, node);
      case 'date.toISOString':
      case 'date.toJSON':
        return { kind: 'text', text: [{ expression: 'now' }] };
      case 'encodeURIComponent':
      case 'encodeURI':
        return {
          kind: 'text',
          text: encodedText(this.#text(first ?? NOTHING, node)),
        };
      case 'encoding.b64encode': {
        const text = stringOf(first);
        return text === null
          ? this.#unknown(node, 'encoded')
          : textValue(Buffer.from(text, 'utf8').toString('base64'));
      }
      case 'open':
        return { kind: 'file', path: (stringOf(first) ?? '').replace(/^\.\//, '') };
      case 'SharedArray':
        return second?.kind === 'function' ? this.#callFunction(second, []) : this.#unknown(node, 'rows');
      case 'papaparse.parse':
        return first?.kind === 'file'
          ? { kind: 'map', members: new Map([['data', { kind: 'rows', file: first.path } satisfies Value]]) }
          : this.#unknown(node, 'rows');
      case 'utils.randomIntBetween': {
        const [min, max] = [numberOfValue(first), numberOfValue(second)];
        return min === null || max === null
          ? this.#unknown(node, 'number')
          : { kind: 'random', min: Math.floor(min), max: Math.ceil(max), step: 1 };
      }
      case 'utils.randomString':
        return { kind: 'text', text: [randomText(...lengthsOf(first), stringOf(second))] };
      case 'utils.uuidv4':
      case 'crypto.randomUUID':
        return { kind: 'text', text: [{ expression: 'uuid' }] };
      case 'utils.randomItem':
        if (first?.kind === 'rows') return { kind: 'row', file: first.file, order: 'random' };
        return first?.kind === 'list' ? this.#picked(first.items, node) : this.#unknown(node, 'item');
      case 'metric':
        this.#change(node, 'custom metrics are not measured');
        return { kind: 'builtin', name: 'measured' };
      default:
        if (given.some(({ kind }) => kind === 'function'))
          this.#lose(node, `the function that is passed to "${name}" is not executed`);
        return this.#unknown(node, name.split('.').at(-1) ?? 'value');
    }
  }

  #listOf(source: Value | undefined, convert: Value | undefined, node: AnyNode): Value {
    const length = source?.kind === 'list' ? source.items.length : numberOfValue(memberOf(source, 'length'));
    if (length === null || length > MAX_ITEMS) return this.#unknown(node, 'list');
    const items = Array.from({ length }, (_, index): Value => {
      const item = itemsOfValue(source)[index] ?? NOTHING;
      return convert?.kind === 'function' ? this.#callFunction(convert, [item, numberValue(index)]) : item;
    });
    return { kind: 'list', items };
  }

  #rounded(name: string, value: Value | undefined, node: AnyNode): Value {
    const number = numberOfValue(value);
    if (number !== null) return numberValue(roundedNumber(name, number));
    if (value?.kind !== 'random') return value?.kind === 'text' ? value : this.#unknown(node, 'number');
    const { min, max, step } = value;
    if (step !== null && Number.isInteger(step) && Number.isInteger(min)) return value;
    if (step !== null)
      return {
        kind: 'random',
        min: roundedNumber(name, min),
        max: roundedNumber(name, max),
        step: Math.max(1, step),
      };
    // The random number is always less than `max`.
    if (name === 'Math.ceil')
      return { kind: 'random', min: Math.floor(min) + 1, max: Math.ceil(max), step: 1 };
    if (name === 'Math.round') return { kind: 'random', min: Math.round(min), max: Math.round(max), step: 1 };
    return { kind: 'random', min: Math.floor(min), max: Math.ceil(max) - 1, step: 1 };
  }

  /** Evaluates `JSON.parse` for the body of a response, a file or a literal string. */
  #parsed(value: Value | undefined, node: AnyNode): Value {
    if (value?.kind === 'part' && value.source === 'body')
      return { kind: 'part', request: value.request, source: 'json', property: '' };
    const file = value?.kind === 'file' ? this.#options.source.readFile(value.path) : null;
    if (value?.kind === 'file' && file !== null && 'reason' in file)
      this.#lose(node, `the file ${JSON.stringify(value.path)} ${file.reason}`);
    const text = file !== null && 'text' in file ? file.text : stringOf(value);
    try {
      return text === null ? this.#unknown(node, 'data') : valueOfJson(JSON.parse(text));
    } catch {
      return this.#unknown(node, 'data');
    }
  }

  #sleep(value: Value | undefined, node: AnyNode): void {
    const [min, max] =
      value?.kind === 'random' ? [value.min, value.max] : [numberOfValue(value), numberOfValue(value)];
    const where = this.#at(node);
    if (min === null || max === null) {
      const variable = value?.kind === 'text' ? value.text[0] : undefined;
      const given =
        typeof variable === 'object' && 'variable' in variable
          ? this.#values.find(({ name }) => name === variable.variable)?.value[0]
          : undefined;
      const [, low, high] =
        /^(?:\*|decimal):([\d.]+)-([\d.]+)$/.exec(
          typeof given === 'object' && 'expression' in given ? given.expression : '',
        ) ?? [];
      if (low !== undefined && high !== undefined)
        this.#requests.pause(milliseconds(Number(low) * 1000), milliseconds(Number(high) * 1000), where);
      else this.#lose(node, 'the think time is omitted, because it is not constant; add a "delay" by hand');
    } else if (max > 0)
      this.#requests.pause(milliseconds(Math.round(min * 1000)), milliseconds(Math.round(max * 1000)), where);
  }

  #check(target: Value | undefined, checks: Value | undefined, node: AnyNode): Value {
    if (target?.kind !== 'response') {
      this.#lose(node, 'the check is not converted, because its value is not a response');
      return this.#unknown(node, 'check');
    }
    const { request } = target;
    for (const [name, condition] of membersOfValue(checks)) {
      if (condition.kind !== 'function') continue;
      const { node: predicate, scope } = condition;
      const inner = new Scope(scope);
      const [parameter] = predicate.params;
      if (parameter !== undefined) this.#bind(parameter, target, inner);
      const expression = expressionOf(predicate);
      const checked = new CheckedResponse(request.request.expect, (one) => this.#evaluate(one, inner));
      if (expression !== null && checked.add(expression)) request.update({ expect: checked.expectation });
      else request.lose(this.#at(predicate), `the check ${JSON.stringify(name)} is not converted`);
    }
    this.#change(node, 'checks become expectations, and a response that does not meet them is an error');
    return { kind: 'checked', request };
  }

  // --- requests

  #callHttp(method: string, given: readonly Value[], node: AnyNode): Value {
    const [first, second, third, fourth] = given;
    if (method === 'file') {
      const content =
        first?.kind === 'file' ? { file: first.path } : { text: this.#text(first ?? NOTHING, node) };
      const type = stringOf(third) ?? 'application/octet-stream';
      return { kind: 'upload', content, fileName: stringOf(second), type };
    }
    if (method === 'url') return first ?? NOTHING;
    if (method === 'batch') return this.#batch(first, node);
    if (method === 'cookieJar' || method === 'CookieJar') return { kind: 'builtin', name: 'jar' };
    if (!SENDING.includes(method)) return this.#unknown(node, method);
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
    if (entries.length === 0) this.#lose(node, 'the batch is omitted, because its requests are unknown');
    if (entries.length > MAX_BATCH_PER_HOST)
      this.#change(
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
    this.#requests.parallel(this.#at(node), () => {
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
    if (!this.#isIteration) return this.#unknown(node, 'response');
    for (const [name] of this.#membersOf(params, 'parameters', node)) {
      if (!KNOWN_PARAMS.includes(name))
        this.#lose(node, `the parameter "${name}" of the request is not converted`);
    }
    const headers = this.#membersOf(memberOf(params, 'headers'), 'headers', node).map(
      ([name, value]): IntakeField => ({
        name,
        value: this.#text(value, node),
      }),
    );
    const cookies = this.#membersOf(memberOf(params, 'cookies'), 'cookies', node).map(
      ([name, value], index): IntakeText => [
        `${index === 0 ? '' : '; '}${name}=`,
        ...this.#text(value.kind === 'map' ? (value.members.get('value') ?? NOTHING) : value, node),
      ],
    );
    this.#readTimeout(memberOf(params, 'timeout'), node);
    const redirects = memberOf(params, 'redirects');
    const request: IntakeRequest = {
      ...EMPTY_REQUEST,
      at: this.#at(node),
      name: stringOf(memberOf(params, 'tags', 'name')),
      method: method.toUpperCase(),
      url: this.#url(url, node),
      headers: cookies.length === 0 ? headers : [...headers, { name: 'cookie', value: cookies.flat() }],
      body: this.#body(body, node),
    };
    const used = JSON.stringify(request);
    const rows =
      [...this.#rows].find(([name]) => used.includes(`{"variable":${JSON.stringify(name)}}`))?.[1] ?? null;
    const added = this.#requests.add({ ...request, rows });
    if (redirects?.kind === 'number' && redirects.value === 0) this.#unfollowed.add(added);
    return { kind: 'response', request: added };
  }

  /** Returns the members of a map, such as the headers of a request. Adds a note if the map is unknown. */
  #membersOf(value: Value | undefined, what: string, node: AnyNode): readonly (readonly [string, Value])[] {
    if (value !== undefined && value.kind !== 'map' && value.kind !== 'nothing')
      this.#lose(node, `the ${what} of the request are unknown and are omitted`);
    return membersOfValue(value);
  }

  #readTimeout(value: Value | undefined, node: AnyNode): void {
    const timeout =
      value?.kind === 'number' ? milliseconds(value.value) : parseDuration(stringOf(value) ?? '');
    if (timeout === null || timeout <= 0) return;
    if (this.#timeout === null) this.#timeout = timeout;
    else if (this.#timeout !== timeout)
      this.#lose(
        node,
        'the timeout of this request is not converted; all requests use the first timeout of the source',
      );
  }

  #url(value: Value | undefined, node: AnyNode): IntakeText {
    const text = this.#text(value ?? NOTHING, node);
    if (value?.kind === 'part' && text.length === 1) return text;
    if (/^https?:\/\/[^/]/i.test(literalStart(text))) {
      return /^https?:\/\/[^/?]+$/i.test(literalOf(text) ?? '') ? [...text, '/'] : text;
    }
    this.#change(node, UNKNOWN_HOST);
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
            : textPart({ name, value: this.#text(member, node) }),
        );
        return { kind: 'multipart', parts };
      }
      return {
        kind: 'form',
        fields: members.map(([name, member]) => ({ name, value: this.#text(member, node) })),
      };
    }
    if (value.kind === 'file') {
      const file = this.#options.source.readFile(value.path);
      if ('text' in file) return { kind: 'text', text: [file.text] };
      this.#lose(
        node,
        `the body of the request is omitted: the file ${JSON.stringify(value.path)} ${file.reason}`,
      );
      return null;
    }
    const text = this.#text(value, node);
    return { kind: 'text', text, isVerbatim: !(value.kind === 'text' && value.isJson === true) };
  }
}

/** Name of the value of a call of `fail`. */
const FAILED = 'failed';

/** Reports whether a block ended because the script throws an error. */
function isFailure({ by }: Ended): boolean {
  return by === 'throw' || by === 'fail';
}

const MUTATING = ['pop', 'shift', 'unshift', 'splice', 'sort', 'reverse', 'fill'];

/** Maximum length of a list that `Array.from` creates. */
const MAX_ITEMS = 1000;

/** Maximum number of literal characters of a text, and maximum number of parts of a text or items of a list. */
const MAX_TEXT = 1_000_000;
const MAX_PARTS = 10_000;

/** Reports whether a value must not grow further. In a loop, a value can double in each repetition. */
function isTooLarge(value: Value): boolean {
  if (value.kind === 'list') return value.items.length > MAX_PARTS;
  if (value.kind !== 'text') return false;
  const { text } = value;
  return (
    text.length > MAX_PARTS ||
    text.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : 0), 0) > MAX_TEXT
  );
}

const NOW: Value = { kind: 'text', text: [{ expression: 'now:unix_ms' }], isNumber: true };

function isClientNumber(value: Value): boolean {
  const [part, ...others] = value.kind === 'text' ? value.text : [];
  return (
    others.length === 0 && typeof part === 'object' && 'expression' in part && part.expression === 'client'
  );
}

function lengthsOf(value: Value | undefined): readonly [number, number] {
  if (value?.kind === 'random') return [value.min, value.max];
  const length = numberOfValue(value) ?? 8;
  return [length, length];
}

function isNumeric(value: Value): boolean {
  return value.kind === 'text' && value.isNumber === true;
}

/** Returns the current time plus or minus a positive number of milliseconds; null for other operations. */
function shiftedTime(operator: string, value: Value, offset: number | null): Value | null {
  const [only, ...others] = value.kind === 'text' ? value.text : [];
  const isNow = typeof only === 'object' && 'expression' in only && only.expression === 'now:unix_ms';
  if (!isNow || others.length > 0 || offset === null || !Number.isInteger(offset) || offset <= 0) return null;
  if (operator !== '+' && operator !== '-') return null;
  const text = [{ expression: `now${operator}${offset}ms:unix_ms` }];
  return { kind: 'text', text, isNumber: true };
}

interface Test {
  /** True or false if the result is known before the run; otherwise null. */
  readonly truth: boolean | null;
  /** Returns the test as conditions on variables; null if conditions cannot express the test. */
  readonly conditions: () => readonly VariableCondition[] | null;
  /** Makes the iteration end if a request fails; null if the test is not a check for a failed request. */
  readonly failed: (() => void) | null;
}

/**
 * Returns a function that ends the iteration if the status differs from the number; null for other comparisons.
 */
function stopUnlessStatus(left: Value, right: Value): (() => void) | null {
  const status = numberOfValue(right);
  if (left.kind !== 'part' || left.source !== 'status' || status === null) return null;
  const { request } = left;
  return () => {
    const expected = new ResponseExpectation(request.request.expect);
    if (expected.status([status])) request.update({ expect: expected.build(), stopsOnFailure: true });
  };
}

const KNOWN_PARAMS = ['headers', 'tags', 'timeout', 'redirects', 'cookies', 'responseType'];

const EXECUTION: Readonly<Record<string, Value>> = {
  'execution.vu.idInTest': { kind: 'text', text: [{ expression: 'client' }] },
  'execution.vu.idInInstance': { kind: 'text', text: [{ expression: 'client' }] },
  'execution.scenario.iterationInTest': { kind: 'text', text: [{ expression: 'iteration' }] },
  'execution.vu.iterationInInstance': { kind: 'text', text: [{ expression: 'iteration' }] },
};

function builtinName(path: string, name: string): string {
  if (path === 'k6/http') return name === 'default' || name === '*' ? 'http' : `http.${name}`;
  if (path === 'k6') return name === 'default' || name === '*' ? 'k6' : name;
  if (path === 'k6/metrics') return 'metric';
  if (path === 'k6/data') return name;
  if (path === 'k6/encoding') return name === 'default' || name === '*' ? 'encoding' : `encoding.${name}`;
  if (path === 'k6/execution') return name === 'default' || name === '*' ? 'execution' : `execution.${name}`;
  if (path.includes('papaparse')) return 'papaparse';
  if (/k6-utils|k6\/utils/.test(path)) return `utils.${name}`;
  return `module.${name}`;
}

function responsePart(request: FlowRequest, name: string): Value {
  const part = (source: 'status' | 'body' | 'header' | 'other', property = ''): Value => ({
    kind: 'part',
    request,
    source,
    property,
  });
  if (name === 'status' || name === 'body') return part(name);
  return name === 'headers' ? part('header') : part('other', name);
}

function environmentNameOf(value: Value): string | null {
  const [only, ...others] = value.kind === 'text' ? value.text : [];
  return typeof only === 'object' && 'secret' in only && others.length === 0 ? only.secret : null;
}

/** Reports whether a value is truthy; null if this is unknown before the run. */
function truthOf(value: Value): boolean | null {
  if (value.kind === 'boolean') {
    return value.value;
  }
  if (value.kind === 'number') {
    return value.value !== 0;
  }
  if (value.kind === 'nothing') {
    return false;
  }
  if (
    value.kind === 'list' ||
    value.kind === 'map' ||
    value.kind === 'function' ||
    value.kind === 'response'
  ) {
    return true;
  }
  if (value.kind === 'text') {
    return literalOf(value.text) === null ? null : value.text.length > 0;
  }
  return null;
}

function roundedNumber(name: string, value: number): number {
  if (name === 'Math.ceil') return Math.ceil(value);
  if (name === 'Math.round') return Math.round(value);
  return name === 'Math.floor' ? Math.floor(value) : Math.trunc(value);
}

/** Returns the value of `text.replace(/\/$/, '')`, which removes slashes at the end; null for any other call. */
function withoutEnd(object: Value, { arguments: given }: CallExpression | NewExpression): Value | null {
  const [pattern, replacement] = given;
  const text = stringOf(object);
  const end = pattern?.type === 'Literal' && 'regex' in pattern ? ENDS.get(pattern.regex.pattern) : undefined;
  const isRemoved = replacement?.type === 'Literal' && replacement.value === '';
  return text !== null && end !== undefined && isRemoved ? textValue(text.replace(end, '')) : null;
}

/** Patterns that match slashes at the end of a string, by their source text. */
const ENDS: ReadonlyMap<string, RegExp> = new Map(
  [/\/$/, /\/+$/, /\/*$/].map((pattern) => [pattern.source, pattern]),
);

function arithmetic(operator: string, a: number, b: number): number | boolean | null {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return b === 0 ? null : a / b;
    case '%':
      return b === 0 ? null : a % b;
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    case '===':
    case '==':
      return a === b;
    case '!==':
    case '!=':
      return a !== b;
    default:
      return null;
  }
}

/** Returns the expression that a function returns; null if the body contains other statements. */
function expressionOf({ body }: FunctionNode): Expression | null {
  if (body.type !== 'BlockStatement') return body;
  const [only, ...others] = body.body;
  return only?.type === 'ReturnStatement' && others.length === 0 ? (only.argument ?? null) : null;
}

/** Interprets the statements of k6 scripts in order, using only values that are known without running the script. */
import type {
  CallExpression,
  Expression,
  NewExpression,
  Pattern,
  Program,
  SpreadElement,
  Statement,
} from 'acorn';
import type { IntakeField, IntakeFlow, IntakeNote, SourcePosition } from '../core/intake/intake.ts';
import { encodedText, type IntakeText } from '../core/intake/intake-text.ts';
import type { IntakeSource, PositionAt } from '../core/intake/source-text.ts';
import type { VariableCondition } from '../core/model/condition.ts';
import type { Milliseconds } from '../core/units.ts';
import { FlowRequests } from './flow-requests.ts';
import { randomText } from './generated-values.ts';
import { negated } from './jmeter-conditions.ts';
import { CheckedResponse, shortened } from './k6-check.ts';
import {
  builtinName,
  environmentNameOf,
  expressionOf,
  isNumeric,
  isTooLarge,
  K6Operations,
  lengthsOf,
  NOW,
  truthOf,
  withoutEnd,
} from './k6-operations.ts';
import { K6Requests } from './k6-requests.ts';
import { K6Script } from './k6-script.ts';
import { K6Texts } from './k6-texts.ts';
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
  type Value,
} from './k6-values.ts';
import { variableName } from './names.ts';
import { ResponseExpectation } from './response-expectation.ts';

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

const MAX_CALLS = 25;
const MAX_NESTING = 200;

const MAX_MODULES = 50;

/** End of a block before its last statement. */
interface Ended {
  /** Statement that ends the block. */
  readonly by: 'return' | 'throw' | 'fail' | 'break' | 'continue';
  readonly value: Value;
}

export class K6Interpreter {
  readonly #options: InterpreterOptions;
  readonly #script: K6Script;
  readonly #texts: K6Texts;
  readonly #http: K6Requests;
  readonly #operations: K6Operations;
  readonly #modulesRead: (() => void)[] = [];
  #loops = 0;
  /** Level of the scope around the outermost uncertain branch or loop; null outside of such code. */
  #uncertainLevel: number | null = null;
  #nesting = 0;
  #calls = 0;
  /** Number of enclosing "try" statements with a "catch" clause. */
  #catches = 0;
  #modules = 0;

  constructor(options: InterpreterOptions) {
    this.#options = options;
    this.#script = new K6Script(options.source, options.notes);
    this.#texts = new K6Texts(this.#script);
    this.#http = new K6Requests(this.#script, this.#texts);
    this.#operations = new K6Operations(this.#script, this.#texts);
  }

  /** Timeout of the first request that defines one; null if there is none. */
  get timeout(): Milliseconds | null {
    return this.#http.timeout;
  }

  readModule(program: Program, positionAt: PositionAt): ModuleExports {
    this.#script.positionAt = positionAt;
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
        if (!node.declaration) {
          for (const { local, exported: name } of node.specifiers)
            if (local.type === 'Identifier' && name.type === 'Identifier')
              exported.set(name.name, scope.find(local.name) ?? this.#script.unknown(local, local.name));
          continue;
        }
        this.#statement(node.declaration, scope);
        for (const name of declared(node.declaration)) {
          exported.set(name, scope.find(name) ?? NOTHING);
          if (name === 'options') optionsAt = this.#script.at(node);
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
    [this.#script.requests, this.#script.values] = [requests, values];
    for (const restore of this.#modulesRead) restore();
    this.#operations.environment = env;
    this.#script.isIteration = true;
    const returned = this.#callFunction(given, data);
    this.#script.isIteration = false;
    const finish = (isClosed: boolean) => {
      for (const request of requests.entries) this.#http.settleRedirects(request);
      const finished = requests.finish(isClosed);
      return { at: finished.requests[0]?.at ?? this.#script.at(given.node), values, ...finished };
    };
    return { finish, returned };
  }

  // --- modules

  #import(node: AnyNode & { readonly type: 'ImportDeclaration' }, scope: Scope): void {
    const path = String(node.source.value);
    const local = path.startsWith('.') ? this.#localModule(path, node) : null;
    if (/^k6\/(?:ws|net\/grpc|browser|experimental\/(?:websockets|browser|redis))|^k6\/x\//.test(path))
      this.#script.lose(node, `the module ${JSON.stringify(path)} is not converted`);
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
            : (local.get(name) ?? this.#script.unknown(node, specifier.local.name))
          : { kind: 'builtin', name: builtin };
      scope.declare(specifier.local.name, value);
    }
  }

  #localModule(path: string, node: AnyNode): ReadonlyMap<string, Value> | null {
    const file = this.#script.source.readFile(path.replace(/^\.\//, ''));
    this.#modules += 1;
    if ('reason' in file || this.#modules > MAX_MODULES) {
      const reason =
        'reason' in file
          ? file.reason
          : `is not read, because the script imports more than ${MAX_MODULES} modules`;
      this.#script.lose(node, `the module ${JSON.stringify(path)} ${reason}`);
      return null;
    }
    const at = this.#script.at(node);
    const outer = this.#script.positionAt;
    // Positions in the imported file are reported as the position of the import.
    const { values } = this.readModule(this.#options.parseModule(file.text, at), () => at);
    this.#script.positionAt = outer;
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
    if (this.#script.countStep()) return { by: 'return', value: NOTHING };
    if (node.type === 'VariableDeclaration') {
      for (const { id, init } of node.declarations)
        this.#bind(id, this.#evaluateOptional(init, scope), scope);
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
      return { by: 'return', value: this.#evaluateOptional(node.argument, scope) };
    }
    if (node.type === 'BlockStatement') {
      return this.#block(node.body, new Scope(scope));
    }
    if (node.type === 'IfStatement') {
      return this.#if(node, scope);
    }
    if (node.type === 'TryStatement') {
      const isCaught = Boolean(node.handler);
      if (isCaught) this.#catches += 1;
      const ended = this.#block(node.block.body, new Scope(scope));
      if (isCaught) this.#catches -= 1;
      if (ended !== null && !(isCaught && isFailure(ended))) return ended;
      return node.finalizer ? this.#block(node.finalizer.body, new Scope(scope)) : null;
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
      this.#script.lose(node, 'the "switch" statement is omitted, including its requests');
      return null;
    }
    return null;
  }

  #if(node: AnyNode & { readonly type: 'IfStatement' }, scope: Scope): Ended | null {
    const { truth, conditions, failed } = this.#test(node.test, scope);
    const branch = (statement: Statement | null | undefined) =>
      statement ? this.#statement(statement, new Scope(scope)) : null;
    if (truth !== null) return branch(truth ? node.consequent : node.alternate);
    const first = this.#script.requests.count;
    const ended = this.#branch({ node, scope }, conditions, () => branch(node.consequent));
    const hasRequests = this.#script.requests.count > first;
    if (ended !== null && !hasRequests && failed !== null && this.#endsIteration(ended)) {
      failed();
      return null;
    }
    const report = (end: Ended | null) => {
      // Before the iterations, such code only checks the environment of the script.
      if (end === null || (!this.#script.isIteration && isFailure(end))) return;
      const message = `the conditional "${end.by}" is not converted; the requests after it are always sent`;
      this.#script.lose(node, message);
    };
    report(ended);
    if (!node.alternate) return null;
    const opposite = () => {
      const [only, ...others] = conditions() ?? [];
      return only === undefined || others.length > 0 ? null : [negated(only)];
    };
    // Without a condition, the second branch would always be executed.
    if (hasRequests && opposite() === null) {
      this.#script.lose(
        node.alternate,
        'the branch after "else" is not converted, because the opposite of its condition cannot be expressed',
      );
      return null;
    }
    const second = this.#script.requests.count;
    report(this.#branch({ node, scope }, opposite, () => branch(node.alternate)));
    if (hasRequests && this.#script.requests.count > second) this.#script.requests.pairGroups();
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
      this.#script.lose(
        node,
        `the value of ${JSON.stringify(name)} depends on a condition or a loop; check the converted value`,
      );
    else if (this.#script.isIteration && level === 0)
      this.#script.change(
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
        this.#script.lose(
          node,
          'the condition is not converted; the requests that depend on it are always sent',
        );
      return when && { at: this.#script.at(node), when };
    };
    this.#script.requests.group(create, () => {
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
      const truth = truthOf(this.#operations.binary(node.operator, left, right, node));
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
    const [only, ...others] = this.#texts.text(stored, node);
    return typeof only === 'object' && 'variable' in only && others.length === 0 ? only.variable : null;
  }

  /** Repeats a loop with a counter and constant bounds. Reads the body of any other loop once. */
  #for(node: AnyNode & { readonly type: 'ForStatement' }, scope: Scope): Ended | null {
    const declaration = node.init?.type === 'VariableDeclaration' ? node.init.declarations[0] : undefined;
    const name = declaration?.id.type === 'Identifier' ? declaration.id.name : null;
    const from = numberOfValue(this.#evaluateOptional(declaration?.init, scope));
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
    this.#script.requests.repeat(
      count,
      { at: this.#script.at(node), variable: variableName(variable) },
      (index) => {
        const ended = result.ended === null ? readPass(index) : null;
        if (ended !== null && ended.by !== 'continue') result.ended = ended;
      },
    );
    this.#loops -= 1;
    return result.ended?.by === 'break' ? null : result.ended;
  }

  #once(node: AnyNode, body: AnyNode, scope: Scope): void {
    const count = this.#script.requests.count;
    this.#loops += 1;
    this.#uncertain(scope, () => this.#statement(body, new Scope(scope)));
    this.#loops -= 1;
    if (this.#script.requests.count > count)
      this.#script.lose(
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
        this.#bind(property.value, this.#operations.member(value, property.key.name, property), scope);
      }
      return;
    }
    if (pattern.type === 'ArrayPattern') {
      pattern.elements.forEach((element, index) => {
        if (element !== null)
          this.#bind(element, this.#operations.member(value, String(index), element), scope);
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
    if (!isGenerated || !this.#script.isIteration) return value;
    if (this.#loops > 0)
      this.#script.lose(
        node,
        `the generated value of ${JSON.stringify(name)} is the same in all iterations of the loop`,
      );
    const key = this.#texts.uniqueName(
      name,
      `value ${this.#script.at(node).line}:${this.#script.at(node).column}`,
    );
    const [start, only] = value.kind === 'text' ? value.text : [];
    const isPath = start === '/' && value.kind === 'text' && value.text.length === 2 && only !== undefined;
    if (this.#script.values.every((one) => one.name !== key))
      this.#script.values.push({ name: key, value: isPath ? [only] : this.#texts.text(value, node) });
    return {
      kind: 'text',
      text: [...(isPath ? ['/'] : []), { variable: key }],
      ...(value.kind === 'random' || isNumeric(value) ? { isNumber: true } : {}),
    };
  }

  // --- expressions

  #evaluate(node: AnyNode, scope: Scope): Value {
    this.#nesting += 1;
    const value =
      this.#script.countStep() || this.#nesting > MAX_NESTING
        ? this.#script.unknown(node, 'value')
        : this.#evaluateNode(node, scope);
    this.#nesting -= 1;
    return isTooLarge(value) ? this.#script.unknown(node, 'value') : value;
  }

  #evaluateOptional(node: AnyNode | null | undefined, scope: Scope): Value {
    return node ? this.#evaluate(node, scope) : NOTHING;
  }

  #evaluateNode(node: AnyNode, scope: Scope): Value {
    if (node.type === 'Literal') {
      return 'regex' in node ? this.#script.unknown(node, 'pattern') : valueOfJson(node.value);
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
      return this.#operations.binary(
        node.operator,
        this.#evaluate(node.left, scope),
        this.#evaluate(node.right, scope),
        node,
      );
    }
    if (node.type === 'UnaryExpression') {
      return this.#operations.unary(node.operator, this.#evaluate(node.argument, scope), node);
    }
    if (node.type === 'LogicalExpression') {
      return this.#logical(node, scope);
    }
    if (node.type === 'ConditionalExpression') {
      const isTrue = truthOf(this.#evaluate(node.test, scope));
      if (isTrue === null)
        this.#script.lose(
          node,
          'the condition of "?:" is not converted; the expression always has the value before the colon',
        );
      return this.#evaluate(isTrue === false ? node.alternate : node.consequent, scope);
    }
    if (node.type === 'UpdateExpression') {
      const { argument, operator, prefix } = node;
      const before = this.#evaluate(argument, scope);
      const after = this.#operations.binary(operator.charAt(0), before, numberValue(1), node);
      if (argument.type === 'Identifier') {
        this.#checkChange(argument.name, scope.levelOf(argument.name), node);
        scope.assign(argument.name, after);
      } else this.#script.lose(node, `"${operator}" on an object property or a list item is not executed`);
      return prefix ? after : before;
    }
    if (node.type === 'AssignmentExpression') {
      return this.#assign(node, scope);
    }
    if (node.type === 'MemberExpression') {
      const object = this.#evaluate(node.object, scope);
      const property = node.computed ? this.#evaluate(node.property, scope) : null;
      if (property !== null) return this.#operations.item(object, property, node);
      return this.#operations.member(
        object,
        node.property.type === 'Identifier' ? node.property.name : '',
        node,
      );
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
    return this.#script.unknown(node, 'value');
  }

  #key(key: AnyNode, isComputed: boolean, scope: Scope): string | null {
    if (!isComputed && key.type === 'Identifier') return key.name;
    return stringOf(this.#evaluate(key, scope));
  }

  #global(name: string, node: AnyNode): Value {
    if (name === 'undefined') return NOTHING;
    if (name === '__VU' || name === '__ITER') {
      this.#script.change(
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
        ...(expression === undefined ? [] : this.#texts.text(this.#evaluate(expression, scope), expression)),
      ];
    });
    return { kind: 'text', text: text.filter((part) => part !== '') };
  }

  #logical(node: AnyNode & { readonly type: 'LogicalExpression' }, scope: Scope): Value {
    const left = this.#evaluate(node.left, scope);
    if (node.operator === '&&') {
      const isTrue = truthOf(left);
      return isTrue === null || isTrue ? this.#evaluate(node.right, scope) : left;
    }
    const environment = environmentNameOf(left);
    if (environment !== null) {
      this.#script.change(node, `the environment variable ${environment} is replaced with its default value`);
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
        node.operator === '='
          ? right
          : this.#operations.binary(node.operator.slice(0, -1), before, right, node);
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
        this.#script.lose(
          left,
          'the assignment is omitted, because the name of the property or the index is unknown',
        );
    }
    return right;
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
    return this.#script.unknown(node, 'value');
  }

  #callFunction({ node, scope }: FunctionValue, given: readonly Value[]): Value {
    if (this.#calls >= MAX_CALLS) {
      this.#script.lose(
        node,
        `calls are nested deeper than ${MAX_CALLS} levels, and the innermost call is omitted`,
      );
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
      if (method === 'json') return this.#operations.jsonPart(object.request, first, node);
      if (method === 'submitForm' || method === 'clickLink') {
        this.#script.lose(node, `the request that "${method}" sends is omitted`);
        return this.#script.unknown(node, 'response');
      }
      return { kind: 'part', request: object.request, source: 'other', property: method };
    }
    const time = object.kind === 'map' ? object.members.get('time') : undefined;
    if (time !== undefined && (method === 'toISOString' || method === 'toJSON')) return time;
    if (object.kind === 'list') {
      if (method === 'push') {
        if (this.#uncertainLevel !== null)
          this.#script.lose(
            node,
            'the items of the list depend on a condition or a loop; check the converted values',
          );
        object.items.push(...given);
        return numberValue(object.items.length);
      }
      if (MUTATING.includes(method))
        this.#script.lose(node, `"${method}" is not applied to the list; check the converted values`);
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
      if (method === 'join')
        return { kind: 'text', text: this.#texts.joined(object.items, stringOf(first) ?? ',', node) };
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
      this.#script.lose(node, `the function that is passed to "${method}" is not executed`);
    // Adds no note, because methods such as those of metrics have no effect on the requests.
    return this.#script.unknown(node, method);
  }

  #callBuiltin(name: string, given: readonly Value[], node: AnyNode): Value {
    const [first, second] = given;
    const http = /^http\.(\w+)$/.exec(name)?.[1];
    if (http !== undefined) return this.#http.call(http, given, node);
    switch (name) {
      case 'sleep':
        this.#http.sleep(first, node);
        return NOTHING;
      case 'check':
        return this.#check(first, second, node);
      case 'group':
        return second?.kind === 'function' ? this.#callFunction(second, []) : NOTHING;
      case 'fail':
        return { kind: 'builtin', name: FAILED };
      case 'execution.test.abort':
        this.#script.lose(node, 'the call of "exec.test.abort" is not converted, and does not end the run');
        return NOTHING;
      case 'jar.set':
      case 'jar.clear':
      case 'jar.delete':
        this.#script.lose(
          node,
          'the change of the cookie jar is not converted; to send a cookie, add the header "cookie" by hand',
        );
        return NOTHING;
      case 'JSON.stringify':
        return first === undefined
          ? NOTHING
          : { kind: 'text', text: this.#texts.json(first, node), isJson: true };
      case 'JSON.parse':
        return this.#operations.parsed(first, node);
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
        return this.#operations.rounded(name, first, node);
      case 'Math.max':
      case 'Math.min': {
        const numbers = given.map(numberOfValue);
        const known = numbers.filter((number) => number !== null);
        if (known.length < numbers.length || known.length === 0) return this.#script.unknown(node, 'number');
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
          return this.#script.unknown(node, 'date');
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
          text: encodedText(this.#texts.text(first ?? NOTHING, node)),
        };
      case 'encoding.b64encode': {
        const text = stringOf(first);
        return text === null
          ? this.#script.unknown(node, 'encoded')
          : textValue(Buffer.from(text, 'utf8').toString('base64'));
      }
      case 'open':
        return { kind: 'file', path: (stringOf(first) ?? '').replace(/^\.\//, '') };
      case 'SharedArray':
        return second?.kind === 'function'
          ? this.#callFunction(second, [])
          : this.#script.unknown(node, 'rows');
      case 'papaparse.parse':
        return first?.kind === 'file'
          ? { kind: 'map', members: new Map([['data', { kind: 'rows', file: first.path } satisfies Value]]) }
          : this.#script.unknown(node, 'rows');
      case 'utils.randomIntBetween': {
        const [min, max] = [numberOfValue(first), numberOfValue(second)];
        return min === null || max === null
          ? this.#script.unknown(node, 'number')
          : { kind: 'random', min: Math.floor(min), max: Math.ceil(max), step: 1 };
      }
      case 'utils.randomString':
        return { kind: 'text', text: [randomText(...lengthsOf(first), stringOf(second))] };
      case 'utils.uuidv4':
      case 'crypto.randomUUID':
        return { kind: 'text', text: [{ expression: 'uuid' }] };
      case 'utils.randomItem':
        if (first?.kind === 'rows') return { kind: 'row', file: first.file, order: 'random' };
        return first?.kind === 'list'
          ? this.#operations.picked(first.items, node)
          : this.#script.unknown(node, 'item');
      case 'metric':
        this.#script.change(node, 'custom metrics are not measured');
        return { kind: 'builtin', name: 'measured' };
      default:
        if (given.some(({ kind }) => kind === 'function'))
          this.#script.lose(node, `the function that is passed to "${name}" is not executed`);
        return this.#script.unknown(node, name.split('.').at(-1) ?? 'value');
    }
  }

  #listOf(source: Value | undefined, convert: Value | undefined, node: AnyNode): Value {
    const length = source?.kind === 'list' ? source.items.length : numberOfValue(memberOf(source, 'length'));
    if (length === null || length > MAX_ITEMS) return this.#script.unknown(node, 'list');
    const items = Array.from({ length }, (_, index): Value => {
      const item = itemsOfValue(source)[index] ?? NOTHING;
      return convert?.kind === 'function' ? this.#callFunction(convert, [item, numberValue(index)]) : item;
    });
    return { kind: 'list', items };
  }

  #check(target: Value | undefined, checks: Value | undefined, node: AnyNode): Value {
    if (target?.kind !== 'response') {
      this.#script.lose(node, 'the check is not converted, because its value is not a response');
      return this.#script.unknown(node, 'check');
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
      else request.lose(this.#script.at(predicate), `the check ${JSON.stringify(name)} is not converted`);
    }
    this.#script.change(
      node,
      'checks become expectations, and a response that does not meet them is an error',
    );
    return { kind: 'checked', request };
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

/**
 * Interpolates `${name}`, `${env:NAME}`, `${env:NAME:-default}`, `${file:path}` and `${secret:NAME}`.
 * @remarks Strings remain strings, except that a string consisting only of `${name}` takes the type of the variable. In
 * single-line fields, such as headers and credentials, the trailing newline of a file is removed. Interpolated values
 * are not interpolated again.
 */
import type { Code } from '../core/codes.ts';
import { Secret, maskText, type SecretText } from '../core/model/secret.ts';
import { CONNECTION_TEXTS } from '../core/model/connection.ts';
import { TEST_FIELDS, URL_FIELDS, acceptsSecret } from '../core/model/test-fields.ts';
import { problem, type Problem } from '../core/problem.ts';
import type { SourceRange } from '../core/source-location.ts';
import { REQUEST_LISTS, REQUEST_MAPS } from './defaults.ts';
import { MAX_SUGGESTIONS, nearestKey } from '../schema/nearest-key.ts';
import { splitReferences, type TextPiece } from './references.ts';
import {
  childOf,
  mapValues,
  type ConfigNode,
  type LocateSpan,
  type MapNode,
  type Scalar,
  type ScalarNode,
} from './config-tree.ts';

export interface InterpolationInput {
  readonly text: string;
  readonly locate: LocateSpan;
  /** Values of `--var k=v`, which override those in the file. */
  readonly vars: ReadonlyMap<string, string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly unsetSeverity: Problem['severity'];
  /**
   * Returns the text of a file in the directory of the configuration file, or the reason why the file cannot be read.
   */
  readonly readText: (path: string) => { readonly text: string } | { readonly reason: string };
}

export interface Interpolation {
  readonly root: MapNode;
  readonly problems: readonly Problem[];
  /** Values with an unresolved reference, which are unchanged in the tree. */
  readonly unresolved: ReadonlySet<ConfigNode>;
  /** Each unset secret once, with its first location. */
  readonly missingSecrets: readonly MissingSecret[];
  /** A warning for each `--var` that the file does not use or declare. */
  readonly unused: ReadonlyMap<string, Problem>;
}

export interface MissingSecret {
  readonly name: string;
  readonly source: SourceRange;
}

// Maximum lengths of one interpolated value and of all values, in UTF-16 code units, and of a chain of variables.
const MAX_VALUE_LENGTH = 1024 * 1024;
const MAX_TOTAL_LENGTH = 16 * 1024 * 1024;
const MAX_CHAIN_LENGTH = 64;

/** Interpolates all values except those in `environments`. */
export function interpolate(root: MapNode, from: InterpolationInput): Interpolation {
  const state: InterpolationState = {
    from,
    problems: [],
    missing: new Map(),
    declared: declaredVars(root),
    resolved: new Map(),
    invalid: new Set(),
    used: new Set(),
    total: 0,
  };
  return {
    root: mapValues(root, (node, key) =>
      key === 'environments' ? node : interpolateNode(node, [key], state),
    ),
    problems: state.problems,
    unresolved: state.invalid,
    missingSecrets: [...state.missing.values()],
    unused: unusedOverrides(state),
  };
}

interface InterpolationState {
  readonly from: InterpolationInput;
  readonly problems: Problem[];
  readonly missing: Map<string, MissingSecret>;
  readonly declared: ReadonlyMap<string, ScalarNode>;
  /** The variables by name: null if a reported problem prevented the resolution, `open` during the resolution. */
  readonly resolved: Map<string, ResolvedValue | null | 'open'>;
  readonly invalid: Set<ConfigNode>;
  readonly used: Set<string>;
  total: number;
}

interface ResolvedText {
  readonly text: string;
  /** The text for single-line fields, without the trailing newline of a file. */
  readonly inLine: string;
}

/** A string that consists only of a reference to the variable takes `value`; other strings take `text`. */
interface ResolvedValue extends ResolvedText {
  readonly value: Scalar;
}

function toResolvedText(text: string): ResolvedText {
  return { text, inLine: text };
}

function declaredVars(root: MapNode): ReadonlyMap<string, ScalarNode> {
  const vars = childOf(root, 'vars');
  if (vars?.kind !== 'map') return new Map();
  const scalars = [...vars.entries].flatMap(([name, { node }]) =>
    node.kind === 'scalar' ? [[name, node] as const] : [],
  );
  return new Map(scalars);
}

function interpolateNode(node: ConfigNode, path: string[], state: InterpolationState): ConfigNode {
  switch (node.kind) {
    case 'list':
      return {
        ...node,
        items: node.items.map((item, index) => interpolateChild(item, String(index), path, state)),
      };
    case 'map':
      return mapValues(node, (child, key) => interpolateChild(child, key, path, state));
    case 'scalar':
      if (path[0] === 'vars' && path.length === 2) return interpolateVariable(node, path[1] ?? '', state);
      return interpolateInPlace(node, path, state);
  }
}

function interpolateChild(
  node: ConfigNode,
  key: string,
  path: string[],
  state: InterpolationState,
): ConfigNode {
  path.push(key);
  const filled = interpolateNode(node, path, state);
  path.pop();
  return filled;
}

function interpolateVariable(node: ScalarNode, name: string, state: InterpolationState): ScalarNode {
  const value = resolveVariable(name, state, 0);
  return value === null ? node : { ...node, value: value.value, written: value.text };
}

function interpolateInPlace(
  node: ScalarNode,
  path: readonly string[],
  state: InterpolationState,
): ScalarNode {
  if (typeof node.value !== 'string' || !node.value.includes('${')) return node;
  const filled = interpolateScalar(node, node.value, path, state);
  if (filled === null) state.invalid.add(node);
  return filled ?? node;
}

/** Interpolates a scalar; returns null if a reference cannot be resolved, and reports the problem. */
function interpolateScalar(
  node: ScalarNode,
  value: string,
  path: readonly string[],
  state: InterpolationState,
): ScalarNode | null {
  const written = splitReferences(value);
  const locationOf = createReferenceLocator(node, state);
  if (path[0] === 'service' && refuseExternalReferences(written, locationOf, state)) return null;
  const pieces = selectPieces(written, { locationOf, path, state });
  if (pieces === null) return null;
  const inLine = isSingleLine(path);
  const alone = pieces.length === 1 ? pieces[0] : undefined;
  if (alone?.kind === 'var') {
    const found = lookUp(alone, locationOf, state, 0);
    // Counts the text at each place that refers to the variable, because later stages process each copy.
    if (found === null || !checkBounds([found.text], node, state)) return null;
    if (!inLine) return { ...node, value: found.value, written: found.text };
    return {
      ...node,
      value: typeof found.value === 'string' ? found.inLine : found.value,
      written: found.inLine,
    };
  }
  const parts = pieces.map((piece) => {
    if (piece.kind === 'secret') return lookUpSecret(piece, locationOf, path, state);
    const found = resolvePiece(piece, locationOf, state, 0);
    return found && (inLine ? found.inLine : found.text);
  });
  if (parts.includes(null)) return null;
  const texts = parts.filter((part) => part !== null);
  if (!checkBounds(texts, node, state)) return null;
  if (!texts.some((part) => part instanceof Secret)) {
    const text = texts.join('');
    return { ...node, value: text, written: text };
  }
  const secret: SecretText = { parts: texts };
  const masked = maskText(secret);
  return { ...node, value: masked, written: masked, secret };
}

interface ReferenceContext {
  readonly locationOf: LocationOf;
  readonly path: readonly string[];
  readonly state: InterpolationState;
}

/**
 * Returns the pieces with each default resolved: to the value of the environment variable, or to the pieces of the
 * default.
 * @returns Null if a default is invalid, even if it is not used.
 */
function selectPieces(pieces: readonly TextPiece[], context: ReferenceContext): readonly TextPiece[] | null {
  const chosen: TextPiece[] = [];
  let isValid = true;
  for (const piece of pieces) {
    const fallback = piece.kind === 'env' && !isReserved(piece.name) ? piece.fallback : null;
    if (piece.kind !== 'env' || fallback === null) {
      chosen.push(piece);
      continue;
    }
    const value = environmentValue(context.state.from.env, piece.name);
    if (value === undefined || value === '') {
      const inner = selectPieces(fallback, context);
      if (inner === null) isValid = false;
      else chosen.push(...inner);
    } else {
      if (!checkUnusedDefault(fallback, context)) isValid = false;
      chosen.push({ kind: 'text', text: value });
    }
  }
  return isValid ? chosen : null;
}

/**
 * Checks an unused default, so that the validity of the file does not depend on the environment. Returns false if the
 * default is invalid. Files and environment variables to which the default refers need not exist.
 */
function checkUnusedDefault(pieces: readonly TextPiece[], context: ReferenceContext): boolean {
  const { locationOf, path, state } = context;
  const checkOne = (piece: TextPiece): boolean => {
    switch (piece.kind) {
      case 'text':
      case 'file':
        return true;
      case 'env':
        if (isReserved(piece.name)) return resolvePiece(piece, locationOf, state, 0) !== null;
        return piece.fallback === null || checkUnusedDefault(piece.fallback, context);
      case 'var':
        state.used.add(piece.name);
        return isKnown(piece.name, state) || lookUp(piece, locationOf, state, 0) !== null;
      case 'secret':
        if (isSentVerbatim(path) && !isReserved(piece.name)) return true;
        if (path[0] === 'vars') return resolvePiece(piece, locationOf, state, 0) !== null;
        return lookUpSecret(piece, locationOf, path, state) !== null;
      case 'malformed':
        return resolvePiece(piece, locationOf, state, 0) !== null;
    }
  };
  return pieces.map(checkOne).every(Boolean);
}

function isKnown(name: string, { declared, from }: InterpolationState): boolean {
  return declared.has(name) || from.vars.has(name);
}

type LocationOf = (piece: Reference) => SourceRange;
type Reference = Exclude<TextPiece, { kind: 'text' }>;

function resolvePiece(
  piece: TextPiece,
  at: LocationOf,
  state: InterpolationState,
  chain: number,
): ResolvedText | null {
  const { from } = state;
  switch (piece.kind) {
    case 'text':
      return toResolvedText(piece.text);
    case 'var':
      return lookUp(piece, at, state, chain);
    case 'env': {
      if (isReserved(piece.name)) return refuseReserved(piece, at, state);
      const value = environmentValue(from.env, piece.name);
      if (value !== undefined) return toResolvedText(value);
      const message = `"${piece.written}": the environment variable ${piece.name} is not set; set it, or write \${env:${piece.name}:-default}`;
      const details = { severity: from.unsetSeverity, source: at(piece) };
      state.problems.push(problem('LT_CONFIG_REFERENCE', message, details));
      return null;
    }
    case 'file': {
      const read = from.readText(piece.path);
      if ('text' in read) return { text: read.text, inLine: read.text.replace(/\r?\n$/, '') };
      return refuse(`"${piece.written}" ${read.reason}`, at(piece), state);
    }
    case 'secret':
      return refuse(
        `"${piece.written}" is not allowed under "vars"; use secrets only ${SECRET_LOCATIONS}`,
        at(piece),
        state,
      );
    case 'malformed':
      return refuse(`${JSON.stringify(piece.written)} ${piece.reason}`, at(piece), state);
  }
}

/**
 * Rejects references to environment variables and files in the `service` section, including indirect references. The
 * service would receive the values, and the file may come from an untrusted source.
 */
function refuseExternalReferences(
  pieces: readonly TextPiece[],
  at: LocationOf,
  state: InterpolationState,
): boolean {
  const safeNames = new Set<string>();
  let found = 0;
  for (const piece of pieces) {
    const outside = piece.kind === 'text' ? null : findExternalReference(piece, state, safeNames);
    if (piece.kind === 'text' || outside === null) continue;
    const isDirect = piece.written === outside;
    const subject = isDirect ? `"${outside}"` : `"${piece.written}", which takes its value from ${outside},`;
    const message = `${subject} is not allowed under "service", because the file could send this value to any server; write a literal value`;
    state.problems.push(
      problem('LT_CONFIG_REFERENCE', message, { source: at(piece), hint: OTHER_SERVICE_HINT }),
    );
    if (++found === MAX_EXTERNAL_REFERENCES) break;
  }
  return found > 0;
}

/** Maximum number of reported references per value. Each report requires a search along a chain of variables. */
const MAX_EXTERNAL_REFERENCES = 10;

const OTHER_SERVICE_HINT =
  'to select a different service, pass a variable with --var, select an environment with --env, or remove "base_url" and set LOADTESTS_BASE_URL';

/**
 * Returns a reference to an environment variable or a file that a piece contains directly or through variables; null if
 * there is none. Does not search values of `--var`, because they come from the user.
 * @param safeNames - Names of variables that are known to lead to no such reference; the function adds names.
 */
function findExternalReference(
  piece: Reference,
  state: InterpolationState,
  safeNames: Set<string>,
): string | null {
  const seen = new Set<string>();
  // The search is iterative, because a long chain of variables could overflow the call stack.
  const open: TextPiece[] = [piece];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.kind === 'env' || next.kind === 'file') return next.written;
    if (next.kind !== 'var' || state.from.vars.has(next.name)) continue;
    if (seen.has(next.name) || safeNames.has(next.name)) continue;
    seen.add(next.name);
    const value = state.declared.get(next.name)?.value;
    if (typeof value !== 'string') continue;
    for (const part of splitReferences(value).reverse()) open.push(part);
  }
  for (const name of seen) safeNames.add(name);
  return null;
}

const SECRET_LOCATIONS =
  'in credentials, aws_sigv4, connection, header values, request_params, json, raw_post_body and multipart';

function lookUpSecret(
  piece: TextPiece & { kind: 'secret' },
  at: LocationOf,
  path: readonly string[],
  state: InterpolationState,
): Secret | null {
  if (isReserved(piece.name)) return refuseReserved(piece, at, state);
  if (!isSentVerbatim(path)) {
    return refuse(
      `"${piece.written}" is not allowed in this field; use secrets only ${SECRET_LOCATIONS}`,
      at(piece),
      state,
    );
  }
  const value = environmentValue(state.from.env, piece.name);
  // An empty string counts as unset, because CI systems set secrets to an empty string in jobs without access to the
  // secrets.
  const present = value !== undefined && value !== '';
  if (!present && !state.missing.has(piece.name))
    state.missing.set(piece.name, { name: piece.name, source: at(piece) });
  return new Secret(piece.name, present ? value : null);
}

function isSentVerbatim(path: readonly string[]): boolean {
  const inUrl = pathInUrl(path);
  return inUrl[0] === 'json' || acceptsSecret(inUrl) || isConnectionText(path);
}

function isConnectionText(path: readonly string[]): boolean {
  const inOwner = path.slice(path[0] === 'defaults' ? 1 : path[0] === 'tests' || path[0] === 'apps' ? 2 : 0);
  const [field, name, ...more] = inOwner;
  return (
    inOwner.length < path.length &&
    field === TEST_FIELDS.connection.name &&
    CONNECTION_TEXTS.some((one) => one === name) &&
    more.length === 0
  );
}

/**
 * Returns the part of a path below a request or below the defaults of URLs; empty for other paths. The request can be
 * in a test, flow, phase or group.
 */
function pathInUrl(path: readonly string[]): readonly string[] {
  const [first, second] = path;
  if (first === 'defaults' && second === 'url') return path.slice(2);
  if (first !== 'defaults' && first !== 'tests') return [];
  const inTest = path.slice(first === 'tests' ? 2 : 1);
  const inPhase = REQUEST_MAPS.some((name) => name === inTest[0]) ? inTest.slice(1) : inTest;
  const inFlow = inPhase[0] === 'flows' ? inPhase.slice(2) : inPhase;
  if (inFlow[0] !== 'urls') return [];
  let depth = 2;
  while (REQUEST_LISTS.some((name) => name === inFlow[depth])) depth += 2;
  return inFlow.slice(depth);
}

/**
 * Reports whether a field is a single line: a header, the name of a response field, or a credential. In such a field,
 * the newline at the end of a file must be removed.
 */
function isSingleLine(path: readonly string[]): boolean {
  const [field, second, third, ...more] = pathInUrl(path);
  if (more.length > 0) return false;
  if (field === 'expect') return second === 'headers' && third !== undefined;
  if (field === 'variables') return third === 'property';
  return (
    (field === 'headers' || field === 'credentials' || field === URL_FIELDS.awsSigv4.name) &&
    second !== undefined &&
    third === undefined
  );
}

function lookUp(
  piece: TextPiece & { kind: 'var' },
  at: LocationOf,
  state: InterpolationState,
  chain: number,
): ResolvedValue | null {
  const { name } = piece;
  state.used.add(name);
  if (!isKnown(name, state)) {
    const nearest = state.problems.length < MAX_SUGGESTIONS ? nearestKey(name, knownNames(state)) : null;
    const advice =
      nearest !== null
        ? `did you mean "${nearest}"?`
        : /^[A-Z][A-Z0-9_]*$/.test(name) && !isReserved(name)
          ? `to use the environment variable, write "\${env:${name}}"`
          : `declare it under "vars", or pass --var ${name}=VALUE`;
    return refuse(`"\${${name}}" is not declared; ${advice}`, at(piece), state);
  }
  if (state.resolved.get(name) === 'open') {
    return refuse(`"\${${name}}" refers to itself; remove the circular reference`, at(piece), state);
  }
  if (chain >= MAX_CHAIN_LENGTH) {
    return refuse(
      `"\${${name}}" extends a chain of variables to more than ${MAX_CHAIN_LENGTH}; shorten the chain`,
      at(piece),
      state,
    );
  }
  return resolveVariable(name, state, chain);
}

function* knownNames({ declared, from }: InterpolationState): Iterable<string> {
  yield* declared.keys();
  yield* from.vars.keys();
}

function resolveVariable(name: string, state: InterpolationState, chain: number): ResolvedValue | null {
  const known = state.resolved.get(name);
  if (known !== undefined && known !== 'open') return known;
  state.resolved.set(name, 'open');
  const value = computeVariable(name, state, chain);
  state.resolved.set(name, value);
  return value;
}

function computeVariable(name: string, state: InterpolationState, chain: number): ResolvedValue | null {
  const override = state.from.vars.get(name);
  if (override !== undefined) return { value: override, ...toResolvedText(override) };
  const node = state.declared.get(name);
  if (node === undefined) return null;
  if (typeof node.value !== 'string' || !node.value.includes('${'))
    return { value: node.value, ...toResolvedText(node.written) };
  const locationOf = createReferenceLocator(node, state);
  const pieces = selectPieces(splitReferences(node.value), { locationOf, path: ['vars', name], state });
  if (pieces === null) return null;
  const alone = pieces.length === 1 ? pieces[0] : undefined;
  if (alone?.kind === 'var') return lookUp(alone, locationOf, state, chain + 1);
  const texts = pieces.map((piece) => resolvePiece(piece, locationOf, state, chain + 1));
  if (texts.includes(null)) return null;
  const parts = texts.filter((part) => part !== null);
  const text = parts.map((part) => part.text);
  if (!checkBounds(text, node, state)) return null;
  const value = text.join('');
  return { value, text: value, inLine: parts.map((part) => part.inLine).join('') };
}

/**
 * Checks the size bounds; returns false if one is exceeded. References repeat values, so a small file could otherwise
 * expand to more text than fits into memory.
 */
function checkBounds(
  parts: readonly (string | Secret)[],
  node: ScalarNode,
  state: InterpolationState,
): boolean {
  const length = parts.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : 0), 0);
  const previousTotal = state.total;
  state.total += length;
  if (length <= MAX_VALUE_LENGTH && state.total <= MAX_TOTAL_LENGTH) return true;
  if (length > MAX_VALUE_LENGTH || previousTotal <= MAX_TOTAL_LENGTH) {
    const subject = length > MAX_VALUE_LENGTH ? 'this value exceeds 1 MiB' : 'the file exceeds 16 MiB';
    refuse(
      `${subject} after its references are resolved; shorten the referenced text`,
      state.from.locate(node.span),
      state,
      'LT_CONFIG_UNREADABLE',
    );
  }
  return false;
}

function unusedOverrides({ declared, used, from }: InterpolationState): ReadonlyMap<string, Problem> {
  const unused = [...from.vars.keys()].filter((name) => !used.has(name) && !declared.has(name));
  return new Map(
    unused.map((name) => {
      const nearest = nearestKey(name, [...declared.keys(), ...used]);
      const advice = nearest === null ? `remove --var ${name}` : `did you mean "${nearest}"?`;
      const message = `--var "${name}" is not used in the file; ${advice}`;
      return [name, problem('LT_CONFIG_REFERENCE', message, { severity: 'warning' })];
    }),
  );
}

function refuse(
  message: string,
  source: SourceRange,
  state: InterpolationState,
  code: Code = 'LT_CONFIG_REFERENCE',
): null {
  state.problems.push(problem(code, message, { source }));
  return null;
}

/**
 * Reports whether a variable may contain the key of the service. `api_key_env` can select any variable whose name
 * begins with `LOADTESTS_`, so all these names are reserved.
 */
function isReserved(name: string): boolean {
  return name.toUpperCase().startsWith('LOADTESTS_');
}

function refuseReserved(piece: Reference, at: LocationOf, state: InterpolationState): null {
  const message = `"${piece.written}" is not allowed, because environment variables that begin with LOADTESTS_ may contain an API key; use a variable with a different prefix`;
  return refuse(message, at(piece), state);
}

function environmentValue(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

/**
 * Creates a function that returns the range of a reference that appears literally in the text; otherwise, the range of
 * the whole value.
 * @remarks Call the function in text order, because each search starts after the previous match.
 */
function createReferenceLocator(node: ScalarNode, state: InterpolationState): LocationOf {
  const { text, locate } = state.from;
  const locations = new Map<string, SourceRange>();
  /** Start of the next search; null after a search failed, because escape sequences then make searches unreliable. */
  let from: number | null = node.span.start;
  return ({ written }) => {
    const cached = locations.get(written);
    if (cached !== undefined) return cached;
    const start: number = from === null ? -1 : text.slice(0, node.span.end).indexOf(written, from);
    from = start === -1 ? null : start + written.length;
    const location = locate(start === -1 ? node.span : { start, end: start + written.length });
    locations.set(written, location);
    return location;
  };
}

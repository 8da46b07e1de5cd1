/**
 * Fills in `${name}`, `${env:NAME}`, `${env:NAME:-default}`, `${file:path}` and `${secret:NAME}`.
 *
 * Shape:  strings become strings (or, for a lone `${name}`, what the variable is); maps and lists stay as they are.
 *         The newline that a file ends with is cut in headers and credentials, and nowhere else.
 *         What is filled in is never read again, so a value cannot bring references of its own.
 */
import type { Code } from '../core/codes.ts';
import { Secret, maskText, type SecretText } from '../core/model/secret.ts';
import { problem, type Problem } from '../core/problem.ts';
import type { SourceRange } from '../core/source-location.ts';
import { MAX_SUGGESTIONS, nearestKey } from '../schema/nearest-key.ts';
import { splitReferences, type TextPiece } from './references.ts';
import {
  childOf,
  type ConfigNode,
  type LocateSpan,
  type MapNode,
  type Scalar,
  type ScalarNode,
} from './config-tree.ts';

export interface InterpolationInput {
  readonly text: string;
  readonly locate: LocateSpan;
  /** `--var k=v`: before what the file says. */
  readonly vars: ReadonlyMap<string, string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What it is that a variable of `env` without a default is not set. */
  readonly unsetSeverity: Problem['severity'];
  /** The text of a file inside the file's directory, or in words why there is none. */
  readonly readText: (path: string) => { readonly text: string } | { readonly reason: string };
}

export interface Interpolation {
  readonly root: MapNode;
  readonly problems: readonly Problem[];
  /** Values with a reference that could not be resolved; they stand as they are written. */
  readonly unresolved: ReadonlySet<ConfigNode>;
  /** Each secret that is not set, once, where it is first asked for. */
  readonly missingSecrets: readonly MissingSecret[];
  /** Of each `--var` that nothing uses, a warning. */
  readonly unused: ReadonlyMap<string, Problem>;
}

export interface MissingSecret {
  readonly name: string;
  readonly source: SourceRange;
}

/** Bounds of what filling in may make of a file. */
const MAX_VALUE_LENGTH = 1024 * 1024;
const MAX_TOTAL_LENGTH = 16 * 1024 * 1024;
const MAX_CHAIN_LENGTH = 64;

/** Fills in everything but `environments`, whose other overlays are of no concern now. */
export function interpolate(root: MapNode, from: InterpolationInput): Interpolation {
  const filling: InterpolationState = {
    from,
    problems: [],
    missing: new Map(),
    declared: declaredVars(root),
    resolved: new Map(),
    wrong: new Set(),
    used: new Set(),
    total: 0,
  };
  const entries = [...root.entries].map(([key, entry]) => {
    const path = [key];
    const node = key === 'environments' ? entry.node : interpolateNode(entry.node, path, filling);
    return [key, { ...entry, node }] as const;
  });
  return {
    root: { ...root, entries: new Map(entries) },
    problems: filling.problems,
    unresolved: filling.wrong,
    missingSecrets: [...filling.missing.values()],
    unused: unusedOverrides(filling),
  };
}

interface InterpolationState {
  readonly from: InterpolationInput;
  readonly problems: Problem[];
  readonly missing: Map<string, MissingSecret>;
  readonly declared: ReadonlyMap<string, ScalarNode>;
  /** Null: could not be filled in, and that has been said. 'open': being filled in. */
  readonly resolved: Map<string, ResolvedValue | null | 'open'>;
  readonly wrong: Set<ConfigNode>;
  readonly used: Set<string>;
  total: number;
}

interface ResolvedText {
  readonly text: string;
  /** For what is part of one line: without the newline that a file ends with. */
  readonly inLine: string;
}

/** What a variable stands for: the value where it stands alone, the text inside of others. */
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

function interpolateNode(node: ConfigNode, path: string[], filling: InterpolationState): ConfigNode {
  switch (node.kind) {
    case 'list':
      return {
        ...node,
        items: node.items.map((item, index) => interpolateChild(item, String(index), path, filling)),
      };
    case 'map': {
      const entries = [...node.entries].map(
        ([key, entry]) =>
          [key, { ...entry, node: interpolateChild(entry.node, key, path, filling) }] as const,
      );
      return { ...node, entries: new Map(entries) };
    }
    case 'scalar':
      if (path[0] === 'vars' && path.length === 2) return interpolateVariable(node, path[1] ?? '', filling);
      return interpolateInPlace(node, path, filling);
  }
}

function interpolateChild(
  node: ConfigNode,
  key: string,
  path: string[],
  filling: InterpolationState,
): ConfigNode {
  path.push(key);
  const filled = interpolateNode(node, path, filling);
  path.pop();
  return filled;
}

function interpolateVariable(node: ScalarNode, name: string, filling: InterpolationState): ScalarNode {
  const value = resolveVariable(name, filling, 0);
  return value === null ? node : { ...node, value: value.value, written: value.text };
}

function interpolateInPlace(
  node: ScalarNode,
  path: readonly string[],
  filling: InterpolationState,
): ScalarNode {
  if (typeof node.value !== 'string' || !node.value.includes('${')) return node;
  const filled = interpolateScalar(node, node.value, path, filling);
  if (filled === null) filling.wrong.add(node);
  return filled ?? node;
}

/** Null: could not be filled in, and that has been said. */
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
    // Counted like any other text: it is judged again wherever it stands.
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
 * The pieces that count: of a variable with a default, its value or the pieces of the default.
 *
 * Errors: null where a default that does not count is wrong whatever the environment holds.
 */
function selectPieces(pieces: readonly TextPiece[], standing: ReferenceContext): readonly TextPiece[] | null {
  const chosen: TextPiece[] = [];
  let sound = true;
  for (const piece of pieces) {
    const fallback = piece.kind === 'env' && !isReserved(piece.name) ? piece.fallback : null;
    if (piece.kind !== 'env' || fallback === null) {
      chosen.push(piece);
      continue;
    }
    const value = environmentValue(standing.state.from.env, piece.name);
    if (value === undefined || value === '') {
      const inner = selectPieces(fallback, standing);
      if (inner === null) sound = false;
      else chosen.push(...inner);
    } else {
      if (!checkUnusedDefault(fallback, standing)) sound = false;
      chosen.push({ kind: 'text', text: value });
    }
  }
  return sound ? chosen : null;
}

/** What is wrong with a default is wrong where the variable is set, too; what it would read need not be there. */
function checkUnusedDefault(pieces: readonly TextPiece[], standing: ReferenceContext): boolean {
  const { locationOf, path, state } = standing;
  const checkOne = (piece: TextPiece): boolean => {
    switch (piece.kind) {
      case 'text':
      case 'file':
        return true;
      case 'env':
        if (isReserved(piece.name)) return resolvePiece(piece, locationOf, state, 0) !== null;
        return piece.fallback === null || checkUnusedDefault(piece.fallback, standing);
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

/** Where a reference stands; looked for only when something is wrong with it. */
type LocationOf = (piece: Reference) => SourceRange;
type Reference = Exclude<TextPiece, { kind: 'text' }>;

function resolvePiece(
  piece: TextPiece,
  at: LocationOf,
  filling: InterpolationState,
  chain: number,
): ResolvedText | null {
  const { from } = filling;
  switch (piece.kind) {
    case 'text':
      return toResolvedText(piece.text);
    case 'var':
      return lookUp(piece, at, filling, chain);
    case 'env': {
      if (isReserved(piece.name))
        return refuse(
          `"${piece.written}" is not allowed; variables that begin with LOADTESTS_ may hold an API key`,
          at(piece),
          filling,
        );
      const value = environmentValue(from.env, piece.name);
      if (value !== undefined) return toResolvedText(value);
      const message = `"${piece.written}": the environment variable ${piece.name} is not set; set it, or write \${env:${piece.name}:-default}`;
      const details = { severity: from.unsetSeverity, source: at(piece) };
      filling.problems.push(problem('LT_CONFIG_REFERENCE', message, details));
      return null;
    }
    case 'file': {
      const read = from.readText(piece.path);
      if ('text' in read) return { text: read.text, inLine: read.text.replace(/\r?\n$/, '') };
      return refuse(`"${piece.written}" ${read.reason}`, at(piece), filling);
    }
    case 'secret':
      return refuse(
        `"${piece.written}" is in a variable; secrets are only allowed where they are sent: ${SECRET_LOCATIONS}`,
        at(piece),
        filling,
      );
    case 'malformed':
      return refuse(`${JSON.stringify(piece.written)} ${piece.reason}`, at(piece), filling);
  }
}

/**
 * What stands below `service` is sent to whomever the file names there, by `plan` already, and the file may be a
 * stranger's: nothing of this machine may be part of it, neither by itself nor by a variable of the file.
 */
function refuseExternalReferences(
  pieces: readonly TextPiece[],
  at: LocationOf,
  filling: InterpolationState,
): boolean {
  const harmless = new Set<string>();
  let found = 0;
  for (const piece of pieces) {
    const outside = piece.kind === 'text' ? null : findExternalReference(piece, filling, harmless);
    if (piece.kind === 'text' || outside === null) continue;
    const itself = piece.written === outside;
    const what = itself ? `"${outside}"` : `"${piece.written}", which takes its value from ${outside},`;
    const message = `${what} is not allowed below "service", where it would be sent to whomever the file names; write the value itself`;
    filling.problems.push(
      problem('LT_CONFIG_REFERENCE', message, { source: at(piece), hint: OTHER_SERVICE_HINT }),
    );
    if (++found === MAX_EXTERNAL_REFERENCES) break;
  }
  return found > 0;
}

/** Nobody reads more of one value, and each is looked for along a chain of variables. */
const MAX_EXTERNAL_REFERENCES = 10;

const OTHER_SERVICE_HINT =
  'for another service, give a variable with --var, choose one of "environments" with --env, or leave "base_url" out and set LOADTESTS_BASE_URL';

/**
 * The reference to the environment or to a file that a piece leads to. `--var` is the user's own word.
 *
 * @param harmless variables that lead to none; those that are found out are added
 */
function findExternalReference(
  piece: Reference,
  filling: InterpolationState,
  harmless: Set<string>,
): string | null {
  const seen = new Set<string>();
  // Chains of variables may be longer than the stack of calls.
  const open: TextPiece[] = [piece];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.kind === 'env' || next.kind === 'file') return next.written;
    if (next.kind !== 'var' || filling.from.vars.has(next.name)) continue;
    if (seen.has(next.name) || harmless.has(next.name)) continue;
    seen.add(next.name);
    const value = filling.declared.get(next.name)?.value;
    if (typeof value !== 'string') continue;
    for (const part of splitReferences(value).reverse()) open.push(part);
  }
  for (const name of seen) harmless.add(name);
  return null;
}

const SECRET_LOCATIONS = 'in credentials, header values, request_params, json and raw_post_body';

function lookUpSecret(
  piece: TextPiece & { kind: 'secret' },
  at: LocationOf,
  path: readonly string[],
  filling: InterpolationState,
): Secret | null {
  if (isReserved(piece.name)) {
    return refuse(
      `"${piece.written}" is not allowed; variables that begin with LOADTESTS_ may hold an API key`,
      at(piece),
      filling,
    );
  }
  if (!isSentVerbatim(path)) {
    return refuse(
      `"${piece.written}" is not allowed here; secrets are only allowed ${SECRET_LOCATIONS}`,
      at(piece),
      filling,
    );
  }
  const value = environmentValue(filling.from.env, piece.name);
  // Pipelines hand an empty text to whoever may not see the secret.
  const present = value !== undefined && value !== '';
  if (!present && !filling.missing.has(piece.name))
    filling.missing.set(piece.name, { name: piece.name, source: at(piece) });
  return new Secret(piece.name, present ? value : null);
}

/** Says whether the place is one of those that are sent and shown nowhere. */
function isSentVerbatim(path: readonly string[]): boolean {
  const inUrl = pathInUrl(path);
  const [field, name] = inUrl;
  if (field === 'json') return true;
  if (inUrl.length === 1) return field === 'raw_post_body';
  if (inUrl.length !== 2) return false;
  if (field === 'credentials') return name === 'login' || name === 'password';
  return field === 'headers' || field === 'request_params';
}

/** The part of a path below an entry of `urls`, or below what is the default for one; empty elsewhere. */
function pathInUrl(path: readonly string[]): readonly string[] {
  const [first, second, third] = path;
  if (first === 'tests' && third === 'urls') return path.slice(4);
  if (first !== 'defaults') return [];
  return second === 'urls' ? path.slice(3) : second === 'url' ? path.slice(2) : [];
}

/** Headers, names of what is read from an answer, and credentials: editors end each file with a newline. */
function isSingleLine(path: readonly string[]): boolean {
  const [field, second, third, ...more] = pathInUrl(path);
  if (more.length > 0) return false;
  if (field === 'expect') return second === 'headers' && third !== undefined;
  if (field === 'variables') return third === 'property';
  return (field === 'headers' || field === 'credentials') && second !== undefined && third === undefined;
}

function lookUp(
  piece: TextPiece & { kind: 'var' },
  at: LocationOf,
  filling: InterpolationState,
  chain: number,
): ResolvedValue | null {
  const { name } = piece;
  filling.used.add(name);
  if (!isKnown(name, filling)) {
    const nearest = filling.problems.length < MAX_SUGGESTIONS ? nearestKey(name, knownNames(filling)) : null;
    const advice =
      nearest !== null
        ? `did you mean "${nearest}"?`
        : /^[A-Z][A-Z0-9_]*$/.test(name) && !isReserved(name)
          ? `for the environment variable, write "\${env:${name}}"`
          : 'declare it below "vars", or pass --var';
    return refuse(`"\${${name}}" is not declared; ${advice}`, at(piece), filling);
  }
  if (filling.resolved.get(name) === 'open') {
    return refuse(`"\${${name}}" refers to itself`, at(piece), filling);
  }
  if (chain >= MAX_CHAIN_LENGTH) {
    return refuse(`"\${${name}}" is nested more than ${MAX_CHAIN_LENGTH} variables deep`, at(piece), filling);
  }
  return resolveVariable(name, filling, chain);
}

function* knownNames({ declared, from }: InterpolationState): Iterable<string> {
  yield* declared.keys();
  yield* from.vars.keys();
}

function resolveVariable(name: string, filling: InterpolationState, chain: number): ResolvedValue | null {
  const known = filling.resolved.get(name);
  if (known !== undefined && known !== 'open') return known;
  filling.resolved.set(name, 'open');
  const value = computeVariable(name, filling, chain);
  filling.resolved.set(name, value);
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

/** References repeat values, so that a small file could ask for more text than there is memory. */
function checkBounds(
  parts: readonly (string | Secret)[],
  node: ScalarNode,
  filling: InterpolationState,
): boolean {
  const length = parts.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : 0), 0);
  const before = filling.total;
  filling.total += length;
  if (length <= MAX_VALUE_LENGTH && filling.total <= MAX_TOTAL_LENGTH) return true;
  if (length > MAX_VALUE_LENGTH || before <= MAX_TOTAL_LENGTH) {
    const what = length > MAX_VALUE_LENGTH ? 'this value exceeds 1 MiB' : 'the file exceeds 16 MiB';
    refuse(
      `${what} once its references are resolved`,
      filling.from.locate(node.span),
      filling,
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
      const advice = nearest === null ? '' : `; did you mean "${nearest}"?`;
      const message = `--var "${name}" is not used in the file${advice}`;
      return [name, problem('LT_CONFIG_REFERENCE', message, { severity: 'warning' })];
    }),
  );
}

function refuse(
  message: string,
  source: SourceRange,
  filling: InterpolationState,
  code: Code = 'LT_CONFIG_REFERENCE',
): null {
  filling.problems.push(problem(code, message, { source }));
  return null;
}

/** The service's key is in one of these, and `api_key_env` of a file chooses which: none may reach a target. */
function isReserved(name: string): boolean {
  return name.toUpperCase().startsWith('LOADTESTS_');
}

function environmentValue(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

/**
 * Gives the reference itself where it stands in the text as written, else the whole value.
 *
 * Shape:  to be asked for the references in their order: each is looked for behind the one before.
 */
function createReferenceLocator(node: ScalarNode, filling: InterpolationState): LocationOf {
  const { text, locate } = filling.from;
  const known = new Map<string, SourceRange>();
  /** Null: one was not found, since it is written otherwise (with escapes), and so may all others be. */
  let from: number | null = node.span.start;
  return ({ written }) => {
    const before = known.get(written);
    if (before !== undefined) return before;
    const start: number = from === null ? -1 : text.slice(0, node.span.end).indexOf(written, from);
    from = start === -1 ? null : start + written.length;
    const place = locate(start === -1 ? node.span : { start, end: start + written.length });
    known.set(written, place);
    return place;
  };
}

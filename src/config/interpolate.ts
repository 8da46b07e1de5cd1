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
import type { SourceRange } from '../core/source.ts';
import { MOST_ADVICE, nearestKey } from '../schema/nearest.ts';
import { splitReferences, type Piece } from './references.ts';
import { childOf, type ConfigNode, type Locate, type MapNode, type Scalar, type ScalarNode } from './tree.ts';

export interface FillIn {
  readonly text: string;
  readonly locate: Locate;
  /** `--var k=v`: before what the file says. */
  readonly vars: ReadonlyMap<string, string>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What it is that a variable of `env` without a default is not set. */
  readonly unset: Problem['severity'];
  /** The text of a file inside the file's folder, or in words why there is none. */
  readonly readText: (path: string) => { readonly text: string } | { readonly reason: string };
}

export interface Filled {
  readonly root: MapNode;
  readonly problems: readonly Problem[];
  /** Values with a reference that could not be resolved; they stand as they are written. */
  readonly wrong: ReadonlySet<ConfigNode>;
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
const MAX_VALUE = 1024 * 1024;
const MAX_TOTAL = 16 * 1024 * 1024;
const MAX_CHAIN = 64;

/** Fills in everything but `environments`, whose other overlays are of no concern now. */
export function interpolate(root: MapNode, from: FillIn): Filled {
  const filling: Filling = {
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
    const node = key === 'environments' ? entry.node : fillNode(entry.node, path, filling);
    return [key, { ...entry, node }] as const;
  });
  return {
    root: { ...root, entries: new Map(entries) },
    problems: filling.problems,
    wrong: filling.wrong,
    missingSecrets: [...filling.missing.values()],
    unused: unusedOverrides(filling),
  };
}

interface Filling {
  readonly from: FillIn;
  readonly problems: Problem[];
  readonly missing: Map<string, MissingSecret>;
  readonly declared: ReadonlyMap<string, ScalarNode>;
  /** Null: could not be filled in, and that has been said. 'open': being filled in. */
  readonly resolved: Map<string, Value | null | 'open'>;
  readonly wrong: Set<ConfigNode>;
  readonly used: Set<string>;
  total: number;
}

interface Found {
  readonly text: string;
  /** For what is part of one line: without the newline that a file ends with. */
  readonly inLine: string;
}

/** What a variable stands for: the value where it stands alone, the text inside of others. */
interface Value extends Found {
  readonly value: Scalar;
}

function sameInLine(text: string): Found {
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

function fillNode(node: ConfigNode, path: string[], filling: Filling): ConfigNode {
  switch (node.kind) {
    case 'list':
      return {
        ...node,
        items: node.items.map((item, index) => fillChild(item, String(index), path, filling)),
      };
    case 'map': {
      const entries = [...node.entries].map(
        ([key, entry]) => [key, { ...entry, node: fillChild(entry.node, key, path, filling) }] as const,
      );
      return { ...node, entries: new Map(entries) };
    }
    case 'scalar':
      if (path[0] === 'vars' && path.length === 2) return fillVariable(node, path[1] ?? '', filling);
      return fillScalar(node, path, filling);
  }
}

function fillChild(node: ConfigNode, key: string, path: string[], filling: Filling): ConfigNode {
  path.push(key);
  const filled = fillNode(node, path, filling);
  path.pop();
  return filled;
}

function fillVariable(node: ScalarNode, name: string, filling: Filling): ScalarNode {
  const value = resolveVariable(name, filling, 0);
  return value === null ? node : { ...node, value: value.value, written: value.text };
}

function fillScalar(node: ScalarNode, path: readonly string[], filling: Filling): ScalarNode {
  if (typeof node.value !== 'string' || !node.value.includes('${')) return node;
  const filled = filledScalar(node, node.value, path, filling);
  if (filled === null) filling.wrong.add(node);
  return filled ?? node;
}

/** Null: could not be filled in, and that has been said. */
function filledScalar(
  node: ScalarNode,
  value: string,
  path: readonly string[],
  filling: Filling,
): ScalarNode | null {
  const written = splitReferences(value);
  const at = placesIn(node, filling);
  if (path[0] === 'service' && refuseFromOutside(written, at, filling)) return null;
  const pieces = chosenPieces(written, { at, path, filling });
  if (pieces === null) return null;
  const inLine = isInLine(path);
  const alone = pieces.length === 1 ? pieces[0] : undefined;
  if (alone?.kind === 'var') {
    const found = lookUp(alone, at, filling, 0);
    // Counted like any other text: it is judged again wherever it stands.
    if (found === null || !withinBounds([found.text], node, filling)) return null;
    if (!inLine) return { ...node, value: found.value, written: found.text };
    return {
      ...node,
      value: typeof found.value === 'string' ? found.inLine : found.value,
      written: found.inLine,
    };
  }
  const parts = pieces.map((piece) => {
    if (piece.kind === 'secret') return lookUpSecret(piece, at, path, filling);
    const found = textOf(piece, at, filling, 0);
    return found && (inLine ? found.inLine : found.text);
  });
  if (parts.includes(null)) return null;
  const texts = parts.filter((part) => part !== null);
  if (!withinBounds(texts, node, filling)) return null;
  if (!texts.some((part) => part instanceof Secret)) {
    const text = texts.join('');
    return { ...node, value: text, written: text };
  }
  const secret: SecretText = { parts: texts };
  const masked = maskText(secret);
  return { ...node, value: masked, written: masked, secret };
}

interface Standing {
  readonly at: PlaceOf;
  readonly path: readonly string[];
  readonly filling: Filling;
}

/**
 * The pieces that count: of a variable with a default, its value or the pieces of the default.
 *
 * Errors: null where a default that does not count is wrong whatever the environment holds.
 */
function chosenPieces(pieces: readonly Piece[], standing: Standing): readonly Piece[] | null {
  const chosen: Piece[] = [];
  let sound = true;
  for (const piece of pieces) {
    const fallback = piece.kind === 'env' && !isReserved(piece.name) ? piece.fallback : null;
    if (piece.kind !== 'env' || fallback === null) {
      chosen.push(piece);
      continue;
    }
    const value = valueOf(standing.filling.from.env, piece.name);
    if (value === undefined || value === '') {
      const inner = chosenPieces(fallback, standing);
      if (inner === null) sound = false;
      else chosen.push(...inner);
    } else {
      if (!checkSpare(fallback, standing)) sound = false;
      chosen.push({ kind: 'text', text: value });
    }
  }
  return sound ? chosen : null;
}

/** What is wrong with a default is wrong where the variable is set, too; what it would read need not be there. */
function checkSpare(pieces: readonly Piece[], standing: Standing): boolean {
  const { at, path, filling } = standing;
  const checkOne = (piece: Piece): boolean => {
    switch (piece.kind) {
      case 'text':
      case 'file':
        return true;
      case 'env':
        if (isReserved(piece.name)) return textOf(piece, at, filling, 0) !== null;
        return piece.fallback === null || checkSpare(piece.fallback, standing);
      case 'var':
        filling.used.add(piece.name);
        return isKnown(piece.name, filling) || lookUp(piece, at, filling, 0) !== null;
      case 'secret':
        if (isSentAsItIs(path) && !isReserved(piece.name)) return true;
        if (path[0] === 'vars') return textOf(piece, at, filling, 0) !== null;
        return lookUpSecret(piece, at, path, filling) !== null;
      case 'malformed':
        return textOf(piece, at, filling, 0) !== null;
    }
  };
  return pieces.map(checkOne).every(Boolean);
}

function isKnown(name: string, { declared, from }: Filling): boolean {
  return declared.has(name) || from.vars.has(name);
}

/** Where a reference stands; looked for only when something is wrong with it. */
type PlaceOf = (piece: Reference) => SourceRange;
type Reference = Exclude<Piece, { kind: 'text' }>;

function textOf(piece: Piece, at: PlaceOf, filling: Filling, chain: number): Found | null {
  const { from } = filling;
  switch (piece.kind) {
    case 'text':
      return sameInLine(piece.text);
    case 'var':
      return lookUp(piece, at, filling, chain);
    case 'env': {
      if (isReserved(piece.name))
        return refuse(
          `"${piece.written}" is not allowed; variables that begin with LOADTESTS_ may hold an API key`,
          at(piece),
          filling,
        );
      const value = valueOf(from.env, piece.name);
      if (value !== undefined) return sameInLine(value);
      const message = `"${piece.written}": the environment variable ${piece.name} is not set; set it, or write \${env:${piece.name}:-default}`;
      const details = { severity: from.unset, source: at(piece) };
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
        `"${piece.written}" is in a variable; secrets are only allowed where they are sent: ${SECRET_PLACES}`,
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
function refuseFromOutside(pieces: readonly Piece[], at: PlaceOf, filling: Filling): boolean {
  const harmless = new Set<string>();
  let found = 0;
  for (const piece of pieces) {
    const outside = piece.kind === 'text' ? null : fromOutside(piece, filling, harmless);
    if (piece.kind === 'text' || outside === null) continue;
    const itself = piece.written === outside;
    const what = itself ? `"${outside}"` : `"${piece.written}", which takes its value from ${outside},`;
    const message = `${what} is not allowed below "service", where it would be sent to whomever the file names; write the value itself`;
    filling.problems.push(
      problem('LT_CONFIG_REFERENCE', message, { source: at(piece), hint: ANOTHER_SERVICE }),
    );
    if (++found === MOST_FROM_OUTSIDE) break;
  }
  return found > 0;
}

/** Nobody reads more of one value, and each is looked for along a chain of variables. */
const MOST_FROM_OUTSIDE = 10;

const ANOTHER_SERVICE =
  'for another service, give a variable with --var, choose one of "environments" with --env, or leave "base_url" out and set LOADTESTS_BASE_URL';

/**
 * The reference to the environment or to a file that a piece leads to. `--var` is the user's own word.
 *
 * @param harmless variables that lead to none; those that are found out are added
 */
function fromOutside(piece: Reference, filling: Filling, harmless: Set<string>): string | null {
  const seen = new Set<string>();
  // Chains of variables may be longer than the stack of calls.
  const open: Piece[] = [piece];
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

const SECRET_PLACES = 'in credentials, header values, request_params, json and raw_post_body';

function lookUpSecret(
  piece: Piece & { kind: 'secret' },
  at: PlaceOf,
  path: readonly string[],
  filling: Filling,
): Secret | null {
  if (isReserved(piece.name)) {
    return refuse(
      `"${piece.written}" is not allowed; variables that begin with LOADTESTS_ may hold an API key`,
      at(piece),
      filling,
    );
  }
  if (!isSentAsItIs(path)) {
    return refuse(
      `"${piece.written}" is not allowed here; secrets are only allowed ${SECRET_PLACES}`,
      at(piece),
      filling,
    );
  }
  const value = valueOf(filling.from.env, piece.name);
  // Pipelines hand an empty text to whoever may not see the secret.
  const present = value !== undefined && value !== '';
  if (!present && !filling.missing.has(piece.name))
    filling.missing.set(piece.name, { name: piece.name, source: at(piece) });
  return new Secret(piece.name, present ? value : null);
}

/** Says whether the place is one of those that are sent and shown nowhere. */
function isSentAsItIs(path: readonly string[]): boolean {
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
function isInLine(path: readonly string[]): boolean {
  const [field, second, third, ...more] = pathInUrl(path);
  if (more.length > 0) return false;
  if (field === 'expect') return second === 'headers' && third !== undefined;
  if (field === 'variables') return third === 'property';
  return (field === 'headers' || field === 'credentials') && second !== undefined && third === undefined;
}

function lookUp(piece: Piece & { kind: 'var' }, at: PlaceOf, filling: Filling, chain: number): Value | null {
  const { name } = piece;
  filling.used.add(name);
  if (!isKnown(name, filling)) {
    const nearest = filling.problems.length < MOST_ADVICE ? nearestKey(name, knownNames(filling)) : null;
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
  if (chain >= MAX_CHAIN) {
    return refuse(`"\${${name}}" is nested more than ${MAX_CHAIN} variables deep`, at(piece), filling);
  }
  return resolveVariable(name, filling, chain);
}

function* knownNames({ declared, from }: Filling): Iterable<string> {
  yield* declared.keys();
  yield* from.vars.keys();
}

function resolveVariable(name: string, filling: Filling, chain: number): Value | null {
  const known = filling.resolved.get(name);
  if (known !== undefined && known !== 'open') return known;
  filling.resolved.set(name, 'open');
  const value = computeVariable(name, filling, chain);
  filling.resolved.set(name, value);
  return value;
}

function computeVariable(name: string, filling: Filling, chain: number): Value | null {
  const override = filling.from.vars.get(name);
  if (override !== undefined) return { value: override, ...sameInLine(override) };
  const node = filling.declared.get(name);
  if (node === undefined) return null;
  if (typeof node.value !== 'string' || !node.value.includes('${'))
    return { value: node.value, ...sameInLine(node.written) };
  const at = placesIn(node, filling);
  const pieces = chosenPieces(splitReferences(node.value), { at, path: ['vars', name], filling });
  if (pieces === null) return null;
  const alone = pieces.length === 1 ? pieces[0] : undefined;
  if (alone?.kind === 'var') return lookUp(alone, at, filling, chain + 1);
  const texts = pieces.map((piece) => textOf(piece, at, filling, chain + 1));
  if (texts.includes(null)) return null;
  const parts = texts.filter((part) => part !== null);
  const text = parts.map((part) => part.text);
  if (!withinBounds(text, node, filling)) return null;
  const value = text.join('');
  return { value, text: value, inLine: parts.map((part) => part.inLine).join('') };
}

/** References repeat values, so that a small file could ask for more text than there is memory. */
function withinBounds(parts: readonly (string | Secret)[], node: ScalarNode, filling: Filling): boolean {
  const length = parts.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : 0), 0);
  const before = filling.total;
  filling.total += length;
  if (length <= MAX_VALUE && filling.total <= MAX_TOTAL) return true;
  if (length > MAX_VALUE || before <= MAX_TOTAL) {
    const what = length > MAX_VALUE ? 'this value exceeds 1 MiB' : 'the file exceeds 16 MiB';
    refuse(
      `${what} once its references are resolved`,
      filling.from.locate(node.span),
      filling,
      'LT_CONFIG_UNREADABLE',
    );
  }
  return false;
}

function unusedOverrides({ declared, used, from }: Filling): ReadonlyMap<string, Problem> {
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
  filling: Filling,
  code: Code = 'LT_CONFIG_REFERENCE',
): null {
  filling.problems.push(problem(code, message, { source }));
  return null;
}

/** The service's key is in one of these, and `api_key_env` of a file chooses which: none may reach a target. */
function isReserved(name: string): boolean {
  return name.toUpperCase().startsWith('LOADTESTS_');
}

function valueOf(env: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  return Object.hasOwn(env, name) ? env[name] : undefined;
}

/**
 * Gives the reference itself where it stands in the text as written, else the whole value.
 *
 * Shape:  to be asked for the references in their order: each is looked for behind the one before.
 */
function placesIn(node: ScalarNode, filling: Filling): PlaceOf {
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

/** Compares the repetitions of a loop, which become one group if they differ in at most one value. */
import type { Json } from '../core/canonical.ts';
import type { IntakeGroup, IntakeRequest } from '../core/intake/intake.ts';
import type { VariableCondition } from '../core/model/condition.ts';
import { secretValuesOf } from '../core/intake/intake-secrets.ts';

export interface LoopRepetition {
  readonly requests: readonly IntakeRequest[];
  /** Groups, with request indexes relative to the repetition. */
  readonly groups: readonly IntakeGroup[];
}

export interface CommonForm {
  readonly requests: readonly IntakeRequest[];
  /** Values of the variable in the repetitions; absent if the repetitions are identical. */
  readonly values?: readonly string[];
  /** Names of variables in the first repetition, by their names in later repetitions. */
  readonly renamed: ReadonlyMap<string, string>;
}

/** Request members that consist of texts. Repetitions can differ only in literal parts of these members. */
const TEXT_MEMBERS = ['url', 'value', 'text', 'login', 'password'];

/** Matches values that are inserted unchanged into URLs, JSON and forms. */
const PLAIN_VALUE = /^[\w.~-]+$/;

/**
 * Returns the common form of the repetitions; null unless they are equal or differ in one value that can be a variable.
 */
export function commonFormOf(repetitions: readonly LoopRepetition[], variable: string): CommonForm | null {
  const [first, ...others] = repetitions;
  if (first === undefined) return null;
  const renamed = new Map<string, string>();
  const shapes = [shapeOf(first)];
  for (const repetition of others) {
    const names = namesIn(first, repetition);
    if (names === null) return null;
    for (const [from, to] of names) if (from !== to) renamed.set(from, to);
    const earlier = withoutEarlier(names);
    shapes.push(
      shapeOf({
        requests: repetition.requests.map((request) => renamedIn(request, earlier)),
        groups: repetition.groups.map((group) => renamedGroup(group, names)),
      }),
    );
  }
  const differing = new Differences(shapes);
  if (!differing.areEqualElsewhere) return null;
  const { values } = differing;
  if (values === null) return { requests: first.requests, renamed };
  const isUsable =
    values.every((value) => PLAIN_VALUE.test(value)) &&
    !namesOf(first).has(variable) &&
    repetitions.every(
      ({ requests }) =>
        !secretValuesOf(requests).some((secret) => values.some((one) => secret.includes(one))),
    );
  if (!isUsable) return null;
  // The cast is valid, because the result has the shape of the requests of a repetition.
  const requests = differing.withVariable(variable) as unknown as readonly IntakeRequest[];
  return {
    requests: requests.map((request, index) => ({ ...request, ...constantsOf(first.requests[index]) })),
    values,
    renamed,
  };
}

/**
 * Returns the members of a request that do not affect the bytes sent.
 */
function constantsOf(request: IntakeRequest | undefined): Partial<IntakeRequest> {
  return request === undefined ? {} : { at: request.at, name: request.name, notes: request.notes };
}

function shapeOf({ requests, groups }: LoopRepetition): Json {
  const sent = requests.map((request) => ({ ...request, at: null, name: null, notes: [] }));
  return JSON.parse(JSON.stringify([sent, groups.map((group) => ({ ...group, at: null }))])) as Json;
}

/** Maps the names of captures to their names in the first repetition; null if the numbers of captures differ. */
function namesIn(first: LoopRepetition, repetition: LoopRepetition): ReadonlyMap<string, string> | null {
  const [to, from] = [first, repetition].map(({ requests }) =>
    requests.flatMap(({ captures }) => captures.map(({ name }) => name)),
  );
  if (to === undefined || from === undefined || to.length !== from.length) return null;
  return new Map(from.map((name, index) => [name, to[index] ?? name]));
}

/**
 * Adds substitutes for the names of variables that only the first repetition captures. As a result, a use of such a
 * variable in a later repetition does not equal its use in the first repetition.
 */
function withoutEarlier(names: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const earlier = [...names.values()].filter((name) => !names.has(name));
  return new Map([...earlier.map((name) => [name, `earlier ${name}`] as const), ...names]);
}

export function namesOf({ requests }: Pick<LoopRepetition, 'requests'>): ReadonlySet<string> {
  return new Set(
    [...JSON.stringify(requests).matchAll(/\{"variable":"([^"]*)"\}/g)].map(([, name = '']) => name),
  );
}

export function renamedIn(request: IntakeRequest, names: ReadonlyMap<string, string>): IntakeRequest {
  if (names.size === 0) return request;
  const renamed = JSON.parse(JSON.stringify(request), (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('variable' in value)) return value;
    return { variable: names.get(String(value.variable)) ?? value.variable };
  }) as IntakeRequest; // Only names of variables change.
  return {
    ...renamed,
    captures: renamed.captures.map((capture) => ({
      ...capture,
      name: names.get(capture.name) ?? capture.name,
    })),
  };
}

function renamedGroup(group: IntakeGroup, names: ReadonlyMap<string, string>): IntakeGroup {
  const renamed = (name: string) => names.get(name) ?? name;
  const conditions = (all: readonly VariableCondition[]) =>
    all.map(({ name, value }) => ({ name: renamed(name), value }));
  const { repeat, forEach, when } = group;
  return {
    ...group,
    ...(typeof repeat === 'object' ? { repeat: { ...repeat, until: conditions(repeat.until) } } : {}),
    ...(forEach !== undefined && 'list' in forEach
      ? { forEach: { ...forEach, list: renamed(forEach.list) } }
      : {}),
    ...(when === undefined ? {} : { when: conditions(when) }),
  };
}

/** Collects the strings in which values of equal structure differ. */
class Differences {
  areEqualElsewhere = true;
  readonly #shapes: readonly Json[];
  readonly #found: (readonly string[])[] = [];
  readonly #paths = new Set<string>();

  constructor(shapes: readonly Json[]) {
    this.#shapes = shapes;
    this.#compare(shapes, []);
  }

  /** Values of the differing string, one per repetition; null if the repetitions are identical. */
  get values(): readonly string[] | null {
    return this.#found[0] ?? null;
  }

  /** Returns the requests of the first repetition, with a variable at each differing location. */
  withVariable(name: string): Json {
    const replaced = (value: Json | undefined, path: string): Json => {
      if (this.#paths.has(path)) return { variable: name };
      if (Array.isArray(value)) return value.map((item, index) => replaced(item as Json, `${path}/${index}`));
      if (typeof value !== 'object' || value === null) return value ?? null;
      return Object.fromEntries(
        Object.entries(value).map(([key, one]) => [key, replaced(one, `${path}/${key}`)]),
      );
    };
    const [first] = this.#shapes;
    const all = replaced(first, '');
    return Array.isArray(all) ? (all[0] as Json) : null;
  }

  #compare(values: readonly (Json | undefined)[], path: readonly string[]): void {
    const [first] = values;
    if (!this.areEqualElsewhere) return;
    if (typeof first !== 'object' || first === null) {
      if (values.every((value) => value === first)) return;
      const [member, index] = path.slice(-2);
      const isText = TEXT_MEMBERS.includes(member ?? '') && /^\d+$/.test(index ?? '');
      const texts = values.filter((value) => typeof value === 'string');
      const known = this.values;
      this.areEqualElsewhere =
        isText &&
        texts.length === values.length &&
        (known === null || texts.every((text, at) => text === known[at]));
      this.#found.push(texts);
      this.#paths.add(path.map((step) => `/${step}`).join(''));
      return;
    }
    const keys = Object.keys(first);
    this.areEqualElsewhere = values.every(
      (value) =>
        typeof value === 'object' &&
        value !== null &&
        Array.isArray(value) === Array.isArray(first) &&
        Object.keys(value).length === keys.length &&
        keys.every((key) => key in value),
    );
    for (const key of keys)
      this.#compare(
        values.map((value) => (value as Record<string, Json> | undefined)?.[key]),
        [...path, key],
      );
  }
}

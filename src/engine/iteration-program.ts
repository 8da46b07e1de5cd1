/**
 * Program that selects the next request of a client in iterations with groups. Groups are ranges of requests that are
 * repeated, conditional or parallel. The program is compiled once per thread; the clients contain its state.
 */
import { endOf, groupsAround, maxRepetitions, type Group } from '../core/model/group.ts';
import type { SlotValues } from './request-template.ts';
import { requestsPerIteration, type Iteration, type WithIterations } from '../core/model/iteration.ts';

export interface IterationPosition {
  readonly iteration: Iteration;
  /** Index of the current request; `iteration.end` if the iteration is complete. */
  requestIndex: number;
  /** Number of repetitions after the current one, by group. Valid only for groups that contain the current request. */
  readonly repetitionsLeft: number[];
  /** For each group with a list, its items. Valid for the same groups as `repetitionsLeft`. */
  readonly items: (readonly ListItem[])[];
  readonly values: (string | undefined)[];
}

export interface ListItem {
  /** Text as bytes in latin1 characters. */
  readonly text: string;
  /** True for a string; false for the JSON text of any other value. */
  readonly isString: boolean;
}

export interface GroupList {
  /** Returns the items for an iteration, at most as many as the group has repetitions. */
  readonly itemsOf: (values: SlotValues) => readonly ListItem[];
  readonly assign: (values: (string | undefined)[], item: ListItem) => void;
}

export interface CompiledGroup {
  /** Condition for performing the group; null if there is none. */
  readonly when: ((values: SlotValues) => boolean) | null;
  /** Condition that ends the repetitions if met at the end of a repetition; null if there is none. */
  readonly until: ((values: SlotValues) => boolean) | null;
  /** List whose items determine the repetitions; null if there is none. */
  readonly list: GroupList | null;
}

/** Receives a request that is skipped, with the maximum number of times that it would have been performed. */
export type CountSkipped<Position> = (position: Position, request: number, count: number) => void;

export class IterationProgram<Position extends IterationPosition = IterationPosition> {
  readonly #groups: readonly Group[];
  readonly #compiled: readonly CompiledGroup[];
  readonly #countSkipped: CountSkipped<Position>;
  /** For each request, the groups that begin with it, from the outermost. */
  readonly #begin: readonly (readonly number[])[];
  /** For each request, the groups that end with it, from the innermost. */
  readonly #end: readonly (readonly number[])[];
  /** For each request, the groups that contain it, from the outermost, up to and including a parallel group. */
  readonly #around: readonly (readonly number[])[];
  /** For each request in a parallel group, the groups around it within the parallel group, from the outermost. */
  readonly #inside: readonly (readonly number[])[];
  /** Parallel groups by their first request. */
  readonly #parallel: ReadonlyMap<number, Group>;
  /** For each request, the maximum number of times that an iteration performs it. */
  readonly #perIteration: readonly number[];
  /** For each group, the maximum number of its repetitions in an iteration. */
  readonly #groupRepetitions: readonly number[];

  /** @param compiled - Conditions and lists of the groups, in the same order. */
  constructor(
    spec: WithIterations,
    compiled: readonly CompiledGroup[],
    countSkipped: CountSkipped<Position>,
  ) {
    const groups = spec.groups ?? [];
    this.#groups = groups;
    this.#compiled = compiled;
    this.#countSkipped = countSkipped;
    const nested = spec.targets.map((_, request) => {
      const around = groupsAround(groups, request);
      const parallel = around.findIndex((index) => groups[index]?.parallel === true);
      const length = parallel < 0 ? around.length : parallel + 1;
      return { around: around.slice(0, length), inside: around.slice(length) };
    });
    this.#around = nested.map(({ around }) => around);
    this.#inside = nested.map(({ inside }) => inside);
    this.#parallel = new Map(
      groups.flatMap((group) => (group.parallel === true ? [[group.first, group]] : [])),
    );
    const select = (around: readonly number[], isSelected: (group: Group) => boolean) =>
      around.filter((index) => {
        const group = groups[index];
        return group !== undefined && isSelected(group);
      });
    this.#begin = this.#around.map((around, request) => select(around, ({ first }) => first === request));
    this.#end = this.#around.map((around, request) =>
      select(around, (group) => endOf(group) === request + 1).toReversed(),
    );
    this.#perIteration = requestsPerIteration(spec);
    this.#groupRepetitions = groups.map((group, index) =>
      (this.#around[group.first] ?? []).reduce((product, other) => {
        const outer = groups[other];
        return outer === undefined || other > index ? product : product * maxRepetitions(outer);
      }, 1),
    );
  }

  get hasParallel(): boolean {
    return this.#parallel.size > 0;
  }

  parallelAt({ requestIndex }: Position): Group | null {
    return this.#parallel.get(requestIndex) ?? null;
  }

  /**
   * Reports whether the conditions of a request within a parallel group are met. Otherwise, counts the request as
   * skipped.
   */
  readonly performs = (position: Position, request: number): boolean => {
    const isMet = (this.#inside[request] ?? []).every(
      (index) => this.#compiled[index]?.when?.(position.values) !== false,
    );
    if (!isMet) this.#countSkipped(position, request, 1);
    return isMet;
  };

  /** Moves a client to the first request of its iteration that is not skipped. */
  begin(position: Position): void {
    position.requestIndex = position.iteration.first;
    this.#move(position, this.#enter(position, -1));
  }

  /** Moves a client to the next request that is not skipped, or to the end of its iteration. */
  advance(position: Position): void {
    this.#move(position, this.#leave(position, this.#groups.length));
  }

  /**
   * If a group is skipped, moves a client to the next request that is not skipped.
   * @param skipped - Index of the skipped group; −1 if none.
   */
  #move(position: Position, skipped: number): void {
    for (let index = skipped; index >= 0;) {
      const group = this.#groups[index];
      if (group === undefined) return;
      this.#skip(position, index, maxRepetitions(group));
      position.requestIndex = endOf(group) - 1;
      index = this.#leave(position, index);
    }
  }

  /**
   * Ends the groups that end with the current request: repeats the innermost one with repetitions left, or continues
   * after the request. Returns the index of the next skipped group; −1 if none.
   * @param below - Only groups with an index below this one end.
   */
  #leave(position: Position, below: number): number {
    const { repetitionsLeft, values } = position;
    for (const index of this.#end[position.requestIndex] ?? []) {
      if (index >= below) continue;
      const left = repetitionsLeft[index] ?? 0;
      if (left === 0) continue;
      if (this.#compiled[index]?.until?.(values) === true) {
        this.#skip(position, index, left);
        repetitionsLeft[index] = 0;
        continue;
      }
      repetitionsLeft[index] = left - 1;
      this.#assignItem(position, index, left);
      position.requestIndex = this.#groups[index]?.first ?? 0;
      return this.#enter(position, index);
    }
    position.requestIndex++;
    return this.#enter(position, -1);
  }

  /**
   * Begins the groups that start with the current request. Returns the index of the first skipped group; −1 if none.
   * @param inside - Index of the group that begins a further repetition; −1 if none.
   */
  #enter(position: Position, inside: number): number {
    const { requestIndex, iteration, repetitionsLeft, values } = position;
    if (requestIndex >= iteration.end) return -1;
    for (const index of this.#begin[requestIndex] ?? []) {
      const group = this.#groups[index];
      if (index <= inside || group === undefined) continue;
      const { when = null, list = null } = this.#compiled[index] ?? {};
      if (when?.(values) === false) return index;
      let repetitions = maxRepetitions(group);
      if (list !== null) {
        const items = list.itemsOf(values);
        if (items.length === 0) return index;
        if (items.length < repetitions) this.#skip(position, index, repetitions - items.length);
        repetitions = items.length;
        position.items[index] = items;
        this.#assignItem(position, index, repetitions);
      }
      repetitionsLeft[index] = repetitions - 1;
    }
    return -1;
  }

  /**
   * Assigns the item of the current repetition to the variable of a group.
   * @param left - Number of repetitions from the current one to the last one, both included.
   */
  #assignItem({ items, values }: Position, index: number, left: number): void {
    const list = this.#compiled[index]?.list ?? null;
    const ofGroup = items[index];
    if (list === null || ofGroup === undefined) return;
    const item = ofGroup[ofGroup.length - left];
    if (item !== undefined) list.assign(values, item);
  }

  #skip(position: Position, index: number, repetitions: number): void {
    const group = this.#groups[index];
    if (group === undefined) return;
    const perRepetition = this.#groupRepetitions[index] ?? 1;
    for (let request = group.first; request < endOf(group); request++)
      this.#countSkipped(
        position,
        request,
        ((this.#perIteration[request] ?? 0) / perRepetition) * repetitions,
      );
  }

  /** Visits each remaining request of an iteration, including the current one, with its maximum remaining count. */
  forEachRemaining(
    { iteration, requestIndex, repetitionsLeft }: IterationPosition,
    visit: (request: number, count: number) => void,
  ): void {
    if (requestIndex >= iteration.end) return;
    let from = requestIndex;
    for (const index of (this.#around[requestIndex] ?? []).toReversed()) {
      const group = this.#groups[index];
      const repetitions = this.#groupRepetitions[index] ?? 1;
      if (group === undefined) continue;
      const left = repetitionsLeft[index] ?? 0;
      for (let request = group.first; request < endOf(group); request++) {
        const count = ((this.#perIteration[request] ?? 0) / repetitions) * (left + (request >= from ? 1 : 0));
        if (count > 0) visit(request, count);
      }
      from = endOf(group);
    }
    this.forEachOf({ first: from, end: iteration.end }, visit);
  }

  /** Visits each request of a range, with its maximum count per iteration. The range must not split a group. */
  forEachOf(
    { first, end }: Pick<Iteration, 'first' | 'end'>,
    visit: (request: number, count: number) => void,
  ): void {
    for (let request = first; request < end; request++) visit(request, this.#perIteration[request] ?? 0);
  }
}

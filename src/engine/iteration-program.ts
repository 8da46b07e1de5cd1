/**
 * Program of iterations with groups: it selects the next request of a client. Groups are loops over ranges of the
 * requests; the program is compiled once per thread, and a client stores only the remaining passes of each group.
 */
import { endOf, groupsAround, maxPasses, type Group } from '../core/model/group.ts';
import { requestsPerIteration, type Iteration, type WithIterations } from '../core/model/iteration.ts';

/** Position of a client in its iteration. */
export interface IterationPosition {
  readonly iteration: Iteration;
  /** Index of the current request; the end of the iteration if it is complete. */
  requestIndex: number;
  /** For each group, the number of passes after the current one. Only those of the groups around the request are valid. */
  readonly passesLeft: number[];
}

export class IterationProgram {
  readonly #groups: readonly Group[];
  /** For each request, the groups that begin with it, from the outermost. */
  readonly #begin: readonly (readonly number[])[];
  /** For each request, the groups that end with it, from the innermost. */
  readonly #end: readonly (readonly number[])[];
  /** For each request, the groups that contain it, from the outermost. */
  readonly #around: readonly (readonly number[])[];
  /** For each request, its maximum number in an iteration. */
  readonly #perIteration: readonly number[];
  /** For each group, the maximum number of its passes in an iteration. */
  readonly #groupPasses: readonly number[];

  private constructor(spec: WithIterations, groups: readonly Group[]) {
    this.#groups = groups;
    this.#around = spec.targets.map((_, request) => groupsAround(groups, request));
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
    this.#groupPasses = groups.map((group, index) =>
      (this.#around[group.first] ?? []).reduce((product, other) => {
        const outer = groups[other];
        return outer === undefined || other > index ? product : product * maxPasses(outer);
      }, 1),
    );
  }

  /** Compiles the groups of a job; null if it has none. */
  static compile(spec: WithIterations): IterationProgram | null {
    return spec.groups === null ? null : new IterationProgram(spec, spec.groups);
  }

  /** Moves a client to the first request of its iteration. */
  begin(position: IterationPosition): void {
    this.#enter(position, position.iteration.first);
  }

  /** Moves a client to the request after the current one. */
  advance(position: IterationPosition): void {
    const { requestIndex, passesLeft } = position;
    for (const index of this.#end[requestIndex] ?? []) {
      const left = passesLeft[index] ?? 0;
      if (left === 0) continue;
      passesLeft[index] = left - 1;
      this.#enter(position, this.#groups[index]?.first ?? 0, index);
      return;
    }
    this.#enter(position, requestIndex + 1);
  }

  /**
   * Moves a client to a request, which begins the groups that start there.
   * @param inside - The group of which a further pass begins; −1 if none.
   */
  #enter(position: IterationPosition, request: number, inside = -1): void {
    position.requestIndex = request;
    for (const index of this.#begin[request] ?? []) {
      const group = this.#groups[index];
      if (index > inside && group !== undefined) position.passesLeft[index] = maxPasses(group) - 1;
    }
  }

  /**
   * Calls a function for each request that remains in an iteration, including the current one, with the maximum number
   * of times that it remains.
   */
  forEachRemaining(
    { iteration, requestIndex, passesLeft }: IterationPosition,
    visit: (request: number, count: number) => void,
  ): void {
    if (requestIndex >= iteration.end) return;
    let from = requestIndex;
    for (const index of (this.#around[requestIndex] ?? []).toReversed()) {
      const group = this.#groups[index];
      const passes = this.#groupPasses[index] ?? 1;
      if (group === undefined) continue;
      const left = passesLeft[index] ?? 0;
      for (let request = group.first; request < endOf(group); request++) {
        const count = ((this.#perIteration[request] ?? 0) / passes) * (left + (request >= from ? 1 : 0));
        if (count > 0) visit(request, count);
      }
      from = endOf(group);
    }
    this.forEachOf({ first: from, end: iteration.end }, visit);
  }

  /** Calls a function for each request of a range, outside of all groups, with its maximum number in an iteration. */
  forEachOf(
    { first, end }: Pick<Iteration, 'first' | 'end'>,
    visit: (request: number, count: number) => void,
  ): void {
    for (let request = first; request < end; request++) visit(request, this.#perIteration[request] ?? 0);
  }
}

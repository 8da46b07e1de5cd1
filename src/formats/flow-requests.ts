import type {
  IntakeFlow,
  IntakeGroup,
  IntakeNote,
  IntakeRequest,
  SourcePosition,
} from '../core/intake/intake.ts';
import { endOf } from '../core/model/group.ts';
import type { Milliseconds } from '../core/units.ts';
import { pausedBy, pausedGroups, withoutGroupPauses, type Pause, type PausedGroup } from './group-pauses.ts';
import { commonFormOf, namesOf, renamedIn } from './loop-repetitions.ts';

/**
 * Maximum number of requests to which a loop is expanded if no group can express it. The first repetition is always
 * complete.
 */
const MAX_EXPANDED = 100;

/**
 * Maximum number of repetitions of a loop to read, and number of requests after which no further repetition is read.
 */
const MAX_REPETITIONS = 1000;
const MAX_READ = 5000;

/** A request of a flow, which can change until the flow is complete. */
export class FlowRequest {
  #request: IntakeRequest;
  /**
   * The corresponding request in the first repetition of a loop; null if the request does not belong to a later
   * repetition.
   */
  #representative: FlowRequest | null = null;

  constructor(request: IntakeRequest) {
    this.#request = request;
  }

  get request(): IntakeRequest {
    return this.#representative?.request ?? this.#request;
  }

  update(changes: Partial<IntakeRequest>): void {
    if (this.#representative !== null) this.#representative.update(changes);
    else this.#request = { ...this.#request, ...changes };
  }

  lose(at: SourcePosition, message: string): void {
    this.update({ notes: [...this.request.notes, { kind: 'loss', at, message }] });
  }

  replaceWith(representative: FlowRequest): void {
    this.#representative = representative;
  }
}

type NewGroup = Omit<IntakeGroup, 'first' | 'count'>;

export class FlowRequests {
  #entries: FlowRequest[] = [];
  #groups: PausedGroup[] = [];
  #pending: IntakeNote[] = [];
  /** Think time before the first request of the current repetition, group or flow. */
  #leading: Pause[] = [];
  /** Index of the first request of the current repetition or group. */
  #start = 0;
  readonly #renamed = new Map<string, string>();

  get count(): number {
    return this.#entries.length;
  }

  has(request: FlowRequest): boolean {
    return this.#entries.includes(request);
  }

  get entries(): readonly FlowRequest[] {
    return this.#entries;
  }

  /** Adds a request. Notes about the preceding steps become notes of this request. */
  add(request: IntakeRequest): FlowRequest {
    const added = new FlowRequest({ ...request, notes: [...this.#pending, ...request.notes] });
    this.#entries.push(added);
    this.#pending = [];
    return added;
  }

  /**
   * Adds a note about a loss to the next request or, if none follows, to the last request of the repetition or group,
   * or to the flow.
   */
  lose(where: SourcePosition, message: string): void {
    if (this.#pending.every((note) => note.message !== message))
      this.#pending.push({ kind: 'loss', at: where, message });
  }

  change(where: SourcePosition, message: string): void {
    this.#pending.push({ kind: 'change', at: where, message });
  }

  /**
   * Adds think time after the last request, or after the group that ends with this request. Before the first request,
   * the think time is held until the repetition, group or flow ends.
   */
  pause(min: Milliseconds, max: Milliseconds, where: SourcePosition): void {
    const pause = { min, max, at: where };
    const last = this.#entries.length > this.#start ? this.#entries.at(-1) : undefined;
    if (last === undefined) {
      this.#leading.push(pause);
      return;
    }
    const place = { start: this.#start, end: this.#entries.length, pauses: [pause] };
    const paused = pausedGroups(this.#groups, place);
    if (paused === null) last.update(pausedBy(last.request, [pause]));
    else this.#groups = [...paused];
  }

  /** Marks the last two groups as alternatives, exactly one of which is executed. */
  pairGroups(): void {
    const second = this.#groups.findIndex((group) => endOf(group) === this.#entries.length);
    const after = this.#groups[second];
    const first = this.#groups.findIndex((group) => endOf(group) === after?.first);
    const before = this.#groups[first];
    if (before === undefined || after === undefined) return;
    this.#groups[first] = { ...before, pair: 'first' };
    this.#groups[second] = { ...after, pair: 'second' };
  }

  /**
   * Calls `read`, and combines the requests that `read` adds into a group.
   * @param create - Called if `read` adds requests. Returns null if the requests do not form a group.
   */
  group(create: () => NewGroup | null, read: () => void): void {
    const first = this.#entries.length;
    const place = this.#groups.length;
    const [pause] = this.#repetition(read);
    if (pause !== undefined)
      this.lose(
        pause.at,
        'the think time is omitted, because the condition or loop around it contains no request',
      );
    const count = this.#entries.length - first;
    const group = count === 0 ? null : create();
    if (group !== null) this.#groups.splice(place, 0, { ...group, first, count, pauses: [] });
  }

  /**
   * Adds concurrent requests as a parallel group or, if such a group cannot express the requests, one after another.
   */
  parallel(at: SourcePosition, read: () => void): void {
    const first = this.#entries.length;
    const place = this.#groups.length;
    const earlier = this.#entries.flatMap(({ request }) => request.captures.map(({ name }) => name));
    this.group(() => {
      const requests = this.#entries.slice(first).map(({ request }) => request);
      if (requests.length === 1) return null;
      const captured = requests.flatMap(({ captures }) => captures.map(({ name }) => name));
      const used = namesOf({ requests });
      const isLoop = ({ repeat, forEach, parallel }: NewGroup) =>
        repeat !== undefined || forEach !== undefined || parallel !== undefined;
      const isIndependent =
        new Set(captured).size === captured.length &&
        captured.every((name) => !used.has(name) || earlier.includes(name));
      if (isIndependent && !this.#groups.slice(place).some(isLoop)) return { at, parallel: true };
      const reason = isIndependent
        ? 'include a loop or a parallel group'
        : "depend on each other's responses or capture the same variable";
      this.#entries[first]?.lose(at, `the requests are sent one after another, because they ${reason}`);
      return null;
    }, read);
  }

  /**
   * Adds a loop: as a group if its repetitions are identical or differ in one value; otherwise, as separate requests.
   */
  repeat(
    count: number,
    { at, variable = 'item' }: { readonly at: SourcePosition; readonly variable?: string },
    read: (index: number) => void,
  ): void {
    const first = this.#entries.length;
    const firstGroup = this.#groups.length;
    const ends: number[] = [];
    if (count === 1) read(0);
    if (count <= 1) return;
    for (let index = 0; index < Math.min(count, MAX_REPETITIONS); index++) {
      const pauses = this.#repetition(() => read(index));
      for (const { min, max, at: where } of pauses) this.pause(min, max, where);
      ends.push(this.#entries.length);
      if (this.#entries.length - first > MAX_READ) break;
    }
    if (this.#entries.length > first) this.#fold({ first, firstGroup, ends }, { count, at, variable });
  }

  /**
   * Reads a repetition or group. Moves think time before the first request to the end. If there is no request, returns
   * the think time.
   */
  #repetition(read: () => void): readonly Pause[] {
    const outer = [this.#start, this.#leading] as const;
    const first = this.#entries.length;
    [this.#start, this.#leading] = [first, []];
    read();
    const own = this.#leading;
    const last = this.#entries.length > first ? this.#entries.at(-1) : undefined;
    if (last !== undefined) {
      for (const { min, max, at } of own.splice(0)) this.pause(min, max, at);
      last.update({ notes: [...last.request.notes, ...this.#pending] });
      this.#pending = [];
    }
    [this.#start, this.#leading] = outer;
    return own;
  }

  #fold(
    {
      first,
      firstGroup,
      ends,
    }: { readonly first: number; readonly firstGroup: number; readonly ends: readonly number[] },
    {
      count,
      at,
      variable,
    }: { readonly count: number; readonly at: SourcePosition; readonly variable: string },
  ): void {
    const repetitions = ends.map((end, index) => {
      const from = ends[index - 1] ?? first;
      return {
        requests: this.#entries.slice(from, end).map(({ request }) => request),
        groups: this.#groups
          .slice(firstGroup)
          .filter((group) => from <= group.first && group.first < end)
          .map((group) => ({ ...group, first: group.first - from })),
      };
    });
    const form = commonFormOf(repetitions, variable);
    const isComplete = form?.values === undefined || ends.length === count;
    const length = (ends[0] ?? first) - first;
    if (form === null || !isComplete) {
      if (this.#entries.length - first <= MAX_EXPANDED && ends.length === count) return;
      const kept = Math.max(1, ends.filter((end) => end - first <= MAX_EXPANDED).length);
      this.#truncate(ends[kept - 1] ?? first + length);
      const message = `the loop is too long; the test contains only the first ${kept} of ${count} iterations`;
      this.#entries.at(-1)?.lose(at, message);
      return;
    }
    this.#entries.slice(first + length).forEach((entry, index) => {
      const representative = this.#entries[first + (index % length)];
      if (representative !== undefined) entry.replaceWith(representative);
    });
    this.#truncate(first + length);
    form.requests.forEach((request, index) => this.#entries[first + index]?.update(request));
    for (const [from, to] of form.renamed) this.#renamed.set(from, to);
    const group = {
      at,
      first,
      count: length,
      pauses: [],
      ...(form.values === undefined
        ? { repeat: count }
        : { forEach: { name: variable, values: form.values } }),
    };
    this.#groups.splice(firstGroup, 0, group);
  }

  #truncate(length: number): void {
    this.#entries.length = length;
    this.#groups = this.#groups.filter(({ first }) => first < length);
  }

  /**
   * @param isClosed - True if clients repeat the flow. Think time before the first request is then moved to the end of
   * the flow.
   */
  finish(isClosed: boolean): Required<Pick<IntakeFlow, 'requests' | 'groups' | 'notes'>> {
    const leading = this.#leading.splice(0);
    const [first] = this.#entries;
    const [pause] = leading;
    if (first !== undefined && pause !== undefined) {
      if (isClosed) for (const { min, max, at } of leading) this.pause(min, max, at);
      else {
        const message = 'the think time before the first request is omitted';
        first.update({ notes: [{ kind: 'change', at: pause.at, message }, ...first.request.notes] });
      }
    }
    const requests = this.#entries.map(({ request }) => renamedIn(request, this.#renamed));
    return { ...withoutGroupPauses({ requests, groups: this.#groups }), notes: this.#pending };
  }
}

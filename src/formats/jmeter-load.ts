/** Load of JMeter thread groups, including thread groups of common plugins. */
import type { IntakeLoad, IntakeNote, IntakeStage, SourcePosition } from '../core/intake/intake.ts';
import { milliseconds, seconds, type Milliseconds } from '../core/units.ts';
import type { JMeterExpressions } from './jmeter-expressions.ts';
import { membersOf, propertyNode, propertyOf, type PlanElement } from './jmeter-plan.ts';

export interface GroupLoad {
  readonly at: SourcePosition;
  /** Number of threads, or number of arrivals per second. */
  readonly weight: number;
  /** Number of iterations per thread; 1 if the load does not limit the iterations. */
  readonly iterations: number;
  /** True if each thread repeats the requests. */
  readonly isClosed: boolean;
  /** Key that is equal for groups whose loads differ only in the number of threads or the arrival rate. */
  readonly shape: string;
  readonly notes: readonly IntakeNote[];
  /** Returns the load for the total weight of all groups; null if the load cannot be expressed. */
  readonly load: (weight: number) => IntakeLoad | null;
}

const TYPES = [
  'ThreadGroup',
  'UltimateThreadGroup',
  'SteppingThreadGroup',
  'ConcurrencyThreadGroup',
  'ArrivalsThreadGroup',
];

export function isThreadGroup(type: string): boolean {
  return TYPES.includes(type);
}

/** Duration of the load after the ramp-up if the thread group does not define a duration. */
const DEFAULT_HOLD = seconds(60);

/** A linear change of the load: its duration, and the final level as a share of the maximum. */
interface Level {
  readonly after: Milliseconds;
  readonly share: number;
}

export function readThreadGroup(group: PlanElement, expressions: JMeterExpressions): GroupLoad {
  return new ThreadGroupReader(group, expressions).read();
}

class ThreadGroupReader {
  readonly #group: PlanElement;
  readonly #expressions: JMeterExpressions;
  readonly #notes: IntakeNote[] = [];

  constructor(group: PlanElement, expressions: JMeterExpressions) {
    this.#group = group;
    this.#expressions = expressions;
  }

  read(): GroupLoad {
    switch (this.#group.type) {
      case 'UltimateThreadGroup':
        return this.#ultimate();
      case 'SteppingThreadGroup':
        return this.#stepping();
      case 'ConcurrencyThreadGroup':
      case 'ArrivalsThreadGroup':
        return this.#target();
      default:
        return this.#threads();
    }
  }

  #note(kind: IntakeNote['kind'], message: string): void {
    this.#notes.push({ kind, at: this.#group.at, message });
  }

  #text(name: string, element = this.#group.element): string {
    return this.#constant(propertyOf(element, name), JSON.stringify(name));
  }

  #constant(given: string, subject: string): string {
    const text = this.#expressions.literal(given, this.#group.at);
    if (text === null)
      this.#note(
        'loss',
        `${subject} is not constant and is not converted; correct the load of the test by hand`,
      );
    return text?.trim() ?? '';
  }

  #number(name: string): number | null {
    const text = this.#text(name);
    return /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : null;
  }

  #threads(): GroupLoad {
    const threads = Math.max(1, this.#number('ThreadGroup.num_threads') ?? 1);
    const rampUp = seconds(this.#number('ThreadGroup.ramp_time') ?? 0);
    const controller = propertyNode(this.#group.element, 'ThreadGroup.main_controller');
    const loops = Number(controller === undefined ? '' : this.#text('LoopController.loops', controller));
    const isEndless =
      loops < 0 ||
      (controller !== undefined &&
        propertyOf(controller, 'LoopController.continue_forever') === 'true' &&
        !(loops > 0));
    const duration =
      this.#text('ThreadGroup.scheduler') === 'true' ? this.#number('ThreadGroup.duration') : null;
    const delay = this.#number('ThreadGroup.delay') ?? 0;
    if (delay > 0 && duration !== null) this.#note('change', 'the delay before the threads start is omitted');
    if (!isEndless && duration === null)
      return this.#once(threads, rampUp, Number.isInteger(loops) ? Math.max(1, loops) : 1);
    if (!isEndless && loops > 0 && rampUp === 0 && duration !== null)
      return this.#iterations(threads, loops, { maxDuration: seconds(duration), rampUp });
    if (!isEndless && loops > 0)
      this.#note(
        'loss',
        `the iteration limit of each thread (${loops}) is not converted; only the duration limits the load`,
      );
    if (duration === null)
      this.#note(
        'loss',
        'the thread group limits neither its duration nor its iterations; the test holds the full load for 1 minute',
      );
    const total = duration === null ? milliseconds(rampUp + DEFAULT_HOLD) : seconds(duration);
    const ramp = milliseconds(Math.min(rampUp, total));
    const share = rampUp > total ? total / rampUp : 1;
    const hold = milliseconds(total - ramp);
    return this.#closed(threads, [
      ...(ramp > 0 ? [{ after: ramp, share }] : [{ after: seconds(0), share }]),
      ...(hold > 0 ? [{ after: hold, share }] : []),
    ]);
  }

  /** Returns the load of threads without a duration, each of which performs `loops` iterations. */
  #once(threads: number, rampUp: Milliseconds, loops: number): GroupLoad {
    if (loops > 1) return this.#iterations(threads, loops, { maxDuration: null, rampUp });
    if (rampUp === 0) this.#note('change', 'the clients start within one second, not all at the same time');
    const duration = rampUp === 0 ? seconds(1) : rampUp;
    return {
      at: this.#group.at,
      weight: threads,
      iterations: loops,
      isClosed: false,
      shape: `once ${duration} ${loops}`,
      notes: this.#notes,
      load: (weight) => ({ kind: 'clients', total: weight, duration }),
    };
  }

  #iterations(
    threads: number,
    count: number,
    { maxDuration, rampUp }: { readonly maxDuration: Milliseconds | null; readonly rampUp: Milliseconds },
  ): GroupLoad {
    const start = rampUp > 0 ? { rampUp } : {};
    return {
      ...this.#closed(threads, []),
      iterations: count,
      shape: `iterations ${count} ${maxDuration} ${rampUp}`,
      load: (clients) => ({ kind: 'iterations', clients, count, isPerClient: true, maxDuration, ...start }),
    };
  }

  #ultimate(): GroupLoad {
    const rows = membersOf(this.#group.element, 'ultimatethreadgroupdata').map(({ children }) =>
      children.map(({ text }) => Number(this.#constant(text, 'a value in the rows of the thread group'))),
    );
    const segments = rows.filter((row) => row.length >= 5 && row.every(Number.isFinite));
    const valueAt = (time: number) =>
      segments.reduce((sum, [threads = 0, delay = 0, rampUp = 0, hold = 0, rampDown = 0]) => {
        const t = time - delay;
        if (t < 0 || t > rampUp + hold + rampDown) return sum;
        if (t < rampUp) return sum + (threads * t) / rampUp;
        if (t <= rampUp + hold) return sum + threads;
        return sum + (threads * (rampUp + hold + rampDown - t)) / rampDown;
      }, 0);
    const times = segments.flatMap(([, delay = 0, rampUp = 0, hold = 0, rampDown = 0]) => [
      delay,
      delay + rampUp,
      delay + rampUp + hold,
      delay + rampUp + hold + rampDown,
    ]);
    const points = [...new Set(times)].sort((a, b) => a - b);
    const levels = points.flatMap((time, index): readonly Level[] => {
      const before = points[index - 1] ?? 0;
      // The value just before a point can differ from the value at the point.
      const reached = valueAt(time - 1e-6);
      const value = valueAt(time + 1e-6);
      return [
        ...(time > before ? [{ after: seconds(time - before), share: reached }] : []),
        ...(Math.abs(value - reached) > 1e-3 && index < points.length - 1
          ? [{ after: seconds(0), share: value }]
          : []),
      ];
    });
    const peak = Math.max(1, ...levels.map(({ share }) => Math.round(share)));
    return this.#closed(
      peak,
      levels.map(({ after, share }) => ({ after, share: Math.round(share) / peak })),
    );
  }

  #stepping(): GroupLoad {
    const number = (name: string) => this.#number(name) ?? 0;
    const total = Math.max(1, number('ThreadGroup.num_threads'));
    const burst = number('Start users count burst');
    const step = number('Start users count');
    const [period, rampUp] = [number('Start users period'), number('rampUp')];
    const levels: Level[] = [{ after: seconds(number('Threads initial delay')), share: 0 }];
    let level = 0;
    const grow = (by: number) => {
      level = Math.min(total, level + by);
      levels.push({ after: seconds(rampUp), share: level / total });
    };
    if (burst > 0) grow(burst);
    while (level < total && step > 0 && levels.length < MAX_LEVELS) {
      if (levels.length > 1) levels.push({ after: seconds(period), share: level / total });
      grow(step);
    }
    levels.push({ after: seconds(number('flighttime')), share: level / total });
    if (number('Stop users count') > 0) {
      const steps = Math.ceil(total / number('Stop users count'));
      levels.push({ after: seconds((steps - 1) * number('Stop users period')), share: 0 });
      if (steps > 1) this.#note('change', 'the number of clients decreases evenly at the end, not in steps');
    }
    return this.#closed(
      total,
      levels.filter(({ after, share }, index) => after > 0 || share !== (levels[index - 1]?.share ?? 0)),
    );
  }

  #target(): GroupLoad {
    const isRate = this.#group.type === 'ArrivalsThreadGroup';
    const unit = this.#text('Unit') === 'S' ? 1 : 60;
    const level = (this.#number('TargetLevel') ?? 1) / (isRate ? unit : 1);
    const rampUp = seconds((this.#number('RampUp') ?? 0) * unit);
    const hold = seconds((this.#number('Hold') ?? 0) * unit);
    const steps = Math.min(this.#number('Steps') ?? 0, 20);
    const ramp: readonly Level[] =
      rampUp === 0
        ? [{ after: seconds(0), share: 1 }]
        : steps < 2
          ? [{ after: rampUp, share: 1 }]
          : Array.from({ length: steps }, (_, index) => (index + 1) / steps).flatMap((share) => [
              { after: seconds(0), share },
              { after: milliseconds(rampUp / steps), share },
            ]);
    const levels = [...ramp, ...(hold > 0 ? [{ after: hold, share: 1 }] : [])];
    if (!isRate) return this.#closed(level, levels);
    if (this.#text('ConcurrencyLimit') !== '')
      this.#note(
        'loss',
        '"ConcurrencyLimit" is not converted; the test does not limit the number of concurrent iterations',
      );
    return this.#levels('rate', level, levels);
  }

  #closed(threads: number, levels: readonly Level[]): GroupLoad {
    return this.#levels('connections', threads, levels);
  }

  #levels(kind: 'connections' | 'rate', weight: number, levels: readonly Level[]): GroupLoad {
    return {
      at: this.#group.at,
      weight,
      iterations: 1,
      isClosed: kind === 'connections',
      shape: `${kind} ${JSON.stringify(levels)}`,
      notes: this.#notes,
      load: (total) => loadOf(kind, total, levels),
    };
  }
}

const MAX_LEVELS = 90;

function loadOf(kind: 'connections' | 'rate', total: number, levels: readonly Level[]): IntakeLoad | null {
  const [first, ...rest] = levels;
  if (first === undefined) return null;
  const stages = (first.after === 0 ? rest : levels).map(({ after, share }): IntakeStage => ({
    duration: after,
    to: kind === 'rate' ? total * share : Math.round(total * share),
  }));
  if (stages.length === 0) return null;
  return { kind, initial: first.after === 0 ? total * first.share : 0, stages };
}

/** Conversion of the load and the thresholds of an intake to fields of a test. */
import type {
  Intake,
  IntakeLoad,
  IntakeNote,
  IntakeThreshold,
  SourcePosition,
} from '../core/intake/intake.ts';
import { MAX_ITERATION_TIME } from '../core/intake/default-load.ts';
import { MAX_LEVEL_DECIMALS } from '../core/model/ramps.ts';
import { formatDuration, milliseconds, type Milliseconds } from '../core/units.ts';
import { printText } from './intake-request.ts';
import { membersOf, type PrintableMember, type PrintableValue } from './yaml-printer.ts';

interface LoadFields {
  readonly members: readonly PrintableMember[];
  readonly notes: readonly IntakeNote[];
}

/** Converts a load to fields of a test. Notes report levels and durations that were rounded. */
export function loadMembers(load: IntakeLoad, at: SourcePosition): LoadFields {
  const notes: IntakeNote[] = [];
  const lose = (message: string) => {
    if (notes.every((note) => note.message !== message)) notes.push({ kind: 'loss', at, message });
  };
  const isRate = load.kind === 'rate';
  const level = (value: number, min: number) => {
    const rounded = isRate ? Number(value.toFixed(MAX_LEVEL_DECIMALS)) : Math.round(value);
    const smallest = isRate ? 10 ** -MAX_LEVEL_DECIMALS : 1;
    const used = value > 0 || min > 0 ? Math.max(rounded, smallest) : 0;
    if (Math.abs(used - value) > 1e-9)
      lose(
        `the load of ${Number(value.toFixed(6))} ${isRate ? 'clients per second' : 'clients'} is rounded to ${used}`,
      );
    return used;
  };
  const whole = (duration: Milliseconds, min: number) => {
    const rounded = milliseconds(Math.max(Math.round(duration / 1000) * 1000, min));
    if (rounded !== duration)
      lose(`the duration ${formatDuration(duration)} is rounded to ${formatDuration(rounded)}`);
    return rounded;
  };
  const field = (name: string, value: PrintableMember['value']): PrintableMember => ({ name, value });
  if (load.kind === 'clients') {
    const members = [
      field('test_type', 'non-cycling'),
      field('total', level(load.total, 1)),
      field('duration', { duration: whole(load.duration, 1000) }),
    ];
    return { members, notes };
  }
  if (load.kind === 'iterations') {
    const clients = level(load.clients, 1);
    const stage = (duration: Milliseconds) => [
      field('for', { duration: whole(duration, 0) }),
      field('to', clients),
    ];
    const limit = field(load.isPerClient ? 'iterations_per_client' : 'iterations', load.count);
    const maxDuration = load.maxDuration ?? MAX_ITERATION_TIME;
    const rampUp = clients === 1 ? undefined : load.rampUp;
    if (load.maxDuration === null) {
      const total = formatDuration(milliseconds(maxDuration + (rampUp ?? 0)));
      const name = rampUp === undefined ? '"duration"' : 'the duration of the last stage';
      const message = `the source does not limit the duration, so the test ends after ${total} at the latest; if the iterations take longer, increase ${name}`;
      notes.push({ kind: 'change', at, message });
    }
    const members =
      rampUp === undefined
        ? [
            field('initial', clients),
            field('total', clients),
            limit,
            field('duration', { duration: whole(maxDuration, 1000) }),
          ]
        : [field('initial', 1), field('stages', { items: [stage(rampUp), stage(maxDuration)] }), limit];
    return { members: [field('test_type', 'cycling'), ...members], notes };
  }
  const type = field('test_type', load.kind === 'rate' ? 'per-second' : 'cycling');
  const [only, ...others] = load.stages;
  const isConstant = only !== undefined && others.length === 0 && load.initial === only.to;
  if (
    only !== undefined &&
    others.length === 0 &&
    only.to > 0 &&
    (isConstant || load.kind === 'connections')
  ) {
    const members = [
      type,
      ...(load.kind === 'connections' ? [field('initial', level(load.initial, 0))] : []),
      field('total', level(only.to, 1)),
      field('duration', { duration: whole(only.duration, 1000) }),
    ];
    return { members, notes };
  }
  const stages = load.stages.map(({ duration, to }): readonly PrintableMember[] => [
    field('for', { duration: whole(duration, 0) }),
    field('to', level(to, 0)),
  ]);
  const initial = level(load.initial, 0);
  const members = [
    type,
    ...(initial === 0 ? [] : [field('initial', initial)]),
    field('stages', { items: stages }),
  ];
  return { members, notes };
}

/** Returns the fields that define how clients use connections. */
export function connectionMembers(
  { kind }: IntakeLoad,
  { keepAlive = true, connections = null }: Pick<Intake, 'keepAlive' | 'connections'>,
): readonly PrintableMember[] {
  const isClosed = kind === 'connections' || kind === 'iterations';
  if (isClosed) return keepAlive ? [] : [{ name: 'keep_alive', value: false }];
  return keepAlive && connections !== null ? [{ name: 'connections', value: connections }] : [];
}

/**
 * Returns the field `connection`; empty if there are no settings. Certificates and keys become references to files:
 * `${file:…}`.
 */
export function connectionSettings({ connection }: Pick<Intake, 'connection'>): readonly PrintableMember[] {
  if (connection === undefined || connection === null) return [];
  const { passphrase, tlsMin, ip } = connection;
  const files = (['cert', 'key', 'ca'] as const).flatMap((name): readonly PrintableMember[] => {
    const path = connection[name];
    return path === undefined ? [] : [{ name, value: { template: `\${file:${path}}` } }];
  });
  const resolve = Object.entries(connection.resolve).map(([name, addresses]): PrintableMember => ({
    name,
    value: addresses.length === 1 ? (addresses[0] ?? '') : { scalars: addresses },
  }));
  const others = membersOf<PrintableValue>({
    passphrase: passphrase && printText(passphrase),
    tls_min: tlsMin,
    resolve: resolve.length === 0 ? undefined : resolve,
    ip,
  });
  const value = [...files, ...others];
  return value.length === 0 ? [] : [{ name: 'connection', value }];
}

/** Converts thresholds to a field of a test. Notes report thresholds on a metric that already has one. */
export function thresholdMembers(thresholds: readonly IntakeThreshold[]): LoadFields {
  const used = new Map<string, IntakeThreshold>();
  const notes: IntakeNote[] = [];
  for (const threshold of thresholds) {
    const { at, metric, limit } = threshold;
    const first = used.get(metric);
    if (first === undefined) used.set(metric, threshold);
    else if (first.limit !== limit) {
      const message = `the threshold "${metric}: ${limit}" is omitted, because a metric has only one threshold, and "${first.limit}" precedes it`;
      notes.push({ kind: 'loss', at, message });
    }
  }
  const value = Array.from(used, ([name, { limit, abortAfter }]): PrintableMember => ({
    name,
    value:
      abortAfter === undefined
        ? limit
        : membersOf<PrintableValue>({ limit, abort_after: { duration: abortAfter } }),
  }));
  return { members: value.length === 0 ? [] : [{ name: 'thresholds', value }], notes };
}

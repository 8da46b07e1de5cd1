/** Conversion of the load and the thresholds of an intake to fields of a test. */
import type { IntakeLoad, IntakeNote, IntakeThreshold, SourcePosition } from '../core/intake/intake.ts';
import { formatDuration, milliseconds, type Milliseconds } from '../core/units.ts';
import type { PrintableMember } from './yaml-printer.ts';

/** The share of a flow in the load. */
export interface LoadShare {
  readonly weight: number;
  readonly total: number;
}

export interface LoadFields {
  readonly members: readonly PrintableMember[];
  readonly notes: readonly IntakeNote[];
}

/** Returns the fields that define the share of a load. Levels and durations are rounded, with a note. */
export function loadMembers(load: IntakeLoad, share: LoadShare, at: SourcePosition): LoadFields {
  const notes: IntakeNote[] = [];
  const lose = (message: string) => {
    if (notes.every((note) => note.message !== message)) notes.push({ kind: 'loss', at, message });
  };
  const level = (value: number, min: number) => {
    const exact = (value * share.weight) / share.total;
    const whole = Math.max(Math.round(exact), value > 0 ? Math.max(1, min) : min);
    if (Math.abs(whole - exact) > 1e-9)
      lose(
        `${Number(exact.toFixed(3))} ${load.kind === 'rate' ? 'clients per second' : 'clients'} are rounded to ${whole}`,
      );
    return whole;
  };
  const whole = (duration: Milliseconds, min: number) => {
    const rounded = milliseconds(Math.max(Math.round(duration / 1000) * 1000, min));
    if (rounded !== duration) lose(`${formatDuration(duration)} are rounded to ${formatDuration(rounded)}`);
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

export function thresholdMembers(thresholds: readonly IntakeThreshold[]): readonly PrintableMember[] {
  if (thresholds.length === 0) return [];
  const limits = new Map<string, string>(thresholds.map(({ metric, limit }) => [metric, limit]));
  return [{ name: 'thresholds', value: Array.from(limits, ([name, value]) => ({ name, value })) }];
}

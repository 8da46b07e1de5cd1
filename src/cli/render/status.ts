/** What the service holds, for people. */
import { counted } from '../../core/counted.ts';
import { formatInstant } from '../../core/instant.ts';
import type { Judgement } from '../../core/judge.ts';
import { printable } from '../../core/printable.ts';
import { isArmed, type TestState } from '../../core/model/test-state.ts';
import type { Paint } from './paint.ts';
import { verdictText } from './run.ts';

/** As machines get it: snake case. */
export interface Status {
  readonly project: string | null;
  readonly environment: string | null;
  readonly apps: readonly {
    readonly address: string | null;
    readonly host: string;
    readonly id: string | null;
    readonly status: string;
  }[];
  readonly tests: readonly DeclaredStatus[];
  readonly orphaned: readonly (TestStatus & { readonly key: string })[];
  readonly unmanaged: number;
  /** Of a whole account, where there is no file to tell which tests matter. */
  readonly unmanaged_tests?: readonly (TestStatus & {
    readonly name: string | null;
    /** What the mark in its notes says. */
    readonly mark: {
      readonly project: string;
      readonly environment: string | null;
      readonly key: string;
    } | null;
  })[];
}

export interface TestStatus {
  readonly id: string;
  /** As the service writes it. */
  readonly status: string;
  readonly state: TestState;
  /** RFC 3339. */
  readonly scheduled_at: string | null;
}

type Absent = Readonly<Record<keyof TestStatus, null>>;

export type DeclaredStatus = (TestStatus | Absent) & {
  readonly address: string;
  readonly declared: 'absent' | 'changed' | 'drift' | 'present';
  /** The run that goes on, where the service names it. */
  readonly current_run: { readonly result_id: string; readonly started_at: string | null } | null;
  /** The last run that has ended. */
  readonly last_run: {
    readonly result_id: string;
    readonly started_at: string | null;
    readonly judgement: Judgement;
    readonly figures: string;
  } | null;
  readonly superseded: readonly TestStatus[];
};

export function renderStatus(seen: Status, paint: Paint): string {
  const lines = [paint.bold('Apps')];
  for (const { address, host, status: word } of seen.apps) {
    const name = address === null ? '' : `${address.padEnd(18)} `;
    lines.push(`  ${name}${printable(host).padEnd(26)} ${word}`);
  }
  lines.push(paint.bold('Tests'));
  for (const test of seen.tests) lines.push(...declaredLines(test, paint));
  for (const test of seen.orphaned) {
    lines.push(`  ${`test.${printable(test.key)}`.padEnd(18)} left the file          ${test.id}`);
    lines.push(...armedLines(test));
  }
  for (const test of seen.unmanaged_tests ?? []) lines.push(...unmanagedLines(test));
  const others = counted(seen.unmanaged, 'test is', 'tests are');
  lines.push(
    seen.unmanaged_tests === undefined
      ? `${others} not managed here.`
      : `${others} there; no file says which of them are managed.`,
  );
  return lines.map((line) => line.trimEnd()).join('\n') + '\n';
}

function declaredLines(test: Status['tests'][number], paint: Paint): string[] {
  const { address, declared, status: word, id, current_run: current, last_run: last } = test;
  const lines = [
    `  ${address.padEnd(18)} ${declared.padEnd(8)} ${printable(word ?? '-').padEnd(10)} ${id ?? ''}`,
    ...armedLines(test),
  ];
  if (current !== null) lines.push(`      running${since(current.started_at)}`);
  if (last !== null) {
    const about = current === null ? '' : 'before that: ';
    lines.push(`      ${about}${verdictText(last.judgement, paint)}, ${last.figures}`);
  }
  const earlierOnes = test.superseded.filter((one) => one.id !== id);
  const going = earlierOnes.filter(({ state }) => isArmed(state));
  for (const earlier of going) {
    lines.push(
      `      an earlier version, ${earlier.id}, ${earlier.state === 'running' ? 'is running' : firesText(earlier)}`,
    );
  }
  return lines;
}

function unmanagedLines(test: NonNullable<Status['unmanaged_tests']>[number]): string[] {
  const { id, status: word, name, mark } = test;
  const env = mark?.environment == null ? '' : `, env ${mark.environment}`;
  const whose = mark === null ? null : `(${mark.key} of ${mark.project}${env})`;
  const about = [name, whose].filter((part) => part !== null).join(' ');
  return [`  ${id}  ${printable(word).padEnd(10)} ${printable(about)}`, ...armedLines(test)];
}

interface Armed {
  readonly state: string | null;
  readonly scheduled_at: string | null;
}

function armedLines(test: Armed): string[] {
  return test.state === 'scheduled' ? [`      ${firesText(test)}`] : [];
}

function firesText({ scheduled_at: at }: Armed): string {
  return at === null ? 'waits for its time' : `fires at ${formatInstant(Date.parse(at))} UTC`;
}

function since(at: string | null): string {
  return at === null ? '' : ` since ${formatInstant(Date.parse(at))} UTC`;
}

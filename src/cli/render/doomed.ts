/** What a destroy deletes, and what it did, for people. */
import { counted } from '../../core/counted.ts';
import { isArmed, type TestState } from '../../core/model/test-state.ts';
import { printable } from '../../core/printable.ts';
import type { Paint } from '../../report/paint.ts';

export interface DoomedAbout {
  readonly project: string;
  readonly environment: string | null;
  readonly service: string;
}

interface DoomedText {
  readonly test: { readonly id: string; readonly name: string | null };
  /** Null: not of this file. */
  readonly key: string | null;
  readonly state: TestState;
  /** Null: not known. */
  readonly results: number | null;
}

export interface DoomedApps {
  readonly apps: readonly {
    readonly declared: { readonly key: string };
    readonly app: { readonly host: string };
    readonly tests: readonly DoomedText[];
  }[];
}

/** What is to be deleted. `service`: its origin, or `embedded`. */
export function doomedText({ apps }: DoomedApps, about: DoomedAbout, paint: Paint): string {
  const { project, environment, service } = about;
  const env = environment === null ? '' : ` · env ${environment}`;
  const title = `loadtests destroy · project ${project}${env} · ${service.replace(/^https?:\/\//, '')}`;
  const lines = [paint.bold(title), ''];
  for (const { declared, app, tests } of apps) {
    lines.push(`  ${paint.red('-')} ${declared.key.padEnd(13)} ${printable(app.host)}`);
    for (const doomed of tests) lines.push(`      ${testText(doomed)}`);
  }
  if (apps.length === 0)
    return [...lines, 'Nothing to delete: these apps do not exist on the service.', ''].join('\n');
  const tests = new Set(apps.flatMap((app) => app.tests.map(({ test }) => test.id)));
  const results = resultsOf(apps);
  const counts = `${counted(apps.length, 'app')}, ${counted(tests.size, 'test')}, ${counted(results, 'result')}`;
  return [...lines, '', `To delete: ${counts}. This cannot be undone.`, ''].join('\n');
}

function testText({ test, key, state, results }: DoomedText): string {
  const name = key === null ? `not ours: ${printable(test.name ?? '')}`.trimEnd() : `test.${key}`;
  const count = results === null ? 'number of results unknown' : counted(results, 'result');
  const active = isArmed(state) ? `, ${state}, will be stopped first` : '';
  return `${name.padEnd(18)} ${test.id}  ${count}${active}`;
}

/** Each test once, though it may send to several of the apps. */
function resultsOf(apps: DoomedApps['apps']): number {
  const counts = new Map(
    apps.flatMap(({ tests }) => tests.map(({ test, results }) => [test.id, results ?? 0])),
  );
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** What became of each. */
export function deletionText<App extends DoomedApps['apps'][number]>(
  apps: readonly App[],
  outcomes: ReadonlyMap<App, 'done' | 'failed' | 'not_tried'>,
): string {
  const marks = { done: '✓ deleted', failed: '✗ not deleted', not_tried: '· not tried' } as const;
  return apps
    .map(
      (app) =>
        `  ${marks[outcomes.get(app) ?? 'not_tried']}  ${app.declared.key} (${printable(app.app.host)})\n`,
    )
    .join('');
}

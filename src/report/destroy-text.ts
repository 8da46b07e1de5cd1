import { counted } from '../core/counted.ts';
import { keyOfAddress } from '../core/model/ids.ts';
import { isStoppable } from '../core/model/test-state.ts';
import { printableStrings } from '../core/printable.ts';
import type { AppDeletion, TestDeletion } from '../core/report/generated/documents.ts';
import type { BodyOf } from '../core/report/command-report.ts';
import { columns } from '../core/text-columns.ts';
import type { Paint } from './paint.ts';
import { titleOf } from './title.ts';

export function deletionPlanText(plan: BodyOf<'destroy'>, paint: Paint): string {
  const destroy = printableStrings(plan);
  const { apps } = destroy;
  const lines = [paint.bold(titleOf(destroy)), ''];
  for (const { address, host, tests } of apps) {
    lines.push(`  ${columns(paint.red('-'), [keyOfAddress(address), 'key'], host)}`);
    for (const test of tests) lines.push(`      ${testText(test)}`);
  }
  if (apps.length === 0)
    return [...lines, 'Nothing to delete: these apps do not exist on the service.', ''].join('\n');
  // Counts each test once, because a test may send requests to several of the apps.
  const tests = new Map(apps.flatMap((app) => app.tests.map((test) => [test.test_id, test])));
  const results = [...tests.values()].reduce((sum, test) => sum + (test.results ?? 0), 0);
  const atLeast = [...tests.values()].some((test) => test.results === null) ? 'at least ' : '';
  const counts = `${counted(apps.length, 'app')}, ${counted(tests.size, 'test')}, ${atLeast}${counted(results, 'result')}`;
  return [...lines, '', `To delete: ${counts}. This cannot be undone.`, ''].join('\n');
}

function testText({ test_id: id, address, name, state, results }: TestDeletion): string {
  const known = address ?? `not managed: ${name ?? ''}`.trimEnd();
  const count = results === null ? 'number of results unknown' : counted(results, 'result');
  const active = isStoppable(state) ? `, ${state}, will be stopped first` : '';
  return columns([known, 'address'], `${id}  ${count}${active}`);
}

const OUTCOME_SYMBOLS = {
  done: '✓ deleted',
  failed: '✗ not deleted',
  not_attempted: '· not attempted',
} as const;

export function deletionOutcomeText(apps: readonly AppDeletion[]): string {
  return printableStrings(apps)
    .map(
      ({ address, host, outcome }) => `  ${OUTCOME_SYMBOLS[outcome]}  ${keyOfAddress(address)} (${host})\n`,
    )
    .join('');
}

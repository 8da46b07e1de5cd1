/** Where each thing is declared, so that whatever goes wrong with it names its line. */
import { appAddress, keyOfAddress, testAddress, type Address } from '../core/model/ids.ts';
import type { DesiredState } from '../core/model/state.ts';
import type { Problem } from '../core/problem.ts';
import type { Plan } from '../core/reconcile/plan.ts';
import type { SourceRange } from '../core/source-location.ts';

/** Null: not declared in a file, or not any more. */
export type SourceOf = (address: Address) => SourceRange | null;

export function sourcesOfState({ apps, tests }: Pick<DesiredState, 'apps' | 'tests'>): SourceOf {
  return lookup([
    ...apps.map(({ key, source }) => [appAddress(key), source] as const),
    ...tests.map(({ key, source }) => [testAddress(key), source] as const),
  ]);
}

/** A stop has the place of whatever else the plan holds for its address: of the test that takes its place. */
export function sourcesOfPlan({ actions }: Plan): SourceOf {
  return lookup(
    actions.flatMap((action) => {
      if (action.verb === 'stop') return [];
      return [[action.address, 'app' in action ? action.app.source : action.test.source] as const];
    }),
  );
}

function lookup(entries: readonly (readonly [Address, SourceRange | null])[]): SourceOf {
  const sources = new Map(entries);
  return (address) => sources.get(address) ?? null;
}

/** The problem with its place and, where it does not say what it is about, its address. */
export function withSourceLocation(what: Problem, address: Address, sourceOf: SourceOf): Problem {
  if (what.source !== null) return what;
  const named = [address, `"${keyOfAddress(address)}"`].some((name) => what.message.includes(name));
  const message = named ? what.message : `${address}: ${what.message}`;
  return { ...what, message, source: sourceOf(address) };
}

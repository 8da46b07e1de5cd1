import { CallError } from '../core/call-error.ts';
import { appAddress, keyOfAddress, testAddress, type Address } from '../core/model/ids.ts';
import type { DesiredState } from '../core/model/state.ts';
import type { Problem, ProblemError } from '../core/problem.ts';
import type { Plan } from '../core/reconcile/plan.ts';
import type { SourceRange } from '../core/source-location.ts';
import type { ApplyContext } from './apply-context.ts';

/** Returns the source location of the declaration with this address; null if there is none. */
export type SourceOf = (address: Address) => SourceRange | null;

export function sourcesOfState({ apps, tests }: Pick<DesiredState, 'apps' | 'tests'>): SourceOf {
  return lookup([
    ...apps.map(({ key, source }) => [appAddress(key), source] as const),
    ...tests.map(({ key, source }) => [testAddress(key), source] as const),
  ]);
}

/** Ignores stop actions, because the stop and the creation in a replacement have the same address. */
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

/**
 * Adds the source location of the declaration to a problem without one. Adds the address to the message, unless the
 * message contains the address or the quoted key.
 */
export function withSourceLocation(problem: Problem, address: Address, sourceOf: SourceOf): Problem {
  if (problem.source !== null) return problem;
  const isNamed = [address, `"${keyOfAddress(address)}"`].some((name) => problem.message.includes(name));
  const message = isNamed ? problem.message : `${address}: ${problem.message}`;
  return { ...problem, message, source: sourceOf(address) };
}

/**
 * Returns the problems of a failure, with source locations. If the service specifies refused fields, each reason
 * becomes a separate problem.
 */
export function problemsOfFailure(
  error: ProblemError,
  address: Address,
  { sourceOf, locateField }: { readonly sourceOf: SourceOf } & Pick<ApplyContext, 'locateField'>,
): readonly Problem[] {
  const refused = error instanceof CallError ? error.refusedFields : [];
  if (refused.length === 0) return [withSourceLocation(error.problem, address, sourceOf)];
  return refused.map(({ message, field }) => {
    const source = field === null ? null : locateField(address, field);
    return withSourceLocation({ ...error.problem, message }, address, () => source ?? sourceOf(address));
  });
}

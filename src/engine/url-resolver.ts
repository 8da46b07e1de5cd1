/** Requests whose URL is the value of a variable. Each possible origin has a target with the same templates. */
import { readPlainLocation, resolveUrl } from './redirect-location.ts';

export interface UrlSlots {
  readonly variable: number;
  /** Path and query, and value of the Host header. */
  readonly path: number;
  readonly host: number;
}

/**
 * Returns the target for the URL in the values of an iteration, and sets the slots of the URL. Returns null if the
 * value is neither a path nor a URL of one of the origins. If the variable has no value, returns a target whose request
 * cannot be rendered.
 */
export type ResolveTarget<Target> = (values: (string | undefined)[]) => Target | null;

/**
 * @param base - Origin of the URL if the value is a path.
 * @param byOrigin - Compiled targets for all possible origins, including `base`.
 */
export function createUrlResolver<Target extends { readonly parts: { readonly authority: string } }>(
  slots: UrlSlots,
  base: string,
  byOrigin: ReadonlyMap<string, Target>,
): ResolveTarget<Target> {
  const declared = byOrigin.get(base) ?? null;
  return (values) => {
    const value = values[slots.variable];
    values[slots.path] = undefined;
    if (value === undefined) return declared;
    if (!/^(?:https?:\/)?\//i.test(value)) return null;
    const plain = readPlainLocation(value, base);
    const resolved = plain === null ? resolveUrl(value, `${base}/`) : { origin: base, target: plain };
    const target = byOrigin.get(resolved?.origin ?? '') ?? null;
    values[slots.path] = resolved?.target;
    values[slots.host] = target?.parts.authority;
    return target;
  };
}

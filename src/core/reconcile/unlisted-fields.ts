/** Known values of fields that the base API does not list, and values that a replacement would lose. */
import { canonical, type Sha256 } from '../canonical.ts';
import { SPEC_DEFAULTS, type DeclaredTest, type ObservedTest } from '../model/load-test.ts';
import { TEST_FIELDS, URL_FIELDS } from '../model/test-fields.ts';
import { parseUnlistedDigests } from './digests.ts';
import type { Marker } from './ownership-marker.ts';

export interface UnlistedFields {
  /** Error threshold; null if unknown. */
  readonly errorThreshold: number | null;
  /** `listed`: the service returns the variables. `some`: according to the marker, there are variables. */
  readonly variables: 'listed' | 'none' | 'some' | 'unknown';
}

/** Reads the fields from the list if it contains them; otherwise, from the marker. */
export function readUnlistedFields(
  test: ObservedTest,
  marker: Marker | null,
  sha256: Sha256,
): UnlistedFields {
  const marked = marker === null ? null : parseUnlistedDigests(marker.unlisted);
  const errorThreshold = test.errorThreshold ?? marked?.errorThreshold ?? null;
  const targets = test.targets();
  if (targets.every(({ variables }) => variables !== null)) {
    const some = targets.some(({ variables }) => (variables ?? []).length > 0);
    return { errorThreshold, variables: some ? 'listed' : 'none' };
  }
  if (marked === null) return { errorThreshold, variables: 'unknown' };
  const none = marked.variables === sha256(canonical([])).slice(0, marked.variables.length);
  return { errorThreshold, variables: none ? 'none' : 'some' };
}

export interface LostField {
  readonly name: string;
  /** True if the test certainly has the field; false if this is unknown. */
  readonly certain: boolean;
}

export function findLostFields(
  { errorThreshold, variables }: UnlistedFields,
  { spec }: DeclaredTest,
): LostField[] {
  const lost: LostField[] = [];
  if (spec.errorThreshold === null && errorThreshold !== SPEC_DEFAULTS.errorThreshold)
    lost.push({ name: TEST_FIELDS.errorThreshold.name, certain: errorThreshold !== null });
  if (variables !== 'none' && spec.targets.every((target) => target.variables === null))
    lost.push({ name: URL_FIELDS.variables.name, certain: variables !== 'unknown' });
  return lost;
}

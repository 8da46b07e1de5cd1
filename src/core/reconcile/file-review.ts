/** Review of a file: its changes since an earlier version in all environments, and the resulting dangers. */
import { canonical, type Json } from '../canonical.ts';
import type { FileContent } from '../model/file-content.ts';
import { keyOfAddress, testKey, type TestKey } from '../model/ids.ts';
import type { DesiredState } from '../model/state.ts';
import { findChangeDangers, findLoadDangers, sortDangers, type Danger, type DeclaredLoad } from './danger.ts';
import { changeOf, findFileChanges, type FileChange } from './file-changes.ts';
import { computePlannedLoad } from './planned-load.ts';

export interface FileSide {
  readonly content: FileContent;
  /** Returns the desired state; null if the file is not valid in the environment. */
  readonly desired: () => DesiredState | null;
}

/** Both versions of the file in one environment; null for a version without the environment. */
export interface EnvironmentSides {
  /** Name of the environment; null for the file without an environment. */
  readonly name: string | null;
  readonly before: FileSide | null;
  readonly after: FileSide | null;
}

/** Names of the environments to which a change or danger applies; null if it applies to the selected environment. */
interface InEnvironments {
  readonly environments: readonly (string | null)[] | null;
}

export type ReviewedChange = FileChange &
  InEnvironments & {
    readonly rotated?: true;
  };
export type ReviewedDanger = Danger & InEnvironments;

export interface FileReview {
  readonly changes: readonly ReviewedChange[];
  readonly danger: readonly ReviewedDanger[];
}

const EMPTY: FileContent = { sections: new Map(), rowsOf: () => null };

/** Reviews the selected environment, and adds the changes and dangers that only other environments have. */
export function reviewFile(
  selected: EnvironmentSides,
  others: readonly EnvironmentSides[],
  selects: (key: TestKey) => boolean,
): FileReview {
  const own = reviewSides(selected, selects);
  const rest = others.map((sides) => ({ name: sides.name, ...reviewOther(sides, selected, selects) }));
  return {
    changes: mergeFindings(
      own.changes,
      rest.map(({ name, changes }) => [name, changes]),
    ),
    danger: sortDangers(
      mergeFindings(
        own.danger,
        rest.map(({ name, danger }) => [name, danger]),
      ),
    ),
  };
}

interface Findings {
  readonly changes: readonly FileChange[];
  readonly danger: readonly Danger[];
}

function reviewSides({ before, after }: EnvironmentSides, selects: (key: TestKey) => boolean): Findings {
  if (after === null) return { changes: [], danger: [] };
  const { content } = after;
  const moved =
    (content.sections.has('moved') ? after.desired()?.moved : null) ?? new Map<TestKey, TestKey>();
  const isSelected = ({ address }: FileChange) =>
    !address.startsWith('test.') || selects(testKey(keyOfAddress(address)));
  const changes = findFileChanges(before?.content ?? EMPTY, content, moved).filter(isSelected);
  if (changes.length === 0 && before !== null) return { changes, danger: [] };
  const later = loadOf(after.desired(), selects);
  const state = before?.desired() ?? null;
  const known = before === null || state !== null;
  const loads = later !== null && known ? findLoadDangers(loadOf(state, selects), later) : [];
  return { changes, danger: [...findChangeDangers(changes), ...loads] };
}

/** Reviews an environment that is not selected. An added or removed environment is one change. */
function reviewOther(
  sides: EnvironmentSides,
  selected: EnvironmentSides,
  selects: (key: TestKey) => boolean,
): Findings {
  const { name, before, after } = sides;
  if (before !== null && after !== null) return reviewSides(sides, selects);
  if (name === null) return { changes: [], danger: [] };
  const kind = after === null ? 'removed' : 'added';
  const source = after?.content.sections.values().next().value?.source ?? null;
  const change = changeOf(`environment.${name}`, { field: null, kind, before: null, after: null, source });
  // A new environment is compared with the earlier version of the selected one.
  const { danger } = reviewSides({ ...sides, before: selected.before }, selects);
  return { changes: [change], danger };
}

function loadOf(desired: DesiredState | null, selects: (key: TestKey) => boolean): DeclaredLoad | null {
  if (desired === null) return null;
  const tests = desired.tests.filter(({ key }) => selects(key));
  return { tests, load: computePlannedLoad(tests) };
}

function mergeFindings<F extends FileChange | Danger>(
  own: readonly F[],
  others: readonly (readonly [string | null, readonly F[]])[],
): readonly (F & InEnvironments)[] {
  // Ignores locations in this comparison, because environments override values on different lines.
  const keyOf = ({ source: _, ...finding }: F) => canonical(finding as unknown as Json);
  const known = new Set(own.map(keyOf));
  const added = new Map<string, { readonly finding: F; readonly names: (string | null)[] }>();
  for (const [name, findings] of others) {
    for (const finding of findings) {
      const key = keyOf(finding);
      if (known.has(key)) continue;
      const entry = added.get(key);
      if (entry === undefined) added.set(key, { finding, names: [name] });
      else entry.names.push(name);
    }
  }
  return [
    ...own.map((finding) => ({ ...finding, environments: null })),
    ...[...added.values()].map(({ finding, names }) => ({ ...finding, environments: names })),
  ];
}

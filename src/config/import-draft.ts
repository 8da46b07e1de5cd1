/**
 * Draft of an imported test, before its key and the names of its secrets are final.
 *
 * source ─► drafts ─► settlement (keys, apps, secrets, comments) ─► YAML ─► read back ─► settled, or revised
 */
import type { Flow } from '../core/model/flow.ts';
import type { Group } from '../core/model/group.ts';
import type { PhaseName } from '../core/model/phase.ts';
import type { PrintableMember, PrintableValue } from './yaml-printer.ts';

/** A string that may be secret and becomes a reference to an environment variable. */
export interface PossibleSecret {
  readonly secret: {
    /** Part of the name of the variable, in lower case, such as `authorization` or `password`. */
    readonly kind: string;
    /** Identity of the string: within a test, strings with the same kind and identity share a variable. */
    readonly identity: string;
  };
}

export type DraftValue = PrintableValue | PossibleSecret | readonly DraftMember[];

export interface DraftMember {
  readonly name: string;
  readonly value: DraftValue;
}

export interface DraftContent {
  readonly comments: readonly string[];
  readonly fields: readonly DraftMember[];
  readonly urls: readonly (readonly DraftMember[])[];
  readonly flows: readonly (Flow & { readonly fields: readonly PrintableMember[] })[] | null;
  readonly groups: readonly Group[] | null;
  /** Number of requests at the beginning of `urls` that belong to `on_start`; null if there are none. */
  readonly onStart: number | null;
  readonly phases: readonly {
    readonly groups: readonly Group[] | null;
    readonly name: PhaseName;
    readonly fields: readonly DraftMember[];
    readonly urls: readonly (readonly DraftMember[])[];
  }[];
}

export interface SourceEntry {
  readonly id: string;
  /** Name or host for messages, without secrets. */
  readonly name: string;
}

/** @typeParam Origin - Data that identifies the test in its source. */
export interface Draft<Origin> extends SourceEntry {
  /** Key in the file. If another test has the same key, `settleDrafts` adds a number. */
  readonly key: string;
  /** True if no number may be added to the key. */
  readonly keepsKey: boolean;
  readonly origin: Origin;
  /** Earlier versions of the test, which the file omits. */
  readonly earlier: readonly SourceEntry[];
  /** Reason why the file cannot express the test; null if it can. */
  readonly obstacle: string | null;
  /** Replacement for a draft that makes the file invalid; null to omit the test. */
  readonly fallback: Draft<Origin> | null;
  readonly describe: (key: string) => DraftContent;
}

export interface AppDraft {
  readonly id: string;
  readonly host: string;
}

export interface Drafts<Origin> {
  readonly apps: readonly AppDraft[];
  readonly tests: readonly Draft<Origin>[];
}

export function nameSecrets(
  members: readonly DraftMember[],
  nameOf: (secret: PossibleSecret['secret']) => string,
): readonly PrintableMember[] {
  return members.map(({ name, value }) => {
    if (isMembers(value)) return { name, value: nameSecrets(value, nameOf) };
    return {
      name,
      value: isPossibleSecret(value) ? { template: `\${secret:${nameOf(value.secret)}}` } : value,
    };
  });
}

export function isMembers(value: DraftValue | undefined): value is readonly DraftMember[] {
  return Array.isArray(value);
}

function isPossibleSecret(value: DraftValue): value is PossibleSecret {
  return typeof value === 'object' && value !== null && 'secret' in value;
}

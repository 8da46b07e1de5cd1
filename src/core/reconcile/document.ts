/**
 * A plan as a document for machines.
 *
 * Shape:  schemas/plan.schema.json; snake case, as the file and the API.
 * Source: docs/design/command-line.md, section 5.
 */
import { canonical, type Json, type Sha256 } from '../canonical.ts';
import type { SourceRange } from '../source.ts';
import { changesSomething, startsLoad, type Action } from './action.ts';
import type { FieldChange } from './differences.ts';
import type { LoadConsequence } from './load.ts';
import type { Plan } from './plan.ts';

export interface PlanDocument {
  readonly has_changes: boolean;
  readonly project: string | null;
  readonly environment: string | null;
  readonly service: string;
  readonly summary: Readonly<Record<string, number>>;
  readonly actions: readonly ActionDocument[];
  readonly drift: readonly {
    readonly address: string;
    readonly id: string;
    readonly changes: readonly FieldChange[];
  }[];
  readonly load: LoadDocument;
  /** Digest of the actions: what a saved plan promises to do. */
  readonly basis: string;
}

export interface LoadDocument {
  readonly starts: number;
  readonly peak_connections: Readonly<Record<string, number>>;
  readonly seconds: number;
}

export interface ActionDocument {
  readonly verb: string;
  readonly address: string;
  readonly id: string | null;
  readonly starts_load: boolean;
  readonly changes: readonly FieldChange[];
  readonly note: string | null;
  readonly source: { readonly file?: string; readonly line?: number; readonly column?: number };
}

export function planDocument(plan: Plan, service: string, sha256: Sha256): PlanDocument {
  const actions = plan.actions.map(actionDocument);
  return {
    has_changes: plan.actions.some(changesSomething),
    project: plan.project,
    environment: plan.environment,
    service,
    summary: plan.summary,
    actions,
    drift: plan.drift,
    load: loadDocument(plan.load),
    basis: basisOf(actions, sha256),
  };
}

export function loadDocument({ starts, peakConnections, seconds }: LoadConsequence): LoadDocument {
  return { starts, peak_connections: Object.fromEntries(peakConnections), seconds };
}

/** What matters of the actions: where they stand in the file and what they say to people does not. */
export function basisOf(actions: readonly ActionDocument[], sha256: Sha256): string {
  const relied = actions.map((action): Json => {
    const changes = action.changes.map(({ field, from, to, readable }): Json => ({
      field,
      from,
      to,
      readable,
    }));
    return [action.verb, action.address, action.id, action.starts_load, changes];
  });
  return `sha256:${sha256(canonical(relied))}`;
}

export function actionDocument(action: Action): ActionDocument {
  return {
    verb: action.verb,
    address: action.address,
    id: idOf(action),
    starts_load: startsLoad(action),
    changes: 'changes' in action ? action.changes : [],
    note: action.verb === 'blocked' ? action.reason : action.note,
    source: sourceOf('test' in action ? action.test.source : 'app' in action ? action.app.source : null),
  };
}

function idOf(action: Action): string | null {
  switch (action.verb) {
    case 'register':
    case 'create':
    case 'blocked':
    case 'deferred':
      return null;
    case 'replace':
      return action.replaces;
    case 'verify':
      return action.appId;
    case 'run':
    case 'stop':
    case 'keep':
      return action.observed.id;
  }
}

function sourceOf(source: SourceRange | null): ActionDocument['source'] {
  return source === null ? {} : { file: source.file, line: source.line, column: source.column };
}

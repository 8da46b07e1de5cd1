/** Review of a plan without an earlier version of the file: changes and dangers relative to the service. */
import type { Json } from '../canonical.ts';
import type { FileContent } from '../model/file-content.ts';
import { TEST_FIELDS, URL_FIELDS } from '../model/test-fields.ts';
import { keyOfAddress } from '../model/ids.ts';
import { runnableSpecOf, type DeclaredTest, type RunnableTest } from '../model/load-test.ts';
import { splitPointer } from '../pointer.ts';
import { locationOf } from '../source-location.ts';
import { formatDuration, milliseconds, seconds } from '../units.ts';
import { urlLabels } from '../model/url-label.ts';
import type { Action, CreateAction, DeferredAction } from './action.ts';
import { changeKind } from './change-kind.ts';
import { findChangeDangers, findLoadDangers, sortDangers, type Danger, type DeclaredLoad } from './danger.ts';
import type { FieldChange } from './differences.ts';
import { changeOf, type FileChange } from './file-changes.ts';
import type { FileReview, ReviewedChange } from './file-review.ts';
import { computePlannedLoad } from './planned-load.ts';
import type { Plan } from './plan.ts';

export function reviewPlan({ actions }: Pick<Plan, 'actions'>, content: FileContent): FileReview {
  const changes = actions.flatMap((action) => changesOf(action, content));
  const danger = [
    ...findChangeDangers(changes),
    ...changes.filter(({ rotated }) => rotated === true).map(rotationDanger),
    ...loadDangers(actions),
  ];
  return {
    changes: changes.map((change) => ({ ...change, environments: null })),
    danger: sortDangers(danger).map((one) => ({ ...one, environments: null })),
  };
}

type PlanChange = FileChange & Pick<ReviewedChange, 'rotated'>;

function changesOf(action: Action, content: FileContent): readonly PlanChange[] {
  switch (action.verb) {
    case 'create':
    case 'register':
      return [added(action.address, content)];
    case 'replace':
      return action.changes.map((change) => toFileChange(change, action));
    case 'deferred':
      return action.changes.length === 0
        ? [added(action.address, content)]
        : action.changes.map((change) => toFileChange(change, action));
    case 'verify':
    case 'run':
    case 'stop':
    case 'blocked':
    case 'no-op':
      return [];
  }
}

function added(address: string, { sections }: FileContent): PlanChange {
  const { value = null, source = null } = sections.get(address) ?? {};
  return changeOf(address, { field: null, kind: 'added', before: null, after: value, source });
}

function toFileChange(change: FieldChange, { address, test }: CreateAction | DeferredAction): PlanChange {
  const path = splitPointer(change.field);
  const inUrl = path[0] === 'urls';
  const own = inUrl ? path.slice(2) : path;
  // For a removed URL, reports only the URL itself, because its fields come from the service.
  const removedUrl = inUrl && change.to === null && own[0] === URL_FIELDS.url.name;
  const url = !inUrl ? null : removedUrl ? textIn(change.from) : (labelsOf(test)[Number(path[1])] ?? null);
  const [before, after] = [writtenValue(own, change.from), writtenValue(own, change.to)];
  const isWhole = removedUrl || (inUrl && change.from === null && own[0] === URL_FIELDS.url.name);
  const values = { before, after, added: isWhole && !removedUrl, removed: removedUrl };
  const written = changeOf(address, {
    url,
    field: isWhole ? null : own.join('.'),
    kind: changeKind(address, own, values),
    before,
    after,
    source: test.source && locationOf(test.source),
  });
  return change.rotated === true ? { ...written, rotated: true } : written;
}

function labelsOf({ spec, urlNames }: DeclaredTest): readonly string[] {
  return urlLabels(
    spec.targets.map(({ method, url }, index) => ({ name: urlNames[index] ?? null, method, url })),
  );
}

function textIn(value: Json): string | null {
  return typeof value === 'string' ? value : null;
}

/** Converts an API value to the notation of the file, in which times have units. */
function writtenValue([name]: readonly string[], value: Json): Json {
  if (typeof value !== 'number') return value;
  const kind = Object.values(TEST_FIELDS).find((field) => field.name === name)?.kind;
  if (kind === 'seconds') return formatDuration(seconds(value));
  return kind === 'milliseconds' ? formatDuration(milliseconds(value)) : value;
}

function rotationDanger({ address, url, field, source }: PlanChange): Danger {
  const place = url === null ? '' : `, URL "${url}"`;
  const message = `"${keyOfAddress(address)}"${place}: the value of the secret in "${field ?? ''}" has changed.`;
  return { kind: 'secrets', message, address, source };
}

/** Returns the dangers of replaced tests, compared with the tests on the service, and of new hosts. */
function loadDangers(actions: readonly Action[]): readonly Danger[] {
  const hosts = actions.flatMap((action): readonly Danger[] => {
    if (action.verb !== 'register') return [];
    const { host, source } = action.app;
    const message = `New host: "${host}" receives load.`;
    return [{ kind: 'new-hosts', message, address: action.address, source: source && locationOf(source) }];
  });
  const replaced = actions.flatMap((action): readonly Danger[] => {
    if (action.verb !== 'replace' || action.previous === null) return [];
    const spec = runnableSpecOf(action.previous);
    if (spec === null) return [];
    const dangers = findLoadDangers(loadOf({ ...action.test, spec }), loadOf(action.test));
    return dangers.map((one) => ({ ...one, address: action.address }));
  });
  return [...hosts, ...replaced];
}

function loadOf(test: RunnableTest): DeclaredLoad {
  return { tests: [test], load: computePlannedLoad([test]) };
}

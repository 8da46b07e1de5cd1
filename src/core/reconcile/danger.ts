/** Changes that a reviewer must notice, such as more load, loosened thresholds and other commands. */
import { counted, withCommas } from '../counted.ts';
import type { Json } from '../canonical.ts';
import { keyOfAddress } from '../model/ids.ts';
import { paceOf, type RunnableTest } from '../model/load-test.ts';
import { peakConnections } from '../model/peak-load.ts';
import { locationOf, type SourceLocation } from '../source-location.ts';
import { formatDuration } from '../units.ts';
import { objectOf } from '../unknown-value.ts';
import { DANGER_KINDS, type DangerKind } from './danger-kinds.ts';
import { isResource, type FileChange } from './file-changes.ts';
import { largestTestOn } from './limit-violations.ts';
import { longestTime, type PlannedLoad } from './planned-load.ts';

export interface Danger {
  readonly kind: DangerKind;
  readonly message: string;
  /** Address of the section of the file; null if the danger affects several tests. */
  readonly address: string | null;
  readonly source: SourceLocation | null;
}

export interface DeclaredLoad {
  readonly tests: readonly RunnableTest[];
  readonly load: PlannedLoad;
}

/** Returns the dangers in the load of a file, compared with an earlier version. */
export function findLoadDangers(before: DeclaredLoad | null, after: DeclaredLoad): readonly Danger[] {
  const earlier = before?.load.peakConnections ?? new Map<string, number>();
  const formerTests = new Map(before?.tests.map((test) => [test.key, test]));
  const hosts = [...after.load.peakConnections].flatMap(([host, peak]) =>
    hostDanger(host, earlier.get(host), peak, after),
  );
  const tests = after.tests.flatMap((test) => {
    const former = formerTests.get(test.key);
    return former === undefined ? [] : testDangers(former, test);
  });
  // Omits dangers of tests that repeat the danger of a host, which then has no other test.
  const shown = new Set(hosts.map(({ change }) => change));
  return [...hosts, ...tests.filter(({ change }) => !shown.has(change))].map(
    ({ change: _, ...danger }) => danger,
  );
}

/**
 * `change` describes the changed values; a danger of a test with the same `change` as a danger of a host is omitted.
 */
type LoadDanger = Danger & { readonly change: string | null };

function hostDanger(
  host: string,
  from: number | undefined,
  peak: number,
  { tests }: DeclaredLoad,
): readonly LoadDanger[] {
  const largest = largestTestOn([host], tests);
  const common = { address: null, source: largest && locationOf(largest), change: `${from}-${peak}` };
  if (from === undefined)
    return [{ kind: 'new-hosts', message: `New host: ${quoted(host)} receives load.`, ...common }];
  if (peak <= from) return [];
  const message = `Peak on ${quoted(host)} rises from ${withCommas(from)} to ${withCommas(peak)} connections.`;
  return [{ kind: 'higher-peak', message, ...common }];
}

function testDangers(former: RunnableTest, test: RunnableTest): readonly LoadDanger[] {
  const common = { address: `test.${test.key}`, source: test.source && locationOf(test.source) };
  const dangers: LoadDanger[] = [];
  const [rateBefore, rate] = [rateOf(former) ?? Infinity, rateOf(test) ?? 0];
  if (rate > rateBefore) {
    const message = `${quoted(test.key)} starts up to ${counted(rate, 'client')} per second instead of ${withCommas(rateBefore)}.`;
    dangers.push({ kind: 'higher-peak', message, ...common, change: null });
  }
  const [peakBefore, peak] = [peakConnections(paceOf(former.spec)), peakConnections(paceOf(test.spec))];
  if (peak > peakBefore) {
    const message = `${quoted(test.key)} opens up to ${counted(peak, 'connection')} instead of ${withCommas(peakBefore)}.`;
    dangers.push({ kind: 'higher-peak', message, ...common, change: `${peakBefore}-${peak}` });
  }
  const [timeBefore, time] = [longestTime(former), longestTime(test)];
  if (time > timeBefore) {
    const message = `${quoted(test.key)} runs for ${time > test.spec.duration ? 'up to ' : ''}${formatDuration(time)} instead of ${formatDuration(timeBefore)}.`;
    dangers.push({ kind: 'longer', message, ...common, change: null });
  }
  return dangers;
}

/** Returns the highest number of clients that a per-second test starts per second; null for other tests. */
function rateOf({ spec }: RunnableTest): number | null {
  return spec.testType === 'per-second' ? paceOf(spec).total : null;
}

export function findChangeDangers(changes: readonly FileChange[]): readonly Danger[] {
  return changes.flatMap((change) => {
    const { address, source } = change;
    return dangersOf(change).map(([kind, message]): Danger => ({ kind, message, address, source }));
  });
}

const SERVICE_FIELDS: ReadonlySet<string> = new Set([
  'base_url',
  'auth_header',
  'api_key_env',
  'allow_plain_http',
]);

type Finding = readonly [DangerKind, string];

function dangersOf(change: FileChange): readonly Finding[] {
  const { address, field, kind, after } = change;
  if (field === null && change.url === null) return wholeDangers(change);
  if (field === null)
    return memberOf(change.before, 'expect') === null
      ? []
      : [['loosened', `${subjectOf(change)} is removed with its expectations.`]];
  const findings: Finding[] = [];
  const add = (danger: DangerKind, text = sentence(change)) =>
    findings.push([danger, `${subjectOf(change)} ${text}`]);
  const isLooser = kind === 'loosened' || kind === 'removed';
  if (isCommand(address, field) && kind !== 'removed') add('commands');
  if (address === 'service' && SERVICE_FIELDS.has(field)) add('service');
  if (address === 'limits' && isLooser) add('limits');
  if (isResource(address) && isLooser && (kind === 'loosened' || isCheck(field))) add('loosened');
  if (isResource(address) && change.secrets !== null && after !== null)
    add('secrets', secretSentence(change.secrets));
  return findings;
}

function wholeDangers({ address, kind, after }: FileChange): readonly Finding[] {
  const dot = address.indexOf('.');
  const [type, key] = [address.slice(0, dot), address.slice(dot + 1)] as const;
  if (kind === 'removed') {
    if (type === 'app') return [['deleted-apps', `App ${quoted(key)} is removed from the file.`]];
    if (type === 'test')
      return [['unmanaged', `Test ${quoted(key)} is removed from the file and is no longer managed.`]];
    return [];
  }
  if (type === 'test' && memberOf(after, 'tls_verify') === false)
    return [['loosened', `${quoted(key)}: ${quoted('tls_verify')} is ${quoted('false')}.`]];
  const verification = memberOf(after, 'verification');
  const command = memberOf(verification, 'command');
  if (type === 'app' && command !== null)
    return [
      ['commands', `App ${quoted(key)}: ${quoted('verification.command')} is added: ${valueText(command)}.`],
    ];
  return [];
}

function memberOf(value: Json, name: string): Json {
  return objectOf(value)[name] ?? null;
}

function isCommand(address: string, field: string): boolean {
  return (
    (address === 'web_server' && field === 'command') ||
    (address.startsWith('app.') && field === 'verification.command')
  );
}

/** Reports whether a field is a condition that runs or responses must meet. */
function isCheck(field: string): boolean {
  return /(?:^|\.)(?:thresholds|regression|expect)(?:\.|$)/.test(field);
}

/** Returns the subject of a sentence about a change, such as `"home", URL "cart": "expect.status"`. */
function subjectOf({ address, url, field }: FileChange): string {
  const key = keyOfAddress(address);
  if (key === address) return quoted(`${address}.${field}`);
  const owner = address.startsWith('app.') ? `App ${quoted(key)}` : quoted(key);
  const place = url === null ? owner : `${owner}, URL ${quoted(url)}`;
  return field === null ? place : `${place}: ${quoted(field)}`;
}

function sentence({ kind, before, after, address, field }: FileChange): string {
  if (kind === 'added') return `is added: ${valueText(after)}.`;
  if (kind === 'removed') return `is removed (it was ${valueText(before)}).`;
  const verb =
    kind === 'loosened' ? (address === 'limits' && field !== 'hosts' ? 'raised' : 'loosened') : 'changed';
  return `is ${verb}: ${before === null ? 'the default' : valueText(before)} → ${after === null ? 'the default' : valueText(after)}.`;
}

function secretSentence({ before, after }: NonNullable<FileChange['secrets']>): string {
  const list = (names: readonly string[]) =>
    `${names.length === 1 ? 'secret' : 'secrets'} ${names.map(quoted).join(', ')}`;
  if (after.length === 0) return `no longer uses the ${list(before)}.`;
  return before.length === 0
    ? `uses the ${list(after)}.`
    : `uses the ${list(after)} instead of ${before.map(quoted).join(', ')}.`;
}

const MAX_VALUE_LENGTH = 120;

function valueText(value: Json): string {
  const text =
    typeof value === 'string' ? value : Array.isArray(value) ? value.join(', ') : JSON.stringify(value);
  return quoted(text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH - 1)}…` : text);
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', "'")}"`;
}

/** Sorts dangers by kind. */
export function sortDangers<D extends Pick<Danger, 'kind'>>(dangers: readonly D[]): readonly D[] {
  return DANGER_KINDS.flatMap((kind) => dangers.filter((one) => one.kind === kind));
}

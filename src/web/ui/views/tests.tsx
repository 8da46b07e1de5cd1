/**
 * View of all tests by project and key, with their recent runs. With a test ID, shows the versions and runs of that
 * test.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { KeyList, KeyRecord } from '../../../contract/generated/key-list.ts';
import { counted, countText, withCommas } from '../../../core/counted.ts';
import { Table } from '../../table.tsx';
import { metricTextOrDash } from '../../value-text.ts';
import { Loading } from '../loading.tsx';
import { useHeading, useUi } from '../ui-context.ts';
import { useOrder, type RowOrder } from '../use-order.ts';
import { usePolled } from '../use-polled.ts';
import { decodeSegment, linkTo, readViewState, writeViewState, type Route } from '../routes.ts';
import { p95Text, RunLink, RunOutcome } from '../run-outcome.tsx';
import { TestHistoryView } from '../test-history.tsx';
import { TestName } from '../test-name.tsx';
import { Sparkline } from '../trend-chart.tsx';
import type { View } from '../view.ts';

export const tests: View = {
  path: 'tests',
  acceptsParameters: (count) => count <= 1,
  name: 'Tests',
  inNavigation: true,
  Content: ({ rest }: { readonly rest: Route }) => {
    const [test] = rest;
    return test === undefined ? <TestList /> : <TestHistoryView test={test} />;
  },
};

const PAGE_SIZE = 100;
const REFRESH_INTERVAL_S = 5;
const SEARCH_DELAY_MS = 150;
const VERDICTS = ['pass', 'fail', 'inconclusive', 'none', 'running'] as const;

interface Query {
  readonly search: string;
  /** Project, or project and environment: `shop/staging`, each part encoded. Empty for all tests. */
  readonly owner: string;
  /** Verdict of the last run. Empty for all tests. */
  readonly verdict: string;
  /** Number of tests before the page. */
  readonly after: number;
}

function queryInAddress(): Query {
  const state = readViewState();
  const page = Number(state.get('page') ?? 1);
  const [search = '', owner = '', verdict = ''] = ['search', 'owner', 'verdict'].map(
    (name) => state.get(name) ?? '',
  );
  const after = Number.isInteger(page) && page > 0 && page < 1e6 ? (page - 1) * PAGE_SIZE : 0;
  return { search: search.trim(), owner, verdict, after };
}

function pathOf({ search, owner, verdict, after }: Query, order: string): string {
  const [project, environment] = owner.split('/').map(decodeSegment);
  const parameters = new URLSearchParams({ search, after: String(after), limit: String(PAGE_SIZE) });
  if (order !== 'name') parameters.set('sort', order);
  if (verdict !== '') parameters.set('verdict', verdict);
  if (owner !== '') parameters.set('project', project ?? '');
  if (environment !== undefined) parameters.set('environment', environment);
  return `/v2/keys?${parameters.toString()}`;
}

function TestList() {
  const { announcement } = useUi();
  const [query, setQuery] = useState(queryInAddress);
  const [typed, setTyped] = useState(query.search);
  const order = useOrder('name');
  /** Displayed list, which remains visible until the response for a new query has arrived. */
  const shown = useRef<{ readonly list: KeyList; readonly after: number } | null>(null);
  const { body, refusal } = usePolled<KeyList>(pathOf(query, order.order), REFRESH_INTERVAL_S);
  if (body !== null) shown.current = { list: body, after: query.after };
  const { list, after } = shown.current ?? { list: null, after: 0 };
  const matchCount = body?.total;
  const isFiltered = query.search !== '' || query.owner !== '' || query.verdict !== '';
  useHeading(list !== null && !isFiltered && list.total > 0 ? counted(list.total, 'test') : null);
  const change = (changes: Partial<Query>): void =>
    setQuery((before) => ({ ...before, after: 0, ...changes }));
  useEffect(() => {
    const timer = setTimeout(() => {
      const search = typed.trim();
      setQuery((before) => (before.search === search ? before : { ...before, search, after: 0 }));
    }, SEARCH_DELAY_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  useEffect(() => {
    if (isFiltered && matchCount !== undefined) announcement.set(matchCountText(matchCount));
  }, [query, matchCount]);
  useEffect(() => {
    const { after: skipped, ...filters } = query;
    writeViewState({ ...filters, page: skipped === 0 ? null : String(skipped / PAGE_SIZE + 1) });
  }, [query]);
  const searchInput = useSearchShortcut();
  const movePage = (count: number): void => {
    change({ after: Math.max(0, query.after + count) });
    scrollTo(0, 0);
  };
  return (
    <>
      <form class="search" role="search" onSubmit={(event) => event.preventDefault()}>
        <input
          ref={searchInput}
          type="search"
          maxLength={200}
          placeholder="Project, environment, key or name"
          aria-label="Search tests"
          aria-keyshortcuts="/"
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <Filter
          name="Project"
          value={query.owner}
          options={ownerOptions(list)}
          onChange={(owner) => change({ owner })}
        />
        <Filter
          name="Last verdict"
          value={query.verdict}
          options={VERDICTS.map((verdict) => [verdict, verdict === 'none' ? 'no verdict' : verdict])}
          onChange={(verdict) => change({ verdict })}
        />
        <span class="note">
          <kbd>/</kbd> to search
        </span>
      </form>
      {refusal === null ? null : <p class="fault">{refusal.reasons.join('; ')}</p>}
      {list === null ? <Loading /> : null}
      {list !== null && list.keys.length === 0 ? (
        <p>
          {isFiltered ? (
            matchCountText(list.total)
          ) : (
            <>
              This service has no tests yet. <a href={linkTo()}>Get started</a>
            </>
          )}
        </p>
      ) : null}
      {list === null || list.keys.length === 0 ? null : <KeyTable keys={list.keys} order={order} />}
      {list === null || list.total <= PAGE_SIZE ? null : (
        <nav class="pages" aria-label="Pagination">
          <button type="button" disabled={query.after === 0} onClick={() => movePage(-PAGE_SIZE)}>
            Previous
          </button>
          <span>
            {withCommas(after + 1)}–{withCommas(Math.min(list.total, after + PAGE_SIZE))} of{' '}
            {withCommas(list.total)}
          </span>
          <button
            type="button"
            disabled={query.after + PAGE_SIZE >= list.total}
            onClick={() => movePage(PAGE_SIZE)}
          >
            Next
          </button>
        </nav>
      )}
    </>
  );
}

type FilterOption = readonly [value: string, text: string];

function Filter({
  name,
  value,
  options,
  onChange,
}: {
  readonly name: string;
  readonly value: string;
  readonly options: readonly FilterOption[];
  readonly onChange: (value: string) => void;
}) {
  // Adds the value from the address if that value is no longer an option.
  const known = value === '' || options.some(([one]) => one === value);
  const all: readonly FilterOption[] = [
    ['', `${name}: all`],
    ...options,
    ...(known ? [] : [[value, value] as const]),
  ];
  return (
    <select aria-label={name} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      {all.map(([one, text]) => (
        <option value={one} selected={one === value}>
          {text}
        </option>
      ))}
    </select>
  );
}

/** Returns the projects, and the environments of those projects that have several environments. */
function ownerOptions(list: KeyList | null): readonly FilterOption[] {
  const owners = list?.owners ?? [];
  return [...new Set(owners.map(({ project }) => project))].flatMap((project) => {
    const id = encodeURIComponent(project);
    if (project === '') return [['/', 'no project'] as const];
    const environments = owners.filter((owner) => owner.project === project);
    return [
      [id, project] as const,
      ...environments.map(
        ({ environment }) =>
          [
            `${id}/${encodeURIComponent(environment)}`,
            `${project} · ${environment === '' ? 'no environment' : environment}`,
          ] as const,
      ),
    ].slice(0, environments.length === 1 ? 1 : undefined);
  });
}

function matchCountText(total: number): string {
  return total === 0 ? 'No test matches the search and the filters.' : `${counted(total, 'test')} found.`;
}

function useSearchShortcut() {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return input;
}

function KeyTable({
  keys,
  order: { sortBy },
}: {
  readonly keys: readonly KeyRecord[];
  readonly order: RowOrder;
}) {
  return (
    <section class="keys">
      <Table
        name="Tests"
        cards
        keys={keys.map(({ test_id: id }) => id)}
        columns={[
          { heading: 'test, by project', sort: sortBy('name') },
          { heading: 'last verdict', sort: sortBy('verdict') },
          { heading: 'last run', sort: sortBy('started', '-') },
          { heading: 'p95', numeric: true, sort: sortBy('p95', '-') },
          { heading: 'p95 trend' },
          { heading: 'per second', numeric: true, sort: sortBy('requests_per_second', '-') },
          { heading: 'rate trend' },
          { heading: 'runs', numeric: true, sort: sortBy('runs', '-') },
        ]}
        rows={keys.map(keyCells)}
      />
    </section>
  );
}

function keyCells(test: KeyRecord) {
  const { recent, runs } = test;
  const [last] = recent;
  const ended = recent.find(({ status }) => status === 'ready');
  return [
    <TestName test={test} href={linkTo('tests', test.test_id)} />,
    last === undefined ? '–' : <RunOutcome run={last} />,
    last === undefined ? '–' : <RunLink run={last} />,
    ended === undefined ? '–' : p95Text(ended),
    <Sparkline runs={recent} metric="p95" />,
    metricTextOrDash('requests_per_second', ended?.requests_per_second ?? null),
    <Sparkline runs={recent} metric="requests_per_second" />,
    countText(runs),
  ];
}

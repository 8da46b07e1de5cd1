/**
 * View of all tests by project and key, with their recent runs. With a test id, it shows all versions and runs
 * of that test.
 */
import { Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { KeyList, KeyRecord } from '../../../contract/generated/key-list.ts';
import { counted, withCommas } from '../../../core/counted.ts';
import { BidiIsolate } from '../../bidi-isolate.tsx';
import { useHeading, useUi } from '../ui-context.ts';
import { usePolled } from '../use-polled.ts';
import { linkTo, readViewState, writeViewState, type Route } from '../routes.ts';
import { countText, metricTextOrDash, p95Text, RunOutcome } from '../run-outcome.tsx';
import { TestHistoryView } from '../test-history.tsx';
import { testNameOf, ownerOf } from '../test-name.tsx';
import { Time } from '../time.tsx';
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

/** Number of tests on each page of the list. */
const PAGE_SIZE = 100;
const REFRESH_INTERVAL_S = 5;
/** Time in ms after the last key press at which the search starts. */
const SEARCH_DELAY_MS = 150;

function TestList() {
  const { announcement } = useUi();
  const [typed, setTyped] = useState(readViewState().get('search') ?? '');
  const [query, setQuery] = useState({ search: typed.trim(), after: pageInAddress() * PAGE_SIZE });
  /** The displayed list, which stays visible until the next page of the list has arrived. */
  const shown = useRef<{ readonly list: KeyList; readonly after: number } | null>(null);
  const parameters = new URLSearchParams({
    search: query.search,
    after: String(query.after),
    limit: String(PAGE_SIZE),
  });
  const { body, refusal } = usePolled<KeyList>(`/v2/keys?${parameters.toString()}`, REFRESH_INTERVAL_S);
  if (body !== null) shown.current = { list: body, after: query.after };
  const { list, after } = shown.current ?? { list: null, after: 0 };
  const matchCount = body?.total;
  useHeading(
    list !== null && query.search === '' && list.total > 0 ? `${withCommas(list.total)} tests` : null,
  );
  useEffect(() => {
    const timer = setTimeout(() => {
      const search = typed.trim();
      setQuery((before) => (before.search === search ? before : { search, after: 0 }));
    }, SEARCH_DELAY_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [typed]);
  useEffect(() => {
    if (query.search !== '' && matchCount !== undefined) announcement.set(matchCountText(matchCount));
  }, [query.search, matchCount]);
  useEffect(() => {
    const page = Math.round(query.after / PAGE_SIZE);
    writeViewState({ search: query.search, page: page === 0 ? null : String(page + 1) });
  }, [query]);
  const searchInput = useSearchShortcut();
  const movePage = (count: number): void => {
    setQuery(({ after, ...rest }) => ({ ...rest, after: Math.max(0, after + count) }));
    scrollTo(0, 0);
  };
  return (
    <>
      <form
        class="search"
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
        }}
      >
        <input
          ref={searchInput}
          type="search"
          maxLength={200}
          placeholder="Search by project, environment, key or name"
          aria-label="Search tests"
          aria-keyshortcuts="/"
          value={typed}
          onInput={(event) => {
            setTyped(event.currentTarget.value);
          }}
        />
        <span class="note">
          <kbd>/</kbd> to search
        </span>
      </form>
      {refusal === null ? null : <p class="fault">{refusal.reasons.join('; ')}</p>}
      {list === null ? <p class="about">Loading…</p> : null}
      {list !== null && list.keys.length === 0 ? (
        <p>{query.search === '' ? 'This service has no tests yet.' : matchCountText(list.total)}</p>
      ) : null}
      {list === null || list.keys.length === 0 ? null : <KeyTable keys={list.keys} />}
      {list === null || list.total <= PAGE_SIZE ? null : (
        <nav class="pages" aria-label="Pages of the list">
          <button
            type="button"
            disabled={query.after === 0}
            onClick={() => {
              movePage(-PAGE_SIZE);
            }}
          >
            Previous
          </button>
          <span>
            {withCommas(after + 1)}–{withCommas(Math.min(list.total, after + PAGE_SIZE))} of{' '}
            {withCommas(list.total)}
          </span>
          <button
            type="button"
            disabled={query.after + PAGE_SIZE >= list.total}
            onClick={() => {
              movePage(PAGE_SIZE);
            }}
          >
            Next
          </button>
        </nav>
      )}
    </>
  );
}

/** Returns the index of the page in the address, from 0. */
function pageInAddress(): number {
  const page = Number(readViewState().get('page') ?? 1);
  return Number.isInteger(page) && page > 0 && page < 1e6 ? page - 1 : 0;
}

function matchCountText(total: number): string {
  return total === 0 ? 'No test matches all search terms.' : `${counted(total, 'test')} found.`;
}

/** Moves the focus to the search field when the user presses `/`. */
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
    return () => {
      removeEventListener('keydown', onKey);
    };
  }, []);
  return input;
}

function KeyTable({ keys }: { readonly keys: readonly KeyRecord[] }) {
  const groups = new Map<string, KeyRecord[]>();
  for (const test of keys) {
    const owner = ownerOf(test).join(' · ');
    groups.set(owner, [...(groups.get(owner) ?? []), test]);
  }
  return (
    <section class="keys">
      <div class="frame" role="group" aria-label="Tests" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th scope="col">test</th>
              <th scope="col">last verdict</th>
              <th scope="col">last run</th>
              <th scope="col" class="number">
                p95
              </th>
              <th scope="col">trend</th>
              <th scope="col" class="number">
                per second
              </th>
              <th scope="col">trend</th>
              <th scope="col" class="number">
                runs
              </th>
            </tr>
          </thead>
          {[...groups].map(([owner, members]) => (
            <tbody key={owner}>
              <tr class="owner">
                <th scope="rowgroup" colSpan={8}>
                  {owner === '' ? (
                    'Without a project'
                  ) : (
                    <BidiIsolate texts={members.slice(0, 1).flatMap(ownerOf)} />
                  )}
                </th>
              </tr>
              {members.map((test) => (
                <Fragment key={test.test_id}>
                  <KeyRow test={test} />
                </Fragment>
              ))}
            </tbody>
          ))}
        </table>
      </div>
    </section>
  );
}

function KeyRow({ test }: { readonly test: KeyRecord }) {
  const { recent, runs } = test;
  const [last] = recent;
  const ended = recent.find(({ status }) => status === 'ready');
  return (
    <tr>
      <th scope="row">
        <a href={linkTo('tests', test.test_id)}>{testNameOf(test)}</a>
        {test.key === null || test.title === test.key ? null : <span class="note"> {test.title}</span>}
      </th>
      <td>{last === undefined ? null : <RunOutcome run={last} />}</td>
      <td>
        {last === undefined ? (
          '–'
        ) : (
          <a href={linkTo('runs', last.test_id, last.result_id)}>
            <Time at={Date.parse(last.started_at)} />
          </a>
        )}
      </td>
      <td class="number">{ended === undefined ? '–' : p95Text(ended)}</td>
      <td>
        <Sparkline runs={recent} metric="p95" />
      </td>
      <td class="number">{metricTextOrDash('requests_per_second', ended?.requests_per_second ?? null)}</td>
      <td>
        <Sparkline runs={recent} metric="requests_per_second" />
      </td>
      <td class="number">{countText(runs)}</td>
    </tr>
  );
}

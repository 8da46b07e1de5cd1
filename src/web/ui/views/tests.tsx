/** All tests, by project and key: how each has run lately. With a test: every version and run of it. */
import { Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { KeyList, KeyRecord } from '../../../contract/generated/key-list.ts';
import { withCommas } from '../../../core/counted.ts';
import { BidiIsolate } from '../../bidi-isolate.tsx';
import { useHeading, useUi } from '../ui-context.ts';
import { usePolled } from '../use-polled.ts';
import { linkTo, type Route } from '../routes.ts';
import { countText, metricTextOrDash, RunOutcome } from '../run-outcome.tsx';
import { TestHistoryView } from '../test-history.tsx';
import { testNameOf, ownerOf } from '../test-name.tsx';
import { Time } from '../time.tsx';
import { Sparkline } from '../trend-chart.tsx';
import type { View } from '../view.ts';

export const tests: View = {
  path: 'tests',
  parameters: (parts) => parts <= 1,
  name: 'Tests',
  inNavigation: true,
  Content: ({ rest }: { readonly rest: Route }) => {
    const [test] = rest;
    return test === undefined ? <TestList /> : <TestHistoryView test={test} />;
  },
};

/** Of a page of the list. */
const PAGE_SIZE = 100;
/** In seconds. */
const REFRESH_INTERVAL_S = 5;
/** In ms: so long nobody has pressed a key. */
const SEARCH_DELAY_MS = 150;

function TestList() {
  const { announcement } = useUi();
  const [typed, setTyped] = useState('');
  const [asked, setAsked] = useState({ search: '', after: 0 });
  /** What is shown, also until the next page of it is there. */
  const shown = useRef<{ readonly list: KeyList; readonly after: number } | null>(null);
  const query = new URLSearchParams({
    search: asked.search,
    after: String(asked.after),
    limit: String(PAGE_SIZE),
  });
  const { body, refusal } = usePolled<KeyList>(`/v2/keys?${query.toString()}`, REFRESH_INTERVAL_S);
  if (body !== null) shown.current = { list: body, after: asked.after };
  const { list, after } = shown.current ?? { list: null, after: 0 };
  const found = body?.total;
  useHeading(
    list !== null && asked.search === '' && list.total > 0 ? `${withCommas(list.total)} tests` : null,
  );
  useEffect(() => {
    const timer = setTimeout(() => {
      const search = typed.trim();
      setAsked((before) => (before.search === search ? before : { search, after: 0 }));
    }, SEARCH_DELAY_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [typed]);
  useEffect(() => {
    if (asked.search !== '' && found !== undefined) announcement.set(matchCountText(found));
  }, [asked.search, found]);
  const search = useSearchShortcut();
  const turn = (by: number): void => {
    setAsked(({ after, ...rest }) => ({ ...rest, after: Math.max(0, after + by) }));
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
          ref={search}
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
        <p>
          {asked.search === '' ? 'No test has been sent to this service yet.' : matchCountText(list.total)}
        </p>
      ) : null}
      {list === null || list.keys.length === 0 ? null : <KeyTable keys={list.keys} />}
      {list === null || list.total <= PAGE_SIZE ? null : (
        <nav class="pages" aria-label="Pages of the list">
          <button
            type="button"
            disabled={asked.after === 0}
            onClick={() => {
              turn(-PAGE_SIZE);
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
            disabled={asked.after + PAGE_SIZE >= list.total}
            onClick={() => {
              turn(PAGE_SIZE);
            }}
          >
            Next
          </button>
        </nav>
      )}
    </>
  );
}

function matchCountText(total: number): string {
  return total === 0 ? 'No test has all of these words.' : `${withCommas(total)} found.`;
}

/** The search is one key away, wherever the focus is. */
function useSearchShortcut() {
  const search = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      search.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener('keydown', onKey);
    };
  }, []);
  return search;
}

function KeyTable({ keys }: { readonly keys: readonly KeyRecord[] }) {
  const groups = new Map<string, KeyRecord[]>();
  for (const one of keys) {
    const owner = ownerOf(one).join(' · ');
    groups.set(owner, [...(groups.get(owner) ?? []), one]);
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
              <th scope="col">lately</th>
              <th scope="col" class="number">
                per second
              </th>
              <th scope="col">lately</th>
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
                    'Without a file'
                  ) : (
                    <BidiIsolate texts={members.slice(0, 1).flatMap(ownerOf)} />
                  )}
                </th>
              </tr>
              {members.map((one) => (
                <Fragment key={one.test_id}>
                  <KeyRow test={one} />
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
      <td class="number">{metricTextOrDash('p95', ended?.p95 ?? null)}</td>
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

/** What a component asks the service for, again and again. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiResponse } from './api.ts';
import { useUi } from './ui-context.ts';
import type { PollJob } from './polling.ts';

/**
 * Does a job each second while the component is shown and the page may speak with the service, and at once where `of`
 * changes. What an answer is of is for the job to look at: it may come late.
 */
export function usePolling(job: PollJob, of: readonly unknown[]): void {
  const { polling } = useUi();
  const latest = useRef(job);
  latest.current = job;
  useEffect(() => polling.add(() => latest.current()), [polling, ...of]);
}

/** The last answer that there was; null before the first one. Figures stay while the service is gone. */
export interface PolledResponse<Body> {
  readonly body: Body | null;
  /** Why there is none; null: nothing is wrong. */
  readonly refusal: Extract<ApiResponse<Body>, { kind: 'refused' }> | null;
}

/** What an answer is of. */
interface ResponseSource {
  readonly path: string | null;
  readonly text: string;
  /** Times of today are written in another way than those of yesterday. */
  readonly day: string;
}

function isSame(one: ResponseSource, other: ResponseSource): boolean {
  return one.path === other.path && one.text === other.text && one.day === other.day;
}

/**
 * @param path null: nothing is asked for
 * @param every in seconds: what changes rarely, or costs much, is asked for rarely
 */
export function usePolled<Body>(path: string | null, every = 1): PolledResponse<Body> {
  const { api } = useUi();
  const [polled, setPolled] = useState<PolledResponse<Body> & ResponseSource>({
    ...{ path: null, text: '', day: '', body: null, refusal: null },
  });
  const asked = useRef<{ readonly path: string; readonly at: number } | null>(null);
  usePolling(async () => {
    const now = performance.now();
    if (path === null) return;
    if (asked.current?.path === path && now - asked.current.at < (every - 0.5) * 1000) return;
    asked.current = { path, at: now };
    const response = await api.get<Body>(path);
    if (response.kind === 'given') {
      const source: ResponseSource = { path, text: response.text, day: new Date().toDateString() };
      // What is the same as before is not shown anew.
      setPolled((before) =>
        before.refusal === null && isSame(before, source)
          ? before
          : { ...source, body: response.body, refusal: null },
      );
    }
    if (response.kind === 'gone' || response.kind === 'closed') asked.current = null;
    if (response.kind === 'refused')
      setPolled((before) => ({
        ...(before.path === path ? before : { path, text: '', day: '', body: null }),
        refusal: response,
      }));
  }, [path]);
  return polled.path === path ? polled : { body: null, refusal: null };
}

/** What does not change while it is looked at: asked for again only while nobody answers. */
export function useOnce<Body>(path: string): PolledResponse<Body> {
  return usePolled<Body>(path, Infinity);
}

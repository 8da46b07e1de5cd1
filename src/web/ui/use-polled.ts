import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiResponse } from './api.ts';
import { useUi } from './ui-context.ts';
import type { PollJob } from './polling.ts';

/**
 * Runs a job once per second while the component is mounted and the tab is visible, and immediately when a dependency
 * changes. The job must check that a response still applies, because a dependency may have changed in the meantime.
 */
export function usePolling(job: PollJob, dependencies: readonly unknown[]): void {
  const { polling } = useUi();
  const latest = useRef(job);
  latest.current = job;
  useEffect(() => polling.add(() => latest.current()), [polling, ...dependencies]);
}

export interface PolledResponse<Body> {
  /** Body of the last successful response; null before the first one. */
  readonly body: Body | null;
  /** The latest refusal; null if there was none since the last successful response. */
  readonly refusal: Extract<ApiResponse<Body>, { kind: 'refused' }> | null;
}

/** Identity of a response. A response with the same identity as the previous one does not cause a render. */
interface ResponseSource {
  readonly path: string | null;
  readonly text: string;
  /**
   * Current date as a string. At a change of the date, times must be rendered again, because times of the current day
   * have a different format.
   */
  readonly day: string;
}

function isSame(a: ResponseSource, b: ResponseSource): boolean {
  return a.path === b.path && a.text === b.text && a.day === b.day;
}

/**
 * @param path - Path to poll; null to send no requests.
 * @param every - Interval in seconds, for data that rarely changes or is expensive to compute.
 */
export function usePolled<Body>(path: string | null, every = 1): PolledResponse<Body> {
  const { api } = useUi();
  const [polled, setPolled] = useState<PolledResponse<Body> & ResponseSource>({
    path: null,
    text: '',
    day: '',
    body: null,
    refusal: null,
  });
  const lastRequest = useRef<{ readonly path: string; readonly at: number } | null>(null);
  usePolling(async () => {
    const now = performance.now();
    if (path === null) return;
    if (lastRequest.current?.path === path && now - lastRequest.current.at < (every - 0.5) * 1000) return;
    lastRequest.current = { path, at: now };
    const response = await api.get<Body>(path);
    if (response.kind === 'ok') {
      const source: ResponseSource = { path, text: response.text, day: new Date().toDateString() };
      setPolled((before) =>
        before.refusal === null && isSame(before, source)
          ? before
          : { ...source, body: response.body, refusal: null },
      );
    }
    if (response.kind === 'unreachable' || response.kind === 'signed-out') lastRequest.current = null;
    if (response.kind === 'refused')
      setPolled((before) => ({
        ...(before.path === path ? before : { path, text: '', day: '', body: null }),
        refusal: response,
      }));
  }, [path]);
  return polled.path === path ? polled : { body: null, refusal: null };
}

/** Requests a path until the service responds once, for data that does not change while it is displayed. */
export function useOnce<Body>(path: string): PolledResponse<Body> {
  return usePolled<Body>(path, Infinity);
}

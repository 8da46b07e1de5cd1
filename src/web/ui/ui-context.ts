/** What every view may use: how to ask the service, where the reader is, and how to speak to them. */
import { createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import type { Api } from './api.ts';
import type { Signal } from './signal.ts';
import type { Polling } from './polling.ts';
import type { Route } from './routes.ts';

export interface UiContextValue {
  readonly api: Api;
  readonly polling: Polling;
  readonly route: Signal<Route>;
  /** What the heading says, where a view knows better than its name; null: its name. */
  readonly heading: Signal<string | null>;
  /** What is read out: what the reader did, and how it ended; never figures that change each second. */
  readonly announcement: Signal<string>;
}

export const UiContext = createContext<UiContextValue | null>(null);

export function useUi(): UiContextValue {
  const page = useContext(UiContext);
  if (page === null) throw new Error('Bug: a view outside of the page');
  return page;
}

/** Puts a text into the heading of the page and its title, while the view is shown. */
export function useHeading(text: string | null): void {
  const { heading } = useUi();
  useEffect(() => {
    heading.set(text);
    return () => {
      heading.set(null);
    };
  }, [heading, text]);
}

/** Context of all views: the API client, the route, and messages for the user. */
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
  /** Heading of the view; null if it is the name of the view. */
  readonly heading: Signal<string | null>;
  /**
   * Message for screen readers about the outcome of an action. Metrics that change every second are not
   * announced.
   */
  readonly announcement: Signal<string>;
}

export const UiContext = createContext<UiContextValue | null>(null);

export function useUi(): UiContextValue {
  const ui = useContext(UiContext);
  if (ui === null) throw new Error('Bug: the component is not inside UiContext.Provider');
  return ui;
}

/** Sets the heading and the window title while the component is mounted. */
export function useHeading(text: string | null): void {
  const { heading } = useUi();
  useEffect(() => {
    heading.set(text);
    return () => {
      heading.set(null);
    };
  }, [heading, text]);
}

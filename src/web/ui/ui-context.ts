/** Context of all views: the API client, the route, and messages for the user. */
import { createContext } from 'preact';
import { useContext, useEffect } from 'preact/hooks';
import type { Api } from './api.ts';
import { useSignal, type Signal } from './signal.ts';
import type { Polling } from './polling.ts';
import type { Route } from './routes.ts';

export interface UiContextValue {
  readonly api: Api;
  readonly polling: Polling;
  readonly route: Signal<Route>;
  /** Heading of the view; null to use the name of the view. */
  readonly heading: Signal<string | null>;
  /** Start of the window title; null to use the heading. */
  readonly title: Signal<string | null>;
  /** Message for screen readers about the outcome of an action. Do not announce metrics that change every second. */
  readonly announcement: Signal<string>;
}

export const UiContext = createContext<UiContextValue | null>(null);

export function useUi(): UiContextValue {
  const ui = useContext(UiContext);
  if (ui === null) throw new Error('Bug: the component is not inside UiContext.Provider');
  return ui;
}

/** Returns the reason why the displayed data is not updated, such as `Connection lost`; null if the data is updated. */
export function useStaleReason(): string | null {
  const { api } = useUi();
  const isLost = useSignal(api.unreachableSince) !== null;
  return useSignal(api.session.access).state === 'closed'
    ? 'Session ended'
    : isLost
      ? 'Connection lost'
      : null;
}

/**
 * Sets the heading and the window title while the component is mounted.
 * @param windowTitle - Start of the window title. Default: the heading.
 */
export function useHeading(text: string | null, windowTitle: string | null = null): void {
  const { heading, title } = useUi();
  useEffect(() => {
    heading.set(text);
    title.set(windowTitle);
    return () => {
      heading.set(null);
      title.set(null);
    };
  }, [heading, title, text, windowTitle]);
}

/** The page of a service: a client of its API like any other. */
import { render } from 'preact';
import { Api } from './api.ts';
import { Signal } from './signal.ts';
import { Layout } from './layout.tsx';
import { UiContext, type UiContextValue } from './ui-context.ts';
import { Polling } from './polling.ts';
import { routeOf } from './routes.ts';
import { Session } from './session.ts';

const session = new Session();
session.begin();
const api = new Api(session);
const uiContext: UiContextValue = {
  ...{ api, polling: new Polling(api), route: new Signal(routeOf(location.hash)) },
  ...{ heading: new Signal<string | null>(null), announcement: new Signal('') },
};
addEventListener('hashchange', () => {
  // A new link may be opened in a tab that has the page.
  session.begin();
  uiContext.route.set(routeOf(location.hash));
});
session.access.listen(({ state }) => {
  if (state === 'open') uiContext.polling.now();
});

const root = document.getElementById('page');
if (root === null) throw new Error('Bug: a page without a place for its content');
render(
  <UiContext.Provider value={uiContext}>
    <Layout session={session} />
  </UiContext.Provider>,
  root,
);

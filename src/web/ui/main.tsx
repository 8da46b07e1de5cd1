/** Entry point of the web UI, which is a client of the HTTP API. */
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
  api,
  polling: new Polling(api),
  route: new Signal(routeOf(location.hash)),
  heading: new Signal<string | null>(null),
  title: new Signal<string | null>(null),
  announcement: new Signal(''),
};
addEventListener('hashchange', () => {
  // Begins a session, because the user may have opened a sign-in link in a tab that already shows the web UI.
  session.begin();
  uiContext.route.set(routeOf(location.hash));
});
// Sets a class after keyboard input. The heading that is focused after navigation has an outline only with this class.
for (const [event, isKeyboard] of [
  ['keydown', true],
  ['pointerdown', false],
] as const) {
  addEventListener(event, () => document.documentElement.classList.toggle('keyboard', isKeyboard), true);
}
session.access.listen(({ state }) => {
  if (state === 'open') uiContext.polling.now();
});

const root = document.getElementById('page');
if (root === null) throw new Error('Bug: the page has no root element');
render(
  <UiContext.Provider value={uiContext}>
    <Layout />
  </UiContext.Provider>,
  root,
);

/** The page of a service: a client of its API like any other. */
import { render } from 'preact';
import { Api } from './api.ts';
import { Cell } from './cell.ts';
import { Frame } from './frame.tsx';
import { PageContext, type Page } from './page.ts';
import { Polling } from './polling.ts';
import { placeOf } from './routes.ts';
import { Session } from './session.ts';

const session = new Session();
session.begin();
const api = new Api(session);
const page: Page = {
  ...{ api, polling: new Polling(api), place: new Cell(placeOf(location.hash)) },
  ...{ heading: new Cell<string | null>(null), said: new Cell('') },
};
addEventListener('hashchange', () => {
  // A new link may be opened in a tab that has the page.
  session.begin();
  page.place.set(placeOf(location.hash));
});
session.access.listen(({ state }) => {
  if (state === 'open') page.polling.now();
});

const root = document.getElementById('page');
if (root === null) throw new Error('Bug: a page without a place for its content');
render(
  <PageContext.Provider value={page}>
    <Frame session={session} />
  </PageContext.Provider>,
  root,
);

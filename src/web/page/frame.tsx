/** What stands around every view: navigation, heading, and what is wrong with the connection. */
import { useEffect, useRef } from 'preact/hooks';
import { useCell } from './cell.ts';
import { Door } from './door.tsx';
import { useKeptFocus } from './kept-focus.ts';
import { usePage } from './page.ts';
import { linkTo } from './routes.ts';
import type { Access, Session } from './session.ts';
import { Time } from './time.tsx';
import { viewOf, VIEWS } from './views.ts';

export function Frame({ session }: { readonly session: Session }) {
  const page = usePage();
  const place = useCell(page.place);
  const access = useCell(session.access);
  const said = useCell(page.said);
  const wasOpen = useRef(false);
  if (access.state === 'open') wasOpen.current = true;
  const view = viewOf(place);
  const heading = useCell(page.heading) ?? view?.name ?? 'Nothing is here';
  const title = useRef<HTMLHeadingElement>(null);
  useKeptFocus(title);
  const first = useRef(true);
  useEffect(() => {
    document.title = `${heading} · loadtests`;
  }, [heading]);
  // Who goes on by keyboard goes on from the new view.
  useEffect(() => {
    if (!first.current) title.current?.focus({ preventScroll: true });
    first.current = false;
    scrollTo(0, 0);
  }, [place]);
  return (
    <>
      {wasOpen.current ? (
        <a
          class="skip"
          href="#title"
          onClick={(event) => {
            // Fragments are places.
            event.preventDefault();
            title.current?.focus();
          }}
        >
          Skip to the content
        </a>
      ) : null}
      <header class="bar">
        <a class="brand" href={linkTo()}>
          loadtests
        </a>
        {wasOpen.current ? (
          <nav aria-label="Views">
            {VIEWS.filter(({ inNavigation }) => inNavigation).map(({ at, name }) => (
              <a href={at === '' ? linkTo() : linkTo(at)} aria-current={view?.at === at ? 'page' : undefined}>
                {name}
              </a>
            ))}
          </nav>
        ) : null}
      </header>
      <Connection access={access} wasOpen={wasOpen.current} />
      <main>
        {wasOpen.current ? (
          <>
            <h1 id="title" ref={title} tabIndex={-1}>
              {heading}
            </h1>
            {view === null ? (
              <p>
                No view has this address. <a href={linkTo()}>Go to the overview</a>
              </p>
            ) : (
              <view.Content key={place.join('/')} rest={place.slice(1)} />
            )}
          </>
        ) : (
          <Door access={access} />
        )}
      </main>
      <p class="heard" role="status">
        {said}
      </p>
    </>
  );
}

/** A service that is gone, and a session that has ended, while what was known stays on screen. */
function Connection({ access, wasOpen }: { readonly access: Access; readonly wasOpen: boolean }) {
  const { api } = usePage();
  const goneSince = useCell(api.goneSince);
  return (
    <div role="status" class="connection">
      {wasOpen && access.state === 'closed' ? (
        <p class="banner">
          <b>This session has ended.</b> The service was restarted, or twelve hours have passed. Run{' '}
          <code>loadtests open</code> and open its link: this tab then goes on.
        </p>
      ) : goneSince !== null ? (
        <p class="banner">
          <b>The service does not answer</b> since <Time at={goneSince} />. What you see is the last that it
          said; it goes on by itself as soon as the service is back.
        </p>
      ) : null}
    </div>
  );
}

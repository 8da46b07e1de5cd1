/** Layout of the web UI: navigation, heading, view and connection notice. */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { useSignal } from './signal.ts';
import { SessionEnded, SignIn } from './sign-in.tsx';
import { useFocusFallback } from './use-focus-fallback.ts';
import { useUi } from './ui-context.ts';
import { linkTo } from './routes.ts';
import type { Access } from './session.ts';
import { Time } from './time.tsx';
import { findView, VIEWS } from './views.ts';

export function Layout() {
  const ui = useUi();
  const { session } = ui.api;
  const route = useSignal(ui.route);
  // The key of the view changes only with the route, because some links change only the state of a view, such as a
  // filter.
  const address = useMemo(() => location.hash, [route]);
  const access = useSignal(session.access);
  const announcement = useSignal(ui.announcement);
  const wasOpen = useRef(false);
  if (access.state === 'open') wasOpen.current = true;
  // After the user has signed out, the screen must not show any content.
  else if (access.state === 'closed' && access.why === 'left') wasOpen.current = false;
  const view = findView(route);
  const heading = useSignal(ui.heading) ?? view?.name ?? 'Page not found';
  const windowTitle = useSignal(ui.title) ?? heading;
  const title = useRef<HTMLHeadingElement>(null);
  useFocusFallback(title);
  const first = useRef(true);
  useEffect(() => {
    document.title = wasOpen.current ? `${windowTitle} · loadtests` : 'loadtests';
  }, [windowTitle, access]);
  // Moves the focus to the heading of the new view, for users of keyboards and screen readers.
  useEffect(() => {
    if (!first.current) title.current?.focus({ preventScroll: true });
    first.current = false;
    scrollTo(0, 0);
  }, [route]);
  return (
    <>
      {wasOpen.current ? (
        <a
          class="skip"
          href="#title"
          onClick={(event) => {
            // Prevents the link from changing the fragment of the address, because the router would treat the fragment
            // as a route.
            event.preventDefault();
            title.current?.focus();
          }}
        >
          Skip to content
        </a>
      ) : null}
      <header class="bar">
        <a class="brand" href={linkTo()}>
          loadtests
        </a>
        {wasOpen.current ? (
          <nav aria-label="Views">
            {VIEWS.filter(({ inNavigation }) => inNavigation).map(({ path, name }) => (
              <a
                href={path === '' ? linkTo() : linkTo(path)}
                aria-current={
                  view?.path === path
                    ? 'page'
                    : view?.inNavigation === false && path === 'tests'
                      ? 'true'
                      : undefined
                }
              >
                {name}
              </a>
            ))}
          </nav>
        ) : null}
        {wasOpen.current ? (
          <button type="button" onClick={() => session.signOut()}>
            Sign out
          </button>
        ) : null}
      </header>
      {wasOpen.current ? <ConnectionNotice access={access} /> : null}
      <main>
        {wasOpen.current ? (
          <>
            <h1 id="title" ref={title} tabIndex={-1}>
              {heading}
            </h1>
            {view === null ? (
              <p>
                This page does not exist. <a href={linkTo()}>Go to the overview</a>
              </p>
            ) : (
              <view.Content key={address} rest={route.slice(1)} />
            )}
          </>
        ) : (
          <SignIn access={access} title={title} />
        )}
      </main>
      <p class="heard" role="status">
        {wasOpen.current ? announcement : ''}
      </p>
    </>
  );
}

function ConnectionNotice({ access }: { readonly access: Access }) {
  const { api } = useUi();
  const unreachableSince = useSignal(api.unreachableSince);
  return (
    <div role="status" class="connection">
      {access.state === 'closed' ? (
        <SessionEnded />
      ) : unreachableSince !== null ? (
        <p class="banner">
          <b>Connection to the service lost.</b>{' '}
          <span class="stale">
            Tests may still be running. Values as of <Time inSentence at={unreachableSince} />.{' '}
          </span>
          Retrying…
        </p>
      ) : null}
    </div>
  );
}

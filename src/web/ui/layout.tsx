/** What stands around every view: navigation, heading, and what is wrong with the connection. */
import { useEffect, useRef } from 'preact/hooks';
import { useSignal } from './signal.ts';
import { SignIn } from './sign-in.tsx';
import { useFocusFallback } from './use-focus-fallback.ts';
import { useUi } from './ui-context.ts';
import { openCommand } from './result-command.ts';
import { linkTo } from './routes.ts';
import type { Access, Session } from './session.ts';
import { Time } from './time.tsx';
import { findView, VIEWS } from './views.ts';

export function Layout({ session }: { readonly session: Session }) {
  const page = useUi();
  const place = useSignal(page.route);
  const access = useSignal(session.access);
  const said = useSignal(page.announcement);
  const wasOpen = useRef(false);
  if (access.state === 'open') wasOpen.current = true;
  // Who signs out leaves nothing on screen.
  else if (access.state === 'closed' && access.why === 'left') wasOpen.current = false;
  const view = findView(place);
  const heading = useSignal(page.heading) ?? view?.name ?? 'Nothing is here';
  const title = useRef<HTMLHeadingElement>(null);
  useFocusFallback(title);
  const first = useRef(true);
  useEffect(() => {
    document.title = wasOpen.current ? `${heading} · loadtests` : 'loadtests';
  }, [heading, access]);
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
            {VIEWS.filter(({ inNavigation }) => inNavigation).map(({ path, name }) => (
              <a
                href={path === '' ? linkTo() : linkTo(path)}
                aria-current={view?.path === path ? 'page' : undefined}
              >
                {name}
              </a>
            ))}
          </nav>
        ) : null}
        {wasOpen.current ? (
          <button
            type="button"
            onClick={() => {
              session.signOut();
            }}
          >
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
                No view has this address. <a href={linkTo()}>Go to the overview</a>
              </p>
            ) : (
              <view.Content key={place.join('/')} rest={place.slice(1)} />
            )}
          </>
        ) : (
          <SignIn {...{ access, title }} />
        )}
      </main>
      <p class="heard" role="status">
        {wasOpen.current ? said : ''}
      </p>
    </>
  );
}

/** A service that is gone, and a session that has ended, while what was known stays on screen. */
function ConnectionNotice({ access }: { readonly access: Access }) {
  const { api } = useUi();
  const goneSince = useSignal(api.unreachableSince);
  return (
    <div role="status" class="connection">
      {access.state === 'closed' ? (
        <p class="banner">
          <b>This session has ended.</b> The service was restarted, twelve hours have passed, or somebody
          ended it. Run <code>{openCommand(new URL(location.href))}</code> and open its link: this tab then
          goes on.
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

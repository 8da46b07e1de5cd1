/** What somebody sees who may not come in (yet), and how they get in. */
import type { RefObject } from 'preact';
import { openCommand } from './result-command.ts';
import type { Access } from './session.ts';

const ACCESS_TEXTS = {
  absent: ['This page needs a link', 'A link to this page works once, within ten minutes.'],
  refused: [
    'This link no longer works',
    'A link works once, within ten minutes: this one was used before, or is older.',
  ],
  ended: ['This session has ended', ''],
  left: ['You are signed out', 'The session has ended in all tabs of this browser.'],
} as const;

/** @param title gets the focus where what had it is gone */
export function SignIn({
  access,
  title,
}: {
  readonly access: Access;
  readonly title: RefObject<HTMLHeadingElement | null>;
}) {
  if (access.state !== 'closed') return <p class="about">Opening…</p>;
  const [heading, why] = ACCESS_TEXTS[access.why];
  return (
    <section class="door">
      <h1 ref={title} tabIndex={-1}>
        {heading}
      </h1>
      <p>
        {why} To get in, run this on the machine of the service, in the directory in which it was started:
      </p>
      <pre tabIndex={0} aria-label="Command">
        {openCommand(new URL(location.href))}
      </pre>
      <p class="about">
        It prints a new link and opens it. Other tabs of this browser are then let in by the first one.
      </p>
    </section>
  );
}

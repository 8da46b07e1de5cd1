import type { RefObject } from 'preact';
import { CopyableText } from './copyable-text.tsx';
import { openCommand } from './result-command.ts';
import type { Access } from './session.ts';

const ACCESS_TEXTS = {
  absent: ['Sign-in link required', 'A link can be used once and expires after ten minutes.'],
  refused: [
    'This link is no longer valid',
    'A link can be used once and expires after ten minutes. This one has been used or has expired.',
  ],
  ended: [
    'This session has ended',
    'The service was restarted, twelve hours have passed, or a user ended the session.',
  ],
  left: ['You are signed out', 'The session has ended in all tabs of this browser.'],
} as const;

/**
 * Renders the page that is shown without a session.
 * @param title - Reference to the heading, which receives the focus if the focus was lost.
 */
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
    <section class="sign-in">
      <h1 ref={title} tabIndex={-1}>
        {heading}
      </h1>
      <SignInSteps why={why} />
    </section>
  );
}

function SignInSteps({ why }: { readonly why: string }) {
  return (
    <>
      <p>
        {why} To sign in, run this command on the machine that runs the service, in the directory where the
        service was started:
      </p>
      <CopyableText label="command" text={openCommand(new URL(location.href))} />
      <p class="about">
        The command prints a new link and opens it. Other tabs of this browser are signed in automatically.
      </p>
    </>
  );
}

export function SessionEnded() {
  const [heading, why] = ACCESS_TEXTS.ended;
  return (
    <div class="banner">
      <b>{heading}</b>
      <SignInSteps why={why} />
    </div>
  );
}

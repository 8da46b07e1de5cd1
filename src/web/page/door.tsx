/** What somebody sees who may not come in (yet), and how they get in. */
import type { Access } from './session.ts';

export function Door({ access }: { readonly access: Access }) {
  if (access.state !== 'closed') return <p class="about">Opening…</p>;
  return (
    <section class="door">
      <h1>{access.why === 'refused' ? 'This link has expired' : 'This page needs a link'}</h1>
      <p>
        A link to this page works once, and for ten minutes. For a new one, run this where the service runs:
      </p>
      <pre tabIndex={0} aria-label="Command">
        loadtests open
      </pre>
      <p class="about">
        It prints a link and opens it. Other tabs of this browser are then let in by the first one.
      </p>
    </section>
  );
}

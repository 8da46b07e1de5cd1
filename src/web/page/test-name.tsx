/** A test by its name, with whose it is. */
import type { ComponentChildren } from 'preact';

/** As the API has it. */
export interface Named {
  readonly title: string;
  readonly project: string | null;
  readonly environment: string | null;
  readonly key: string | null;
}

/** What the file calls it, or what it is called where no file does. */
export function nameOf({ key, title }: Named): string {
  return key ?? title;
}

/** `shop · production`; empty where no file declares it. */
export function ownerOf({ project, environment }: Named): string {
  return [project, environment].filter((part) => part !== null).join(' · ');
}

/** @param href of its name; null: none */
export function TestName({ test, href }: { readonly test: Named; readonly href: string | null }) {
  const about: ComponentChildren = [
    ownerOf(test),
    test.key === null || test.title === test.key ? '' : test.title,
  ]
    .filter((part) => part !== '')
    .join(' · ');
  return (
    <span class="name">
      {href === null ? <b>{nameOf(test)}</b> : <a href={href}>{nameOf(test)}</a>}
      {about === '' ? null : <span class="note"> {about}</span>}
    </span>
  );
}

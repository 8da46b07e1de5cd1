/** A test by its name, with whose it is. */
import { Apart } from '../apart.tsx';

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

/** Project and environment, as far as there are any; empty where no file declares it. */
export function ownerOf({ project, environment }: Named): readonly string[] {
  return [project, environment].flatMap((part) => (part === null || part === '' ? [] : [part]));
}

/** @param href of its name; null: none */
export function TestName({ test, href }: { readonly test: Named; readonly href: string | null }) {
  const about = [...ownerOf(test), ...(test.key === null || test.title === test.key ? [] : [test.title])];
  return (
    <span class="name">
      {href === null ? <b>{nameOf(test)}</b> : <a href={href}>{nameOf(test)}</a>}
      {about.length === 0 ? null : (
        <span class="note">
          {' '}
          <Apart texts={about} />
        </span>
      )}
    </span>
  );
}

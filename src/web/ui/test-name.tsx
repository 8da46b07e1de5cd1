/** A test by its name, with whose it is. */
import { BidiIsolate } from '../bidi-isolate.tsx';

/** As the API has it. */
export interface NamedTest {
  readonly title: string;
  readonly project: string | null;
  readonly environment: string | null;
  readonly key: string | null;
}

/** What the file calls it, or what it is called where no file does. */
export function testNameOf({ key, title }: NamedTest): string {
  return key ?? title;
}

/** Project and environment, as far as there are any; empty where no file declares it. */
export function ownerOf({ project, environment }: NamedTest): readonly string[] {
  return [project, environment].flatMap((part) => (part === null || part === '' ? [] : [part]));
}

/** @param href of its name; null: none */
export function TestName({ test, href }: { readonly test: NamedTest; readonly href: string | null }) {
  const about = [...ownerOf(test), ...(test.key === null || test.title === test.key ? [] : [test.title])];
  return (
    <span class="name">
      {href === null ? <b>{testNameOf(test)}</b> : <a href={href}>{testNameOf(test)}</a>}
      {about.length === 0 ? null : (
        <span class="note">
          {' '}
          <BidiIsolate texts={about} />
        </span>
      )}
    </span>
  );
}

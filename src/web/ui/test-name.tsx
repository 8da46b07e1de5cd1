import type { KeyRecord } from '../../contract/generated/key-list.ts';
import { BidiIsolate } from '../bidi-isolate.tsx';

export type NamedTest = Readonly<Pick<KeyRecord, 'title' | 'project' | 'environment' | 'key'>>;

export function testNameOf({ key, title }: NamedTest): string {
  return key ?? title;
}

export function ownerOf({ project, environment }: NamedTest): readonly string[] {
  return [project, environment].flatMap((name) => (name === null || name === '' ? [] : [name]));
}

/** @param href - Link of the name; null for a name without a link. */
export function TestName({ test, href }: { readonly test: NamedTest; readonly href: string | null }) {
  const about = [...ownerOf(test), ...(test.key === null || test.title === test.key ? [] : [test.title])];
  return (
    <span class="name" title={[testNameOf(test), ...about].join(' · ')}>
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

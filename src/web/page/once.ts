/** What a view asks for once: it does not change while it is looked at. */
import { useState } from 'preact/hooks';
import { usePage } from './page.ts';
import { usePolling, type Polled } from './polled.ts';

/** Asks again only while nobody answers. */
export function useOnce<Body>(path: string): Polled<Body> {
  const { api } = usePage();
  const [told, setTold] = useState<Polled<Body> & { readonly path: string | null }>(NOTHING);
  usePolling(async () => {
    if (told.path === path) return;
    const answer = await api.get<Body>(path);
    if (answer.kind === 'given') setTold({ path, body: answer.body, refused: null });
    if (answer.kind === 'refused') setTold({ path, body: null, refused: answer });
  }, [path]);
  return told.path === path ? told : NOTHING;
}

const NOTHING = { path: null, body: null, refused: null } as const;

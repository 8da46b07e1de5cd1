/** A text to be copied: with a button, and by hand where the browser lets no page copy. */
import { useRef, useState } from 'preact/hooks';
import { useUi } from './ui-context.ts';

/** @param what it is: `Command` */
export function CopyableText({ what, text }: { readonly what: string; readonly text: string }) {
  const { announcement } = useUi();
  const place = useRef<HTMLElement>(null);
  const [outcome, setOutcome] = useState('');
  const tell = (now: string): void => {
    setOutcome(now);
    announcement.set(now === '' ? '' : `${what}: ${now}`);
  };
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      tell('copied');
    } catch {
      // Without a permission, or a secure origin, there is no clipboard.
      if (place.current !== null) getSelection()?.selectAllChildren(place.current);
      tell('selected: copy it with Ctrl+C or ⌘C');
    }
  };
  return (
    <p class="copied">
      <code ref={place}>{text}</code>{' '}
      <button type="button" aria-label={`Copy ${what.toLowerCase()}`} onClick={() => void copy()}>
        Copy
      </button>{' '}
      <span class="note">{outcome}</span>
    </p>
  );
}

/** Text with a copy button. If the browser does not allow copying, the button selects the text instead. */
import { useRef, useState } from 'preact/hooks';
import { useUi } from './ui-context.ts';

/** @param label - Name of the text for use in a sentence, such as `command`. */
export function CopyableText({ label, text }: { readonly label: string; readonly text: string }) {
  const { announcement } = useUi();
  const element = useRef<HTMLElement>(null);
  const [outcome, setOutcome] = useState('');
  const report = (message: string): void => {
    setOutcome(message);
    announcement.set(`${label}: ${message}`);
  };
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      report('copied');
    } catch {
      // Copying fails without permission or a secure origin.
      if (element.current !== null) getSelection()?.selectAllChildren(element.current);
      report('selected; press Ctrl+C or ⌘C to copy');
    }
  };
  return (
    <p class="copied">
      <code ref={element}>{text}</code>{' '}
      <button type="button" aria-label={`Copy ${label}`} onClick={() => void copy()}>
        Copy
      </button>{' '}
      <span class="note">{outcome}</span>
    </p>
  );
}

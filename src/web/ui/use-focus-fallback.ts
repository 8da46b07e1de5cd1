/** Where the focus goes when what had it disappears: who uses a keyboard would have to begin at the top of the page. */
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** To the heading of the view: a row goes when its run ends, with the button that was pressed and the dialog on it. */
export function useFocusFallback(heading: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let last: EventTarget | null = null;
    const remember = ({ target }: Event): void => {
      last = target;
    };
    // Who clicks on what takes no focus has it nowhere; on what does, it comes after this.
    const forget = (): void => {
      last = null;
    };
    const removals = new MutationObserver(() => {
      if (!(last instanceof Node) || last.isConnected || document.activeElement !== document.body) return;
      last = null;
      heading.current?.focus({ preventScroll: true });
    });
    document.addEventListener('focusin', remember);
    document.addEventListener('mousedown', forget);
    removals.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener('focusin', remember);
      document.removeEventListener('mousedown', forget);
      removals.disconnect();
    };
  }, [heading]);
}

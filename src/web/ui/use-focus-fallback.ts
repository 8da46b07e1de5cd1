/**
 * Hook that moves the focus to the heading when the focused element is removed. Otherwise, keyboard users would start
 * at the top of the page again.
 */
import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

export function useFocusFallback(heading: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let last: EventTarget | null = null;
    const remember = ({ target }: Event): void => {
      last = target;
    };
    // Forgets the focused element when the user clicks, because a click may clear the focus.
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

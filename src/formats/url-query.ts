import type { IntakeField } from '../core/intake/intake.ts';
import { cutText, encodedText, splitText, type IntakeText } from '../core/intake/intake-text.ts';

/** Returns a parameter of a query: `name=value`, percent-encoded. */
export function encodedParameter({ name, value }: IntakeField): IntakeText {
  return [...encodedText([name]), '=', ...encodedText(value)];
}

/** Adds parameters to the query of a URL, and removes the fragment of the URL. */
export function withQuery(url: IntakeText, query: IntakeText): IntakeText {
  const [start = []] = splitText(url, '#');
  return [...start, cutText(start, '?') === null ? '?' : '&', ...query];
}

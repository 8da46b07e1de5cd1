/** Email addresses, in a syntax narrower than the standard, so that all parsers read the same address. */

const LOCAL_PART = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
const DOMAIN_LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/**
 * Reports whether text is one plain ASCII address, `name@example.com`, without quotes, comments or a display name.
 * @see RFC 5321, sections 4.1.2 (dot-string) and 4.5.3.1 (lengths); RFC 1034, section 3.5
 */
export function isPlainEmailAddress(text: string): boolean {
  const at = text.indexOf('@');
  if (text.length > 254 || at < 1 || at > 64) return false;
  const labels = text.slice(at + 1).split('.');
  return (
    LOCAL_PART.test(text.slice(0, at)) &&
    labels.length >= 2 &&
    labels.every((label) => DOMAIN_LABEL.test(label)) &&
    // Some parsers treat a numeric last label as an IPv4 address.
    !/^\d+$/.test(labels.at(-1) ?? '')
  );
}

/** Joins texts in one line. Direction marks in a text do not affect the other texts. */
export function BidiIsolate({ texts }: { readonly texts: readonly string[] }) {
  return texts.map((text, index) => [index === 0 ? '' : ' · ', <bdi>{text}</bdi>]);
}

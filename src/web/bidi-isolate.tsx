/** Renders strings with separators. Bidirectional control characters in one string do not affect the others. */
export function BidiIsolate({ texts }: { readonly texts: readonly string[] }) {
  return texts.map((text, index) => [index === 0 ? '' : ' · ', <bdi>{text}</bdi>]);
}

/**
 * Renders strings with separators. Each string is isolated, so that its bidirectional control characters do not affect
 * the other strings.
 */
export function BidiIsolate({ texts }: { readonly texts: readonly string[] }) {
  return texts.map((text, index) => [index === 0 ? '' : ' · ', <bdi>{text}</bdi>]);
}

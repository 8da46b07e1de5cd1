/** Texts in one line, each of which may turn its own direction and no other's. */
export function BidiIsolate({ texts }: { readonly texts: readonly string[] }) {
  return texts.map((text, index) => [index === 0 ? '' : ' · ', <bdi>{text}</bdi>]);
}

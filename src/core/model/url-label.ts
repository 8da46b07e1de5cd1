/** Labels of URLs in thresholds and reports: their names, or their method and path. */

export interface LabeledUrl {
  readonly name: string | null;
  readonly method: string | null;
  readonly url: string;
}

/** Maximum length of a label that consists of a method and a path. */
const MAX_LABEL_LENGTH = 60;

/** Returns a label for each URL. The number of the URL is added to labels that would otherwise be equal. */
export function urlLabels(urls: readonly LabeledUrl[]): readonly string[] {
  const labels = urls.map(({ name, method, url }) => name ?? truncate(`${method ?? 'GET'} ${pathOf(url)}`));
  const counts = new Map<string, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return labels.map((label, index) => ((counts.get(label) ?? 0) > 1 ? `${label} (URL ${index + 1})` : label));
}

function pathOf(url: string): string {
  const path = url.replace(/^[a-z]+:\/\/[^/?#]*/i, '');
  return path === '' ? '/' : path;
}

function truncate(text: string): string {
  return text.length > MAX_LABEL_LENGTH ? `${text.slice(0, MAX_LABEL_LENGTH - 1)}…` : text;
}

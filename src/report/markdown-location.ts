/**
 * Locations in files, as code. If the code hosting site is known, locations link to the commit on this site.
 */
import type { Origin, Source } from '../core/report/generated/documents.ts';
import { sourceUrl } from '../core/report/origin-text.ts';
import { codeSpan, htmlText } from './markdown-builder.ts';

/**
 * Functions that format a location. `html` is for summaries of collapsible sections. Both functions return an empty
 * string if the location has no file.
 */
export interface Locations {
  readonly markdown: (source: Source) => string;
  readonly html: (source: Source) => string;
}

export function locationsAt(origin: Origin | undefined): Locations {
  return {
    markdown: (source) => {
      const [text, url] = [sourceText(source), sourceUrl(origin, source)];
      if (text === '') return '';
      return url === null ? codeSpan(text) : `[${codeSpan(text)}](${url})`;
    },
    html: (source) => {
      const [text, url] = [sourceText(source), sourceUrl(origin, source)];
      if (text === '') return '';
      const code = `<code>${htmlText(text)}</code>`;
      return url === null ? code : `<a href="${htmlText(url)}">${code}</a>`;
    },
  };
}

function sourceText({ file, line }: Source): string {
  return file === undefined ? '' : line === undefined ? file : `${file}:${line}`;
}

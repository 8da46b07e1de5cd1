/** Renders a Markdown report as GitHub shows it in a comment. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { marked } from 'marked';

const { resolve } = createRequire(import.meta.url);

/** Returns a page with the comment and the styles of GitHub. Raw HTML remains, because GitHub accepts folds. */
export function commentPage(markdown: string): string {
  const style = readFileSync(resolve('github-markdown-css/github-markdown-light.css'), 'utf8');
  const html = marked.parse(markdown, { gfm: true, async: false });
  return `<!doctype html><meta charset="utf-8"><style>${style}
    body { margin: 16px; width: 780px; }</style><article class="markdown-body">${withAlerts(html)}</article>`;
}

/** Converts quotes that begin with `[!CAUTION]` to the alerts of GitHub, which Marked does not support. */
function withAlerts(html: string): string {
  return html.replaceAll(
    /<blockquote>\s*<p>\[!CAUTION\]\s*(?:<\/p>)?([^]*?)<\/blockquote>/g,
    '<div class="markdown-alert markdown-alert-caution"><p class="markdown-alert-title">Caution</p>$1</div>',
  );
}

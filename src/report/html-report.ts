/**
 * A report as one file of HTML: it opens from disk, asks the network for nothing, and is whole without its script, which
 * draws the charts.
 */
import { createHash } from 'node:crypto';
import { printableStrings } from '../core/printable.ts';
import type { Report } from '../core/report/generated/documents.ts';
import { escapeHtml, toMarkup } from '../web/markup.ts';
import { HtmlReport, titleOf } from '../web/html-report.tsx';
import { shownComparison, shownRuns } from '../web/shown-run.ts';
import { readWebAsset } from './web-assets.ts';

export function toHtml(told: Report): string {
  const report = printableStrings(told);
  const compared = shownComparison(report);
  const runs = compared?.runs ?? shownRuns(report);
  const [style, script] = [readWebAsset('report.css'), readWebAsset('report.js')];
  const charts = [...(compared?.charts ?? []), ...runs.flatMap((shown) => shown.charts)];
  // Nothing is let in but what this program has put there: no other script, style, image, frame or connection.
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'`;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(titleOf(report))}</title>`,
    `<style>${style}</style>`,
    '</head>',
    `<body>${toMarkup(HtmlReport({ report, runs, compared }))}`,
    `<script type="application/json" id="charts">${jsonInScript(charts)}</script>`,
    `<script>${script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** No text of it ends the element, or begins a comment. */
function jsonInScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

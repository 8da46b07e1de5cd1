/** HTML reporter: a self-contained file that needs no network access. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { printableStrings } from '../core/printable.ts';
import type { Report } from '../core/report/generated/documents.ts';
import { escapeHtml, toMarkup } from '../web/markup.ts';
import { HtmlReport } from '../web/html-report.tsx';
import { pageTitle, shownComparison, shownRuns } from '../web/shown-run.ts';

export function toHtml(rawReport: Report): string {
  const report = printableStrings(rawReport);
  const compared = shownComparison(report);
  const runs = compared?.runs ?? shownRuns(report);
  const [style, script] = [readWebAsset('report.css'), readWebAsset('report.js')];
  const charts = [...(compared?.charts ?? []), ...runs.flatMap((shown) => shown.charts)];
  const urlCharts = Object.fromEntries(runs.map((shown) => [shown.id, shown.urlCharts]));
  // Allows only the embedded script and style.
  const policy = `default-src 'none'; script-src ${hashOf(script)}; style-src ${hashOf(style)}; base-uri 'none'; form-action 'none'`;
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width">',
    '<meta name="color-scheme" content="light dark">',
    `<title>${escapeHtml(pageTitle(report, compared === null ? runs : runs.slice(0, 1)))}</title>`,
    `<style>${style}</style>`,
    '</head>',
    `<body>${toMarkup(HtmlReport({ report, runs, compared }))}`,
    `<script type="application/json" id="charts">${jsonInScript(charts)}</script>`,
    `<script type="application/json" id="url-charts">${jsonInScript(urlCharts)}</script>`,
    `<script>${script}</script>`,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** Escapes `<`, so that the JSON cannot end the script element or begin a comment. */
function jsonInScript(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

/**
 * Returns an asset of the build. The relative path is the same from src/report and from dist/chunks.
 */
function readWebAsset(name: 'report.css' | 'report.js'): string {
  return readFileSync(new URL(`../../dist/web/${name}`, import.meta.url), 'utf8');
}

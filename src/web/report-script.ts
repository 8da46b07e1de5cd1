/** Script of the HTML report. Draws the charts from the data in the file, and sorts tables. */
import { chartNote, type Chart, type ChartChange } from './chart.ts';
import { PlotCollection } from './plot-collection.ts';

/** Usable width of a printed page, in pixels. */
const PAPER_WIDTH_PX = 660;

const root = document.documentElement;
// The casts are valid, because the HTML reporter, which embeds this script, also embeds the data.
const charts = dataOf('charts') as readonly Chart[];
const urlCharts = dataOf('url-charts') as Readonly<Record<string, readonly (readonly ChartChange[])[]>>;
const shown = new Map(charts.map((chart) => [chart.id, chart]));
const plots = new PlotCollection();

// Draws each chart when it scrolls into view, because a report can contain many charts.
const observer = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      const chart = shown.get(target.id);
      if (!isIntersecting || chart === undefined) continue;
      observer.unobserve(target);
      plots.draw(chart);
    }
  },
  { rootMargin: '600px' },
);
for (const { id } of charts) {
  const figure = document.getElementById(id);
  if (figure !== null) observer.observe(figure);
}

function dataOf(id: string): unknown {
  return JSON.parse(document.getElementById(id)?.textContent ?? 'null');
}

for (const section of document.querySelectorAll('section.run')) {
  const note = section.querySelector<HTMLElement>('.chosen');
  const buttons = [...section.querySelectorAll<HTMLButtonElement>('button[data-url]')];
  const choose = (chosen: HTMLButtonElement | null): void => {
    for (const button of buttons) button.ariaPressed = String(button === chosen);
    if (note !== null) note.hidden = chosen === null;
    note?.querySelector('b')?.replaceChildren(chosen?.textContent ?? '');
    const changes = chosen === null ? null : (urlCharts[section.id]?.[Number(chosen.dataset['url'])] ?? []);
    for (const whole of charts.filter(({ id }) => id.startsWith(`${section.id}-`))) {
      const figure = document.getElementById(whole.id);
      const change = changes?.find(({ id }) => id === whole.id);
      if (figure === null) continue;
      const chart = { ...whole, ...change };
      shown.set(chart.id, chart);
      // Hides charts that a URL does not have, such as the chart of connections.
      figure.hidden = changes !== null && change === undefined;
      figure.querySelector('figcaption')?.replaceChildren(chart.title);
      figure.querySelector('.note')?.replaceChildren(chartNote(chart));
      if (!figure.hidden) plots.draw(chart);
    }
    if (chosen !== null) note?.scrollIntoView({ block: 'nearest' });
  };
  for (const button of buttons)
    button.addEventListener('click', () => choose(button.ariaPressed === 'true' ? null : button));
  note?.querySelector('button')?.addEventListener('click', () => choose(null));
}

for (const button of document.querySelectorAll('.sort')) {
  button.addEventListener('click', () => {
    const heading = button.closest('th');
    if (heading !== null) sortRows(heading);
  });
}

/**
 * Sorts rows by a column. The first click sorts numbers in descending order and text in ascending order. Empty values
 * come last.
 */
function sortRows(heading: HTMLTableCellElement): void {
  const { cellIndex, classList, ariaSort } = heading;
  const descending = ariaSort === null ? classList.contains('number') : ariaSort === 'ascending';
  for (const other of heading.parentElement?.children ?? []) other.ariaSort = null;
  heading.ariaSort = descending ? 'descending' : 'ascending';
  const body = heading.closest('table')?.tBodies[0];
  const valueOf = (row: HTMLTableRowElement) => row.cells[cellIndex]?.dataset['value'];
  const sorted = [...(body?.rows ?? [])].sort((one, other) => {
    const [a, b] = [valueOf(one), valueOf(other)];
    if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
    const difference = Number(a) - Number(b);
    return (descending ? -1 : 1) * (Number.isNaN(difference) ? (a < b ? -1 : 1) : difference);
  });
  body?.append(...sorted);
}

let openedTables: readonly HTMLDetailsElement[] = [];

addEventListener('beforeprint', () => {
  root.classList.add('printing');
  openedTables = [...document.querySelectorAll<HTMLDetailsElement>('details:not([open]):not(.long)')];
  for (const details of openedTables) details.open = true;
  for (const chart of shown.values()) plots.draw(chart);
  plots.redraw(PAPER_WIDTH_PX);
});
addEventListener('afterprint', () => {
  root.classList.remove('printing');
  for (const details of openedTables) details.open = false;
  plots.redraw();
});

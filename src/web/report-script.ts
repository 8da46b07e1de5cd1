/** Script of the HTML report. It draws the charts from the data in the file. */
import type { Chart } from './chart.ts';
import { PlotCollection } from './plot-collection.ts';

/** Usable width of a printed page, in pixels. */
const PAPER_WIDTH_PX = 660;

const root = document.documentElement;
// The HTML reporter, which embeds this script, also embeds the data.
const charts = JSON.parse(document.getElementById('charts')?.textContent ?? '[]') as readonly Chart[];
const plots = new PlotCollection();

// Draws each chart when it scrolls into view, because a report can contain many charts.
const observer = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      const chart = charts.find(({ id }) => id === target.id);
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

for (const button of document.querySelectorAll('.sort')) {
  button.addEventListener('click', () => {
    const heading = button.closest('th');
    if (heading !== null) sortRows(heading);
  });
}

/** Sorts the rows of a table by a column: numbers in descending order first. Rows without a value come last. */
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

/** Tables that were expanded for printing. */
let openedTables: readonly HTMLDetailsElement[] = [];

addEventListener('beforeprint', () => {
  root.classList.add('printing');
  openedTables = [...document.querySelectorAll<HTMLDetailsElement>('details:not([open]):not(.long)')];
  for (const details of openedTables) details.open = true;
  for (const chart of charts) plots.draw(chart);
  plots.redraw(PAPER_WIDTH_PX);
});
addEventListener('afterprint', () => {
  root.classList.remove('printing');
  for (const details of openedTables) details.open = false;
  plots.redraw();
});

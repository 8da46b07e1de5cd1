/** What the file of a report does when it is opened: it draws the charts whose data it holds. */
import type { Chart } from './chart.ts';
import { PlotCollection } from './plot-collection.ts';

/** As wide as a page of paper leaves room for, in pixels. */
const PAPER_WIDTH_PX = 660;

const root = document.documentElement;
// Written by the reporter whose script this is.
const charts = JSON.parse(document.getElementById('charts')?.textContent ?? '[]') as readonly Chart[];
const plots = new PlotCollection();

// A report of many tests draws what is looked at.
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

/** Tables that the printing has opened. */
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

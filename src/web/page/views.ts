/** All views of the page, in the order of the navigation. */
import type { Place } from './routes.ts';
import type { View } from './view.ts';
import { apps } from './views/apps.tsx';
import { compare } from './views/compare.tsx';
import { overview } from './views/overview.tsx';
import { run } from './views/run.tsx';
import { tests } from './views/tests.tsx';
import { workers } from './views/workers.tsx';

export const VIEWS: readonly View[] = [overview, tests, apps, workers, run, compare];

/** Null: no view shows this place. */
export function viewOf([at = '', ...rest]: Place): View | null {
  return VIEWS.find((view) => view.at === at && view.takes(rest.length)) ?? null;
}

/** All views of the page, in the order of the navigation. */
import type { Route } from './routes.ts';
import type { View } from './view.ts';
import { apps } from './views/apps.tsx';
import { compare } from './views/compare.tsx';
import { overview } from './views/overview.tsx';
import { run } from './views/run.tsx';
import { tests } from './views/tests.tsx';
import { workers } from './views/workers.tsx';

export const VIEWS: readonly View[] = [overview, tests, apps, workers, run, compare];

/** Null: no view shows this place. */
export function findView([at = '', ...rest]: Route): View | null {
  return VIEWS.find((view) => view.path === at && view.parameters(rest.length)) ?? null;
}

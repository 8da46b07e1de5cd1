/** All views, in the order of the navigation. */
import type { Route } from './routes.ts';
import type { View } from './view.ts';
import { apps } from './views/apps.tsx';
import { compare } from './views/compare.tsx';
import { overview } from './views/overview.tsx';
import { run } from './views/run.tsx';
import { tests } from './views/tests.tsx';
import { workers } from './views/workers.tsx';

export const VIEWS: readonly View[] = [overview, tests, apps, workers, run, compare];

export function findView([path = '', ...rest]: Route): View | null {
  return VIEWS.find((view) => view.path === path && view.acceptsParameters(rest.length)) ?? null;
}

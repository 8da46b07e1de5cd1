/** What a view is. Each lies in a file of its own in `views/`, and in the list of `views.ts`. */
import type { ComponentChildren } from 'preact';
import type { Route } from './routes.ts';

export interface View {
  /** The first part of its place: `runs` of `#/runs/…`. */
  readonly path: string;
  /** Whether it shows places with so many parts after the first one. */
  readonly parameters: (parts: number) => boolean;
  /** In the navigation, and in the heading. */
  readonly name: string;
  /** Else it is reached from others. */
  readonly inNavigation: boolean;
  /** Shown anew for each place. @param rest the parts after the first one */
  readonly Content: (properties: { readonly rest: Route }) => ComponentChildren;
}

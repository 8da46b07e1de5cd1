/** Interface of a view. Each view has its own file in `views/` and an entry in `views.ts`. */
import type { ComponentChildren } from 'preact';
import type { Route } from './routes.ts';

export interface View {
  /** First segment of the route, such as `runs` in `#/runs/…`. */
  readonly path: string;
  /** Reports whether the view accepts this number of segments after the first one. */
  readonly acceptsParameters: (count: number) => boolean;
  /** Name in the navigation, which is also the default heading. */
  readonly name: string;
  /** True if the navigation contains the view; false if the view is reachable only by links in other views. */
  readonly inNavigation: boolean;
  /**
   * Component with the content of the view. The component is mounted again for each route.
   * @param rest - The segments after the first one.
   */
  readonly Content: (properties: { readonly rest: Route }) => ComponentChildren;
}

/** Labels of tests on the service that the file need not declare. */
import type { ObservedTest } from '../model/load-test.ts';
import { titleOf } from '../model/test-title.ts';
import { readMarker } from './ownership-marker.ts';

/** Returns text like `shop/home in production` for a test that loadtests created; otherwise the title of the test. */
export function labelOf(test: Pick<ObservedTest, 'name' | 'notes' | 'targets'>): string {
  const reading = readMarker(test.notes);
  if (reading.kind !== 'marker') return titleOf({ name: test.name, targets: test.targets() });
  const { project, environment, key } = reading.marker;
  return `${project}/${key}${environment === null ? '' : ` in ${environment}`}`;
}

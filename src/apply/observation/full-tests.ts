/** Reads tests with full request bodies, which lists may truncate. */
import type { TestId } from '../../core/model/ids.ts';
import type { ObservedTest } from '../../core/model/load-test.ts';
import type { ServicePort } from '../../core/ports/service-port.ts';
import { forEachConcurrent } from '../concurrency.ts';

type TestReader = Pick<ServicePort, 'getTest'>;

/**
 * Returns the test with full request bodies. Other fields, such as a restored marker, are unchanged.
 * @throws CallError, for example if the test no longer exists.
 */
export async function fetchFullTest(test: ObservedTest, service: TestReader): Promise<ObservedTest> {
  if (test.bodies === 'whole') return test;
  const { targets, bodies } = (await service.getTest(test.id)).test;
  return { ...test, targets, bodies };
}

/**
 * Returns the tests in the same order. The tests that `matters` selects have full request bodies.
 * @throws CallError
 */
export async function fetchFullTests(
  tests: readonly ObservedTest[],
  matters: (test: ObservedTest) => boolean,
  { service, parallelism }: { readonly service: TestReader; readonly parallelism: number },
): Promise<readonly ObservedTest[]> {
  const truncated = tests.filter((test) => test.bodies === 'cut' && matters(test));
  if (truncated.length === 0) return tests;
  const full = new Map<TestId, ObservedTest>();
  await forEachConcurrent(truncated, parallelism, async (test) => {
    full.set(test.id, await fetchFullTest(test, service));
  });
  return tests.map((test) => full.get(test.id) ?? test);
}

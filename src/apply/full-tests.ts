/** Tests with their whole bodies: of long ones a list shows the beginnings only, which are never compared. */
import type { TestId } from '../core/model/ids.ts';
import type { ObservedTest } from '../core/model/load-test.ts';
import type { ServicePort } from '../core/ports/service-port.ts';
import { forEachConcurrent } from './concurrency.ts';

type TestReader = Pick<ServicePort, 'getTest'>;

/**
 * Asks for the bodies of a test if the list has cut them. All else stays as it was, with a mark that was put back.
 *
 * Errors: CallError, also where the test is gone by now.
 */
export async function fetchFullTest(test: ObservedTest, service: TestReader): Promise<ObservedTest> {
  if (test.bodies === 'whole') return test;
  const { targets, bodies } = (await service.getTest(test.id)).test;
  return { ...test, targets, bodies };
}

/** The same tests in the same order, those that matter whole. Errors: CallError. */
export async function fetchFullTests(
  tests: readonly ObservedTest[],
  matters: (test: ObservedTest) => boolean,
  { service, parallelism }: { readonly service: TestReader; readonly parallelism: number },
): Promise<readonly ObservedTest[]> {
  const cut = tests.filter((test) => test.bodies === 'cut' && matters(test));
  if (cut.length === 0) return tests;
  const whole = new Map<TestId, ObservedTest>();
  await forEachConcurrent(cut, parallelism, async (test) => {
    whole.set(test.id, await fetchFullTest(test, service));
  });
  return tests.map((test) => whole.get(test.id) ?? test);
}

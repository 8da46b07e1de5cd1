/** Selection of tests by ID, written as `id:ID`. */
import { fetchUnlistedTests } from '../../apply/observation/known-tests.ts';
import { isRemoteId, testId } from '../../core/model/ids.ts';
import type { ObservedTest } from '../../core/model/load-test.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import type { ServicePort } from '../../core/ports/service-port.ts';
import { usageError } from '../terminal/errors.ts';

const ID_PREFIX = 'id:';

/**
 * Returns the distinct IDs; null if no name has the form `id:ID`.
 * @throws ProblemError LT_CLI_USAGE if both forms are mixed or an ID is invalid.
 */
export function idsOf(names: readonly string[]): readonly string[] | null {
  const ids = names.filter((name) => name.startsWith(ID_PREFIX)).map((name) => name.slice(ID_PREFIX.length));
  if (ids.length === 0) return null;
  if (ids.length < names.length) throw usageError('keys and id:ID cannot be combined');
  for (const id of ids) if (!isRemoteId(id)) throw usageError(`"${id}" is not a valid test ID`);
  return [...new Set(ids)];
}

/**
 * Returns the tests in the order of `ids`.
 * @throws ProblemError LT_RUN_NOT_FOUND if a test does not exist; CallError
 */
export async function findTestsById(
  service: ServicePort,
  ids: readonly string[],
): Promise<readonly ObservedTest[]> {
  const { items } = await service.listTests();
  const tests = [...items, ...(await fetchUnlistedTests(items, service, ids.map(testId)))];
  return ids.map((id) => {
    const found = tests.find((test) => test.id === testId(id));
    if (found !== undefined) return found;
    throw new ProblemError(problem('LT_RUN_NOT_FOUND', `the service has no test "${id}"`));
  });
}

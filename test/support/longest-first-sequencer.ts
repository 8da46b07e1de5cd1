/** Long files begin first, so that in the end nobody waits for one of them while the other cores have nothing to do. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Without a record of earlier runs, as in CI, Vitest takes a file's length for how long it takes. */
const LONGEST_FILES = [
  'unit/engine/parser-fuzz',
  'unit/engine/virtual-time',
  'unit/engine/long-runs',
  'unit/core/load/verdicts',
  'unit/core/reconcile/plan.property',
  'timing/comparing',
  'timing/surroundings',
  'timing/outages',
].map((name) => `/test/${name}.test.ts`);

export class LongestFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // Files of a project share workers, which begin anew with each other project.
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project);
      const long = LONGEST_FILES.flatMap((name) => own.filter(({ moduleId }) => moduleId.endsWith(name)));
      return [...long, ...own.filter((file) => !long.includes(file))];
    });
  }
}

/** Starts long test files first, so that no core is idle at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Without records of earlier runs, as in CI, Vitest estimates durations from file sizes. */
const LONGEST_FILES = [
  'cli/unlisted-tests',
  'corpus/corpus',
  'cli/action',
  'cli/guide-commands',
  'cluster/distributed-runs',
  'web/views',
  'cluster/hostile-redis',
  'web/lists',
  'cli/package',
  'cli/examples',
  'cluster/faults',
  'unit/engine/parser-fuzz',
  'unit/engine/virtual-time',
  'unit/engine/long-runs',
  'unit/core/load/verdicts',
  'unit/core/reconcile/plan.property',
  'timing/run-comparison',
  'timing/memory-limits',
  'timing/outages',
].map((name) => `/test/${name}.test.ts`);

export class LongestFirstSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // Files of a project share Vitest workers, which restart for each project.
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project);
      const long = LONGEST_FILES.flatMap((name) => own.filter(({ moduleId }) => moduleId.endsWith(name)));
      return [...long, ...own.filter((file) => !long.includes(file))];
    });
  }
}

/** Starts long test files first, so that no core is idle at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Without records of earlier runs, as in CI, Vitest estimates durations from file sizes. */
const LONGEST_FILES = [
  'cluster/faults',
  'web/views',
  'cluster/distributed-runs',
  'cli/package',
  'web/lists',
  'cli/examples',
  'cli/action',
  'cli/guide-commands',
  'cli/html-report',
  'cli/plan-against',
  'web/states',
  'cli/several-files',
  'cli/golden',
  'cluster/worker-pool',
  'cluster/hostile-redis',
  'corpus/corpus',
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

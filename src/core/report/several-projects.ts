/** Documents of several configuration files. */
import { counted } from '../counted.ts';
import { printableStrings } from '../printable.ts';
import { projectsToStart, type ConcurrentProject } from '../reconcile/run-order.ts';
import type { ScheduledAction } from './load-text.ts';
import { phaseMembers } from './plan-document.ts';
import type { CommandBody } from './command-report.ts';
import type {
  AppliesDocument,
  Load,
  PlansDocument,
  Report,
  ValidationsDocument,
} from './generated/documents.ts';
import { sumOf } from '../sum.ts';

export type ProjectsDocument = AppliesDocument | PlansDocument | ValidationsDocument;

export function asProjects(report: Report): ProjectsDocument | null {
  return 'projects' in report ? report : null;
}

type Problem = ProjectsDocument['problems'][number];

/** Returns the problems that do not belong to any file, such as a missing approval. */
export function problemsOfCommand({ problems, projects }: ProjectsDocument): readonly Problem[] {
  const ofFiles = new Set(projects.flatMap((project) => project.report.problems.map(keyOf)));
  return problems.filter((one) => !ofFiles.has(keyOf(one)));
}

function keyOf({ code, message, file, line }: Problem): string {
  // Compares problems as displayed, with spaces instead of line breaks.
  return JSON.stringify(printableStrings([code, message, file, line]));
}

export type ProjectsCommand = 'validate' | 'plan' | 'apply';

/** If the command has no result for the project, the report contains only the members that all documents share. */
interface ProjectReport extends ConcurrentProject {
  readonly file: string;
  readonly report: Report;
}

export function createProjectsBody(
  command: ProjectsCommand,
  { projects: given, parallel }: { readonly projects: readonly ProjectReport[]; readonly parallel: number },
): Extract<CommandBody, { readonly projects: unknown }> {
  const projects = given.map(({ file, report }) => ({ file, report }));
  if (command === 'validate') return { command, projects };
  const loads = given.flatMap(({ report, resources }) =>
    'summary' in report ? [{ load: report.load, resources }] : [],
  );
  const members = { load: combineLoads(loads, parallel), parallel_projects: parallel };
  if (command === 'apply') return { command, ...members, projects };
  const plans = projects.flatMap(({ report }) =>
    report.command === 'plan' && 'changes' in report ? [report] : [],
  );
  return {
    command,
    ...members,
    has_changes: plans.some((plan) => plan.has_changes),
    environment: plans[0]?.environment ?? null,
    danger: plans.flatMap(({ danger }) => danger),
    projects,
  };
}

/** Returns a text such as `2 of 3 projects` if the total load lacks projects without a plan; otherwise null. */
export function incompleteTotalText({ projects }: Pick<ProjectsDocument, 'projects'>): string | null {
  const planned = projects.filter(({ report }) => 'summary' in report).length;
  return planned === projects.length ? null : `${planned} of ${counted(projects.length, 'project')}`;
}

export function actionsOfProjects({
  projects,
}: Pick<ProjectsDocument, 'projects'>): readonly ScheduledAction[] {
  return projects.flatMap(({ report }) => ('summary' in report && 'actions' in report ? report.actions : []));
}

interface ProjectLoad extends ConcurrentProject {
  readonly load: Load;
}

/**
 * Combines the loads of projects.
 * @param parallel - maximum number of projects that run at the same time
 */
export function combineLoads(projects: readonly ProjectLoad[], parallel: number): Load {
  const loads = projects.map(({ load }) => load);
  const peaks = new Map<string, number>();
  for (const load of loads)
    for (const [host, peak] of Object.entries(load.peak_connections))
      peaks.set(host, Math.max(peak, peaks.get(host) ?? 0));
  const requests = loads.map((load) => (load.starts === 0 ? 0 : load.requests));
  const known = requests.filter((count) => count !== undefined);
  const vary = loads.some((load) => load.requests_vary === true);
  const follow = loads.some((load) => load.follows_redirects === true);
  const shared = loads.flatMap((load) => load.shared_machines ?? []);
  const { seconds, tests } = simulateProjects(
    projects.filter(({ load }) => load.starts > 0),
    parallel,
  );
  return {
    starts: sumOf(loads.map(({ starts }) => starts)),
    peak_connections: Object.fromEntries(peaks),
    ...(shared.length === 0 ? {} : { shared_machines: shared }),
    ...(known.length < requests.length
      ? {}
      : {
          requests: sumOf(known),
          ...(vary ? { requests_vary: true as const } : {}),
          ...(follow ? { follows_redirects: true as const } : {}),
        }),
    ...phaseMembers({
      setup: sumOf(loads.map((load) => load.setup_requests ?? 0)),
      onStart: sumOf(loads.map((load) => load.on_start_requests ?? 0)),
      teardown: sumOf(loads.map((load) => load.teardown_requests ?? 0)),
      vary: loads.some((load) => load.phase_requests_vary === true),
    }),
    seconds,
    ...(loads.some((load) => load.seconds_vary === true) ? { seconds_vary: true as const } : {}),
    concurrent_tests: tests,
  };
}

/** Returns the time from the first start to the last end, and the maximum number of concurrent tests. */
function simulateProjects(
  projects: readonly ProjectLoad[],
  parallel: number,
): { readonly seconds: number; readonly tests: number } {
  let waiting = projects;
  let running: readonly (ProjectLoad & { readonly end: number })[] = [];
  let seconds = 0;
  let tests = 0;
  while (waiting.length + running.length > 0) {
    const ready = projectsToStart<ProjectLoad>(waiting, running, parallel);
    waiting = waiting.filter((project) => !ready.includes(project));
    running = [...running, ...ready.map((project) => ({ ...project, end: seconds + project.load.seconds }))];
    tests = Math.max(tests, sumOf(running.map(({ load }) => load.concurrent_tests)));
    seconds = Math.min(...running.map(({ end }) => end));
    running = running.filter(({ end }) => end > seconds);
  }
  return { seconds, tests };
}

/** Documents of several configuration files. */
import type { CommandBody } from './command-report.ts';
import type {
  AppliesDocument,
  Load,
  PlansDocument,
  Report,
  ValidationsDocument,
} from './generated/documents.ts';

export type ProjectsDocument = AppliesDocument | PlansDocument | ValidationsDocument;

/** Returns the document as that of several files; null if it is about one file. */
export function asProjects(report: Report): ProjectsDocument | null {
  return 'projects' in report ? report : null;
}

/** The document of one file; that of a file without a result has only the members of every document. */
interface ProjectReport {
  readonly file: string;
  readonly report: Report;
}

/** Creates the members of the document of several files. */
export function createProjectsBody(
  command: 'validate' | 'plan' | 'apply',
  reports: readonly ProjectReport[],
): CommandBody {
  const load = combineLoads(reports.flatMap(({ report }) => ('summary' in report ? [report.load] : [])));
  if (command === 'validate') return { command, projects: reports };
  if (command === 'apply') return { command, load, projects: reports };
  const plans = reports.flatMap(({ report }) =>
    report.command === 'plan' && 'changes' in report ? [report] : [],
  );
  return {
    command,
    has_changes: plans.some((plan) => plan.has_changes),
    environment: plans[0]?.environment ?? null,
    load,
    danger: plans.flatMap(({ danger }) => danger),
    projects: reports,
  };
}

/** Returns the load of projects that run one after another. */
export function combineLoads(loads: readonly Load[]): Load {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const peaks = new Map<string, number>();
  for (const load of loads)
    for (const [host, peak] of Object.entries(load.peak_connections))
      peaks.set(host, Math.max(peak, peaks.get(host) ?? 0));
  const requests = loads.map((load) => (load.starts === 0 ? 0 : load.requests));
  const known = requests.filter((count) => count !== undefined);
  const vary = loads.some((load) => load.requests_vary === true);
  const setup = sum(loads.map((load) => load.setup_requests ?? 0));
  const teardown = sum(loads.map((load) => load.teardown_requests ?? 0));
  const shared = loads.flatMap((load) => load.shared_machines ?? []);
  return {
    starts: sum(loads.map(({ starts }) => starts)),
    peak_connections: Object.fromEntries(peaks),
    ...(shared.length === 0 ? {} : { shared_machines: shared }),
    ...(known.length < requests.length
      ? {}
      : { requests: sum(known), ...(vary ? { requests_vary: true as const } : {}) }),
    ...(setup === 0 ? {} : { setup_requests: setup }),
    ...(teardown === 0 ? {} : { teardown_requests: teardown }),
    seconds: sum(loads.map((load) => load.seconds)),
    ...(loads.some((load) => load.seconds_vary === true) ? { seconds_vary: true as const } : {}),
    concurrent_tests: Math.max(0, ...loads.map((load) => load.concurrent_tests)),
  };
}

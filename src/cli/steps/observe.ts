/** Reads what the service holds, and plans. Sends nothing but GET. */
import { withKnownMarks } from '../../apply/known-marks.ts';
import type { ServicePort } from '../../core/ports/service-port.ts';
import type { TestId } from '../../core/model/ids.ts';
import type { RunResult } from '../../core/model/run.ts';
import type { DesiredState } from '../../core/model/state.ts';
import type { Problem } from '../../core/problem.ts';
import {
  createPlan,
  selectedMatching,
  type History,
  type Plan,
  type PlanInput,
  type PlanOptions,
} from '../../core/reconcile/plan.ts';
import { sha256 } from '../session/digest.ts';
import type { Session } from '../session/session.ts';

export type Observation = Pick<PlanInput, 'observed' | 'matching' | 'history' | 'notesDropped'>;

export interface ObserveOptions {
  readonly filter: Pick<PlanOptions, 'only' | 'exclude'>;
  readonly parallelism: number;
}

/** Errors: CallError; a read that failed is never "absent". */
export async function observe(
  session: Session,
  desired: DesiredState,
  options: ObserveOptions,
): Promise<Observation> {
  const { service } = session.connection;
  const [apps, tests] = await Promise.all([service.listApps(), service.listTests()]);
  const known = withKnownMarks(tests.items, session.journal(desired).lines());
  const pinned = desired.tests.map((test) => test.adopt);
  const observed = { apps: apps.items, tests: known.tests, perhapsCut: tests.perhapsCut || apps.perhapsCut };
  const matching = selectedMatching(desired, observed, { filter: options.filter, sha256 });
  const wanted = matching.matches.flatMap((match) => {
    // Also without thresholds: a run that its error threshold ended has failed.
    return match.found.kind === 'present' ? [match.found.test.id] : [];
  });
  return {
    observed,
    matching,
    history: await readHistory(service, wanted, options.parallelism),
    notesDropped: known.unmarked.some((id) => !pinned.includes(id)),
  };
}

async function readHistory(
  service: ServicePort,
  ids: readonly TestId[],
  parallelism: number,
): Promise<History> {
  const history = new Map<TestId, readonly RunResult[] | null>();
  const queue = [...ids];
  const workers = Array.from({ length: Math.min(parallelism, ids.length) }, async () => {
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
      history.set(id, await service.listResults(id));
    }
  });
  await Promise.all(workers);
  return history;
}

/** A plan, and what is to be told before anybody consents to it. */
export interface Planned {
  readonly plan: Plan;
  readonly problems: readonly Problem[];
}

/** Plans what the file declares. Errors: CallError. */
export async function planProject(
  session: Session,
  desired: DesiredState,
  given: { readonly options: PlanOptions; readonly parallelism: number },
): Promise<Planned> {
  const { options, parallelism } = given;
  const observation = await observe(session, desired, { filter: options, parallelism });
  const plan = createPlan({ desired, ...observation, options });
  return { plan, problems: [...session.missingTokens(observation.observed), ...plan.problems] };
}

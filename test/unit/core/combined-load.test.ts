import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { projectsToStart } from '../../../src/core/reconcile/run-order.ts';
import { createReport } from '../../../src/core/report/command-report.ts';
import {
  combineLoads as combineProjects,
  createProjectsBody,
  problemsOfCommand,
  type ProjectsDocument,
} from '../../../src/core/report/several-projects.ts';
import type { Load, Report } from '../../../src/core/report/generated/documents.ts';

/** Combines the loads of projects whose resources are their hosts. */
const combineLoads = (loads: readonly Load[], parallel = 1) =>
  combineProjects(
    loads.map((one) => ({ load: one, resources: new Set(Object.keys(one.peak_connections)) })),
    parallel,
  );

const load = (starts: number, peaks: Readonly<Record<string, number>>, requests?: number) => ({
  starts,
  peak_connections: peaks,
  ...(requests === undefined ? {} : { requests }),
  seconds: starts * 10,
  concurrent_tests: Math.min(starts, 1),
});

describe('the load of several projects', () => {
  test('the combined load adds up the starts, requests and seconds of all projects, and has the highest peak of connections to each host', () => {
    const setup = { ...load(2, { a: 9 }, 20), setup_requests: 3, teardown_requests: 1 };
    expect(combineLoads([load(1, { a: 5, b: 7 }, 100), setup, setup])).toEqual({
      starts: 5,
      peak_connections: { a: 9, b: 7 },
      requests: 140,
      setup_requests: 6,
      teardown_requests: 2,
      seconds: 50,
      concurrent_tests: 1,
    });
  });

  test('the combined number of requests is unknown if a project that starts load has an unknown number of requests', () => {
    expect(combineLoads([load(1, { a: 5 }, 100), load(1, { a: 5 })])).not.toHaveProperty('requests');
    expect(combineLoads([load(1, { a: 5 }, 100), load(0, {})])).toHaveProperty('requests', 100);
  });

  test('a known combined number of requests is a maximum if the number of requests of at least one project is a maximum', () => {
    const varying = { ...load(1, { a: 5 }, 10), requests_vary: true as const };
    expect(combineLoads([load(1, { a: 5 }, 100), varying])).toMatchObject({
      requests: 110,
      requests_vary: true,
    });
    expect(combineLoads([load(1, { a: 5 }), varying])).not.toHaveProperty('requests_vary');
  });

  test('the combined load follows redirects if at least one project follows redirects and the number of requests is known', () => {
    const following = { ...load(1, { a: 5 }, 10), follows_redirects: true as const };
    expect(combineLoads([load(1, { a: 5 }, 100), following])).toHaveProperty('follows_redirects', true);
    expect(combineLoads([load(1, { a: 5 }), following])).not.toHaveProperty('follows_redirects');
  });

  test('if projects run one at a time, the combined load has the highest number of concurrent tests of any project, and its duration is a maximum if that of one project is', () => {
    const parallel = { ...load(2, { a: 1 }), concurrent_tests: 2, seconds_vary: true as const };
    expect(combineLoads([load(1, {}), parallel])).toMatchObject({ concurrent_tests: 2, seconds_vary: true });
  });

  test.each([
    { parallel: 1, seconds: 60, concurrent_tests: 1 },
    { parallel: 2, seconds: 40, concurrent_tests: 2 },
    { parallel: 9, seconds: 40, concurrent_tests: 2 },
  ])(
    'if the number of concurrent projects is limited to $parallel, three projects, two of which share a host, take $seconds s (concurrent tests: $concurrent_tests)',
    ({ parallel, ...expected }) => {
      // The first and the third project have a common host: 10 s and 30 s, one after the other.
      const loads = [load(1, { a: 5 }), load(2, { b: 7 }), load(3, { a: 9 })];
      expect(combineLoads(loads, parallel)).toMatchObject({ ...expected, peak_connections: { a: 9, b: 7 } });
    },
  );

  test('the combined load adds up on-start requests, lists the shared machines of all loads, and states whether request counts may vary', () => {
    const machines = ['a', 'b'].map((host) => ({ hosts: [host], connections: 5 }));
    const one: Load = { ...load(1, {}), on_start_requests: 5, shared_machines: machines };
    const varying: Load = { ...load(1, {}), on_start_requests: 2, phase_requests_vary: true };
    expect(combineLoads([one, varying, { ...one, shared_machines: machines.slice(1) }])).toMatchObject({
      on_start_requests: 12,
      shared_machines: [...machines, ...machines.slice(1)],
      phase_requests_vary: true,
    });
    const names = Object.keys(combineLoads([load(1, {}), load(1, {})]));
    expect(names).toEqual(['starts', 'peak_connections', 'seconds', 'concurrent_tests']);
  });

  test('a project that starts no load adds no time to the combined load', () => {
    expect(combineLoads([{ ...load(0, {}), seconds: 5 }, load(1, { a: 1 })]).seconds).toBe(10);
  });
});

describe('the document of several projects', () => {
  const projectOf = (file: string, report: object) => ({
    file,
    report: { summary: {}, load: load(1, { [file]: 5 }, 10), ...report } as never as Report, // other members are not read
    resources: new Set([file]),
  });
  const plan = (has_changes: boolean, environment: string | null, ...danger: readonly string[]) => ({
    ...{ command: 'plan', changes: [], has_changes, environment, danger },
  });
  const failed = {
    file: 'broken',
    report: createReport('plan', { exitCode: 2, problems: [], body: null }),
    resources: new Set<string>(),
  };

  test('a plan of several projects has changes if one project has changes, combines the loads, and lists the dangers of all projects', () => {
    const projects = [
      failed,
      projectOf('a', plan(false, 'staging', 'one')),
      projectOf('b', plan(true, null, 'two', 'three')),
    ];
    const body = createProjectsBody('plan', { projects, parallel: 2 });
    expect(body).toEqual({
      command: 'plan',
      load: { ...load(2, { a: 5, b: 5 }, 20), seconds: 10, concurrent_tests: 2 },
      parallel_projects: 2,
      has_changes: true,
      environment: 'staging',
      danger: ['one', 'two', 'three'],
      projects: projects.map(({ file, report }) => ({ file, report })),
    });
    const unchanged = { projects: [projectOf('a', plan(false, null))], parallel: 1 };
    expect(createProjectsBody('plan', unchanged)).toMatchObject({ has_changes: false, environment: null });
    expect(createProjectsBody('plan', { projects: [failed], parallel: 1 })).toMatchObject({
      has_changes: false,
      environment: null,
      danger: [],
      load: { starts: 0 },
    });
  });

  test('the document of a validation contains only the documents of the projects, and the document of an apply also contains the combined load', () => {
    const given = { projects: [projectOf('a', { command: 'apply' })], parallel: 3 };
    const projects = given.projects.map(({ file, report }) => ({ file, report }));
    expect(createProjectsBody('validate', given)).toEqual({ command: 'validate', projects });
    expect(createProjectsBody('apply', given)).toEqual({
      command: 'apply',
      load: load(1, { a: 5 }, 10),
      parallel_projects: 3,
      projects,
    });
  });

  test('problemsOfCommand returns the problems that no project reports, and ignores differences in whitespace', () => {
    const base = { code: 'LT_A', message: 'a  b', file: 'a', line: 1 };
    const others = [
      { ...base, code: 'LT_B' },
      { ...base, message: 'c' },
      { ...base, file: 'b' },
      { ...base, line: null },
    ];
    const document = {
      problems: [...others, base],
      projects: [{ report: { problems: [] } }, { report: { problems: [{ ...base, message: 'a\r\nb' }] } }],
    } as never as ProjectsDocument; // other members are not read
    expect(problemsOfCommand(document)).toEqual(others);
  });
});

describe('projects that run at the same time', () => {
  const resources = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 3 });
  const projectList = fc.array(
    resources.map((names) => ({ resources: new Set(names) })),
    { maxLength: 8 },
  );

  test('each project runs once, the number of concurrent projects never exceeds the limit, and concurrent projects share no resource', () => {
    fc.assert(
      fc.property(
        projectList,
        fc.integer({ min: 1, max: 4 }),
        fc.infiniteStream(fc.nat()),
        (all, parallel, ends) => {
          let [waiting, running, ended] = [[...all], all.slice(0, 0), 0];
          while (waiting.length + running.length > 0) {
            const ready = projectsToStart(waiting, running, parallel);
            waiting = waiting.filter((one) => !ready.includes(one));
            running = [...running, ...ready];
            expect(running.length).toBeGreaterThan(0);
            expect(running.length).toBeLessThanOrEqual(parallel);
            const used = running.flatMap((one) => [...one.resources]);
            expect(new Set(used).size).toBe(used.length);
            const end = running[(ends.next().value ?? 0) % running.length];
            running = running.filter((one) => one !== end);
            ended++;
          }
          expect(ended).toBe(all.length);
        },
      ),
    );
  });

  test('projects with a common resource start in the order of the files', () => {
    const [first, second, third] = [['a', 'b'], ['b', 'c'], ['c']].map((names) => ({
      resources: new Set(names),
    }));
    if (first === undefined || second === undefined || third === undefined)
      throw new Error('three projects expected');
    expect(projectsToStart([second, third], [first], 9)).toEqual([]);
    expect(projectsToStart([second, third], [], 9)).toEqual([second]);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ResultProgress } from '../../../src/contract/generated/result-progress.ts';
import { detailLines } from '../../../src/core/report/result-text.ts';
import { mergeProgress, knownSeconds, partialRecord, type LiveRun } from '../../../src/web/ui/live-run.ts';
import { firstTestCommands, openCommand, resultsCommand } from '../../../src/web/ui/result-command.ts';

/** What the service has counted after so many seconds, as it tells it to who knows the first ones. */
function told(seconds: number, span: number, after: number): ResultProgress {
  const all = Array.from({ length: Math.floor(seconds / span) }, (_, index) => ({
    ...{ second: index * span, span, success: span },
  }));
  return {
    ...{ in_progress: true, elapsed_ms: seconds * 1000, duration_ms: 60_000, connections: 1 },
    ...{
      report: {},
      result: { result_id: 'r', success: seconds },
      timeline: all.filter((one) => one.second + span > after),
    },
  };
}

function secondsOf(live: LiveRun): readonly Readonly<Record<string, unknown>>[] {
  return partialRecord(live)['timeline'] as ReturnType<typeof secondsOf>; // as `joined` makes it
}

describe('a run that is asked for now and then', () => {
  it('is whole, whenever it was asked for and however long its entries have become', () => {
    const steps = fc.array(fc.record({ pass: fc.integer({ min: 0, max: 60 }), doubles: fc.boolean() }), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(steps, (asked) => {
        let [live, seconds, span]: [LiveRun | null, number, number] = [null, 0, 1];
        for (const { pass, doubles: duplicates } of asked) {
          seconds += pass;
          if (duplicates) span *= 2;
          live = mergeProgress(live, told(seconds, span, knownSeconds(live)));
          // Each entry begins where the one before it ends.
          let end = 0;
          for (const entry of secondsOf(live)) {
            if (entry['second'] === end) end += Number(entry['span']);
          }
          expect(end).toBe(knownSeconds(live));
          expect(end).toBeGreaterThanOrEqual(Math.floor(seconds / span) * span);
        }
      }),
    );
  });

  it('has each second once after a cut', () => {
    const first = mergeProgress(null, told(3, 1, 0));
    const again = mergeProgress(first, told(9, 1, knownSeconds(first)));
    expect(secondsOf(again)).toEqual(told(9, 1, 0).timeline);
    expect(partialRecord(again)).toMatchObject({ result_id: 'r', success: 9 });
  });

  it('has requests on their way, which nobody has given up', () => {
    const { result, ...rest } = told(3, 1, 0);
    const live = mergeProgress(null, {
      ...rest,
      result: {
        ...result,
        abort_reason: null,
        ledger: { planned: 60, started: 5, success: 3, abandoned: 2 },
      },
    });
    expect(detailLines(partialRecord(live))).toEqual([]);
  });

  it('takes longer entries in the place of those that they cover', () => {
    const first = mergeProgress(null, told(5, 1, 0));
    const again = mergeProgress(first, told(8, 2, knownSeconds(first)));
    expect(secondsOf(again)).toEqual([
      ...told(4, 1, 0).timeline,
      { second: 4, span: 2, success: 2 },
      { second: 6, span: 2, success: 2 },
    ]);
  });

  it('is nothing before its first second', () => {
    const live = mergeProgress(null, told(0, 1, 0));
    expect([secondsOf(live), knownSeconds(live), knownSeconds(null)]).toEqual([[], 0, 0]);
  });
});

describe('the command that shows a run', () => {
  it.each([
    ['http://127.0.0.1:4900/#/runs/t/r', 'LOADTESTS_BASE_URL=http://127.0.0.1:4900 loadtests results id:t1'],
    ['https://a.example/load/?x=1#/', 'LOADTESTS_BASE_URL=https://a.example/load loadtests results id:t1'],
    ["https://a.example/it's/#/", "LOADTESTS_BASE_URL='https://a.example/it'\\''s' loadtests results id:t1"],
  ])('of the page at %s is %s', (page, command) => {
    expect(resultsCommand(new URL(page), 't1')).toBe(command);
  });

  it('the overview and the sign-in page print commands for the service that serves them', () => {
    const page = new URL('http://127.0.0.1:5000/#/');
    expect(firstTestCommands(page).split('\n')).toEqual([
      'loadtests init',
      'export LOADTESTS_API_KEY=…',
      'LOADTESTS_BASE_URL=http://127.0.0.1:5000 loadtests apply',
    ]);
    expect(openCommand(page)).toBe('loadtests open --service http://127.0.0.1:5000');
  });
});

import { describe, expect, test } from 'vitest';
import { MAX_LISTED_BODY_LENGTH } from '../../../src/contract/test-codec.ts';
import { createMemoryService, type MemoryOptions } from '../../support/memory-service.ts';
import { createMachine } from '../../support/simulated-machine.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { declareState, type DeclaredStateBuilder } from '../../support/declared-state.ts';

const NO_WAIT = { execute: { wait: false } };
const LONG = 'x'.repeat(MAX_LISTED_BODY_LENGTH);

const posting = (body: string, id?: string): DeclaredStateBuilder =>
  declareState()
    .app('shop')
    .test('home', { urls: [{ url: 'https://shop.example/', method: 'POST', body }], ...(id && { id }) });

function stage(options: Partial<MemoryOptions> = {}) {
  const clock = createVirtualClock();
  const service = createMemoryService({
    clock,
    verified: ['shop.example'],
    truncatesBodies: true,
    ...options,
  });
  return { clock, service, laptop: createMachine(service, { clock }) };
}

function specOf(declared: DeclaredStateBuilder) {
  const [first] = declared.state.tests;
  if (first === undefined) throw new Error('no test is declared');
  return first.spec;
}

describe('truncated bodies in lists', () => {
  test('a test whose body is truncated in the list of tests is unchanged if its full body matches the file', async () => {
    const { laptop } = stage();
    await laptop.apply(posting(`${LONG}end`), NO_WAIT);
    const { summary, drift } = await laptop.plan(posting(`${LONG}end`));
    expect(summary).toMatchObject({ unchanged: 1, create: 0, replace: 0 });
    expect(drift).toEqual([]);
  });

  test('a test whose body is truncated in the list of tests counts as changed even if only the end of its full body differs', async () => {
    const { clock, service, laptop } = stage();
    await laptop.apply(posting(`${LONG}end`), NO_WAIT);
    expect((await laptop.plan(posting(`${LONG}other`))).summary).toMatchObject({ replace: 1 });
    // A change on the service that did not come from apply.
    const { id = '', spec = null } = service.tests[0] ?? {};
    service.remove(id);
    service.addTest({ ...specOf(posting(`${LONG}other`)), notes: spec?.notes ?? null });
    const { drift } = await createMachine(service, { clock, name: 'b' }).plan(posting(`${LONG}end`));
    expect(drift).toMatchObject([{ changes: [{ field: '/urls/0/raw_post_body' }] }]);
  });

  test('the full body of an adopted test is compared with the file, even if lists truncate the body', async () => {
    const { service, laptop } = stage();
    const { id } = service.addTest(specOf(posting(`${LONG}end`)));
    expect((await laptop.plan(posting(`${LONG}end`, id))).summary).toMatchObject({ unchanged: 1 });
    expect((await laptop.plan(posting(`${LONG}other`, id))).summary).toMatchObject({ replace: 1 });
  });

  test('if the bodies of seven listed tests are truncated, a plan reads only one of the tests in full', async () => {
    const { service, laptop } = stage();
    for (let index = 0; index < 5; index++)
      service.addTest({ ...specOf(posting(`${LONG}${index}`)), notes: 'of others' });
    await laptop.apply(posting(`${LONG}a`), NO_WAIT);
    await laptop.apply(posting(`${LONG}b`), NO_WAIT);
    const before = service.count('getTest');
    await laptop.plan(posting(`${LONG}b`));
    expect(service.count('getTest') - before).toBe(1);
  });

  test('if the response to a create request is lost and the service drops the marker, the next apply recognizes the test by its full body and creates no other test', async () => {
    const { service, laptop } = stage({
      spelling: { notes: 'dropped' },
      faults: ({ operation }) => (operation === 'createTest' ? { kind: 'answer_lost' } : null),
    });
    expect((await laptop.apply(posting(`${LONG}end`))).exit).toBe(8);
    const { exit, settled } = await laptop.apply(posting(`${LONG}end`));
    expect(exit).toBe(8);
    expect(settled[0]?.message).toContain(
      `${service.tests[0]?.id ?? ''} has the same fields but no complete ownership marker`,
    );
    expect(service.count('createTest')).toBe(1);
  });

  test('an unmarked test whose body is truncated in the list of tests is reported only if its full body matches the file', async () => {
    const { service, laptop } = stage({ spelling: { notes: 'dropped' } });
    service.addTest(specOf(posting(`${LONG}theirs`)));
    expect((await laptop.plan(posting(`${LONG}ours`))).problems).toEqual([]);
    service.addTest(specOf(posting(`${LONG}ours`)));
    expect((await laptop.plan(posting(`${LONG}ours`))).problems).not.toEqual([]);
  });
});

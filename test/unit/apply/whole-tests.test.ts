import { describe, expect, test } from 'vitest';
import { LISTED_BODIES } from '../../../src/contract/test-codec.ts';
import { memoryService, type MemoryOptions } from '../../rig/memory-service.ts';
import { machine } from '../../rig/machine.ts';
import { virtualClock } from '../../rig/virtual-clock.ts';
import { world, type DeclaredWorld } from '../../rig/world.ts';

const NO_WAIT = { execute: { wait: false } };
const LONG = 'x'.repeat(LISTED_BODIES);

const posting = (body: string, id?: string): DeclaredWorld =>
  world()
    .app('shop')
    .test('home', { urls: [{ url: 'https://shop.example/', method: 'POST', body }], ...(id && { id }) });

function stage(options: Partial<MemoryOptions> = {}) {
  const clock = virtualClock();
  const service = memoryService({ clock, verified: ['shop.example'], cutsBodies: true, ...options });
  return { clock, service, laptop: machine(service, { clock }) };
}

function specOf(declared: DeclaredWorld) {
  const [first] = declared.state.tests;
  if (first === undefined) throw new Error('no test is declared');
  return first.spec;
}

describe('a body that the list shows in part', () => {
  test('is no difference where the whole one is as declared', async () => {
    const { laptop } = stage();
    await laptop.apply(posting(`${LONG}end`), NO_WAIT);
    const { summary, drift } = await laptop.plan(posting(`${LONG}end`));
    expect(summary).toMatchObject({ unchanged: 1, create: 0, replace: 0 });
    expect(drift).toEqual([]);
  });

  test('is a difference where only its end is another', async () => {
    const { clock, service, laptop } = stage();
    await laptop.apply(posting(`${LONG}end`), NO_WAIT);
    expect((await laptop.plan(posting(`${LONG}other`))).summary).toMatchObject({ replace: 1 });
    // What somebody changed on the service, behind our back.
    const { id = '', spec = null } = service.tests[0] ?? {};
    service.remove(id);
    service.plant({ ...specOf(posting(`${LONG}other`)), notes: spec?.notes ?? null });
    const { drift } = await machine(service, { clock, name: 'b' }).plan(posting(`${LONG}end`));
    expect(drift).toMatchObject([{ changes: [{ field: '/urls/0/raw_post_body' }] }]);
  });

  test('of an adopted test is compared whole', async () => {
    const { service, laptop } = stage();
    const { id } = service.plant(specOf(posting(`${LONG}end`)));
    expect((await laptop.plan(posting(`${LONG}end`, id))).summary).toMatchObject({ unchanged: 1 });
    expect((await laptop.plan(posting(`${LONG}other`, id))).summary).toMatchObject({ replace: 1 });
  });

  test('is asked for only where it is compared', async () => {
    const { service, laptop } = stage();
    for (let at = 0; at < 5; at++) service.plant({ ...specOf(posting(`${LONG}${at}`)), notes: 'of others' });
    await laptop.apply(posting(`${LONG}a`), NO_WAIT);
    await laptop.apply(posting(`${LONG}b`), NO_WAIT);
    const before = service.count('getTest');
    await laptop.plan(posting(`${LONG}b`));
    expect(service.count('getTest') - before).toBe(1);
  });

  test('is read whole when a create is looked for whose answer was lost and whose mark was dropped', async () => {
    const { service, laptop } = stage({
      spelling: { notes: 'dropped' },
      faults: ({ operation }) => (operation === 'createTest' ? { kind: 'answer_lost' } : null),
    });
    expect((await laptop.apply(posting(`${LONG}end`))).exit).toBe(8);
    const { exit, settled } = await laptop.apply(posting(`${LONG}end`));
    expect(exit).toBe(8);
    expect(settled[0]?.message).toContain(`${service.tests[0]?.id ?? ''} has the same fields but no mark`);
    expect(service.count('createTest')).toBe(1);
  });

  test('does not make a test of somebody else, or hide one that may be ours', async () => {
    const { service, laptop } = stage({ spelling: { notes: 'dropped' } });
    service.plant(specOf(posting(`${LONG}theirs`)));
    expect((await laptop.plan(posting(`${LONG}ours`))).problems).toEqual([]);
    service.plant(specOf(posting(`${LONG}ours`)));
    expect((await laptop.plan(posting(`${LONG}ours`))).problems).not.toEqual([]);
  });
});

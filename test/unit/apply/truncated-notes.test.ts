import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMemoryService, faultOnCall } from '../../support/memory-service.ts';
import { createMachine } from '../../support/simulated-machine.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { declareState } from '../../support/declared-state.ts';
import { readMarker } from '../../../src/core/reconcile/ownership-marker.ts';
import { scaleCount } from '../../support/test-scale.ts';

/** The fields of a test whose create request has no response, on a service that truncates notes. */
interface LostResponse {
  readonly own: string | null;
  /** Number of characters of the marker that the service keeps; negative if it also truncates the own notes. */
  readonly kept: number;
  /** Own notes of other tests in the account that loadtests manages. */
  readonly others: readonly (string | null)[];
  /** Returns the notes as the service stores them; absent if it keeps a number of characters. */
  readonly store?: (notes: string) => string;
}

const SHOP = declareState().app('shop');

async function stage({ own, kept, others, store }: LostResponse) {
  const limit = Math.max(0, (own === null ? 0 : own.length + 1) + kept);
  const clock = createVirtualClock();
  const service = createMemoryService({
    clock,
    verified: ['shop.example'],
    spelling: { notes: store ?? limit },
    runFor: 1000,
  });
  let other = SHOP.project('other');
  for (const [at, notes] of others.entries()) other = other.test(`other-${at}`, { duration: '5m', notes });
  const allowed = { plan: { allowUnmarked: true }, execute: { allowUnmarked: true } };
  await createMachine(service, { clock, name: 'b' }).apply(other, allowed);
  const creates = service.count('createTest');
  service.configure({ faults: faultOnCall('createTest', creates + 1, { kind: 'answer_lost' }) });
  const shop = SHOP.test('home', { duration: '1m', notes: own });
  const laptop = createMachine(service, { clock });
  const first = await laptop.apply(shop);
  return { service, laptop, shop, first, creates };
}

const arbitraryLoss = fc.record<LostResponse>({
  own: fc.option(
    fc
      .array(fc.constantFrom('Before', 'the', 'sale', '[', '[load', '[loadtests', '\n'), {
        minLength: 1,
        maxLength: 8,
      })
      .map((words) => `Note ${words.join(' ')}`),
  ),
  kept: fc.integer({ min: -12, max: 110 }),
  others: fc.array(fc.constantFrom(null, 'Nightly', 'x'.repeat(60)), { maxLength: 2 }),
});

describe('create requests without a response, on services that truncate notes', () => {
  test.each(Array.from({ length: 12 }, (_, kept) => kept))(
    'if a service truncates the marker after %i characters, the next apply finds the test by its fields and creates no duplicate',
    async (kept) => {
      const { service, laptop, shop, first } = await stage({ own: 'Before the sale', kept, others: [] });
      expect(first.exit).toBe(8);
      const next = await laptop.apply(shop);
      expect(next.exit).toBe(8);
      expect(next.settled[0]?.message).toContain(`${service.tests[0]?.id ?? ''} has the same fields`);
      expect(service.count('createTest')).toBe(1);
    },
  );

  test.each([0, 1, 6, 11, 12, 40])(
    'apply finds a test whose notes are truncated at 255 characters, %i characters into the marker, even if the service stores shorter notes in full',
    async (kept) => {
      const own = 'n'.repeat(254 - kept);
      const { service, laptop, shop, creates } = await stage({ own, kept, others: ['Nightly'] });
      const next = await laptop.apply(shop);
      expect(next.settled[0]?.message).toContain('has the same fields');
      expect((await laptop.withoutState().apply(shop)).plan.summary).toMatchObject({ create: 0, blocked: 1 });
      expect(service.count('createTest')).toBe(creates + 1);
    },
  );

  test('no machine creates a test twice, regardless of the position at which a service truncates notes', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryLoss, async (loss) => {
        const { service, laptop, shop, creates } = await stage(loss);
        const isMarked = readMarker(service.tests.at(-1)?.spec.notes ?? null).kind === 'marker';
        const next = await laptop.apply(shop);
        const messages = next.settled.map(({ message }) => message).join('\n');
        expect(messages).not.toContain('not executed');
        if (!isMarked) expect(messages).not.toBe('');
        await laptop.withoutState().apply(shop);
        expect(service.count('createTest')).toBe(creates + 1);
      }),
      { numRuns: scaleCount(150) },
    );
  });

  test('no machine creates a test twice if a service trims notes, truncates notes by bytes or changes line endings', async () => {
    const byBytes = fc.record({
      own: fc
        .array(fc.constantFrom('Vor', 'ü', '漢字', '👩🏽‍🚀', 'é', ' ', '\n'), {
          minLength: 1,
          maxLength: 6,
        })
        .map((words) => `Note ${words.join(' ')}`.trim()),
      kept: fc.integer({ min: -20, max: 40 }),
      crlf: fc.boolean(),
      // The bytes of an incomplete character are replaced or removed; or half of a surrogate pair remains.
      incomplete: fc.constantFrom('replaced', 'removed', 'half'),
      end: fc.constantFrom('kept', 'trimmed', '…', '...'),
      blanks: fc.constantFrom('kept', 'collapsed'),
    });
    await fc.assert(
      fc.asyncProperty(byBytes, async ({ own, kept, crlf, incomplete, end, blanks }) => {
        const store = (sent: string): string => {
          const lines = crlf ? sent.replaceAll('\n', '\r\n') : sent;
          const text = blanks === 'kept' ? lines : lines.replaceAll(/[ \t]+/g, ' ');
          if (incomplete === 'half') return lines.slice(0, Math.max(0, own.length + 1 + kept));
          const limit = Math.max(0, Buffer.byteLength(own) + 1 + kept);
          if (Buffer.byteLength(text) <= limit) return text;
          const cut = Buffer.from(text).subarray(0, limit).toString();
          const whole = incomplete === 'replaced' ? cut : cut.replace(/\uFFFD+$/, '');
          return end === 'kept' ? whole : `${whole.trimEnd()}${end === 'trimmed' ? '' : end}`;
        };
        const { service, laptop, shop, creates } = await stage({ own, kept, others: [], store });
        const next = await laptop.apply(shop);
        const messages = next.settled.map(({ message }) => message).join('\n');
        expect(messages).not.toContain('not executed');
        await laptop.withoutState().apply(shop);
        expect(service.count('createTest')).toBe(creates + 1);
      }),
      { numRuns: scaleCount(150) },
    );
  });

  test.each([0, 1, 5, 11, 30])(
    'a plan contains no changes to an adopted test whose marker is truncated after %i characters',
    async (kept) => {
      const { service, laptop } = await stage({ own: 'Before the sale', kept, others: [] });
      const id = service.tests[0]?.id ?? '';
      const adopting = SHOP.test('home', { duration: '1m', notes: 'Before the sale', id });
      const { summary } = (await laptop.withoutState().apply(adopting)).plan;
      expect(summary).toMatchObject({ create: 0, replace: 0, unchanged: 1 });
    },
  );
});

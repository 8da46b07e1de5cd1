/** The binary encoding of numbers and strings, and the rejection of invalid bytes. */
import { describe, expect, test } from 'vitest';
import { ByteReader, ByteWriter, InvalidBytesError } from '../../../../src/core/load/bytes.ts';

function bytesOf(write: (writer: ByteWriter) => void): Uint8Array {
  const writer = new ByteWriter();
  write(writer);
  return writer.bytes();
}

const readerOf = (...bytes: readonly number[]) => new ByteReader(Uint8Array.from(bytes));

/** A reader that has already read a count before the bytes. */
function afterCount(...bytes: readonly number[]): ByteReader {
  const reader = readerOf(0, ...bytes);
  reader.count();
  return reader;
}

describe('written values', () => {
  test.each([
    [0, 1],
    [127, 1],
    [128, 2],
    [2 ** 14 - 1, 2],
    [2 ** 14, 3],
    [2 ** 32, 5],
    [Number.MAX_SAFE_INTEGER, 8],
  ])('the count %d takes %i bytes and is restored', (count, length) => {
    const bytes = bytesOf((writer) => writer.count(count));
    expect(bytes).toHaveLength(length);
    expect(new ByteReader(bytes).count()).toBe(count);
  });

  test.each([-1, 1.5, 2 ** 53, Number.NaN, Infinity])('%d cannot be written as a count', (value) => {
    expect(() => bytesOf((writer) => writer.count(value))).toThrow(
      `Bug: ${value} is not a safe integer of 0 or more`,
    );
  });

  test.each([0, -1, 1, 63, -64, 64, 2 ** 52 - 1, -(2 ** 52)])('the integer %d is restored', (value) => {
    expect(new ByteReader(bytesOf((writer) => writer.integer(value))).integer()).toBe(value);
  });

  test.each([
    [0, 1],
    [-0, 9],
    [0.5, 9],
    [-1e300, 9],
    [Number.MAX_VALUE, 9],
  ])('the number %d takes %i bytes and is restored', (value, length) => {
    const bytes = bytesOf((writer) => writer.number(value));
    expect(bytes).toHaveLength(length);
    expect(new ByteReader(bytes).number()).toBe(value);
  });

  test.each([0, 111, 112, 113, 114, 300])(
    'strings, flags and a list of %i numbers are restored in their order',
    (length) => {
      const [text, numbers] = ['a\uD800\n\u{1F6D2}', Array.from({ length }, (_, at) => at / 2 + 1)];
      const bytes = bytesOf((writer) => {
        writer.string(text);
        writer.list(numbers, (number) => writer.number(number));
        for (const flag of [true, false]) writer.flag(flag);
        writer.string('');
      });
      const reader = new ByteReader(bytes);
      expect(reader.string()).toBe(text);
      expect(reader.list(() => reader.number())).toEqual(numbers);
      expect([reader.flag(), reader.flag(), reader.string()]).toEqual([true, false, '']);
      reader.end();
    },
  );

  test('a reader reads only its part of a buffer', () => {
    const bytes = Uint8Array.of(9, 9, ...bytesOf((writer) => writer.number(1.5)), 9);
    const reader = new ByteReader(bytes.subarray(2, 11));
    expect(reader.number()).toBe(1.5);
    reader.end();
  });
});

describe('invalid bytes', () => {
  test.each<readonly [name: string, read: () => unknown, message: string]>([
    ['a count without bytes', () => readerOf().count(), 'unexpected end of data'],
    ['a truncated count', () => readerOf(0x80).count(), 'unexpected end of data'],
    ['a count with a redundant byte', () => readerOf(0x80, 0).count(), 'a number is too long'],
    ['a count above its limit', () => readerOf(6).count(5), 'a number is too large'],
    [
      'an unsafe integer',
      () => readerOf(...new Array<number>(7).fill(0xff), 0x10).count(),
      'a number is too large',
    ],
    ['a flag other than 0 and 1', () => readerOf(2).flag(), 'a number is too large'],
    ['a truncated number', () => readerOf(1, 64, 0, 0, 0, 0, 0, 0).number(), 'unexpected end of data'],
    [
      'a number above its limit',
      () => readerOf(1, 64, 0, 0, 0, 0, 0, 0, 0).number(1.5),
      'a number is out of range',
    ],
    [
      'a number below its limit',
      () => readerOf(1, 192, 0, 0, 0, 0, 0, 0, 0).number(1.5),
      'a number is out of range',
    ],
    [
      'an infinite number',
      () => readerOf(1, 127, 240, 0, 0, 0, 0, 0, 0).number(),
      'a number is out of range',
    ],
    ['NaN', () => readerOf(1, 127, 248, 0, 0, 0, 0, 0, 0).number(), 'a number is out of range'],
    // The bytes after the length limit the length, so that an invalid length allocates no memory.
    ['a string longer than its bytes', () => afterCount(4, 97, 98).string(), 'a number is too large'],
    ['a string longer than its limit', () => readerOf(2, 97, 98).string(1), 'a number is too large'],
    [
      'a string with a code unit above 0xffff',
      () => readerOf(3, 0x80, 0x80, 4).string(),
      'a number is too large',
    ],
    ['a list longer than its bytes', () => afterCount(4, 1, 1).list(() => 0), 'a number is too large'],
    ['a list longer than its limit', () => readerOf(2, 1, 1).list(() => 0, 1), 'a number is too large'],
    ['another byte after the end', () => readerOf(1).end(), 'unexpected bytes after the end'],
  ])('%s is rejected', (_name, read, message) => {
    expect(read).toThrow(InvalidBytesError);
    expect(read).toThrow(message);
  });

  test('values at their limits are accepted', () => {
    expect(readerOf(5).count(5)).toBe(5);
    expect(readerOf(1, 64, 0, 0, 0, 0, 0, 0, 0).number(2)).toBe(2);
    expect(readerOf(1, 192, 0, 0, 0, 0, 0, 0, 0).number(2)).toBe(-2);
    expect(readerOf(2, 97, 98).string(2)).toBe('ab');
    expect(readerOf(1, 0xff, 0xff, 3).string()).toBe('\uffff');
    expect(readerOf(2, 1, 1).list(() => 7, 2)).toEqual([7, 7]);
  });
});

/** Strings of any characters, like fast-check's unit `binary`, whose table takes a second to build. */
import fc, { type StringConstraints } from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };

const arbitraryCharacter = fc
  .nat(0x10ffff - SURROGATES.count)
  .map((index) => String.fromCodePoint(index < SURROGATES.first ? index : index + SURROGATES.count));

export function arbitraryString(constraints: Omit<StringConstraints, 'unit'> = {}) {
  return fc.string({ ...constraints, unit: arbitraryCharacter });
}

/** Plays made-up answers whenever it is asked to. */
import { fuzzParser } from './parser-fuzz.ts';

/** What it is sent: the arguments of `fuzzParser`. */
export type FuzzOrder = Parameters<typeof fuzzParser>;

process.on('message', (order: FuzzOrder) => {
  void fuzzParser(...order).then((report) => process.send?.(report));
});

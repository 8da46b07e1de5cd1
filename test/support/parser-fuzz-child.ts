/** Plays made-up answers whenever it is asked to. */
import { fuzzParser } from './parser-fuzz.ts';

/** What it is sent: the arguments of `fuzzParser`. */
export type FuzzArguments = Parameters<typeof fuzzParser>;

process.on('message', (order: FuzzArguments) => {
  void fuzzParser(...order).then((report) => process.send?.(report));
});

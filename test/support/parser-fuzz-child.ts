/** Runs fuzz cases on request. */
import { fuzzParser } from './parser-fuzz.ts';

/** The message: the arguments of `fuzzParser`. */
export type FuzzArguments = Parameters<typeof fuzzParser>;

process.on('message', (order: FuzzArguments) => {
  void fuzzParser(...order).then((report) => process.send?.(report));
});

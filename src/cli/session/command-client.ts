/** Service client for a command, which is a short-lived process that receives few responses. */
import { setFlagsFromString } from 'node:v8';
import { createClient, type ClientOptions, type ServiceClient } from '../../client/client.ts';

/** @throws ProblemError if the address is not allowed. */
export function createCommandClient(options: ClientOptions): ServiceClient {
  // undici parses responses with WebAssembly. Without this flag, V8 also runs the optimizing compiler on it.
  // This takes 150 ms of CPU time, which does not pay off in a short command. The flag applies to the whole
  // process, so programs that embed the library do not set it.
  setFlagsFromString('--liftoff-only');
  return createClient(options);
}

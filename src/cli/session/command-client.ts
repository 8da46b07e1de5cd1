/** The client as a command uses it: in a process of its own, for few answers. */
import { setFlagsFromString } from 'node:v8';
import { createClient, type ClientOptions, type ServiceClient } from '../../client/client.ts';

/** Errors: ProblemError where the address cannot be allowed. */
export function createCommandClient(options: ClientOptions): ServiceClient {
  // undici reads answers by WebAssembly. V8 would compile that a second time, to run it faster, which takes 150 ms of CPU
  // and is never paid back. The flag is V8's for the whole process, so nobody who embeds the library gets it.
  setFlagsFromString('--liftoff-only');
  return createClient(options);
}

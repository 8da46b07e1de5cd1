import { setFlagsFromString } from 'node:v8';
import { createClient, type ClientOptions, type ServiceClient } from '../../client/client.ts';

/**
 * Creates a client, and disables the optimizing compiler for WebAssembly.
 * @throws ProblemError if the address is not allowed.
 */
export function createCommandClient(options: ClientOptions): ServiceClient {
  // undici parses responses with WebAssembly code. Optimizing this code takes 150 ms of CPU time, which is not
  // worthwhile in a short command. The flag applies to the whole process.
  setFlagsFromString('--liftoff-only');
  return createClient(options);
}

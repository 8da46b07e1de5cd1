/** What an operator may have written wrong, found before anything is made of it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { ProblemError, problem } from '../core/problem.ts';
import { EgressError } from '../egress/egress-error.ts';
import { createServePolicy } from '../egress/address-policies.ts';
import { checkRecipients } from './domain/email-recipients.ts';
import { readSmtpRelay } from './smtp-relay.ts';
import type { ServiceOptions } from './options.ts';

/** Errors: ProblemError LT_SERVER_ADDRESS. */
export async function checkOptions(
  options: Pick<ServiceOptions, 'publicUrl' | 'allowPrivate' | 'allowEmail' | 'smtp'>,
): Promise<void> {
  const { publicUrl, allowPrivate, allowEmail = [] } = options;
  if (publicUrl !== null && !URL.canParse(publicUrl)) {
    const message = `"${publicUrl}" is not a valid URL; write it like https://loads.example.com`;
    throw new ProblemError(problem('LT_SERVER_ADDRESS', message));
  }
  try {
    createServePolicy({ allowPrivate, loopback: false });
  } catch (error) {
    throw error instanceof EgressError ? toAddressProblem(error) : error;
  }
  checkRecipients(allowEmail);
  await readSmtpRelay(options);
}

/** Of an option that should name an address or a block, and names none. */
export function toAddressProblem(error: EgressError): ProblemError {
  return new ProblemError(problem('LT_SERVER_ADDRESS', error.reason), { cause: error });
}

type ListenAddress = Pick<ServiceOptions, 'host' | 'port'>;

/** Whether a service could listen there now. Errors: ProblemError LT_SERVER_ADDRESS. */
export async function checkAddress(address: ListenAddress): Promise<void> {
  const server = createServer();
  try {
    server.listen(address);
    await once(server, 'listening');
  } catch (error) {
    throw toListenProblem(error, address);
  }
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
}

/** Why nothing can listen there; what is no such reason is given back as it is. */
export function toListenProblem(error: unknown, { host, port }: ListenAddress): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = LISTEN_FAILURES[code];
  if (reason === undefined) return error;
  const hint = 'choose another with --port or --host; port 0 chooses a free port';
  const message = `"${host}:${port}" cannot be used: ${reason}`;
  return new ProblemError(problem('LT_SERVER_ADDRESS', message, { hint }), { cause: error });
}

const LISTEN_FAILURES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is already in use',
  EADDRNOTAVAIL: 'the host is not an address of this machine',
  EACCES: 'permission denied for this port',
  ENOTFOUND: 'the host has no address',
  EAI_AGAIN: 'the host could not be resolved',
  ERR_SOCKET_BAD_PORT: 'the port must be between 0 and 65535',
};

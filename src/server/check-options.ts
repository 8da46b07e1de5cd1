import { once } from 'node:events';
import { createServer } from 'node:http';
import { ProblemError, problem } from '../core/problem.ts';
import { codeOf } from '../core/unknown-value.ts';
import { EgressError } from '../egress/egress-error.ts';
import { createServePolicy } from '../egress/address-policies.ts';
import { toProxyBlock } from './client-address.ts';
import { checkRecipients } from './domain/email-recipients.ts';
import { readSmtpRelay } from './smtp-relay.ts';
import type { ServiceOptions } from './options.ts';

/** @throws ProblemError LT_SERVER_ADDRESS if a URL, an address block or a recipient is invalid. */
export async function checkOptions(
  options: Pick<ServiceOptions, 'publicUrl' | 'trustProxies' | 'allowPrivate' | 'allowEmail' | 'smtp'>,
): Promise<void> {
  const { publicUrl, allowPrivate, allowEmail = [] } = options;
  if (publicUrl !== null && !URL.canParse(publicUrl)) {
    const message = `the public URL "${publicUrl}" is not valid; use a URL such as https://loads.example.com`;
    throw new ProblemError(problem('LT_SERVER_ADDRESS', message));
  }
  try {
    for (const proxy of options.trustProxies ?? []) toProxyBlock(proxy);
    createServePolicy({ allowPrivate, loopback: false });
  } catch (error) {
    throw error instanceof EgressError ? toAddressProblem(error) : error;
  }
  checkRecipients(allowEmail);
  await readSmtpRelay(options);
}

export function toAddressProblem(error: EgressError): ProblemError {
  return new ProblemError(problem('LT_SERVER_ADDRESS', error.reason), { cause: error });
}

type ListenAddress = Pick<ServiceOptions, 'host' | 'port'>;

/**
 * Checks that the service can listen on an address, by opening and closing a listener.
 * @throws ProblemError LT_SERVER_ADDRESS if the error code is in LISTEN_FAILURES; otherwise, the original error.
 */
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

/** Returns the problem for an error of `listen`; other errors are returned unchanged. */
export function toListenProblem(error: unknown, { host, port }: ListenAddress): unknown {
  const reason = LISTEN_FAILURES[codeOf(error) ?? ''];
  if (reason === undefined) return error;
  const hint = 'choose another address with --host or --port; --port 0 selects a free port';
  const message = `the service cannot listen on "${host}:${port}": ${reason}`;
  return new ProblemError(problem('LT_SERVER_ADDRESS', message, { hint }), { cause: error });
}

const LISTEN_FAILURES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is already in use',
  EADDRNOTAVAIL: 'the host is not a local address',
  EACCES: 'permission denied for this port',
  ENOTFOUND: 'the host name was not found',
  EAI_AGAIN: 'the host name could not be resolved',
  ERR_SOCKET_BAD_PORT: 'the port must be between 0 and 65535',
};

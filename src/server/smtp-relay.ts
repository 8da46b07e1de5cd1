/** The mail relay of the service options. */
import type { SmtpRelay } from './domain/email-sender.ts';
import type { ServiceOptions } from './options.ts';

/**
 * Reads the mail relay; returns null if none is configured.
 * @throws ProblemError LT_SERVER_ADDRESS if its URL is invalid.
 */
export async function readSmtpRelay({
  smtp = null,
  publicUrl,
}: Pick<ServiceOptions, 'smtp' | 'publicUrl'>): Promise<SmtpRelay | null> {
  if (smtp === null) return null;
  // Only services that send email load this module.
  const { parseSmtpRelay } = await import('./domain/email-sender.ts');
  return parseSmtpRelay(smtp, publicUrl === null ? '' : new URL(publicUrl).hostname);
}

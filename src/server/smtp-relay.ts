import type { SmtpRelay } from './domain/email-sender.ts';
import type { ServiceOptions } from './options.ts';

/** @throws ProblemError LT_SERVER_ADDRESS if the URL of the mail relay is invalid. */
export async function readSmtpRelay({
  smtp = null,
  publicUrl,
}: Pick<ServiceOptions, 'smtp' | 'publicUrl'>): Promise<SmtpRelay | null> {
  if (smtp === null) return null;
  // The module is imported on demand, because only services that send email need it.
  const { parseSmtpRelay } = await import('./domain/email-sender.ts');
  return parseSmtpRelay(smtp, publicUrl === null ? '' : new URL(publicUrl).hostname);
}

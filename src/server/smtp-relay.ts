/** The relay that the options name. */
import type { SmtpRelay } from './domain/email-sender.ts';
import type { ServiceOptions } from './options.ts';

/** Null: there is none. Errors: ProblemError LT_SERVER_ADDRESS. */
export async function readSmtpRelay({
  smtp = null,
  publicUrl,
}: Pick<ServiceOptions, 'smtp' | 'publicUrl'>): Promise<SmtpRelay | null> {
  if (smtp === null) return null;
  // Loaded by services that send mail only.
  const { parseSmtpRelay } = await import('./domain/email-sender.ts');
  return parseSmtpRelay(smtp, publicUrl === null ? '' : new URL(publicUrl).hostname);
}

/** The relay that the options name. */
import type { MailRelay } from './domain/mail.ts';
import type { ServiceOptions } from './options.ts';

/** Null: there is none. Errors: ProblemError LT_SERVER_ADDRESS. */
export async function relayOf({
  smtp = null,
  publicUrl,
}: Pick<ServiceOptions, 'smtp' | 'publicUrl'>): Promise<MailRelay | null> {
  if (smtp === null) return null;
  // Loaded by services that send mail only.
  const { readMailRelay } = await import('./domain/mail.ts');
  return readMailRelay(smtp, publicUrl === null ? '' : new URL(publicUrl).hostname);
}

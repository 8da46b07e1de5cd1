import { createTransport, type Transporter } from 'nodemailer';
import { ProblemError, problem } from '../../core/problem.ts';
import { classifyAddress } from '../../egress/address-kind.ts';
import { isPlainEmailAddress } from '../../core/model/email-address.ts';
import type { Notice } from '../store/notice-store.ts';
import type { EmailRecipients } from './email-recipients.ts';
import type { EmailText } from './email-text.ts';
import type { AttemptOutcome, NoticeSender } from './notices.ts';

export interface SmtpRelay {
  readonly hostname: string;
  readonly port: number;
  /** True for TLS from the first byte; false for STARTTLS. */
  readonly secure: boolean;
  readonly credentials: { readonly login: string; readonly password: string } | null;
  readonly from: string;
}

/**
 * Parses the URL of a mail relay: `smtp://user:password@host:port?from=address`, or the same with `smtps:`.
 *
 * @param domain - Domain of the default sender address.
 * @throws ProblemError LT_SERVER_ADDRESS if the URL is invalid. The message omits the URL, which may contain a
 * password.
 */
export function parseSmtpRelay(text: string, domain: string): SmtpRelay {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') {
    throw toRelayProblem('the mail relay URL is not valid; write it like smtp://mail.example.com:587');
  }
  const secure = url.protocol === 'smtps:';
  const login = decode(url.username);
  const sender = url.searchParams.get('from') ?? (isPlainEmailAddress(login) ? login : null);
  const from = sender ?? `loadtests@${domain.includes('.') ? domain : 'localhost.localdomain'}`;
  if (!isPlainEmailAddress(from))
    throw toRelayProblem(
      'the sender address is not valid; add "?from=" and an email address to the mail relay URL',
    );
  return {
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    credentials: login === '' ? null : { login, password: decode(url.password) },
    from,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw toRelayProblem('the user or password in the mail relay URL has invalid percent-encoding');
  }
}

function toRelayProblem(message: string): ProblemError {
  return new ProblemError(problem('LT_SERVER_ADDRESS', message));
}

export interface EmailSenderDeps {
  readonly relay: SmtpRelay;
  readonly recipients: EmailRecipients;
  /** Returns the email of a notice; null if the test or its result was deleted. */
  readonly render: (notice: Notice) => EmailText | null;
}

const STAGE_TIMEOUT_MS = 10_000;
const DEADLINE_MS = 30_000;

export function createEmailSender(deps: EmailSenderDeps): NoticeSender {
  const { relay, recipients } = deps;
  return async (notice) => {
    const text = deps.render(notice);
    // An earlier version may have stored an invalid address.
    if (text === null || !isPlainEmailAddress(notice.destination))
      return { kind: 'refused', error: 'not_allowed' };
    // The app may have been deleted, or the operator's list may have changed.
    if (!recipients.isAllowed(notice.destination)) return { kind: 'failed', error: 'not_allowed' };
    const transport = openTransport(relay);
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<AttemptOutcome>((resolve) => {
      timer = setTimeout(() => resolve({ kind: 'failed', error: 'timeout' }), DEADLINE_MS);
    });
    try {
      return await Promise.race([submitEmail(transport, { relay, notice, text }), timeout]);
    } finally {
      clearTimeout(timer);
      transport.close();
    }
  };
}

function openTransport(relay: SmtpRelay): Transporter {
  const isLocal = relay.hostname === 'localhost' || classifyAddress(relay.hostname) === 'loopback';
  return createTransport({
    host: relay.hostname,
    port: relay.port,
    secure: relay.secure,
    ...(relay.credentials === null
      ? {}
      : { auth: { user: relay.credentials.login, pass: relay.credentials.password } }),
    // Passwords are sent only over TLS, except to a local relay.
    requireTLS: relay.credentials !== null && !isLocal && !relay.secure,
    tls: { rejectUnauthorized: !isLocal },
    connectionTimeout: STAGE_TIMEOUT_MS,
    greetingTimeout: STAGE_TIMEOUT_MS,
    socketTimeout: STAGE_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

async function submitEmail(
  transport: Transporter,
  email: { readonly relay: SmtpRelay; readonly notice: Notice; readonly text: EmailText },
): Promise<AttemptOutcome> {
  const { relay, notice, text } = email;
  try {
    await transport.sendMail({
      envelope: { from: relay.from, to: [notice.destination] },
      from: { name: 'loadtests', address: relay.from },
      to: { name: '', address: notice.destination },
      subject: text.subject,
      text: text.body,
      // The ID is the same for all attempts, so that mail clients can detect duplicates.
      messageId: `<${notice.id}@loadtests.invalid>`,
      headers: { 'X-Loadtests-Event': notice.id, 'Auto-Submitted': 'auto-generated' },
    });
    return { kind: 'delivered' };
  } catch (error) {
    return outcomeOf(error);
  }
}

/**
 * Returns the outcome of an attempt that failed with an error. A 5xx response to the envelope or the message is
 * permanent. Login and greeting errors are retried, because the operator can fix them.
 */
function outcomeOf(error: unknown): AttemptOutcome {
  const { code, responseCode } = fieldsOf(error);
  if (code === 'EAUTH') return { kind: 'failed', error: 'login' };
  const final = (code === 'EENVELOPE' || code === 'EMESSAGE') && responseCode >= 500;
  if (final) return { kind: 'refused', error: `smtp_${responseCode}` };
  if (responseCode > 0) return { kind: 'failed', error: `smtp_${responseCode}` };
  return { kind: 'failed', error: ERROR_KEYWORDS[code] ?? 'connect' };
}

const ERROR_KEYWORDS: Readonly<Record<string, string>> = {
  ETIMEDOUT: 'timeout',
  ETLS: 'tls',
  EDNS: 'not_found',
  EPROTOCOL: 'protocol',
};

function fieldsOf(error: unknown): { readonly code: string; readonly responseCode: number } {
  if (!(error instanceof Error)) return { code: '', responseCode: 0 };
  // nodemailer adds these fields to its errors.
  const { code, responseCode } = error as Error & { code?: unknown; responseCode?: unknown };
  return {
    code: typeof code === 'string' ? code : '',
    responseCode: typeof responseCode === 'number' ? responseCode : 0,
  };
}

/** One attempt to send a result by mail. Knows the relay; what a mail says is written elsewhere. */
import { createTransport, type Transporter } from 'nodemailer';
import { ProblemError, problem } from '../../core/problem.ts';
import { classifyAddress } from '../../egress/address-kind.ts';
import { isPlainEmailAddress } from '../../core/model/email-address.ts';
import type { Notice } from '../store/notice-store.ts';
import type { EmailRecipients } from './email-recipients.ts';
import type { EmailText } from './email-text.ts';
import type { AttemptOutcome, NoticeSender } from './notices.ts';

/** Where mail is handed in. */
export interface SmtpRelay {
  readonly hostname: string;
  readonly port: number;
  /** TLS from the first byte; else it is asked for once connected. */
  readonly secure: boolean;
  readonly credentials: { readonly login: string; readonly password: string } | null;
  readonly from: string;
}

/**
 * Reads `smtp://user:password@host:port?from=address`, or `smtps:`.
 *
 * @param domain of the sender's address where the URL names none
 * Errors: ProblemError LT_SERVER_ADDRESS, without the URL, which may hold a password.
 */
export function parseSmtpRelay(text: string, domain: string): SmtpRelay {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') {
    throw toRelayProblem(
      'the address of the mail relay is not a valid URL; write it like smtp://mail.example.com:587',
    );
  }
  const secure = url.protocol === 'smtps:';
  const login = decode(url.username);
  const given = url.searchParams.get('from') ?? (isPlainEmailAddress(login) ? login : null);
  const from = given ?? `loadtests@${domain.includes('.') ? domain : 'localhost.localdomain'}`;
  if (!isPlainEmailAddress(from))
    throw toRelayProblem('the sender in the address of the mail relay is not a valid mail address');
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
    throw toRelayProblem('the user or password in the address of the mail relay is not percent-encoded');
  }
}

function toRelayProblem(message: string): ProblemError {
  return new ProblemError(problem('LT_SERVER_ADDRESS', message));
}

export interface EmailSenderDeps {
  readonly relay: SmtpRelay;
  readonly recipients: EmailRecipients;
  /** Null when there is nothing to tell any more. */
  readonly textOf: (notice: Notice) => EmailText | null;
}

const STAGE_TIMEOUT_MS = 10_000;
const DEADLINE_MS = 30_000;

export function createEmailSender(parts: EmailSenderDeps): NoticeSender {
  const { relay, recipients } = parts;
  return async (notice) => {
    const text = parts.textOf(notice);
    // The grammar again: what stands in the database may be of an earlier version.
    if (text === null || !isPlainEmailAddress(notice.destination))
      return { kind: 'refused', error: 'not_allowed' };
    // Looked at again: an app may have been deleted, or the operator may have changed the list.
    if (!recipients.isAllowed(notice.destination)) return { kind: 'failed', error: 'not_allowed' };
    // A connection of its own: mails are rare, and an idle one would only break.
    const transport = openTransport(relay);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<AttemptOutcome>((resolve) => {
      timer = setTimeout(() => {
        resolve({ kind: 'failed', error: 'timeout' });
      }, DEADLINE_MS);
    });
    try {
      return await Promise.race([submitEmail(transport, { relay, notice, text }), late]);
    } finally {
      clearTimeout(timer);
      transport.close();
    }
  };
}

function openTransport(relay: SmtpRelay): Transporter {
  const here = relay.hostname === 'localhost' || classifyAddress(relay.hostname) === 'loopback';
  return createTransport({
    host: relay.hostname,
    port: relay.port,
    secure: relay.secure,
    ...(relay.credentials === null
      ? {}
      : { auth: { user: relay.credentials.login, pass: relay.credentials.password } }),
    // A password goes over no open line.
    requireTLS: relay.credentials !== null && !here && !relay.secure,
    // A relay on this machine has a certificate of nobody's.
    tls: { rejectUnauthorized: !here },
    connectionTimeout: STAGE_TIMEOUT_MS,
    greetingTimeout: STAGE_TIMEOUT_MS,
    socketTimeout: STAGE_TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

async function submitEmail(
  transport: Transporter,
  mail: { readonly relay: SmtpRelay; readonly notice: Notice; readonly text: EmailText },
): Promise<AttemptOutcome> {
  const { relay, notice, text } = mail;
  try {
    await transport.sendMail({
      envelope: { from: relay.from, to: [notice.destination] },
      from: { name: 'loadtests', address: relay.from },
      to: { name: '', address: notice.destination },
      subject: text.subject,
      text: text.body,
      // The same over all attempts, so that mail programs show it once.
      messageId: `<${notice.id}@loadtests.invalid>`,
      headers: { 'X-Loadtests-Event': notice.id, 'Auto-Submitted': 'auto-generated' },
    });
    return { kind: 'delivered' };
  } catch (error) {
    return outcomeOf(error);
  }
}

/** 5xx to the recipient or the mail itself is final; to the login or the greeting it may be mended by the operator. */
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
  const { code, responseCode } = error as Error & { code?: unknown; responseCode?: unknown }; // as the library adds them
  return {
    code: typeof code === 'string' ? code : '',
    responseCode: typeof responseCode === 'number' ? responseCode : 0,
  };
}

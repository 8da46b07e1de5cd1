/** The `open` command: creates a sign-in link for the web UI of a running `serve`, and opens or prints it. */
import { CallError } from '../../core/call-error.ts';
import { timeText } from '../../core/instant.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import { instantText } from '../../core/report/plan-document.ts';
import type { SignInLink } from '../../contract/response-decoders.ts';
import { loadProject } from '../files/project.ts';
import { findBrowser, openInBrowser } from '../session/browser.ts';
import { createHostedClient } from '../session/connect.ts';
import { lacksOptionalFile } from '../session/open-session.ts';
import { chooseWebUiService, type WebUiService } from '../session/web-ui-service.ts';
import type { Context } from '../terminal/context.ts';
import type { FileFlags, OutputFlags } from '../terminal/flags.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';
import { writeNote, writeText } from '../terminal/report.ts';

export interface OpenFlags extends FileFlags, OutputFlags {
  readonly service?: string;
  readonly data?: string;
  readonly print?: boolean;
}

export async function open(context: Context, flags: OpenFlags): Promise<Outcome> {
  const loaded = flags.service === undefined ? await loadProject(context, flags) : null;
  if (loaded?.ok === false && !lacksOptionalFile(flags, loaded.problems))
    return createOutcome({ problems: loaded.problems });
  const chosen = chooseWebUiService(context, {
    named: flags.service ?? null,
    config: loaded?.ok === true ? loaded.value : null,
    data: flags.data,
  });
  const { code, expiresAt } = await createSignInCode(context, chosen);
  const page = `${chosen.service.baseUrl}/#${code}`;
  const until = expiresAt === null ? '' : `, until ${timeText(expiresAt)}`;
  const text = `The link can be used once${until}.`;
  const body = { command: 'open', web_ui: page, expires_at: instantText(expiresAt) } as const;
  const browser = flags.print === true || flags.json === true || context.quiet ? null : findBrowser(context);
  if (browser === null) {
    writeNote(context, text);
    return createOutcome({ rawOutput: `${page}\n`, body });
  }
  writeText(context, `${page}\n${text}\n`, flags);
  const failure = await openInBrowser(context, browser, page);
  if (failure !== null) writeNote(context, `The browser did not open: ${failure}. Open the link manually.`);
  return createOutcome({ body });
}

/** @throws ProblemError; LT_CLI_NO_WEB_UI if the service has no web UI. */
async function createSignInCode(
  context: Context,
  { service, key, isOwnService }: WebUiService,
): Promise<SignInLink> {
  const { origin } = new URL(service.baseUrl);
  const client = await createHostedClient(context, service, key);
  try {
    return await client.createSignInCode();
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    if (error.status === 404 || error.status === 405) {
      const hint = 'pass the URL of a running "loadtests serve" with --service';
      throw new ProblemError(
        problem('LT_CLI_NO_WEB_UI', `the service at ${origin} does not provide the loadtests web UI`, {
          hint,
        }),
      );
    }
    const { problem: cause, status } = error;
    // An unknown outcome counts as an error. A code that was created but not received is harmless, because it expires.
    if (cause.code === 'LT_API_UNKNOWN') {
      const code = status === null || status >= 500 ? 'LT_API_UNREACHABLE' : 'LT_API_UNUSABLE';
      throw new ProblemError({ ...cause, code });
    }
    const isNotRunning = cause.code === 'LT_API_UNREACHABLE' && status === null && isOwnService;
    const hint =
      'start "loadtests serve", or pass the URL of a running service: loadtests open --service URL';
    throw isNotRunning ? new ProblemError({ ...cause, hint }) : error;
  } finally {
    await client.close();
  }
}

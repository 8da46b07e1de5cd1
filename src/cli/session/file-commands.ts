/** Protects secrets from commands that the configuration file declares. */
import { listText } from '../../core/counted.ts';
import { problem, ProblemError } from '../../core/problem.ts';
import type { LoadedConfig } from '../../config/load-config.ts';
import { isPullRequestJob } from '../terminal/ci-job.ts';
import type { Context } from '../terminal/context.ts';

/**
 * Matches variables that may contain keys or tokens. The pattern matches most LOADTESTS_ variables, because the file
 * can choose the variable of the API key.
 */
const SECRET_VARIABLE =
  /^(LOADTESTS_(?!(BASE_URL|LIMITS)$)\w+|INPUT_TOKEN|((GITHUB|GH)_(ENTERPRISE_)?|GITLAB_|NPM_|NODE_AUTH_)TOKEN|ACTIONS_\w+_TOKEN|SYSTEM_ACCESSTOKEN)$/i;

/**
 * Refuses the commands of the file in a pull request job with secrets, because the pull request may have changed the
 * commands.
 * @throws ProblemError LT_CLI_COMMANDS if such a job has a key or token, and `allowed` is false.
 */
export function checkFileCommands(
  { env }: Context,
  config: LoadedConfig,
  options: { readonly allowed: boolean },
): void {
  const names = commandFieldsOf(config);
  if (options.allowed || names.length === 0 || !isPullRequestJob({ env })) return;
  const secrets = Object.keys(env).filter((name) => SECRET_VARIABLE.test(name) && env[name] !== '');
  if (secrets.length === 0) return;
  const message = `the file runs commands (${names.join(', ')}), which could read ${listText(secrets)} of this pull request job`;
  const hint =
    'run the commands in a job without secrets, or pass --allow-commands if you trust everyone who can open a pull request';
  throw new ProblemError(problem('LT_CLI_COMMANDS', message, { hint }));
}

function commandFieldsOf(config: LoadedConfig): readonly string[] {
  const publishes = config.desired.apps.some(({ publish }) => publish.kind === 'command');
  return [
    ...(config.webServer === null ? [] : ['web_server.command']),
    ...(publishes ? ['verification.command'] : []),
  ];
}

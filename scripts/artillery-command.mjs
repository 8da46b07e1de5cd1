import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';

const VERSION = '2.0.21';

/**
 * Returns the command that runs a script with Artillery. Installs Artillery into the temporary directory, unless an
 * argument of the program is the directory of an installation.
 */
export function artilleryCommand(temporaryDirectory) {
  const [, , given] = process.argv;
  const installation = given === undefined ? join(temporaryDirectory, 'artillery') : resolve(given);
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', `artillery@${VERSION}`];
  if (given === undefined)
    execFileSync('npm', ['install', '--prefix', installation, ...flags], { stdio: 'inherit' });
  return [join(installation, 'node_modules/artillery/bin/run'), 'run', '--quiet'];
}

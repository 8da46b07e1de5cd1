/** Runs the commands that documents print, in a project where this package is installed. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PROGRAM } from './cli.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A fenced block of a Markdown page. */
export interface DocumentBlock {
  /** Line of the opening fence, from 1. */
  readonly line: number;
  /** Language of the block, such as `sh`. */
  readonly kind: string;
  readonly text: string;
}

export function blocksOf(markdown: string): readonly DocumentBlock[] {
  return [...markdown.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(({ 1: kind = '', 2: text = '', index }) => ({
    line: markdown.slice(0, index).split('\n').length,
    kind,
    text,
  }));
}

/** Installs this package into a project, as `npm install` does. */
export function installPackage(directory: string): void {
  const modules = join(directory, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  symlinkSync(ROOT, join(modules, 'loadtests'));
  const program = join(modules, '.bin/loadtests');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`);
  chmodSync(program, 0o755);
}

/** Returns the environment of a shell in the project, with `loadtests` and `npx --no-install loadtests`. */
export function shellEnvironment(directory: string): Record<string, string> {
  return {
    PATH: [join(directory, 'node_modules/.bin'), process.env['PATH'] ?? ''].join(delimiter),
    HOME: directory,
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
  };
}

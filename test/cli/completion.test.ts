/** Completion in real shells with the generated scripts. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PROGRAM } from '../support/cli.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const directory = createTemporaryDirectory();
/** Directory of a stand-in for the program, which stores its words and prints stored candidates. */
const standIn = join(directory.path, 'stand-in');

beforeAll(() => {
  const tests = ['home', 'checkout', 'search'].map(
    (key) => `  ${key}: { test_type: cycling, duration: 10s, urls: [http://www.example.com/] }\n`,
  );
  const head =
    'version: 1\nproject: shop\nenvironments: { production: {}, staging: {} }\n' +
    'apps: { shop: www.example.com, api: api.example.com }\ntests:\n';
  writeFileSync(join(directory.path, 'loadtests.yaml'), head + tests.join(''));
  writeFileSync(join(directory.path, 'other.yaml'), `${head}${tests.join('').replace('search', 'basket')}`);
  writeFileSync(
    join(directory.path, 'by-environment.yaml'),
    'version: 1\nproject: shop\nenvironments: { production: { vars: { host: a.example.com } } }\napps: { a: "${host}" }\n',
  );
  const program = join(directory.path, 'loadtests');
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@"\n`);
  chmodSync(program, 0o755);
  mkdirSync(standIn);
  const lines = `#!/bin/sh\nprintf '%s\\n' "$@" > '${standIn}/words'\nexec cat '${standIn}/candidates'\n`;
  writeFileSync(join(standIn, 'loadtests'), lines, { mode: 0o755 });
  writeFileSync(join(directory.path, 'bash-completion'), outputOf('loadtests', ['completion', 'bash']));
});

afterAll(() => {
  directory.remove();
});

const environment = { PATH: `${directory.path}:${process.env['PATH'] ?? ''}`, HOME: directory.path };

/**
 * Returns the candidates in bash, which splits words at "=". To save time, the program runs in this process, with the
 * words that bash passes to it.
 */
async function inBash(...words: string[]): Promise<string[]> {
  const args = ['complete', '--', ...words];
  const { stdout } = await runInProcess(args, { directory: directory.path });
  writeFileSync(join(standIn, 'candidates'), stdout);
  const completed = completeInBash(words, { ...environment, PATH: `${standIn}:${environment.PATH}` });
  expect(readFileSync(join(standIn, 'words'), 'utf8').split('\n').slice(0, -1)).toEqual(args);
  return completed;
}

/** Returns the candidates of the program that bash finds with the environment variables. */
function completeInBash(words: readonly string[], env: NodeJS.ProcessEnv): string[] {
  const script = `
    source bash-completion
    COMP_WORDS=(loadtests "$@")
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    _loadtests
    printf '%s\\n' "\${COMPREPLY[@]}"
  `;
  const output = execFileSync('bash', ['--norc', '-c', script, 'bash', ...words], {
    cwd: directory.path,
    env,
    encoding: 'utf8',
  });
  return output.split('\n').filter((line) => line !== '');
}

function outputOf(shell: string, args: readonly string[]): string {
  return execFileSync(shell, args, { cwd: directory.path, env: environment, encoding: 'utf8' });
}

function isInstalled(shell: string): boolean {
  return spawnSync(shell, ['--version']).error === undefined;
}

describe('completion in bash', () => {
  test('bash completes visible commands, but not the hidden command "complete"', async () => {
    const commands = await inBash('');
    expect(commands).toEqual(expect.arrayContaining(['init', 'plan', 'apply', 'import', 'completion']));
    expect(commands).not.toContain('complete');
    expect(await inBash('pl')).toEqual(['plan']);
    expect(completeInBash(['pl'], environment)).toEqual(['plan']);
  });

  test('bash completes the flags of a command and their values', async () => {
    expect(await inBash('plan', '--on')).toEqual(['--only', '--on-drift']);
    expect(await inBash('plan', '--on-drift', '')).toEqual(['report', 'replace']);
    expect(await inBash('plan', '--on-drift', '=', 'rep')).toEqual(['report', 'replace']);
    expect(await inBash('plan', '--on-drift', '=')).toEqual(['report', 'replace']);
    expect(await inBash('apply', '--allow-limit', 'max_d')).toEqual(['max_duration']);
  });

  test('bash completes the keys of tests and apps in the default file, and the keys of tests in a file that -f names', async () => {
    expect(await inBash('run', '')).toEqual(['home', 'checkout', 'search']);
    expect(await inBash('run', 'home', '')).toEqual(['checkout', 'search']);
    expect(await inBash('run', '-f', 'other.yaml', 'b')).toEqual(['basket']);
    expect(await inBash('stop', '--yes', 's')).toEqual(['search']);
    expect(await inBash('plan', '--only', 'c')).toEqual(['checkout']);
    expect(await inBash('verify', '')).toEqual(['shop', 'api']);
    expect(await inBash('destroy', '--only', '')).toEqual(['shop', 'api']);
    expect(await inBash('run', '-f', 'missing.yaml', '')).toEqual([]);
  });

  test('bash completes environment names even if the file is valid only with a selected environment', async () => {
    expect(await inBash('apply', '--env', '')).toEqual(['production', 'staging']);
    expect(await inBash('plan', '--env', 'st')).toEqual(['staging']);
    expect(await inBash('plan', '--env', '=', 'pro')).toEqual(['production']);
    expect(await inBash('run', '-f', 'by-environment.yaml', '--env', '')).toEqual(['production']);
    expect(await inBash('run', '-f', 'missing.yaml', '--env', '')).toEqual([]);
  });

  test('bash completes file names after apply and after -f', async () => {
    expect(await inBash('apply', 'oth')).toEqual(['other.yaml']);
    expect(await inBash('validate', '-f', 'oth')).toEqual(['other.yaml']);
  });

  test('bash completes schema names, shell names and problem codes', async () => {
    expect(await inBash('schema', 'p')).toEqual(['plan']);
    expect(await inBash('schema', 's')).toEqual(['stop', 'status', 'status-event', 'serve-event', 'schema']);
    expect(await inBash('completion', 'z')).toEqual(['zsh']);
    expect(await inBash('explain', 'LT_PLAN_LIM')).toEqual(['LT_PLAN_LIMIT']);
    expect(await inBash('nonsense', '')).toEqual([]);
  });
});

describe('completion of untrusted names', () => {
  test('bash completes a valid environment name, but none of 14 invalid names, such as names that a shell would interpret', async () => {
    const names = [
      'prod$(touch ran)',
      'prod;touch ran',
      'prod`touch ran`',
      'prod --yes',
      '--yes',
      'prod\\u001b]0;x\\u0007',
      'PROD',
      'prod\\ntouch ran',
      'prod${IFS}x',
      'prod>ran',
      '~root',
      'prod[a-z]*',
      'prod\\u2028x',
      "prod$'\\\\x0a'",
    ];
    expect(names).toHaveLength(14);
    writeFileSync(
      join(directory.path, 'hostile.yaml'),
      'version: 1\nproject: shop\n' +
        `environments: { ${names.map((name) => `"${name}": {}, `).join('')}staging: {} }\n` +
        'apps: { a: a.example.com }\n',
    );
    expect(await inBash('apply', '-f', 'hostile.yaml', '--env', '')).toEqual(['staging']);
    expect(await inBash('apply', '-f', 'hostile.yaml', '--env', '=', '')).toEqual(['staging']);
  });

  test('bash does not complete a test key or an app key that a command would interpret as a flag', async () => {
    writeFileSync(
      join(directory.path, 'flags.yaml'),
      'version: 1\nproject: shop\napps: { "--yes": www.example.com, api: api.example.com }\ntests:\n' +
        ['--allow-commands', 'home']
          .map((key) => `  ${key}: { test_type: cycling, duration: 10s, urls: [http://www.example.com/] }\n`)
          .join(''),
    );
    expect(await inBash('run', '-f', 'flags.yaml', '')).toEqual(['home']);
    expect(await inBash('verify', '-f', 'flags.yaml', '')).toEqual(['api']);
  });

  test('the bash completion script quotes every candidate, so a completed line cannot run another command', () => {
    const words = ['prod$(touch ran)', 'a b', "it's;touch ran", '`touch ran`', '*', 'plain'];
    const program = join(directory.path, 'hostile-program');
    writeFileSync(program, `#!/bin/sh\ncat <<'END'\n${words.join('\n')}\nEND\n`);
    chmodSync(program, 0o755);
    const script = `
      eval "$(loadtests completion bash)"
      COMP_WORDS=(${program} apply --env '') COMP_CWORD=3
      _loadtests
      for word in "\${COMPREPLY[@]}"; do eval "printf '%s\\n' $word"; done
    `;
    expect(outputOf('bash', ['--norc', '-c', script]).trimEnd().split('\n')).toEqual(words);
    expect(existsSync(join(directory.path, 'ran'))).toBe(false);
  });

  test.each(['compopt() { return 0; }', 'compopt() { return 127; }'])(
    'bash completes a file name that contains a command substitution, and does not execute the command (with the shell function %s)',
    (compopt) => {
      writeFileSync(join(directory.path, 'zz$(touch ran).yaml'), '');
      const script = `
        eval "$(loadtests completion bash)"
        ${compopt}
        COMP_WORDS=(loadtests plan -f zz) COMP_CWORD=3
        _loadtests
        printf '%s\\n' "\${COMPREPLY[@]}"
      `;
      // With the option "filenames", bash itself quotes the names; bash 3.2 does not have this option.
      const quoted = compopt.includes('127') ? 'zz\\$\\(touch\\ ran\\).yaml' : 'zz$(touch ran).yaml';
      expect(outputOf('bash', ['--norc', '-c', script]).trimEnd()).toBe(quoted);
    },
  );
});

describe.skipIf(!isInstalled('zsh'))('completion in zsh', () => {
  test('the zsh completion script passes the completion candidates of loadtests to the shell', () => {
    const script = `
      _describe() { print -rl -- "\${(@P)2}"; }
      compdef() { : }
      words=(loadtests plan --on-drift '')
      CURRENT=4
      eval "$(loadtests completion zsh)"
      _loadtests
      words=(loadtests plan --detailed)
      CURRENT=3
      _loadtests
    `;
    const output = outputOf('zsh', ['-f', '-c', script]);
    expect(output.trim().split('\n')).toEqual([
      'report',
      'replace',
      '--detailed-exitcode:exit with 2 if the plan has changes',
    ]);
  });
});

describe.skipIf(!isInstalled('fish'))('completion in fish', () => {
  test('the fish completion script passes the completion candidates of loadtests to the shell', () => {
    const script = "loadtests completion fish | source; complete -C 'loadtests plan --on-drift '";
    const output = outputOf('fish', ['--no-config', '-c', script]);
    expect(output.trim().split('\n').sort()).toEqual(['replace', 'report']);
  });
});

test('the completion command rejects an unknown shell and lists the supported shells', async () => {
  const { exit, stderr } = await runInProcess(['completion', 'tcsh'], { directory: directory.path });
  expect(exit).toBe(3);
  expect(stderr).toContain('the supported shells are bash, zsh, and fish');
});

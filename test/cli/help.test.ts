/** The `help` command and the flag `-v`. */
import { afterAll, describe, expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { createTemporaryDirectory } from '../support/temporary-directory.ts';

const directory = createTemporaryDirectory();
const loadtests = async (...args: string[]) => await runInProcess(args, { directory: directory.path });

afterAll(() => {
  directory.remove();
});

describe('help', () => {
  test('the built program prints the same help of a command as with --help', async () => {
    const run = async (...args: string[]) => await runCli(args, { directory: directory.path });
    const [actual, expected] = [await run('help', 'plan'), await run('plan', '--help')];
    expect(actual).toEqual(expected);
    expect(actual.stdout).toContain('Usage: loadtests');
  });

  test.each([
    [['help'], ['--help']],
    [
      ['help', 'plan'],
      ['plan', '--help'],
    ],
    [
      ['help', 'schema', '--json'],
      ['schema', '--help'],
    ],
    [
      ['help', '--json', 'apply'],
      ['apply', '--help'],
    ],
    [['help', 'help'], ['--help']],
  ])('the command %j prints the same help as %j', async (words, flags) => {
    const [actual, expected] = [await loadtests(...words), await loadtests(...flags)];
    expect(actual).toEqual(expected);
    expect(actual.exit).toBe(0);
    expect(actual.stdout).toContain('Usage: loadtests');
  });

  test('help reports an unknown command, as text and in the JSON document', async () => {
    const plain = await loadtests('help', 'plann');
    expect(plain.exit).toBe(3);
    expect(plain.stderr).toContain('unknown command "plann"');
    expect(plain.stderr).toContain('plan');
    const json = await loadtests('help', 'plann', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ exit_code: 3, problems: [{ code: 'LT_CLI_USAGE' }] });
  });
});

describe('the flag -v', () => {
  test.each(['plan', 'apply', 'run'])('the help of the command %s describes -v', async (command) => {
    expect((await loadtests('help', command)).stdout).toContain('-v, --verbose');
  });

  test.each(['init', 'validate', 'stop', 'status', 'results', 'verify', 'import', 'recover', 'destroy'])(
    'the command %s rejects -v',
    async (command) => {
      const ran = await loadtests(command, '-v');
      expect(ran.exit).toBe(3);
      expect(ran.stderr).toContain('unknown option "-v"');
    },
  );
});

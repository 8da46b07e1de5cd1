/** Help as it is asked for in words. */
import { afterAll, describe, expect, test } from 'vitest';
import { runCli, createTemporaryDirectory } from '../support/cli.ts';

const directory = createTemporaryDirectory();
const loadtests = async (...args: string[]) => await runCli(args, { directory: directory.path });

afterAll(() => {
  directory.remove();
});

describe('help', () => {
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
  ])('%j prints what %j prints', async (words, flags) => {
    const [asked, expected] = [await loadtests(...words), await loadtests(...flags)];
    expect(asked).toEqual(expected);
    expect(asked.exit).toBe(0);
    expect(asked.stdout).toContain('Usage: loadtests');
  });

  test('of what is no command is refused, also as a document', async () => {
    const plain = await loadtests('help', 'plann');
    expect(plain.exit).toBe(3);
    expect(plain.stderr).toContain('unknown command "plann"');
    expect(plain.stderr).toContain('plan');
    const json = await loadtests('help', 'plann', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ exit_code: 3, problems: [{ code: 'LT_CLI_USAGE' }] });
  });
});

describe('-v', () => {
  test.each(['plan', 'apply', 'run'])('is taken by %s, which says what it prints', async (command) => {
    expect((await loadtests('help', command)).stdout).toContain('-v, --verbose');
  });

  test.each(['init', 'validate', 'stop', 'status', 'results', 'verify', 'import', 'recover', 'destroy'])(
    'is refused by %s, which has nothing more to print',
    async (command) => {
      const ran = await loadtests(command, '-v');
      expect(ran.exit).toBe(3);
      expect(ran.stderr).toContain('unknown option "-v"');
    },
  );
});

/**
 * Output files of the command line: inputs are never overwritten, and unwritable files are reported before
 * the command starts.
 */
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { runCli, runInShell, type CliResult } from '../support/cli.ts';
import { startHostedService } from '../support/hosted-service.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { parseCommands } from '../support/workflow-commands.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';
import { sampleRows } from '../support/test-scale.ts';

const FILE = `version: 1
project: shop
apps: { shop: 127.0.0.1:9 }
tests:
  home:
    test_type: per-second
    total: 5
    duration: 1s
    notes: '\${file:notes.txt}'
    urls: [http://127.0.0.1:9/]
`;

interface Document {
  readonly exit_code: number;
  readonly problems: readonly { readonly code: string; readonly message: string }[];
}

function project(): string {
  const directory = createTestDirectory();
  writeFileSync(join(directory, 'loadtests.yaml'), FILE);
  writeFileSync(join(directory, 'notes.txt'), 'from a file');
  return directory;
}

function refusal(ran: CliResult): string {
  expect(ran.exit).toBe(3);
  const [, message = ran.stderr] = /^error LT_CLI_PATH: (.*)$/m.exec(ran.stderr) ?? [];
  return message;
}

describe('protection of input files', () => {
  test.each([
    ['an input file named directly', ['plan', '--json-into', 'loadtests.yaml']],
    ['an input file with a different spelling of its path', ['plan', '-o', './x/../loadtests.yaml']],
    ['a hard link to an input file', ['status', '--json-into', 'hard']],
    [
      'the default file if -f names a hard link to it',
      ['validate', '-f', 'hard', '--json-into', 'loadtests.yaml'],
    ],
    [
      'the configuration file of a command that does not read it',
      ['explain', 'LT_CLI_PATH', '--json-into', 'loadtests.yaml'],
    ],
    ['an input file on an invalid command line', ['plan', '--jsn', '--json-into=loadtests.yaml']],
  ])('an output file does not overwrite %s', async (_, args) => {
    const directory = project();
    mkdirSync(join(directory, 'x'));
    linkSync(join(directory, 'loadtests.yaml'), join(directory, 'hard'));
    const ran = await runInProcess(args, { directory });
    expect(refusal(ran)).toMatch(
      /^--(out|json-into) would overwrite "(loadtests.yaml|hard)", which the command reads/,
    );
    expect(readFileSync(join(directory, 'loadtests.yaml'), 'utf8')).toBe(FILE);
    expect(existsSync(join(directory, '.loadtests'))).toBe(false);
  });

  test('an output file does not overwrite the file on standard input', async () => {
    const directory = project();
    const ran = await runInShell('loadtests validate -f - --json-into loadtests.yaml < loadtests.yaml', {
      directory,
    });
    expect(refusal(ran)).toContain('would overwrite');
    expect(readFileSync(join(directory, 'loadtests.yaml'), 'utf8')).toBe(FILE);
  });

  test('an output file does not overwrite an included file', async () => {
    const directory = project();
    const ran = await runInProcess(['plan', '--json-into', 'notes.txt'], { directory });
    expect(refusal(ran)).toContain('--json-into would overwrite');
    expect(readFileSync(join(directory, 'notes.txt'), 'utf8')).toBe('from a file');
  });

  test('an output file does not overwrite a saved plan or its configuration file', async () => {
    const directory = project();
    mkdirSync(join(directory, 'plans'));
    expect((await runInProcess(['plan', '-o', 'plans/plan.json'], { directory })).exit).toBe(0);
    const plan = readFileSync(join(directory, 'plans/plan.json'), 'utf8');
    const other = { directory: join(directory, 'plans') };
    const ran = await runInProcess(['apply', 'plan.json', '--json-into', 'plan.json'], other);
    expect(refusal(ran)).toBe('--json-into would overwrite "plan.json", which the command reads');
    expect(readFileSync(join(directory, 'plans/plan.json'), 'utf8')).toBe(plan);
    expect(
      refusal(
        await runInProcess(['apply', 'plans/plan.json', '--json-into', 'loadtests.yaml'], { directory }),
      ),
    ).toContain('loadtests.yaml');
    expect(readFileSync(join(directory, 'loadtests.yaml'), 'utf8')).toBe(FILE);
  });

  test.each(['.loadtests/journal.jsonl', '.loadtests/service/service.db-wal', 'link/new.xml'])(
    'an output file inside the data directory is rejected: %s',
    async (path) => {
      const directory = project();
      mkdirSync(join(directory, '.loadtests/service'), { recursive: true });
      symlinkSync('.loadtests', join(directory, 'link'));
      const ran = await runInProcess(['plan', '-o', path], { directory });
      expect(refusal(ran)).toBe(`"${path}" (--out) is inside the data directory ".loadtests"`);
      expect(existsSync(join(directory, path))).toBe(false);
    },
  );

  test('init rejects an output file with the name of the configuration file that it creates', async () => {
    const empty = createTestDirectory();
    const ran = await runInProcess(['init', '--json-into', 'loadtests.yaml'], { directory: empty });
    expect(refusal(ran)).toContain('overwrite');
    expect(existsSync(join(empty, 'loadtests.yaml'))).toBe(false);
  });

  test('a command rejects two output flags that name one file', async () => {
    const directory = project();
    const ran = await runInProcess(['plan', '-o', 'new.json', '--json-into', './new.json'], { directory });
    expect(refusal(ran)).toBe('--json-into and --out both name "new.json"');
    expect(existsSync(join(directory, 'new.json'))).toBe(false);
  });
});

describe('unwritable output files', () => {
  test('an unwritable output file is reported before a request is sent', async () => {
    const service = await startHostedService();
    onTestFinished(() => service.close());
    const directory = project();
    mkdirSync(join(directory, 'directory'));
    const env = { LOADTESTS_BASE_URL: service.url, LOADTESTS_API_KEY: service.options.key };
    const apply = async (path: string) =>
      refusal(await runInProcess(['apply', '--yes', '--json-into', path], { directory, env }));
    expect(await apply('none/x.json')).toBe(
      `"none/x.json" (--json-into) cannot be written: the directory "${join(directory, 'none')}" does not exist`,
    );
    expect(await apply('directory')).toBe('"directory" (--json-into) cannot be written: it is a directory');
    expect(await apply('notes.txt/x.json')).toContain('cannot be written: "');
    expect(service.log).toEqual([]);
  });

  test.each([
    ['plan', '"none/x" (--out) cannot be written: the directory "'],
    ['import', '"none/x" (--out) cannot be written: the directory "'],
  ])('the command %s -o reports an unwritable output file', async (command, message) => {
    expect(refusal(await runInProcess([command, '-o', 'none/x'], { directory: project() }))).toContain(
      message,
    );
  });

  test('if the user lacks permission to write an output file, the error states that permission was denied', async () => {
    const directory = project();
    mkdirSync(join(directory, 'closed'));
    writeFileSync(join(directory, 'mine.json'), '');
    chmodSync(join(directory, 'mine.json'), 0o444);
    chmodSync(join(directory, 'closed'), 0o555);
    chmodSync(directory, 0o755);
    const validate = async (path: string) =>
      refusal(await runCli(['validate', '--json-into', path], { directory, unprivileged: true }));
    expect(await validate('closed/x.json')).toContain('cannot be written: permission denied');
    expect(await validate('mine.json')).toContain('cannot be written: permission denied');
  });

  test('a write error of --json-into appears in the printed document, and sets the exit code only if no other error occurred', async () => {
    const directory = project();
    const full = await runInProcess(['validate', '--json', '--json-into', '/dev/full'], { directory });
    expect(full.exit).toBe(1);
    expect(JSON.parse(full.stdout)).toMatchObject({
      exit_code: 1,
      problems: [
        { code: 'LT_CLI_DISK', message: '"/dev/full" cannot be written: no space left on the disk' },
      ],
    });
    writeFileSync(join(directory, 'loadtests.yaml'), 'version: 2');
    const wrong = await runInProcess(['validate', '--json-into', '/dev/full'], { directory });
    expect(wrong.exit).toBe(3);
    expect(wrong.stderr).toMatch(/LT_CONFIG_SHAPE[^]*LT_CLI_DISK/);
  });
});

describe('an invalid command line', () => {
  test.each([
    [['plan', '--jsn', '--json-into', 'into.json']],
    [['plann', '--json-into=into.json']],
    [['plan', '--max-age', 'soon', '--json-into', 'into.json']],
  ])('the JSON document is written even for the invalid command line %j', async (args) => {
    const directory = project();
    expect((await runInProcess(args, { directory })).exit).toBe(3);
    const document = JSON.parse(readFileSync(join(directory, 'into.json'), 'utf8')) as Document;
    expect(document.exit_code).toBe(3);
    expect(document.problems.map(({ code }) => code)).toEqual(['LT_CLI_USAGE']);
  });
});

describe('the Markdown report', () => {
  test.each([
    [
      ['validate', '--markdown', 'loadtests.yaml'],
      'would overwrite "loadtests.yaml", which the command reads',
    ],
    [['plan', '--markdown=notes.txt'], '--markdown would overwrite "'],
    [
      ['plan', '--markdown', 'none/report.md'],
      '"none/report.md" (--markdown) cannot be written: the directory',
    ],
    [
      ['plan', '--markdown', 'one.md', '--json-into', 'one.md'],
      '--json-into and --markdown both name "one.md"',
    ],
    [['plan', '--markdown', 'one.md', '-o', './one.md'], '--markdown and --out both name "./one.md"'],
    [['apply', '--markdown', 'plan.json'], '"plan.json" does not look like a Markdown file'],
    [['run', 'a', '--markdown', 'home'], '"home" does not look like a Markdown file'],
    [['plan', '--markdown=./plan.yaml'], '"./plan.yaml" does not look like a Markdown file'],
    [['plan', '--markdown', 'link.md'], '"link.md" (--markdown) cannot be written: it is a symbolic link'],
  ])(
    'an invalid path for the Markdown report is rejected, and no file is written: %j',
    async (args, message) => {
      const directory = project();
      symlinkSync(join(directory, 'elsewhere.md'), join(directory, 'link.md'));
      expect(refusal(await runInProcess(args, { directory }))).toContain(message);
      expect(readFileSync(join(directory, 'loadtests.yaml'), 'utf8')).toBe(FILE);
      for (const name of ['one.md', 'elsewhere.md', '.loadtests']) {
        expect(existsSync(join(directory, name))).toBe(false);
      }
    },
  );

  test('--markdown without a file name prints the Markdown report to stdout and the text output to stderr, and is rejected together with --json', async () => {
    const directory = project();
    const { stdout, stderr } = await runInProcess(['validate', '--markdown'], { directory });
    expect(stdout).toContain('### loadtests validate');
    expect(stdout).not.toContain('loadtests.yaml is valid');
    expect(stderr).toContain('loadtests.yaml is valid');
    const both = await runInProcess(['validate', '--markdown', '--json'], { directory });
    expect(both.exit).toBe(3);
    expect(both.stderr).toContain('--json and --markdown both print to stdout');
  });

  test.each([
    ['validate with an invalid file', ['validate', '--markdown', 'report.md']],
    ['status with an invalid file', ['status', '--markdown=report.md']],
    ['an invalid command line', ['plan', '--jsn', '--markdown', 'report.md']],
  ])('the Markdown report is written even for %s', async (_, args) => {
    const directory = project();
    writeFileSync(join(directory, 'loadtests.yaml'), 'version: 2');
    expect((await runInProcess(args, { directory })).exit).toBe(3);
    expect(readFileSync(join(directory, 'report.md'), 'utf8')).toContain(
      'the command line or the file is invalid',
    );
  });
});

describe('the flag --github', () => {
  test('--github annotates the file by its path in the repository, and appends to the job summary', async () => {
    const directory = createTestDirectory();
    mkdirSync(join(directory, 'shop'));
    writeFileSync(join(directory, 'shop/loadtests.yaml'), FILE.replace('total: 5', 'totl: 5'));
    writeFileSync(join(directory, 'shop/notes.txt'), '');
    writeFileSync(join(directory, 'summary'), 'before\n');
    const env = { GITHUB_WORKSPACE: directory, GITHUB_STEP_SUMMARY: join(directory, 'summary') };
    const validate = async (...words: string[]) =>
      await runInProcess(['validate', '--github', ...words], { directory: join(directory, 'shop'), env });
    const { stdout, exit } = await validate();
    expect(exit).toBe(3);
    expect(parseCommands(stdout)).toMatchObject([
      { name: 'error', properties: { file: 'shop/loadtests.yaml', line: '7', col: '5' } },
    ]);
    const summary = () => readFileSync(join(directory, 'summary'), 'utf8');
    expect(summary()).toMatch(/^before\n\n### loadtests validate/);
    const withJson = await validate('--json');
    expect(JSON.parse(withJson.stdout)).toMatchObject({ exit_code: 3 });
    expect(parseCommands(withJson.stderr)).toHaveLength(1);
    const full = 'x'.repeat(1024 * 1024);
    writeFileSync(join(directory, 'summary'), full);
    expect((await validate()).stderr).toContain('the report is not in the job summary');
    expect(summary()).toBe(full);
  });
});

describe('write errors on standard streams', () => {
  // By default, only two of the commands; `npm run check:deep` runs all.
  test.each(sampleRows(['validate --json', 'validate', 'schema', 'import'], 2))(
    'loadtests %s reports a write error on stdout',
    async (line) => {
      const ran = await runInShell(`loadtests ${line} > /dev/full`, { directory: project() });
      expect(ran.stderr).toContain(
        'error LT_CLI_DISK: the output cannot be written to standard output: no space left on the disk',
      );
      expect(ran.exit).toBe(1);
    },
  );

  test('a write error on stdout does not replace the exit code of an earlier error', async () => {
    expect((await runInShell('loadtests plann --json > /dev/full', { directory: project() })).exit).toBe(3);
  });

  test('the exit code of a command is 0 if the reader of stdout closes the pipe early', async () => {
    const line = 'loadtests validate | true; echo "${PIPESTATUS[0]}"';
    expect(await runInShell(line, { directory: project() })).toEqual({ stdout: '0\n', stderr: '', exit: 0 });
  });

  test('a write error on stderr does not change the exit code', async () => {
    const directory = project();
    const ran = await runInShell('loadtests validate --json 2>&-', { directory });
    expect([ran.exit, (JSON.parse(ran.stdout) as Document).exit_code]).toEqual([0, 0]);
    // This command prints its error to stderr.
    for (const closed of ['2>&-', '2>/dev/full', '2> >(exec true)'])
      expect((await runInShell(`loadtests plann ${closed}`, { directory })).exit).toBe(3);
  });
});

describe('the JSON document of commands that print text', () => {
  test('schema --json prints the schema only in the JSON document', async () => {
    const ran = await runInProcess(['schema', 'plan', '--json', '--json-into', 'schema.json'], {
      directory: project(),
    });
    expect([ran.exit, ran.stderr]).toEqual([0, '']);
    const plain = await runInProcess(['schema', 'plan'], { directory: project() });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      format_version: 1,
      command: 'schema',
      exit_code: 0,
      problems: [],
      name: 'plan',
      schema: JSON.parse(plain.stdout) as unknown,
    });
  });

  test('completion --json prints the script in the JSON document', async () => {
    const ran = await runInProcess(['completion', 'bash', '--json'], { directory: project() });
    expect([ran.exit, ran.stderr]).toEqual([0, '']);
    const plain = await runInProcess(['completion', 'bash'], { directory: project() });
    expect(JSON.parse(ran.stdout)).toMatchObject({ shell: 'bash', script: plain.stdout });
  });
});

describe('an unusable data directory', () => {
  test('serve rejects an unusable data directory before it starts', async () => {
    const directory = project();
    const ran = await runInProcess(['serve', '--port', '0', '--data', 'notes.txt'], { directory });
    expect(refusal(ran)).toBe(
      `"${join(directory, 'notes.txt')}" cannot be used as a data directory: it is a file`,
    );
    const below = await runInProcess(['serve', '--port', '0', '--data', 'notes.txt/data'], { directory });
    expect(refusal(below)).toContain('a part of the path is not a directory');
  });

  test('plan, status and apply reject an unusable data directory', async () => {
    const directory = project();
    writeFileSync(join(directory, '.loadtests'), '');
    for (const command of ['plan', 'status', 'apply']) {
      expect(refusal(await runInProcess([command], { directory }))).toContain(
        'cannot be used as a data directory: it is a file',
      );
    }
  });

  test('serve rejects a data directory that contains a directory in place of the key file', async () => {
    const directory = project();
    mkdirSync(join(directory, 'data/api-key'), { recursive: true });
    const ran = await runInProcess(['serve', '--port', '0', '--data', 'data'], { directory });
    expect(refusal(ran)).toBe(`"${join(directory, 'data/api-key')}" cannot be read: it is a directory`);
  });
});

describe('the init command', () => {
  test('init reports that permission to write to a read-only directory was denied', async () => {
    const empty = createTestDirectory();
    chmodSync(empty, 0o555);
    const ran = await runCli(['init'], { directory: empty, unprivileged: true });
    expect(refusal(ran)).toBe(`"${join(empty, 'loadtests.yaml')}" cannot be written: permission denied`);
  });

  test('init warns if it cannot update .gitignore', async () => {
    const empty = createTestDirectory();
    mkdirSync(join(empty, '.gitignore'));
    const ran = await runInProcess(['init'], { directory: empty });
    expect(ran.exit).toBe(0);
    expect(ran.stdout).toContain('Wrote loadtests.yaml.\n');
    expect(ran.stderr).toContain('warning LT_CLI_DISK');
  });
});

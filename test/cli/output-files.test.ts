/** Files that a command line names to be written: what is there to be read stays, and what cannot be is told at once. */
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
import { run, runInShell, ownFolder, type Ran } from '../rig/cli.ts';
import { startHostedService } from '../rig/hosted-service.ts';
import { runInThisProcess } from '../rig/same-process.ts';
import { commandsIn } from '../rig/workflow-commands.ts';

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
  const folder = ownFolder();
  writeFileSync(join(folder, 'loadtests.yaml'), FILE);
  writeFileSync(join(folder, 'notes.txt'), 'from a file');
  return folder;
}

function refusal(ran: Ran): string {
  expect(ran.exit).toBe(3);
  const [, message = ran.stderr] = /^error LT_CLI_PATH: (.*)$/m.exec(ran.stderr) ?? [];
  return message;
}

describe('a file that is there to be read is never written', () => {
  test.each([
    ['by its name', ['plan', '--json-into', 'loadtests.yaml']],
    ['by another spelling of its name', ['plan', '-o', './x/../loadtests.yaml']],
    ['through a hard link', ['status', '--json-into', 'hard']],
    ['where it is named', ['validate', '-f', 'hard', '--json-into', 'loadtests.yaml']],
    ['by a command that does not read it', ['explain', 'LT_CLI_PATH', '--json-into', 'loadtests.yaml']],
    ['by a command line that is not right', ['plan', '--jsn', '--json-into=loadtests.yaml']],
  ])('%s', async (_, args) => {
    const folder = project();
    mkdirSync(join(folder, 'x'));
    linkSync(join(folder, 'loadtests.yaml'), join(folder, 'hard'));
    const ran = await runInThisProcess(args, { folder });
    expect(refusal(ran)).toMatch(
      /^--(out|json-into) would overwrite "(loadtests.yaml|hard)", which the command reads/,
    );
    expect(readFileSync(join(folder, 'loadtests.yaml'), 'utf8')).toBe(FILE);
    expect(existsSync(join(folder, '.loadtests'))).toBe(false);
  });

  test('where it comes over standard input', async () => {
    const folder = project();
    const ran = await runInShell('loadtests validate -f - --json-into loadtests.yaml < loadtests.yaml', {
      folder,
    });
    expect(refusal(ran)).toContain('would overwrite');
    expect(readFileSync(join(folder, 'loadtests.yaml'), 'utf8')).toBe(FILE);
  });

  test('that the file includes', async () => {
    const folder = project();
    const ran = await runInThisProcess(['plan', '--json-into', 'notes.txt'], { folder });
    expect(refusal(ran)).toContain('--json-into would overwrite');
    expect(readFileSync(join(folder, 'notes.txt'), 'utf8')).toBe('from a file');
  });

  test('that is the saved plan, or the file that the plan was made of', async () => {
    const folder = project();
    mkdirSync(join(folder, 'plans'));
    expect((await runInThisProcess(['plan', '-o', 'plans/plan.json'], { folder })).exit).toBe(0);
    const plan = readFileSync(join(folder, 'plans/plan.json'), 'utf8');
    const other = { folder: join(folder, 'plans') };
    const ran = await runInThisProcess(['apply', 'plan.json', '--json-into', 'plan.json'], other);
    expect(refusal(ran)).toBe('--json-into would overwrite "plan.json", which the command reads');
    expect(readFileSync(join(folder, 'plans/plan.json'), 'utf8')).toBe(plan);
    expect(
      refusal(
        await runInThisProcess(['apply', 'plans/plan.json', '--json-into', 'loadtests.yaml'], { folder }),
      ),
    ).toContain('loadtests.yaml');
    expect(readFileSync(join(folder, 'loadtests.yaml'), 'utf8')).toBe(FILE);
  });

  test.each(['.loadtests/journal.jsonl', '.loadtests/service/service.db-wal', 'link/new.xml'])(
    'that lies with the data of commands: %s',
    async (path) => {
      const folder = project();
      mkdirSync(join(folder, '.loadtests/service'), { recursive: true });
      symlinkSync('.loadtests', join(folder, 'link'));
      const ran = await runInThisProcess(['plan', '-o', path], { folder });
      expect(refusal(ran)).toBe(`"${path}" of --out lies in ".loadtests", where commands keep their data`);
      expect(existsSync(join(folder, path))).toBe(false);
    },
  );

  test('that is the file that init is to write', async () => {
    const empty = ownFolder();
    const begun = await runInThisProcess(['init', '--json-into', 'loadtests.yaml'], { folder: empty });
    expect(refusal(begun)).toContain('overwrite');
    expect(existsSync(join(empty, 'loadtests.yaml'))).toBe(false);
  });

  test('nor one file twice', async () => {
    const folder = project();
    const ran = await runInThisProcess(['plan', '-o', 'new.json', '--json-into', './new.json'], { folder });
    expect(refusal(ran)).toBe('--json-into and --out both name "new.json"');
    expect(existsSync(join(folder, 'new.json'))).toBe(false);
  });
});

describe('a file that cannot be written', () => {
  test('is told before anything is done', async () => {
    const service = await startHostedService();
    onTestFinished(() => service.close());
    const folder = project();
    mkdirSync(join(folder, 'folder'));
    const env = { LOADTESTS_BASE_URL: service.url, LOADTESTS_API_KEY: service.options.key };
    const apply = async (path: string) =>
      refusal(await runInThisProcess(['apply', '--yes', '--json-into', path], { folder, env }));
    expect(await apply('none/x.json')).toBe(
      `"none/x.json" of --json-into cannot be written: the folder "${join(folder, 'none')}" does not exist`,
    );
    expect(await apply('folder')).toBe('"folder" of --json-into cannot be written: it is a folder');
    expect(await apply('notes.txt/x.json')).toContain('cannot be written: "');
    expect(service.log).toEqual([]);
  });

  test.each([
    ['plan', '"none/x" of --out cannot be written: the folder "'],
    ['import', '"none/x" of --out cannot be written: the folder "'],
  ])('is told by %s -o too', async (command, message) => {
    expect(refusal(await runInThisProcess([command, '-o', 'none/x'], { folder: project() }))).toContain(
      message,
    );
  });

  test('for want of permission is told with that reason', async () => {
    const folder = project();
    mkdirSync(join(folder, 'closed'));
    writeFileSync(join(folder, 'mine.json'), '');
    chmodSync(join(folder, 'mine.json'), 0o444);
    chmodSync(join(folder, 'closed'), 0o555);
    chmodSync(folder, 0o755);
    const validate = async (path: string) =>
      refusal(await run(['validate', '--json-into', path], { folder, unprivileged: true }));
    expect(await validate('closed/x.json')).toContain('cannot be written: permission denied');
    expect(await validate('mine.json')).toContain('cannot be written: permission denied');
  });

  test('only in the end leaves the report as it is, and its own exit code where nothing else is to be said', async () => {
    const folder = project();
    const full = await runInThisProcess(['validate', '--json', '--json-into', '/dev/full'], { folder });
    expect(full.exit).toBe(1);
    expect(JSON.parse(full.stdout)).toMatchObject({
      exit_code: 1,
      problems: [
        { code: 'LT_CLI_DISK', message: '"/dev/full" cannot be written: no space left on the disk' },
      ],
    });
    writeFileSync(join(folder, 'loadtests.yaml'), 'version: 2');
    const wrong = await runInThisProcess(['validate', '--json-into', '/dev/full'], { folder });
    expect(wrong.exit).toBe(3);
    expect(wrong.stderr).toMatch(/LT_CONFIG_SHAPE[^]*LT_CLI_DISK/);
  });
});

describe('a command line that is not right', () => {
  test.each([
    [['plan', '--jsn', '--json-into', 'into.json']],
    [['plann', '--json-into=into.json']],
    [['plan', '--max-age', 'soon', '--json-into', 'into.json']],
  ])('%j writes its document all the same', async (args) => {
    const folder = project();
    expect((await runInThisProcess(args, { folder })).exit).toBe(3);
    const document = JSON.parse(readFileSync(join(folder, 'into.json'), 'utf8')) as Document;
    expect(document.exit_code).toBe(3);
    expect(document.problems.map(({ code }) => code)).toEqual(['LT_CLI_USAGE']);
  });
});

describe('a report', () => {
  test.each([
    [
      ['validate', '--markdown', 'loadtests.yaml'],
      'would overwrite "loadtests.yaml", which the command reads',
    ],
    [['plan', '--markdown=notes.txt'], '--markdown would overwrite "'],
    [
      ['plan', '--markdown', 'none/report.md'],
      '"none/report.md" of --markdown cannot be written: the folder',
    ],
    [
      ['plan', '--markdown', 'one.md', '--json-into', 'one.md'],
      '--json-into and --markdown both name "one.md"',
    ],
    [['plan', '--markdown', 'one.md', '-o', './one.md'], '--markdown and --out both name "./one.md"'],
    [['apply', '--markdown', 'plan.json'], '"plan.json" does not look like a file for Markdown'],
    [['run', 'a', '--markdown', 'home'], '"home" does not look like a file for Markdown'],
    [['plan', '--markdown=./plan.yaml'], '"./plan.yaml" does not look like a file for Markdown'],
    [['plan', '--markdown', 'link.md'], '"link.md" of --markdown cannot be written: it is a symbolic link'],
  ])('is refused as a document is: %j', async (args, message) => {
    const folder = project();
    symlinkSync(join(folder, 'elsewhere.md'), join(folder, 'link.md'));
    expect(refusal(await runInThisProcess(args, { folder }))).toContain(message);
    expect(readFileSync(join(folder, 'loadtests.yaml'), 'utf8')).toBe(FILE);
    for (const name of ['one.md', 'elsewhere.md', '.loadtests']) {
      expect(existsSync(join(folder, name))).toBe(false);
    }
  });

  test('without a file takes stdout, and people read stderr', async () => {
    const folder = project();
    const { stdout, stderr } = await runInThisProcess(['validate', '--markdown'], { folder });
    expect(stdout).toContain('### loadtests validate');
    expect(stdout).not.toContain('loadtests.yaml is valid');
    expect(stderr).toContain('loadtests.yaml is valid');
    const both = await runInThisProcess(['validate', '--markdown', '--json'], { folder });
    expect(both.exit).toBe(3);
    expect(both.stderr).toContain('--json and --markdown both print to stdout');
  });

  test.each([
    ['a file that is not valid', ['validate', '--markdown', 'report.md']],
    ['a service that is away', ['status', '--markdown=report.md']],
    ['a wrong command line', ['plan', '--jsn', '--markdown', 'report.md']],
  ])('is written all the same: %s', async (_, args) => {
    const folder = project();
    writeFileSync(join(folder, 'loadtests.yaml'), 'version: 2');
    expect((await runInThisProcess(args, { folder })).exit).toBe(3);
    expect(readFileSync(join(folder, 'report.md'), 'utf8')).toContain('Exit code 3');
  });
});

describe('--github', () => {
  test('annotates the file as it lies in the repository, and appends to the summary of the job', async () => {
    const folder = ownFolder();
    mkdirSync(join(folder, 'shop'));
    writeFileSync(join(folder, 'shop/loadtests.yaml'), FILE.replace('total: 5', 'totl: 5'));
    writeFileSync(join(folder, 'shop/notes.txt'), '');
    writeFileSync(join(folder, 'summary'), 'before\n');
    const env = { GITHUB_WORKSPACE: folder, GITHUB_STEP_SUMMARY: join(folder, 'summary') };
    const validate = async (...words: string[]) =>
      await runInThisProcess(['validate', '--github', ...words], { folder: join(folder, 'shop'), env });
    const { stdout, exit } = await validate();
    expect(exit).toBe(3);
    expect(commandsIn(stdout)).toMatchObject([
      { name: 'error', properties: { file: 'shop/loadtests.yaml', line: '7', col: '5' } },
    ]);
    const summary = () => readFileSync(join(folder, 'summary'), 'utf8');
    expect(summary()).toMatch(/^before\n\n### loadtests validate/);
    const beside = await validate('--json');
    expect(JSON.parse(beside.stdout)).toMatchObject({ exit_code: 3 });
    expect(commandsIn(beside.stderr)).toHaveLength(1);
    const full = 'x'.repeat(1024 * 1024);
    writeFileSync(join(folder, 'summary'), full);
    expect((await validate()).stderr).toContain('the summary of the job is full');
    expect(summary()).toBe(full);
  });
});

describe('what standard output does not take', () => {
  test.each(['plan --json', 'validate', 'schema', 'import'])('is not lost silently: %s', async (line) => {
    const ran = await runInShell(`loadtests ${line} > /dev/full`, { folder: project() });
    expect(ran.stderr).toContain(
      'error LT_CLI_DISK: standard output cannot be written: no space left on the disk',
    );
    expect(ran.exit).toBe(1);
  });

  test('takes nothing from what went wrong before', async () => {
    expect((await runInShell('loadtests plann --json > /dev/full', { folder: project() })).exit).toBe(3);
  });

  test('because nobody reads on is the right of the reader', async () => {
    const line = 'loadtests validate | true; echo "${PIPESTATUS[0]}"';
    expect(await runInShell(line, { folder: project() })).toEqual({ stdout: '0\n', stderr: '', exit: 0 });
  });

  test('and what standard error does not take ends nothing', async () => {
    const folder = project();
    for (const closed of ['2>&-', '2>/dev/full', '2> >(exec true)']) {
      const ran = await runInShell(`loadtests plan --json ${closed}`, { folder });
      expect([ran.exit, (JSON.parse(ran.stdout) as Document).exit_code]).toEqual([0, 0]);
      expect((await runInShell(`loadtests plann ${closed}`, { folder })).exit).toBe(3);
    }
  });
});

describe('a document', () => {
  test('holds a schema, whose text is not told to people then', async () => {
    const ran = await runInThisProcess(['schema', 'plan', '--json', '--json-into', 'schema.json'], {
      folder: project(),
    });
    expect([ran.exit, ran.stderr]).toEqual([0, '']);
    const plain = await runInThisProcess(['schema', 'plan'], { folder: project() });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      format_version: 1,
      command: 'schema',
      exit_code: 0,
      problems: [],
      name: 'plan',
      schema: JSON.parse(plain.stdout) as unknown,
    });
  });

  test('holds a completion script', async () => {
    const ran = await runInThisProcess(['completion', 'bash', '--json'], { folder: project() });
    expect([ran.exit, ran.stderr]).toEqual([0, '']);
    const plain = await runInThisProcess(['completion', 'bash'], { folder: project() });
    expect(JSON.parse(ran.stdout)).toMatchObject({ shell: 'bash', script: plain.stdout });
  });
});

describe('a folder that cannot be the data folder', () => {
  test('of serve is told before anything is done', async () => {
    const folder = project();
    const ran = await run(['serve', '--port', '0', '--data', 'notes.txt'], { folder });
    expect(refusal(ran)).toBe(
      `"${join(folder, 'notes.txt')}" cannot be used as the data folder: it is a file`,
    );
    const below = await run(['serve', '--port', '0', '--data', 'notes.txt/data'], { folder });
    expect(refusal(below)).toContain('a part of the path is not a folder');
  });

  test('of a project neither', async () => {
    const folder = project();
    writeFileSync(join(folder, '.loadtests'), '');
    for (const command of ['plan', 'status', 'apply']) {
      expect(refusal(await runInThisProcess([command], { folder }))).toContain(
        'cannot be used as the data folder: it is a file',
      );
    }
  });

  test('without a usable key is not served from', async () => {
    const folder = project();
    mkdirSync(join(folder, 'data/api-key'), { recursive: true });
    const ran = await run(['serve', '--port', '0', '--data', 'data'], { folder });
    expect(refusal(ran)).toBe(`"${join(folder, 'data/api-key')}" cannot be read: it is a folder`);
  });
});

describe('init', () => {
  test('in a folder that may not be written says so', async () => {
    const empty = ownFolder();
    chmodSync(empty, 0o555);
    const ran = await run(['init'], { folder: empty, unprivileged: true });
    expect(refusal(ran)).toBe(`"${join(empty, 'loadtests.yaml')}" cannot be written: permission denied`);
  });

  test('says where it could not tell git to ignore the data folder', async () => {
    const empty = ownFolder();
    mkdirSync(join(empty, '.gitignore'));
    const ran = await runInThisProcess(['init'], { folder: empty });
    expect(ran.exit).toBe(0);
    expect(ran.stdout).toContain('Wrote loadtests.yaml.\n');
    expect(ran.stderr).toContain('warning LT_CLI_DISK');
  });
});

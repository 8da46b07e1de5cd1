/** Untrusted text from files, services and commands is displayed but never executed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createProgress } from '../../src/cli/terminal/progress.ts';
import { createOutput } from '../../src/cli/terminal/standard-streams.ts';
import { NO_PAINT } from '../../src/report/paint.ts';
import { runCli } from '../support/cli.ts';
import { createHostedProject } from '../support/hosted-project.ts';
import { runInProcess } from '../support/in-process-cli.ts';
import { AWKWARD_TEXTS } from '../support/awkward-texts.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';
import { sampleRows } from '../support/test-scale.ts';

/** Clears the screen, changes the text direction, and contains workflow commands on separate lines. */
const HOSTILE = '\u001b[2J\u009b2J\u202e\r\n::error::boom\r\n  ::add-mask::x\n##[group]y';

function expectHarmless(printed: string, codes = /(?!)/g): void {
  const text = printed.replaceAll(codes, '');
  expect(text).not.toMatch(/[^\P{Cc}\n\t]|[\p{Cf}\u2028\u2029]/u);
  expect(text).not.toMatch(/^\s*::|##\[/m);
}

describe('untrusted text', () => {
  test('the output of validate contains no control characters or workflow commands from a file, with and without colors', async () => {
    const directory = createTestDirectory();
    const value = JSON.stringify(HOSTILE);
    writeFileSync(
      join(directory, 'loadtests.yaml'),
      `version: 1
project: shop
${JSON.stringify(`key${HOSTILE}`)}: 1
apps: { shop: ${value} }
tests:
  home: { test_type: ${value}, total: 5, duration: ${value}, urls: [${value}], needs: [${value}] }
  # \u009b2J \u202e ##[group]
  cart: { totl: 5 } # \u009b2J \u202e ##[group]
`,
    );
    const plain = await runCli(['validate'], { directory });
    expect(plain.exit).toBe(3);
    expect(plain.stderr).toContain('boom');
    expectHarmless(plain.stderr + plain.stdout);
    const colored = await runCli(['validate'], { directory, env: { FORCE_COLOR: '1' } });
    // oxlint-disable-next-line no-control-regex -- color codes begin with one
    expectHarmless(colored.stderr + colored.stdout, /\u001b\[(?:1|2|22|3[12356]|39)m/g);
    const named = await runInProcess(['validate', '-f', `none\n::error::x\u001b[2J`, '--json'], {
      directory,
    });
    expectHarmless(named.stderr + named.stdout);
    expect((JSON.parse(named.stdout) as { problems: { message: string }[] }).problems[0]?.message).toContain(
      'none\n::error::x\u001b[2J',
    );
    expectHarmless((await runInProcess([`\n::error::x\u001b[2J`], { directory })).stderr);
  });

  test('the output of commands contains no control characters or workflow commands from errors, names and notes of a service', async () => {
    const { service, directory, env } = await createHostedProject();
    service.state.addTest({
      name: HOSTILE,
      notes: HOSTILE,
      test_type: 'cycling',
      total: 5,
      duration: 60,
      urls: [{ url: 'http://www.example.com/' }],
    });
    service.injectFault({
      on: 'registerApp',
      times: 50,
      executed: false,
      response: { status: 422, body: { message: 'error', errors: [HOSTILE] } },
    });
    for (const args of [
      ['plan', '-v'],
      ['status'],
      ['stop', '--all', '--yes'],
      ['import'],
      ['apply', '--yes'],
      ['apply', '--yes', '--json'],
    ]) {
      const ran = await runInProcess(args, { directory, env });
      if (args[0] === 'import' || args[0] === 'apply') expect(ran.stderr + ran.stdout).toContain('boom');
      expectHarmless(ran.stderr + ran.stdout);
    }
  });

  test('the output of commands contains no control characters or workflow commands from a long list of hostile strings', async () => {
    const { service, directory, env } = await createHostedProject();
    // By default, the account contains one of four texts; with TEST_SCALE=1, all texts.
    for (const text of new Set([...sampleRows(AWKWARD_TEXTS, AWKWARD_TEXTS.length / 4), 'Ελληνικά']))
      service.state.addTest({
        name: text,
        notes: text,
        test_type: 'cycling',
        total: 5,
        duration: 60,
        urls: [{ url: 'http://www.example.com/' }],
      });
    let printed = '';
    for (const args of [['plan', '-v'], ['import']]) {
      const ran = await runInProcess(args, { directory, env });
      expectHarmless(ran.stderr + ran.stdout);
      printed += ran.stderr + ran.stdout;
    }
    // The texts were printed.
    expect(printed).toContain('Ελληνικά');
    const own = createTestDirectory();
    const keys = AWKWARD_TEXTS.map((text) => `${JSON.stringify(text)}: ${JSON.stringify(text)}\n`);
    writeFileSync(join(own, 'loadtests.yaml'), `version: 1\nproject: shop\n${keys.join('')}`);
    const ran = await runInProcess(['validate'], { directory: own });
    expect(ran.exit).toBe(3);
    expectHarmless(ran.stderr + ran.stdout);
  });

  test('each progress message with untrusted text stays on one line', () => {
    const lines: string[] = [];
    const stream = { write: (text: string) => lines.push(text), isTTY: false };
    // The members of a stream that an output uses.
    const output = createOutput(stream as unknown as NodeJS.WriteStream, false);
    const { emit } = createProgress(output, { paint: NO_PAINT, live: null, verbose: true });
    emit({ kind: 'note', text: HOSTILE });
    emit({ kind: 'detail', text: HOSTILE });
    emit({ kind: 'end', verb: 'create', address: 'test.home', outcome: 'failed', text: HOSTILE });
    expect(lines.join('').split('\n')).toHaveLength(4);
    expectHarmless(lines.join(''));
  });
});

import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { runInProcess } from './in-process-cli.ts';
import { createTestDirectory } from './temporary-directory.ts';

/**
 * Opens a stand-in for `npx --no-install loadtests`, because starting npx and the program for each command is slow.
 * Returns the lines of a shell script that runs the command in the process of the test, with the arguments, environment
 * and directory of the script.
 */
export async function openNpxStandIn(): Promise<string> {
  const server = createServer((request, response) => {
    const answer = async () => {
      const [call = '', directory = ''] = (await textOf(request)).split('\n');
      const wordsOf = (name: string) => readFileSync(join(call, name), 'utf8').split('\0').slice(0, -1);
      const env = Object.fromEntries(
        wordsOf('env').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
      );
      const { stdout, stderr, exit } = await runInProcess(wordsOf('args'), { directory, env });
      writeFileSync(join(call, 'stdout'), stdout);
      writeFileSync(join(call, 'stderr'), stderr);
      response.end(String(exit));
    };
    answer().catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // the server listens on a port
  const calls = createTestDirectory();
  return `[ "$1 $2" = "--no-install loadtests" ] && shift 2 || exit 1
call='${calls}'/$$
mkdir -p "$call"
env -0 > "$call/env"
: > "$call/args"
[ $# = 0 ] || printf '%s\\0' "$@" > "$call/args"
code=$(printf '%s\\n' "$call" "$PWD" | curl -sS --noproxy '*' --data-binary @- http://127.0.0.1:${port}/) || exit 99
cat "$call/stdout"
cat "$call/stderr" >&2
exit "$code"`;
}

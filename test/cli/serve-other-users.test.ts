/** Access of other users and hosts to a running `serve`: one socket and no files. */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PROGRAM, startShell } from '../support/cli.ts';
import { createTestDirectory } from '../support/temporary-directory.ts';

const SETPRIV = '/usr/bin/setpriv';

/** Only root can act as a different user, and only Linux lists sockets in files. */
const SKIP_REASON =
  process.getuid?.() !== 0
    ? 'skipped: only root can become a different user'
    : !existsSync(SETPRIV) || !existsSync('/proc/net/tcp')
      ? 'skipped: setpriv or /proc/net is missing'
      : null;

if (SKIP_REASON !== null) process.stdout.write(`${SKIP_REASON}\n`);

const NOBODY = 65_534;

/**
 * Starts a service that creates its own key, with a umask that makes new files world-writable, in a directory
 * that all users can enter.
 */
async function serving() {
  const directory = createTestDirectory();
  chmodSync(directory, 0o755);
  const line = `umask 000; exec '${process.execPath}' '${PROGRAM}' serve --port 0 --json --data data`;
  const server = startShell(line, { directory });
  onTestFinished(() => {
    server.kill('SIGKILL');
  });
  await server.saw('"listening"');
  const [, url = '', page = ''] = /"url":"([^"]+)","web_ui":"([^"]+)"/.exec(server.output()) ?? [];
  const data = join(directory, 'data');
  const key = readFileSync(join(data, 'api-key'), 'utf8').trim();
  const call = async (method: string, path: string, headers: Record<string, string>, json?: object) => {
    const body = json === undefined ? null : JSON.stringify(json);
    const type: Record<string, string> = json === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(url + path, { method, headers: { ...headers, ...type }, body });
    return { status: response.status, text: await response.text() };
  };
  return { server, directory, data, url, page, key, call };
}

/** Returns all files and directories below a directory, and the directory itself. */
function allIn(directory: string): readonly string[] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return [directory, ...names.map((name) => join(directory, name))];
}

/** Returns the local addresses on which a process listens (TCP) or receives data (UDP): `127.0.0.1:4900`. */
function listening(pid: number): readonly string[] {
  const directory = `/proc/${pid}/fd`;
  const sockets = new Set(
    readdirSync(directory).flatMap((name) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(join(directory, name)))?.[1] ?? [];
      } catch {
        // The descriptor was closed in the meantime.
        return [];
      }
    }),
  );
  return ['tcp', 'tcp6', 'udp', 'udp6'].flatMap((table) => {
    if (!existsSync(`/proc/${pid}/net/${table}`)) return [];
    const lines = readFileSync(`/proc/${pid}/net/${table}`, 'utf8').trim().split('\n').slice(1);
    return lines.flatMap((line) => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
      const LISTEN = '0A';
      if (!sockets.has(inode) || (table.startsWith('tcp') && state !== LISTEN)) return [];
      const [address = '', port = ''] = local.split(':');
      // Addresses are little-endian words of four bytes.
      const bytes = Buffer.from(address, 'hex').reverse();
      const shown = address.length === 8 ? bytes.join('.') : `[${address}]`;
      return [`${isIPv4(shown) ? '' : 'other '}${shown}:${Number.parseInt(port, 16)}`];
    });
  });
}

/**
 * Tries to read, write, replace, link and remove each path as a different user. Returns the successful
 * operations.
 */
function attackAsNobody(paths: readonly string[], free: string): readonly string[] {
  const script = `
    did() { printf '%s %s\\n' "$1" "$path"; }
    for path in "$@"; do
      if [ -d "$path" ]; then ls "$path" >/dev/null && did list; touch "$path/planted" && did plant; fi
      if [ -f "$path" ]; then head -c 1 "$path" >/dev/null && did read; printf x >>"$path" && did write; fi
      ln "$path" "${free}/linked$$" && { did link; rm -f "${free}/linked$$"; }
      chmod 777 "$path" && did open
      mv -T "$path" "$path.moved" && { did move; mv -T "$path.moved" "$path"; }
    done 2>/dev/null; true`;
  const as = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'];
  const output = execFileSync(SETPRIV, [...as, 'bash', '-c', script, 'attack', ...paths], {
    stdio: ['ignore', 'pipe', 'ignore'],
    encoding: 'utf8',
  });
  return output.split('\n').filter((line) => line !== '');
}

describe.skipIf(SKIP_REASON !== null)('isolation of serve from other users', () => {
  test('serve listens only on loopback, and other users cannot access its files or secrets', async () => {
    const { server, directory, data, url, page, key, call } = await serving();
    const { pid = 0 } = server;
    expect(listening(pid)).toEqual([new URL(url).host]);

    // These secrets are in use and must not appear in files or logs.
    const code = page.slice(-32);
    const own = { 'sec-fetch-site': 'same-origin' };
    const traded = await call('POST', '/v2/sessions', own, { code });
    const { token } = JSON.parse(traded.text) as { readonly token: string }; // by its schema
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    const bearer = { ...own, authorization: `Bearer ${token}` };
    expect((await call('POST', '/v2/apps', bearer, { app: 'shop.example.com' })).status).toBe(200);
    expect((await call('GET', `/v2/overview?token=${token}`, {})).status).toBe(401);
    expect((await call('GET', `/v2/apps/${code}`, bearer)).status).toBe(404);
    const paths = allIn(data);
    const files = paths.filter((path) => statSync(path).isFile());
    expect(files.length).toBeGreaterThanOrEqual(4);
    for (const path of files) {
      const bytes = readFileSync(path);
      for (const secret of [token, code]) expect([path, bytes.includes(secret)]).toEqual([path, false]);
      expect([path, bytes.includes(key)]).toEqual([path, path.endsWith('/api-key')]);
    }
    const lines = server.output().split('\n');
    expect(lines.filter((line) => line.includes(token))).toEqual([]);
    // A generated key is printed once.
    for (const line of lines.filter((one) => one.includes(key)))
      expect(line).toMatch(/^The API key of this service, shown once/);
    for (const line of lines.filter((one) => one.includes(code))) expect(line).toContain(page);
    expect(lines.some((line) => line.includes('"event":"request"') && line.includes(code))).toBe(false);

    for (const path of paths)
      expect([path, statSync(path).mode & 0o777]).toEqual([path, statSync(path).isFile() ? 0o600 : 0o700]);
    const free = join(directory, 'free');
    execFileSync('mkdir', ['-m', '777', free]);
    const targets = [...paths, `/proc/${pid}/environ`, `/proc/${pid}/mem`, `/proc/${pid}/fd`];
    expect(attackAsNobody(targets, free)).toEqual([]);
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(key);

    // The same attack must succeed on a copy with the default modes of such a user.
    const open = join(directory, 'open');
    cpSync(data, open, { recursive: true });
    for (const path of allIn(open)) chmodSync(path, statSync(path).isFile() ? 0o666 : 0o777);
    const did = attackAsNobody(allIn(open), free).map((line) => line.split(' ')[0]);
    expect([...new Set(did)].sort()).toEqual(expect.arrayContaining(['list', 'plant', 'read', 'write']));
  });
});

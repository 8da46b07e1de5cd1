/** Environment variables that a parent process passes through a pipe. */
import { closeSync, readSync } from 'node:fs';

type Environment = Readonly<Record<string, string | undefined>>;

/** Name of the variable that contains the file descriptor of the pipe. */
const DESCRIPTOR = 'LOADTESTS_ENV_FD';

/** Maximum size of the content of the pipe, in bytes. Exceeds the default Linux limit for an environment. */
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Returns `env` without the descriptor variable. If the descriptor variable is set, adds the variables from the pipe,
 * whose content has the format of `env -0`.
 *
 * @remarks Programs of the same user can read the initial environment of a parent process, even after the parent
 * process has deleted variables. Such programs cannot read content that was already read from a pipe.
 * @throws Error if the pipe cannot be read.
 */
export function readEnvironment(env: Environment): Environment {
  const { [DESCRIPTOR]: descriptor, ...own } = env;
  if (descriptor === undefined) return own;
  if (!/^\d{1,4}$/.test(descriptor)) throw new Error(`${DESCRIPTOR} is not the number of a descriptor`);
  return { ...own, ...parseEnvironment(readToEnd(Number(descriptor))) };
}

function readToEnd(descriptor: number): string {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for (;;) {
      const chunk = Buffer.alloc(65_536);
      const count = readSync(descriptor, chunk);
      if (count === 0) return Buffer.concat(chunks).toString('utf8');
      chunks.push(chunk.subarray(0, count));
      length += count;
      if (length > MAX_BYTES) throw new Error(`the environment is larger than ${MAX_BYTES} bytes`);
    }
  } finally {
    closeSync(descriptor);
  }
}

export function formatEnvironment(env: Environment): string {
  return Object.entries(env)
    .map(([name, value]) => (value === undefined ? '' : `${name}=${value}\0`))
    .join('');
}

function parseEnvironment(text: string): Environment {
  const entries = text.split('\0').flatMap((entry) => {
    const at = entry.indexOf('=');
    return at < 1 ? [] : [[entry.slice(0, at), entry.slice(at + 1)] as const];
  });
  return Object.fromEntries(entries);
}

/**
 * Matches variables that Node.js and the C library read at startup. These variables are not expected to contain
 * secrets.
 */
const START_VARIABLES =
  /^(PATH|HOME|USER|TMPDIR|TEMP|TMP|TZ|LANG|LC_[A-Z]+|TERM|NODE_OPTIONS|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|SystemRoot)$/i;

/**
 * Returns the variables that a child process needs at startup, and the content of the pipe, which contains all
 * variables.
 */
export function splitEnvironment(env: Environment, descriptor: number) {
  const start = Object.entries(env).filter(([name]) => START_VARIABLES.test(name));
  return {
    start: { ...Object.fromEntries(start), [DESCRIPTOR]: String(descriptor) },
    piped: formatEnvironment(env),
  };
}

/** Child processes that exchange messages with the benchmark. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onExit } from './cleanup.mjs';
import { TARGET_CORE } from './target.mjs';

/** Starts a script with its arguments on the core of the target: see `connectProgram`. */
export async function startProgram(programs, script, ...scriptArgs) {
  const [taskset] = programs.taskset.command;
  const args = ['-c', String(TARGET_CORE), process.execPath, script, ...scriptArgs];
  return await connectProgram(spawn(taskset, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));
}

/**
 * Connects to a child process and resolves with its first message, which reports that it is ready. The
 * process must exit when the channel closes.
 */
export async function connectProgram(child) {
  const close = onExit(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill();
    await once(child, 'exit');
  });
  const [ready] = await once(child, 'message');
  return {
    ready,
    close,
    send: (message) => child.send(message),
    request: async (message) => {
      child.send(message);
      const [response] = await once(child, 'message');
      return response;
    },
  };
}

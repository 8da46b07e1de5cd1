/** Programs of our own as processes, spoken to by messages. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { atEnd } from './cleanup.mjs';
import { TARGET_CORE } from './target.mjs';

/** A server on the target's core. See `overChannel`. */
export async function startProgram(programs, script) {
  const [taskset] = programs.taskset.command;
  const words = ['-c', String(TARGET_CORE), process.execPath, script];
  return await overChannel(spawn(taskset, words, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }));
}

/** Resolves with its first message, which says that it is ready. The program has to end when the channel does. */
export async function overChannel(child) {
  const close = atEnd(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill();
    await once(child, 'exit');
  });
  const [ready] = await once(child, 'message');
  return {
    ready,
    close,
    tell: (message) => child.send(message),
    ask: async (message) => {
      child.send(message);
      const [answer] = await once(child, 'message');
      return answer;
    },
  };
}

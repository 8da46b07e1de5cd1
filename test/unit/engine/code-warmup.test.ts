import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from 'node:net';
import { openLoopbackListener } from '../../../src/egress/loopback-listener.ts';
import { BodyBudget, createBudgetCell } from '../../../src/engine/buffered-body.ts';
import { warmUpCode } from '../../../src/engine/code-warmup.ts';
import { jobOf, targetOf } from '../../support/test-engine.ts';
import { WAIT_MS } from '../../support/wait.ts';
import { dial } from '../../../src/egress/dial.ts';

test.each([false, true])(
  'the loopback listener of the code warm-up responds on each connection until it is closed (TLS: %s)',
  async (secure) => {
    const listener = await openLoopbackListener(secure, Buffer.from('response'));
    for (let request = 0; request < 3; request++) {
      const received = await new Promise<string>((resolve, reject) => {
        const socket = dial(listener.destination, 0, { onread: null, session: null });
        socket.on(secure ? 'secureConnect' : 'connect', () => socket.write('request'));
        socket.on('data', (bytes: Buffer) => {
          resolve(bytes.toString());
          socket.destroy();
        });
        socket.on('error', reject);
      });
      expect(received).toBe('response');
    }
    listener.close();
    const error = await new Promise<Error>((resolve) => {
      connect(listener.destination.port, '127.0.0.1').on('error', resolve);
    });
    expect(error.message).toContain('ECONNREFUSED');
  },
);

test.each([false, true])('the code warm-up opens eight connections, and ends (TLS: %s)', async (secure) => {
  let sockets = 0;
  const count = () => sockets++;
  subscribe('net.server.socket', count);
  onTestFinished(() => {
    unsubscribe('net.server.socket', count);
  });
  const countInWarmup = async (): Promise<number> => {
    sockets = 0;
    await warmUpCode(jobOf([targetOf(1, { secure })]), {
      bodyBudget: new BodyBudget({ all: createBudgetCell(), own: createBudgetCell() }),
      measureBusy: () => 0,
    });
    return sockets;
  };
  // If this process stalls, the warm-up abandons its requests before the listener accepts them.
  await expect.poll(countInWarmup, { timeout: WAIT_MS }).toBe(8);
});

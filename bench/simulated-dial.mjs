/**
 * Replacement for `src/egress/dial.ts` without sockets: sockets with a request are collected in
 * `requestedSockets`, and the benchmark responds to them.
 */
import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers';

/** Sockets that sent a request, in order. */
export const requestedSockets = [];

class SimulatedSocket extends EventEmitter {
  destroyed = false;
  writableLength = 0;

  constructor(onread) {
    super();
    this.onread = onread;
  }

  connect() {
    this.destroyed = false;
    setImmediate(() => this.emit('connect'));
    return this;
  }

  write() {
    requestedSockets.push(this);
    return true;
  }

  destroy() {
    this.destroyed = true;
    setImmediate(() => this.emit('close', false));
    return this;
  }

  resetAndDestroy() {
    return this.destroy();
  }

  setDefaultEncoding() {}

  resume() {}
}

export const prepareDestination = ({ addresses, port }) => ({ addresses, port, tls: null });
export const dial = (_destination, _which, { onread }) => new SimulatedSocket(onread).connect();
export const redial = (socket) => socket.connect();
export const countEncryptedBytes = () => null;

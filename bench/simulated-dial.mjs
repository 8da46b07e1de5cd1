/**
 * Stands in for `src/egress/dial.ts` where the engine is measured without sockets: what is written waits in `asked`,
 * and whoever drives the load answers it.
 */
import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers';

/** Sockets that have been sent a request, in their order. */
export const asked = [];

class AnsweringSocket extends EventEmitter {
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
    asked.push(this);
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
export const dial = (_destination, _which, { onread }) => new AnsweringSocket(onread).connect();
export const redial = (socket) => socket.connect();
export const encryptedBytes = () => null;

/**
 * A third-party hosted service over real HTTP on loopback, for the client and the CLI. It shares no code with
 * our own service. It logs every request and counts the executed operations, so that tests can prove "exactly
 * once" independently.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HostedAccount, notFoundReply, type OperationReply } from './hosted-account.ts';
import { HOSTED_DEFAULTS, type HostedOperation, type HostedOptions } from './hosted-options.ts';
import { createShuffle, writeApp, writeResult, writeTest } from './hosted-records.ts';

export interface LoggedRequest {
  /** Milliseconds since the start of the service. */
  readonly at: number;
  /** Null if the path is not a route of the API. */
  readonly operation: HostedOperation | null;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Port of the client: equal for all requests over one connection. */
  readonly port: number;
}

/** A fault of the n-th call of an operation. */
export interface HostedFault {
  readonly on: HostedOperation;
  /** Number of the first call, from 1; null: the next one. */
  readonly call?: number | null;
  /** Number of consecutive calls; default 1. */
  readonly times?: number;
  /** True if the operation is executed, or a number for a delayed execution, in ms. Default false. */
  readonly executed?: boolean | number;
  readonly response: FaultResponse;
}

export type FaultResponse =
  | 'reset'
  | 'hang'
  | 'page'
  /**
   * The correct response with its content length, cut off in the middle; a write must be `executed` for it.
   */
  | 'cut'
  /** The first half of the correct response, with a matching content length. */
  | 'truncated'
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** A string is sent verbatim, anything else as JSON. */
      readonly body?: unknown;
    }
  /** The correct response after this number of ms. */
  | { readonly delay: number };

export interface InjectedFault {
  /** Resolves when the fault first occurs. */
  readonly triggered: Promise<void>;
  /** Removes the fault. */
  remove(): void;
}

export interface HostedService {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  readonly options: HostedOptions;
  readonly log: readonly LoggedRequest[];
  readonly state: HostedAccount;
  /** Number of executions of each operation, regardless of the response. */
  readonly executed: Readonly<Record<HostedOperation, number>>;
  /** Requests of one operation. */
  calls(operation: HostedOperation): readonly LoggedRequest[];
  injectFault(fault: HostedFault): InjectedFault;
  close(): Promise<void>;
}

interface ActiveFault {
  readonly fault: HostedFault;
  readonly from: number;
  readonly trigger: () => void;
}

interface Route {
  readonly operation: HostedOperation;
  readonly method: string;
  readonly pattern: RegExp;
}

const ROUTES: readonly Route[] = [
  defineRoute('listApps', 'GET', /^\/v2\/apps$/),
  defineRoute('registerApp', 'POST', /^\/v2\/apps$/),
  defineRoute('getApp', 'GET', /^\/v2\/apps\/([^/]+)$/),
  defineRoute('verifyApp', 'POST', /^\/v2\/apps\/([^/]+)\/verify$/),
  defineRoute('deleteApp', 'DELETE', /^\/v2\/apps\/([^/]+)$/),
  defineRoute('listTests', 'GET', /^\/v2\/tests$/),
  defineRoute('createTest', 'POST', /^\/v2\/tests$/),
  defineRoute('getTest', 'GET', /^\/v2\/tests\/([^/]+)$/),
  defineRoute('runTest', 'PUT', /^\/v2\/tests\/([^/]+)\/run$/),
  defineRoute('stopTest', 'PUT', /^\/v2\/tests\/([^/]+)\/stop$/),
  defineRoute('listResults', 'GET', /^\/v2\/tests\/([^/]+)\/results$/),
  defineRoute('getResult', 'GET', /^\/v2\/tests\/([^/]+)\/results\/([^/]+)$/),
  defineRoute('listServers', 'GET', /^\/v2\/servers$/),
  defineRoute('listExtensions', 'GET', /^\/v2\/openapi\.json$/),
];

function defineRoute(operation: HostedOperation, method: string, pattern: RegExp): Route {
  return { operation, method, pattern };
}

export const HTML_PAGE =
  '<!doctype html><html><head><title>Please sign in</title></head><body></body></html>';

export async function startHostedService(changes: Partial<HostedOptions> = {}): Promise<HostedService> {
  const options: HostedOptions = { ...HOSTED_DEFAULTS, ...changes };
  const state = new HostedAccount(options);
  const begin = performance.now();
  const log: LoggedRequest[] = [];
  const callCounts = new Map<HostedOperation, number>();
  const faults: ActiveFault[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const shuffle = createShuffle(options.shuffle);
  // Every name of the union is a route.
  const executed = Object.fromEntries(ROUTES.map(({ operation }) => [operation, 0])) as Record<
    HostedOperation,
    number
  >;

  async function execute(
    operation: HostedOperation,
    ids: readonly string[],
    body: unknown,
  ): Promise<OperationReply> {
    executed[operation]++;
    state.settle();
    const [id = '', resultId = ''] = ids;
    const test = state.tests.find((one) => one.id === id);
    switch (operation) {
      case 'listApps':
        return list(state.apps.map((app) => writeApp(app, options, true)));
      case 'registerApp':
        return state.register(fieldOf(body, 'app'));
      case 'getApp': {
        const app = state.apps.find((one) => one.id === id);
        return app === undefined ? notFoundReply() : { kind: 'ok', value: writeApp(app, options, false) };
      }
      case 'verifyApp':
        return await state.verify(id);
      case 'deleteApp':
        return state.deleteApp(id);
      case 'listTests': {
        const visible = state.tests.filter((one) => options.clock() >= one.createdAt + options.listLag);
        return list(visible.map((one) => writeTest(one, state, options)));
      }
      case 'createTest':
        return state.create(body);
      case 'getTest':
        return test === undefined ? notFoundReply() : { kind: 'ok', value: writeTest(test, state, options) };
      case 'runTest':
        return state.run(id);
      case 'stopTest':
        return state.stop(id);
      case 'listResults':
        if (options.results !== 'present' || test === undefined) return notFoundReply();
        return list(test.results.map((result) => writeResult(result, test, state)));
      case 'getResult': {
        const result = test?.results.find((one) => one.id === resultId);
        if (options.results !== 'present' || test === undefined || result === undefined)
          return notFoundReply();
        return { kind: 'ok', value: writeResult(result, test, state) };
      }
      case 'listServers':
        return { kind: 'ok', value: { ip_addresses: ['192.0.2.10', '192.0.2.11'] } };
      case 'listExtensions':
        if (options.extensions === null) return notFoundReply();
        return {
          kind: 'ok',
          value: {
            openapi: '3.1.0',
            info: { 'x-extensions': options.extensions },
            paths: {},
            components: {},
          },
        };
    }
  }

  function list(members: readonly unknown[]): OperationReply {
    return { kind: 'ok', value: shuffle(members).slice(0, options.truncatesLists ?? members.length) };
  }

  function faultFor(operation: HostedOperation, call: number): HostedFault | null {
    const active = faults.find(
      ({ fault, from }) => fault.on === operation && call >= from && call < from + (fault.times ?? 1),
    );
    active?.trigger();
    return active?.fault ?? null;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method ?? '';
    const path = request.url ?? '';
    const text = await readText(request);
    const found = ROUTES.map((one) => ({ one, match: one.pattern.exec(path) })).find(
      ({ one, match }) => one.method === method && match !== null,
    );
    const operation = found?.one.operation ?? null;
    const port = request.socket.remotePort ?? 0;
    const at = performance.now() - begin;
    log.push({ at, operation, method, path, headers: request.headers, body: text, port });

    const key = request.headers[options.keyHeader.toLowerCase()];
    if (key !== options.key) {
      const errors = [`wrong api key(${String(key ?? '')})`];
      sendFault(response, { status: options.wrongKeyStatus, body: { message: 'error', errors } });
      return;
    }
    if (operation === null || found === undefined) {
      sendFault(response, { status: 404, body: HTML_PAGE });
      return;
    }
    const call = (callCounts.get(operation) ?? 0) + 1;
    callCounts.set(operation, call);
    const fault = faultFor(operation, call);
    const executeOperation = () => execute(operation, found.match?.slice(1) ?? [], parseBody(request, text));
    if (fault === null) {
      sendReply(response, operation, await executeOperation());
      return;
    }
    await respondWithFault(response, operation, { fault, executeOperation });
  }

  async function respondWithFault(
    response: ServerResponse,
    operation: HostedOperation,
    {
      fault,
      executeOperation,
    }: { readonly fault: HostedFault; readonly executeOperation: () => Promise<OperationReply> },
  ): Promise<void> {
    const { response: faultResponse, executed: execution = false } = fault;
    const needsReply =
      faultResponse === 'cut' ||
      faultResponse === 'truncated' ||
      (typeof faultResponse === 'object' && 'delay' in faultResponse);
    const reply = execution === true || needsReply ? await executeOperation() : null;
    if (typeof execution === 'number') runAfterDelay(execution, () => void executeOperation());
    if (faultResponse === 'reset') response.socket?.resetAndDestroy();
    else if (faultResponse === 'page') sendFault(response, { status: 200, body: HTML_PAGE });
    else if (faultResponse === 'cut' || faultResponse === 'truncated') {
      const full = JSON.stringify(reply?.value ?? null);
      const half = full.slice(0, Math.ceil(full.length / 2));
      const length = faultResponse === 'cut' ? full.length : half.length;
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
      response.write(half, () => {
        if (faultResponse === 'cut') response.socket?.destroy();
        else response.end();
      });
    } else if (faultResponse !== 'hang' && 'delay' in faultResponse) {
      runAfterDelay(faultResponse.delay, () => {
        if (reply !== null) sendReply(response, operation, reply);
      });
    } else if (faultResponse !== 'hang') sendFault(response, faultResponse);
  }

  function sendReply(response: ServerResponse, operation: HostedOperation, reply: OperationReply): void {
    const missing = operation === 'listResults' || operation === 'getResult';
    if (options.results === 'page' && missing) sendFault(response, { status: 404, body: HTML_PAGE });
    else if (reply.kind === 'refused') sendFault(response, { status: reply.status, body: reply.value });
    else if (reply.value === undefined) sendFault(response, { status: 200 });
    else {
      const headers = Array.isArray(reply.value) ? options.listHeaders : {};
      sendFault(response, { status: 200, headers, body: reply.value });
    }
  }

  function runAfterDelay(delay: number, action: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      action();
    }, delay);
    timers.add(timer);
  }

  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let closing: Promise<void> | null = null;

  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    options,
    log,
    state,
    executed,
    calls: (operation) => log.filter((entry) => entry.operation === operation),

    injectFault(fault) {
      const from = fault.call ?? (callCounts.get(fault.on) ?? 0) + 1;
      let trigger = (): void => undefined;
      const triggered = new Promise<void>((resolve) => {
        trigger = resolve;
      });
      const active = { fault, from, trigger };
      faults.unshift(active);
      return { triggered, remove: () => void faults.splice(faults.indexOf(active), 1) };
    },

    close() {
      closing ??= new Promise((resolve) => {
        for (const timer of timers) clearTimeout(timer);
        server.close(() => resolve());
        server.closeAllConnections();
      });
      return closing;
    },
  };
}

function sendFault(
  response: ServerResponse,
  fault: { status: number; headers?: Readonly<Record<string, string>>; body?: unknown },
): void {
  const { body } = fault;
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  const type = text.startsWith('<') ? 'text/html' : 'application/json; charset=utf-8';
  response.writeHead(fault.status, { ...(text === '' ? {} : { 'content-type': type }), ...fault.headers });
  response.end(text);
}

async function readText(request: IncomingMessage): Promise<string> {
  let text = '';
  request.setEncoding('utf8');
  for await (const chunk of request) text += String(chunk);
  return text;
}

function parseBody(request: IncomingMessage, text: string): unknown {
  if (text === '') return {};
  if ((request.headers['content-type'] ?? '').includes('json')) {
    try {
      return JSON.parse(text);
    } catch {
      return {};
    }
  }
  return Object.fromEntries(new URLSearchParams(text));
}

function fieldOf(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;
}

function portOf(server: Server): number {
  const address = server.address();
  // A TCP server has an address object while it listens.
  return (address as AddressInfo).port;
}

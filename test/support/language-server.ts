/** The language server that editors use for YAML files, over JSON-RPC on its standard streams. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Lines and characters start at 0. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Diagnostic {
  readonly message: string;
  readonly range: { readonly start: Position; readonly end: Position };
}

export interface CompletionItem {
  readonly label: string;
  readonly insertText?: string;
  readonly textEdit?: { readonly newText: string };
  readonly documentation?: string | { readonly value: string };
}

/** A file that is open in the editor. */
export interface OpenFile {
  /** Diagnostics after the complete validation. */
  readonly diagnostics: readonly Diagnostic[];
  complete(at: Position): Promise<readonly CompletionItem[]>;
  /** Markdown. */
  hover(at: Position): Promise<string>;
}

export interface LanguageServer {
  open(text: string): Promise<OpenFile>;
  close(): Promise<void>;
}

interface RpcMessage {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
}

/**
 * Starts the server.
 * @param schema - path of the schema for every file
 */
export async function startLanguageServer(schema: string): Promise<LanguageServer> {
  const entry = createRequire(import.meta.url).resolve('yaml-language-server/package.json');
  const server = spawn(process.execPath, [join(dirname(entry), 'bin/yaml-language-server'), '--stdio'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const settings = {
    yaml: {
      schemas: { [pathToFileURL(schema).href]: ['*.yaml'] },
      schemaStore: { enable: false },
      kubernetesCRDStore: { enable: false },
      completion: true,
      hover: true,
      validate: true,
    },
  };

  const waiting = new Map<number, (message: RpcMessage) => void>();
  const marked = new Map<string, (diagnostics: readonly Diagnostic[]) => void>();
  let ended = false;

  function send(message: RpcMessage): void {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message });
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  let ids = 0;
  function request(method: string, params: unknown): Promise<unknown> {
    const id = ++ids;
    send({ id, method, params });
    return new Promise((resolve, reject) => {
      if (ended) reject(new Error('the language server has ended'));
      waiting.set(id, ({ result, error }) => {
        if (error === undefined) resolve(result);
        else reject(new Error(error.message));
      });
    });
  }

  function take(message: RpcMessage): void {
    const { id, method, params } = message;
    if (method === undefined) {
      if (typeof id === 'number') waiting.get(id)?.(message);
    } else if (id !== undefined) {
      // The server requests its settings, one response per section; nothing else requires a response.
      const { items = [] } = (params ?? {}) as { items?: readonly { section: string }[] };
      const responses = items.map(({ section }) => (section === 'yaml' ? settings.yaml : {}));
      send({ id, result: method === 'workspace/configuration' ? responses : null });
    } else if (method === 'textDocument/publishDiagnostics') {
      const { uri, diagnostics } = params as { uri: string; diagnostics: readonly Diagnostic[] };
      marked.get(uri)?.(diagnostics);
    }
  }

  let buffer = Buffer.alloc(0);
  server.stdout.on('data', (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk]);
    for (;;) {
      const head = buffer.indexOf('\r\n\r\n');
      if (head === -1) return;
      const length = Number(/Content-Length: (\d+)/i.exec(buffer.subarray(0, head).toString())?.[1]);
      if (buffer.length < head + 4 + length) return;
      const text = buffer.subarray(head + 4, head + 4 + length).toString();
      buffer = buffer.subarray(head + 4 + length);
      take(JSON.parse(text) as RpcMessage);
    }
  });
  server.once('close', () => {
    ended = true;
    for (const response of waiting.values())
      response({ error: { message: 'the language server has ended' } });
  });

  await request('initialize', {
    processId: process.pid,
    rootUri: null,
    capabilities: {
      textDocument: {
        completion: { completionItem: { documentationFormat: ['markdown'], snippetSupport: true } },
        hover: { contentFormat: ['markdown'] },
      },
      workspace: { configuration: true },
    },
  });
  send({ method: 'initialized', params: {} });
  send({ method: 'workspace/didChangeConfiguration', params: { settings } });

  let files = 0;
  return {
    open: async (text) => {
      const uri = `file:///loadtests-${++files}.yaml`;
      const diagnostics = new Promise<readonly Diagnostic[]>((resolve) => marked.set(uri, resolve));
      const textDocument = { uri, languageId: 'yaml', version: 1, text };
      send({ method: 'textDocument/didOpen', params: { textDocument } });
      return {
        diagnostics: await diagnostics,
        complete: async (position) => {
          const list = await request('textDocument/completion', { textDocument: { uri }, position });
          return (list as { items: readonly CompletionItem[] }).items;
        },
        hover: async (position) => {
          const hover = await request('textDocument/hover', { textDocument: { uri }, position });
          return (hover as { contents: { value: string } }).contents.value;
        },
      };
    },
    close: async () => {
      const closed = once(server, 'close');
      server.kill();
      await closed;
    },
  };
}

/** Sends bytes to a port and returns the response when it is complete or the connection ends. */
import { connect } from 'node:net';

export interface RawResponse {
  /** 0 if there is no valid response. */
  readonly status: number;
  readonly header: string;
  readonly body: string;
}

export async function sendRaw(port: number, bytes: string | Buffer): Promise<RawResponse> {
  const text = await new Promise<string>((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const end = () => {
      socket.destroy();
      resolve(Buffer.concat(chunks).toString('latin1'));
    };
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (isComplete(Buffer.concat(chunks).toString('latin1'))) end();
    });
    socket.once('close', end);
    socket.once('error', (error: NodeJS.ErrnoException) => {
      // A server may reset the connection after its response, while the request is still being sent.
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') end();
      else reject(error);
    });
  });
  const [header = '', body = ''] = splitResponse(text);
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(header)?.[1] ?? 0), header, body };
}

function splitResponse(text: string): readonly string[] {
  const at = text.indexOf('\r\n\r\n');
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 4)];
}

function isComplete(text: string): boolean {
  const [head = '', body] = splitResponse(text);
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  return body !== undefined && length !== undefined && body.length >= Number(length);
}

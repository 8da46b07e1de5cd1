/** A real SMTP server on 127.0.0.1 that records accepted messages. */
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { onScopeEnd } from './shared.ts';

export interface ReceivedEmail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body as received. */
  readonly raw: string;
}

export interface EmailRelay {
  readonly url: string;
  readonly port: number;
  /** In order of acceptance. */
  readonly emails: readonly ReceivedEmail[];
  /** Number of connections so far. */
  readonly connections: number;
  /** Received recipients, accepted or not. */
  readonly recipients: readonly string[];
  /** Sets the response code to recipients; null accepts them. */
  refuseWith(code: number | null): void;
}

export async function openEmailRelay(port = 0): Promise<EmailRelay> {
  const emails: ReceivedEmail[] = [];
  const recipients: string[] = [];
  let refusal: number | null = null;
  let connections = 0;
  const server = new SMTPServer({
    disabledCommands: ['AUTH', 'STARTTLS'],
    logger: false,
    onConnect(_session, done) {
      connections++;
      done();
    },
    onRcptTo(address, _session, done) {
      recipients.push(address.address);
      if (refusal === null) done();
      else done(Object.assign(new Error('not now'), { responseCode: refusal }));
    },
    onData(stream, session, done) {
      void buffer(stream).then((bytes) => {
        const { mailFrom, rcptTo } = session.envelope;
        emails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw: bytes.toString(),
        });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  onScopeEnd(() => new Promise<void>((resolve) => server.close(resolve)));
  const address = server.server.address() as { port: number }; // the server listens on TCP
  return {
    url: `smtp://127.0.0.1:${address.port}?from=loads@shop.example`,
    port: address.port,
    emails,
    get connections() {
      return connections;
    },
    recipients,
    refuseWith(code) {
      refusal = code;
    },
  };
}

/** A small DNS server on 127.0.0.1, over UDP. */
import { createSocket } from 'node:dgram';
import { decode, encode, RECURSION_AVAILABLE, type Answer } from 'dns-packet';
import { onTestFinished } from 'vitest';

/** Addresses, or strings in parts, or a failure instead of a response. */
export type Zone = Readonly<
  Record<
    string,
    | {
        readonly a?: readonly string[];
        readonly aaaa?: readonly string[];
        readonly txt?: readonly (string | readonly string[])[];
        /** Query type to which the failure applies; all by default. */
        readonly fails?: {
          readonly how: 'SERVFAIL' | 'REFUSED' | 'silence' | 'garbage';
          readonly type?: string;
        };
      }
    | undefined
  >
>;

export interface NameServer {
  /** Address in the format of the service option. */
  readonly address: string;
  /** Type and name of every query so far. */
  readonly queries: readonly string[];
  /** Sets the records; other names do not exist. */
  serve(zone: Zone): void;
}

const RESPONSE_CODES = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;

export async function openNameServer(first: Zone): Promise<NameServer> {
  let zone = first;
  const queries: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, from) => {
    const query = decode(message);
    const [question] = query.questions ?? [];
    const name = question?.name.toLowerCase() ?? '';
    const type = question?.type ?? 'A';
    queries.push(`${type} ${name}`);
    const entry = zone[name];
    const failure =
      entry?.fails?.type === undefined || entry.fails.type === type ? entry?.fails?.how : undefined;
    if (failure === 'silence') return;
    if (failure === 'garbage') {
      socket.send(Buffer.from('garbage'), from.port, from.address);
      return;
    }
    const code =
      failure === undefined
        ? entry === undefined
          ? RESPONSE_CODES.NXDOMAIN
          : RESPONSE_CODES.NOERROR
        : RESPONSE_CODES[failure];
    const responses = entry === undefined || failure !== undefined ? [] : encodeAnswers(name, type, entry);
    const reply = encode({
      type: 'response',
      id: query.id,
      // The response code is in the last four bits of the flags.
      flags: RECURSION_AVAILABLE | code,
      questions: query.questions ?? [],
      answers: responses,
    });
    socket.send(reply, from.port, from.address);
  });
  await new Promise<void>((resolve) => {
    socket.bind(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    socket.close();
  });
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    serve(next) {
      zone = next;
    },
  };
}

function encodeAnswers(name: string, type: string, entry: NonNullable<Zone[string]>): Answer[] {
  const common = { name, ttl: 0, class: 'IN' } as const;
  switch (type) {
    case 'A':
      return (entry.a ?? []).map((data) => ({ ...common, type: 'A', data }));
    case 'AAAA':
      return (entry.aaaa ?? []).map((data) => ({ ...common, type: 'AAAA', data }));
    case 'TXT':
      return (entry.txt ?? []).map((data) => ({ ...common, type: 'TXT', data: [...[data].flat()] }));
    default:
      return [];
  }
}

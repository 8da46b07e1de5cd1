/** Reads recordings in the HTTP Archive format (HAR 1.2). */
import { correlate } from '../core/intake/correlation.ts';
import {
  EMPTY_REQUEST,
  type Intake,
  type IntakeBody,
  type IntakeField,
  type IntakeRequest,
  type RecordedResponse,
} from '../core/intake/intake.ts';
import { cleanRecording } from '../core/intake/recording.ts';
import { InvalidSource, type IntakeSource } from '../core/intake/source-text.ts';
import { milliseconds, type Milliseconds } from '../core/units.ts';
import { parseJsonSource } from './json-tree.ts';
import { at, itemsOf, numberOf, textOf, type SourceNode } from './source-tree.ts';

export function readHar(source: IntakeSource): Intake {
  const recorded = cleanRecording(readEntries(source), source.recording);
  const [other] = source.others;
  const again = other === undefined ? null : cleanRecording(readEntries(other), source.recording).requests;
  const { requests, notes } = correlate(recorded.requests, again);
  const [first] = requests;
  if (first === undefined)
    throw new InvalidSource(
      source,
      { line: 1, column: 1 },
      'no request of the recording remains; "--hosts" selects the hosts',
    );
  return {
    flows: [{ at: first.at, name: 'recording', weight: 1, values: [], requests, notes: [] }],
    load: null,
    thresholds: [],
    timeout: null,
    tlsVerify: true,
    notes: [...recorded.notes, ...notes],
  };
}

interface Entry {
  readonly started: number;
  readonly ended: number;
  readonly request: IntakeRequest;
}

/** Returns the recorded requests in the order in which they were sent. */
function readEntries(source: Pick<IntakeSource, 'path' | 'text'>): readonly IntakeRequest[] {
  const root = parseJsonSource(source);
  const list = at(root, 'log', 'entries');
  if (list?.kind !== 'list') throw new InvalidSource(source, root.at, 'a HAR file requires "log.entries"');
  const entries = list.items.map(readEntry).filter((entry) => entry !== null);
  entries.sort((a, b) => a.started - b.started);
  let ended = Number.NEGATIVE_INFINITY;
  return entries.map(({ request, ...times }, index) => {
    ended = Math.max(ended, times.ended);
    const next = entries[index + 1];
    return { ...request, delay: next === undefined ? null : thinkTime(next.started - ended) };
  });
}

/** Minimum pause between two requests that counts as think time. */
const MIN_THINK_TIME = 300;

/** Rounds a pause to tenths of a second. */
function thinkTime(pause: number): IntakeRequest['delay'] {
  if (!(pause >= MIN_THINK_TIME)) return null;
  const rounded: Milliseconds = milliseconds(Math.round(pause / 100) * 100);
  return { min: rounded, max: rounded };
}

function readEntry(node: SourceNode): Entry | null {
  const request = at(node, 'request');
  const url = textOf(at(request, 'url'));
  if (request === null || url === null) return null;
  const body = readBody(at(request, 'postData'));
  // The load generator generates the boundary of a multipart body.
  const omits = (name: string) => body?.kind === 'multipart' && name.toLowerCase() === 'content-type';
  const started = Date.parse(textOf(at(node, 'startedDateTime')) ?? '');
  return {
    started: Number.isNaN(started) ? 0 : started,
    ended: (Number.isNaN(started) ? 0 : started) + Math.max(0, numberOf(at(node, 'time')) ?? 0),
    request: {
      ...EMPTY_REQUEST,
      at: at(request, 'url')?.at ?? node.at,
      method: (textOf(at(request, 'method')) ?? 'GET').toUpperCase(),
      url: [url.split('#', 1)[0] ?? ''],
      headers: namedValues(at(request, 'headers'))
        .filter(({ name }) => !omits(name))
        .map(({ name, value }) => ({ name, value: [value] })),
      body,
      response: readResponse(at(node, 'response')),
    },
  };
}

function namedValues(node: SourceNode | null): readonly { readonly name: string; readonly value: string }[] {
  return itemsOf(node).flatMap((item) => {
    const name = textOf(at(item, 'name'));
    return name === null || name.startsWith(':') ? [] : [{ name, value: textOf(at(item, 'value')) ?? '' }];
  });
}

function readBody(node: SourceNode | null): IntakeBody | null {
  if (node === null) return null;
  const type = textOf(at(node, 'mimeType')) ?? '';
  const text = textOf(at(node, 'text')) ?? '';
  const params = itemsOf(at(node, 'params'));
  if (/^multipart\/form-data/i.test(type)) {
    const parts = params.map((param) => {
      const fileName = textOf(at(param, 'fileName'));
      const value = textOf(at(param, 'value')) ?? '';
      return {
        name: textOf(at(param, 'name')) ?? '',
        content: { text: [value] },
        fileName,
        contentType: textOf(at(param, 'contentType')),
      };
    });
    return { kind: 'multipart', parts };
  }
  if (/^application\/x-www-form-urlencoded/i.test(type)) {
    // Uses the text, because it is exact. Some tools do not decode the parameters.
    const pairs = text === '' ? namedValues(at(node, 'params')) : pairsOf(text);
    return { kind: 'form', fields: pairs.map(({ name, value }): IntakeField => ({ name, value: [value] })) };
  }
  return text === '' ? null : { kind: 'text', text: [text] };
}

function pairsOf(text: string): readonly { readonly name: string; readonly value: string }[] {
  return Array.from(new URLSearchParams(text), ([name, value]) => ({ name, value }));
}

function readResponse(node: SourceNode | null): RecordedResponse | null {
  const status = numberOf(at(node, 'status'));
  if (node === null || status === null) return null;
  const content = at(node, 'content');
  const text = textOf(at(content, 'text'));
  const isBase64 = textOf(at(content, 'encoding')) === 'base64';
  const body = text !== null && isBase64 ? Buffer.from(text, 'base64').toString('utf8') : text;
  return { status, headers: namedValues(at(node, 'headers')), body };
}

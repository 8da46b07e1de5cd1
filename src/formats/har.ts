/** Reads recordings in the HTTP Archive format (HAR 1.2). */
import { correlate } from '../core/intake/correlation.ts';
import {
  EMPTY_REQUEST,
  type Intake,
  type IntakeBody,
  type IntakeField,
  type IntakeNote,
  type IntakePart,
  type IntakeRequest,
  type RecordedResponse,
  START,
  ONLY_REQUESTS,
} from '../core/intake/intake.ts';
import { counted } from '../core/counted.ts';
import { cleanRecording } from '../core/intake/recording.ts';
import { InvalidSource, type IntakeSource } from '../core/intake/source-text.ts';
import { milliseconds, type Milliseconds } from '../core/units.ts';
import { parseJsonSource } from './json-tree.ts';
import { at, itemsOf, numberOf, textOf, type SourceNode } from './source-tree.ts';

export function readHar(source: IntakeSource): Intake {
  const entries = readEntries(source, source.recording.nextIteration);
  const recorded = cleanRecording(entries, source.recording);
  const outer = new Set(
    entries.slice(0, source.recording.beforeIterations ?? 0).map(({ at: where }) => where),
  );
  const before = recorded.requests.filter(({ at: where }) => outer.has(where)).length;
  const [other] = source.others;
  const again = other === undefined ? null : cleanRecording(readEntries(other), source.recording).requests;
  const { requests, notes } = correlate(recorded.requests, again, before);
  const first = requests[before];
  const flow = { weight: 1, values: [], notes: [] };
  const [start] = requests;
  if (first === undefined)
    throw new InvalidSource(
      source,
      START,
      'the recording contains no request to convert; requests to other hosts and for static files are omitted',
    );
  return {
    ...ONLY_REQUESTS,
    flows: [{ ...flow, at: first.at, name: 'recording', requests: requests.slice(before) }],
    onStart:
      before === 0 ? null : { ...flow, at: first.at, name: 'on_start', requests: requests.slice(0, before) },
    notes: [
      ...recorded.notes,
      ...notes,
      ...(before === 0 || start === undefined ? [] : [startNote(start, before)]),
    ],
  };
}

function startNote({ at: where }: IntakeRequest, count: number): IntakeNote {
  const message = `each client sends ${counted(count, 'request')} only once, before its first iteration`;
  return { kind: 'change', at: where, message };
}

interface Entry {
  readonly started: number;
  readonly ended: number;
  readonly request: IntakeRequest;
}

/**
 * Returns the recorded requests in the order of their start times, with think time between them.
 * @param following - Date at which the client continues after the last request; absent if unknown.
 */
function readEntries(
  source: Pick<IntakeSource, 'path' | 'text'>,
  following?: string,
): readonly IntakeRequest[] {
  const root = parseJsonSource(source);
  const list = at(root, 'log', 'entries');
  if (list?.kind !== 'list') throw new InvalidSource(source, root.at, 'a HAR file requires "log.entries"');
  const entries = list.items.map(readEntry).filter((entry) => entry !== null);
  entries.sort((a, b) => a.started - b.started);
  let ended = Number.NEGATIVE_INFINITY;
  return entries.map(({ request, ...times }, index) => {
    ended = Math.max(ended, times.ended);
    const next = entries[index + 1]?.started ?? Date.parse(following ?? '');
    return { ...request, delay: thinkTime(next - ended) };
  });
}

/** Minimum time between two requests that counts as think time, in milliseconds. */
const MIN_THINK_TIME = 300;

/** Rounds a pause in ms to tenths of a second; null if the pause is too short or NaN. */
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
  const headers = namedValues(at(request, 'headers'));
  const valueOf = (header: string) => headers.find(({ name }) => name.toLowerCase() === header)?.value ?? '';
  // The recorded content type of a multipart body is omitted, because a new boundary is generated.
  const isMultipart = body?.kind === 'multipart' || /^multipart\//i.test(valueOf('content-type'));
  const omits = (name: string) => isMultipart && name.toLowerCase() === 'content-type';
  const isLost = body === null && (Number(valueOf('content-length')) > 0 || isMultipart);
  const started = Date.parse(textOf(at(node, 'startedDateTime')) ?? '');
  return {
    started: Number.isNaN(started) ? 0 : started,
    ended: (Number.isNaN(started) ? 0 : started) + Math.max(0, numberOf(at(node, 'time')) ?? 0),
    request: {
      ...EMPTY_REQUEST,
      at: at(request, 'url')?.at ?? node.at,
      method: (textOf(at(request, 'method')) ?? 'GET').toUpperCase(),
      url: [url.split('#', 1)[0] ?? ''],
      headers: headers
        .filter(({ name }) => !omits(name))
        .map(({ name, value }) => ({ name, value: [value] })),
      body,
      response: readResponse(at(node, 'response')),
      notes: isLost
        ? [
            {
              kind: 'loss',
              at: at(request, 'url')?.at ?? node.at,
              message: 'the request is sent without a body, because the recording does not contain the body',
            },
          ]
        : [],
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
    if (params.length === 0) return multipartOf(text, type);
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
    // Prefers the text of the body, because some tools do not decode the recorded parameters.
    const pairs = text === '' ? namedValues(at(node, 'params')) : pairsOf(text);
    return { kind: 'form', fields: pairs.map(({ name, value }): IntakeField => ({ name, value: [value] })) };
  }
  return text === '' ? null : { kind: 'text', text: [text] };
}

/** Reads a multipart body that is recorded as text; null if the parts are not recorded. */
function multipartOf(text: string, type: string): IntakeBody | null {
  const [, quoted, plain = quoted] = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type) ?? [];
  if (plain === undefined) return null;
  const parts = text
    .split(`--${plain}`)
    .slice(1, -1)
    .flatMap((part): readonly IntakePart[] => {
      const end = part.search(/\r?\n\r?\n/);
      const head = part.slice(0, end);
      const content = part
        .slice(end)
        .replace(/^\r?\n\r?\n/, '')
        .replace(/\r?\n$/, '');
      const name = /;\s*name="([^"]*)"/i.exec(head)?.[1];
      if (end === -1 || name === undefined) return [];
      const fileName = /;\s*filename="([^"]*)"/i.exec(head)?.[1] ?? null;
      const contentType = /^content-type:\s*([^\r\n]+)/im.exec(head)?.[1] ?? null;
      return [{ name, content: { text: [content] }, fileName, contentType }];
    });
  return parts.length === 0 ? null : { kind: 'multipart', parts };
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

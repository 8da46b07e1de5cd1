import { redactTexts, type RecordedText } from '../../core/intake/intake-secrets.ts';
import type { RecordedExchange } from '../session/recording-proxy.ts';

const TEXT_TYPE = /^text\/|json|xml|javascript|x-www-form-urlencoded|graphql/i;

export async function entriesOf(exchanges: readonly RecordedExchange[]): Promise<readonly HarEntry[]> {
  return await Promise.all(exchanges.map(entryOf));
}

export function harOf(entries: readonly HarEntry[]): string {
  // Each entry is on its own line, so that the line number of an entry is its request number.
  return `{"log":{"version":"1.2","creator":{"name":"loadtests","version":""},"entries":[${entries
    .map((entry) => JSON.stringify(entry))
    .join(',\n')}]}}`;
}

/** Replaces each secret in the entries with a name. */
export function redactEntries(entries: readonly HarEntry[]): readonly HarEntry[] {
  const texts = entries.flatMap(textsOf);
  const redacted = redactTexts(texts)[Symbol.iterator]();
  const next = () => redacted.next().value ?? '';
  const fields = (all: readonly HarField[]) => all.map((field) => ({ ...field, value: next() }));
  // The fields must be processed in the order of `textsOf`.
  return entries.map(({ request, response, ...entry }): HarEntry => {
    const url = next();
    const headers = fields(request.headers);
    const { postData } = request;
    const sent = postData && {
      ...postData,
      ...(postData.text === undefined ? {} : { text: next() }),
      ...(postData.params === undefined ? {} : { params: fields(postData.params) }),
    };
    const received = fields(response.headers);
    const content = response.content.text === undefined ? {} : { text: next() };
    return {
      ...entry,
      request: { ...request, url, headers, ...(sent === undefined ? {} : { postData: sent }) },
      response: { ...response, headers: received, content },
    };
  });
}

function textsOf({ request, response }: HarEntry): readonly RecordedText[] {
  const texts = (kind: 'header' | 'field', all: readonly HarField[] = []) =>
    all.map(({ name, value }): RecordedText => ({ kind, name, text: value }));
  const body = (text: string | undefined): readonly RecordedText[] =>
    text === undefined ? [] : [{ kind: 'body', name: '', text }];
  return [
    { kind: 'url', name: '', text: request.url },
    ...texts('header', request.headers),
    ...body(request.postData?.text),
    ...texts('field', request.postData?.params),
    ...texts('header', response.headers),
    ...body(response.content.text),
  ];
}

interface HarField {
  readonly name: string;
  readonly value: string;
}

interface HarPostData {
  readonly mimeType: string;
  readonly text?: string;
  readonly params?: readonly (HarField & { readonly fileName?: string; readonly contentType?: string })[];
}

export interface HarEntry {
  readonly connection: string;
  readonly startedDateTime: string;
  readonly time: number;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly HarField[];
    readonly postData?: HarPostData;
  };
  readonly response: {
    readonly status: number;
    readonly headers: readonly HarField[];
    readonly content: { readonly text?: string };
  };
}

async function entryOf(exchange: RecordedExchange): Promise<HarEntry> {
  const { started, ended, method, url, requestHeaders, status, responseHeaders, responseBody } = exchange;
  const type = typeOf(responseHeaders);
  const text =
    responseBody === null || !(type === '' || TEXT_TYPE.test(type)) ? {} : { text: decode(responseBody) };
  return {
    connection: String(exchange.connection),
    startedDateTime: new Date(started).toISOString(),
    time: ended - started,
    request: { method, url, headers: requestHeaders, ...(await postDataOf(exchange)) },
    response: { status, headers: responseHeaders, content: text },
  };
}

async function postDataOf({
  requestHeaders,
  requestBody,
}: RecordedExchange): Promise<{ readonly postData?: HarPostData }> {
  if (requestBody === null || requestBody.length === 0) return {};
  const mimeType = typeOf(requestHeaders);
  if (!/^multipart\/form-data/i.test(mimeType)) return { postData: { mimeType, text: decode(requestBody) } };
  try {
    const form = await new Response(Buffer.from(requestBody), {
      headers: { 'content-type': mimeType },
    }).formData();
    const params = await Promise.all(
      Array.from(form, async ([name, value]) =>
        typeof value === 'string'
          ? { name, value }
          : { name, value: await value.text(), fileName: value.name, contentType: value.type },
      ),
    );
    return { postData: { mimeType, params } };
  } catch {
    return { postData: { mimeType: 'application/octet-stream', text: decode(requestBody) } };
  }
}

function typeOf(headers: RecordedExchange['requestHeaders']): string {
  return headers.find(({ name }) => name.toLowerCase() === 'content-type')?.value ?? '';
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

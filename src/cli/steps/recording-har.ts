/** Conversion of recorded exchanges to the HAR format, with one request per line. */
import type { RecordedExchange } from '../session/recording-proxy.ts';

/** Types of bodies that are text. */
const TEXT_TYPE = /^text\/|json|xml|javascript|x-www-form-urlencoded|graphql/i;

export async function harOf(exchanges: readonly RecordedExchange[]): Promise<string> {
  const entries = await Promise.all(
    exchanges.map(async (exchange) => JSON.stringify(await entryOf(exchange))),
  );
  // The number of the line is then the number of the request.
  return `{"log":{"entries":[${entries.join(',\n')}]}}`;
}

async function entryOf(exchange: RecordedExchange): Promise<object> {
  const { started, ended, method, url, requestHeaders, status, responseHeaders, responseBody } = exchange;
  const type = typeOf(responseHeaders);
  const text =
    responseBody === null || !(type === '' || TEXT_TYPE.test(type)) ? {} : { text: decode(responseBody) };
  return {
    startedDateTime: new Date(started).toISOString(),
    time: ended - started,
    request: { method, url, headers: requestHeaders, ...(await postDataOf(exchange)) },
    response: { status, headers: responseHeaders, content: text },
  };
}

async function postDataOf({ requestHeaders, requestBody }: RecordedExchange): Promise<object> {
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

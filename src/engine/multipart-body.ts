/** Multipart bodies and files in request bodies. */
import { createHash } from 'node:crypto';
import { mergeAdjacentStrings } from '../core/merge-adjacent.ts';
import type { BodyPart } from '../core/model/request-body.ts';
import { parseTemplateParts, toByteString, type SlotIndexes, type TemplatePart } from './request-template.ts';
import type { JobRows } from './row-table.ts';

interface MultipartContext {
  readonly slots: SlotIndexes;
  readonly files: JobRows['files'];
  readonly seed: number;
}

/** Returns the content of a file as one latin1 character per byte. */
export function contentOf(sha256: string, files: JobRows['files']): string {
  const content = files.get(sha256);
  if (content === undefined) throw new Error('Bug: the job lacks the content of a body file');
  return Buffer.from(content).toString('latin1');
}

/** @see RFC 7578, and the HTML standard, section 4.10.21.8 (multipart form data) */
export function compileMultipart(
  parts: readonly BodyPart<string, string>[],
  { slots, files, seed }: MultipartContext,
): { readonly contentType: string; readonly content: readonly TemplatePart[] } {
  const encoded = parts.map((part) => ({
    header: headerOf(part),
    content:
      'file' in part
        ? [contentOf(part.file, files)]
        : parseTemplateParts(part.value, slots, { encoding: 'raw', constant: toByteString }),
  }));
  const constants = encoded.flatMap(({ content }) => content.filter((one) => typeof one === 'string'));
  const boundary = boundaryFor(constants, seed);
  const content = encoded.flatMap((part) => [`--${boundary}\r\n${part.header}\r\n`, ...part.content, '\r\n']);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    content: mergeAdjacentStrings([...content, `--${boundary}--\r\n`]),
  };
}

function headerOf(part: BodyPart<string, string>): string {
  const disposition = `Content-Disposition: form-data; name="${escapeParameter(part.name)}"`;
  const { filename = null, contentType = null } = part;
  const file = filename === null ? '' : `; filename="${escapeParameter(filename)}"`;
  const type = contentType === null ? '' : `Content-Type: ${toByteString(contentType)}\r\n`;
  return `${disposition}${file}\r\n${type}`;
}

/** Escapes a field name or file name in the same way as browsers. */
function escapeParameter(text: string): string {
  const escapes: Readonly<Record<string, string>> = { '"': '%22', '\r': '%0D', '\n': '%0A' };
  return toByteString(text).replaceAll(/["\r\n]/g, (character) => escapes[character] ?? '');
}

/** Returns a boundary that does not occur in constants and is extremely unlikely to occur in values of variables. */
function boundaryFor(constants: readonly string[], seed: number): string {
  for (let attempt = 0; ; attempt++) {
    const digest = createHash('sha256').update(`${seed} ${attempt}`).digest('hex');
    const boundary = `loadtests-${digest.slice(0, 32)}`;
    if (!constants.some((constant) => constant.includes(boundary))) return boundary;
  }
}

/** Texts about the commit of a document. */
import { timeText } from '../instant.ts';
import type { Origin, Source } from './generated/documents.ts';

/** Returns the URL of a line on the code hosting site; null if the site is unknown or does not have the file. */
export function sourceUrl(origin: Origin | undefined, { file, line }: Source): string | null {
  const base = origin?.files_url;
  if (base === undefined || file === undefined || !/^https?:\/\/[^\s()<>"]+$/.test(base)) return null;
  const segments = file.split('/');
  if (['', '..', '<stdin>'].includes(segments[0] ?? '')) return null;
  return `${base}${segments.map(encoded).join('/')}${line === undefined ? '' : `#L${line}`}`;
}

/** Encodes characters that have a special meaning in URLs or Markdown links. */
function encoded(text: string): string {
  return encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd')).replaceAll(
    /[!'()*~]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Returns text like `Plan of commit 3f2c1ab, created 2026-11-23 09:41:12 UTC.` */
export function originText({ commit, created_at: created }: Origin, command: string): string {
  const at = Date.parse(created);
  const subject = command === 'plan' ? 'Plan' : 'Report';
  const of = commit === undefined ? '' : ` of commit ${commit.slice(0, 7)}`;
  return `${subject}${of}${Number.isNaN(at) ? '' : `, created ${timeText(at)}`}.`;
}

export const APPLY_INTRODUCTION = 'To apply exactly this plan:';

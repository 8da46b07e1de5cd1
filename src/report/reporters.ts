/** What a report can be turned into. A reporter is a function from a report to text, in a file of its own. */
import type { Report } from '../core/report/generated/documents.ts';
import { markdown } from './markdown.ts';

export type Reporter = (report: Report) => string;

export const REPORTERS = { markdown } as const satisfies Readonly<Record<string, Reporter>>;

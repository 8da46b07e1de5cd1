/**
 * What a test may say beyond the API document. A service may ignore fields that it does not know, and start a load
 * that nobody reviewed: so such a test is sent only to a service that names the extension.
 */
import type { LoadTestSpec } from './load-test.ts';

export type Extension = 'methods' | 'stages';

interface About {
  /** For people: what it is. */
  readonly what: string;
  readonly usedBy: (spec: LoadTestSpec) => boolean;
}

/** By the names that a service gives for them. */
export const EXTENSIONS: Readonly<Record<Extension, About>> = {
  methods: {
    what: 'the methods PUT, PATCH, DELETE, HEAD and OPTIONS',
    usedBy: ({ targets }) =>
      targets.some(({ method }) => method !== null && method !== 'GET' && method !== 'POST'),
  },
  stages: {
    what: 'loads in stages',
    usedBy: ({ stages }) => stages !== null,
  },
};

/** Our own service has them all. */
export const EXTENSION_NAMES = Object.keys(EXTENSIONS) as readonly Extension[]; // the keys of its type

export function extensionsOf(spec: LoadTestSpec): readonly Extension[] {
  return EXTENSION_NAMES.filter((name) => EXTENSIONS[name].usedBy(spec));
}

/** Links of Markdown documents, as GitHub and npm resolve them. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export interface DeadLink {
  readonly file: string;
  readonly target: string;
  readonly reason: 'missing file' | 'missing heading' | 'outside of the directory';
}

/** Directories that contain no documents of the project. */
const OMITTED = /(?:^|\/)(?:node_modules|dist|\.git|\.loadtests|\.tmp|loadtests-data)(?:\/|$)/;

/** Returns the paths of all Markdown files below a directory. */
export function markdownFilesOf(root: string, directory = ''): readonly string[] {
  return readdirSync(join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (OMITTED.test(path)) return [];
    if (entry.isDirectory()) return markdownFilesOf(root, path);
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/** Returns relative links and images whose target does not exist within the directory. */
export function deadLinksIn(root: string, files: readonly string[]): readonly DeadLink[] {
  const anchors = new Map<string, ReadonlySet<string>>();
  const anchorsIn = (file: string): ReadonlySet<string> => {
    const known = anchors.get(file) ?? anchorsOf(readFileSync(join(root, file), 'utf8'));
    anchors.set(file, known);
    return known;
  };
  return files.flatMap((file) =>
    linksOf(readFileSync(join(root, file), 'utf8')).flatMap((target): readonly DeadLink[] => {
      const [path = '', heading] = target.split('#', 2);
      const to = path === '' ? file : normalize(join(dirname(file), decodeURIComponent(path)));
      if (to.startsWith('..') || path.startsWith('/'))
        return [{ file, target, reason: 'outside of the directory' }];
      if (!existsSync(join(root, to))) return [{ file, target, reason: 'missing file' }];
      if (heading === undefined || !to.endsWith('.md') || !statSync(join(root, to)).isFile()) return [];
      return anchorsIn(to).has(heading) ? [] : [{ file, target, reason: 'missing heading' }];
    }),
  );
}

/** Returns the targets of links and images outside of code, without those of other sites. */
export function linksOf(markdown: string): readonly string[] {
  const prose = markdown
    .replaceAll(/^[ \t]*```[^]*?^[ \t]*```/gm, '')
    .replaceAll(/<!--[^]*?-->/g, '')
    .replaceAll(/`[^`\n]*`(?!\])/g, '');
  const inline = [...prose.matchAll(/\]\(\s*<?([^)>\s]+)/g)];
  const html = [...prose.matchAll(/<(?:img|a|source)\b[^>]*?\s(?:src|href|srcset)="([^"]+)"/g)];
  const defined = [...prose.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm)];
  return [...inline, ...html, ...defined]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target));
}

/**
 * Returns the anchors as GitHub creates them: of headings, numbered if they repeat, and of elements with an
 * id or a name.
 */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const prose = markdown.replaceAll(/^[ \t]*```[^]*?^[ \t]*```/gm, '');
  for (const [, text = ''] of prose.matchAll(/^#{1,6} +(.*?)(?: +#+)?$/gm)) {
    const anchor = text
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count++) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  for (const [, id = ''] of prose.matchAll(/<[a-z]+\b[^>]*?\s(?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
}

/** Files of the web UI, all loaded at startup. Request paths never reach the file system. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

export interface WebUiFile {
  readonly contentType: string;
  readonly content: Buffer;
  readonly isImmutable: boolean;
}

/**
 * The page can load only files of the service and inline images, cannot be embedded in other pages, and cannot insert
 * markup from strings.
 *
 * @see Content Security Policy Level 3; Trusted Types; HTML, "Cross-origin opener policies".
 */
export const WEB_UI_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
};

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1f5fbf"/><path d="M2.5 11.5 6 6l3 4 4.5-6.5" fill="none" stroke="#fff" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round"/></svg>\n`;

/** @throws Error if the web UI was not built. */
export function loadWebUiFiles(): ReadonlyMap<string, WebUiFile> {
  const script = createAsset('ui.js', 'text/javascript; charset=utf-8', readBuiltFile('ui.js'));
  const style = createAsset('ui.css', 'text/css; charset=utf-8', readBuiltFile('ui.css'));
  const icon = createAsset('icon.svg', 'image/svg+xml', Buffer.from(ICON));
  const index: WebUiFile = {
    contentType: 'text/html; charset=utf-8',
    content: Buffer.from(renderIndex({ script: script.path, style: style.path, icon: icon.path })),
    isImmutable: false,
  };
  return new Map([['/', index], ...[script, style, icon].map(({ path, file }) => [path, file] as const)]);
}

/** The relative path is the same from src/server and from dist/chunks. */
function readBuiltFile(name: 'ui.js' | 'ui.css'): Buffer {
  return readFileSync(new URL(`../../dist/web/${name}`, import.meta.url));
}

function createAsset(name: string, contentType: string, content: Buffer) {
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return {
    path: `/assets/${name.replace('.', `-${hash}.`)}`,
    file: { contentType, content, isImmutable: true },
  };
}

/** Returns a relative path, which is also valid below the path prefix of a proxy. */
const toRelativePath = (path: string) => path.slice(1);

function renderIndex(paths: {
  readonly script: string;
  readonly style: string;
  readonly icon: string;
}): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>loadtests</title>
<link rel="icon" href="${toRelativePath(paths.icon)}" type="image/svg+xml">
<link rel="stylesheet" href="${toRelativePath(paths.style)}">
<script src="${toRelativePath(paths.script)}" defer></script>
</head>
<body>
<div id="page"></div>
<noscript>The web UI requires JavaScript. Enable JavaScript, or use the loadtests command.</noscript>
</body>
</html>
`;
}

// Checks the wording of Markdown, comments, strings, test titles and schema descriptions.
// Usage: node scripts/prose.mjs [FILE…]; without files, every tracked file. Exits with 1 if a rule is broken.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { RULES, TITLE_RULE, MAX_PARAGRAPH_WORDS, MAX_SENTENCE_WORDS } from './prose-rules.mjs';

const SKIPPED =
  /(^|\/)generated\/|^package-lock\.json$|^LICENSE$|^test\/(cli|fixtures)\/.*\/|prose-rules\.mjs$/;
const TITLES = new Set(['it', 'test', 'describe']);

const named = process.argv.slice(2);
const files = named.length > 0 ? named : execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n');
const findings = files
  .filter((path) => !SKIPPED.test(path) && existsSync(path))
  .flatMap((path) => passagesOf(path, readFileSync(path, 'utf8')).flatMap((passage) => check(path, passage)));
for (const finding of findings) console.log(finding);
if (findings.length > 0) {
  console.log(`${findings.length} passages to rewrite; the rules are in scripts/prose-rules.mjs`);
  process.exitCode = 1;
}

/** Returns the passages of prose in a file, each with the line that it starts in. */
function passagesOf(path, text) {
  if (path.endsWith('.md')) return markdown(text);
  if (/\.(ts|tsx|mts|mjs)$/.test(path)) return code(path, text);
  if (/\.schema\.json$/.test(path)) return matches(text, /"(?:description|title)": "((?:[^"\\]|\\.)*)"/g);
  if (/\.(ya?ml|css|service)$|Dockerfile$|^\.ci\/run$/.test(path)) {
    return matches(text, /(?:^|\s)(?:#|\/\*)\s(.*)$|^\s*(?:description|label|help): (.*)$/gm);
  }
  return [];
}

function matches(text, pattern) {
  return [...text.matchAll(pattern)].map((match) => ({
    line: text.slice(0, match.index).split('\n').length,
    text: match[1] ?? match[2] ?? '',
  }));
}

/** Blocks between blank lines; code blocks, code spans, links' addresses and table rules are removed. */
function markdown(text) {
  const prose = text.replaceAll(/^ *(```+|~~~+)[\s\S]*?^ *\1|<!--[\s\S]*?-->/gm, (block) =>
    block.replaceAll(/[^\n]/g, ''),
  );
  const passages = [];
  for (const match of prose.matchAll(/(?:^(?!\s*$).*\n?)+/gm)) {
    const line = prose.slice(0, match.index).split('\n').length;
    const rows = match[0].split(/\n(?=\s*(?:[-*|>#]|\d+\.) ?)|(?<=\|)\n/);
    let offset = 0;
    for (const row of rows) {
      const cells = row.startsWith('|') ? row.split('|') : [row];
      passages.push(...cells.map((cell) => ({ line: line + offset, text: plain(cell), isParagraph: true })));
      offset += row.split('\n').length;
    }
  }
  return passages;
}

function plain(text) {
  return text
    .replaceAll(/`[^`]*`/g, 'x')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Comments; strings with two words or more; in tests, titles only. */
function code(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const passages = [];
  const add = (start, value, isTestTitle = false) => {
    passages.push({ line: source.getLineAndCharacterOfPosition(start).line + 1, text: value, isTestTitle });
  };
  const seen = new Set();
  const visit = (node) => {
    for (const range of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) {
      if (seen.has(range.pos)) continue;
      seen.add(range.pos);
      const comment = text.slice(range.pos, range.end).replaceAll(/^\/\*+|\*\/$|^\s*\*|^\s*\/\//gm, ' ');
      add(range.pos, plain(comment));
    }
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node) || ts.isJsxText(node)) {
      const value = ts.isTemplateExpression(node) ? node.getText(source) : node.text;
      if (/[a-z] [a-z]/i.test(value) && (!path.startsWith('test/') || isTitle(node))) {
        const prose = value.replaceAll(/\$\{[^}]*\}/g, 'x').replaceAll(/\s+/g, ' ');
        add(node.getStart(source), prose, path.startsWith('test/') && isTitle(node));
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return passages;
}

function isTitle({ parent }) {
  return ts.isCallExpression(parent) && TITLES.has(/^\w+/.exec(parent.expression.getText())?.[0]);
}

function check(path, { line, text, isParagraph, isTestTitle }) {
  const found = [...RULES, ...(isTestTitle ? [TITLE_RULE] : [])]
    .filter(([pattern]) => pattern.test(text))
    .map(([pattern, advice]) => `"${pattern.exec(text)?.[0].trim()}": ${advice}`);
  if (isParagraph) {
    const longest = Math.max(...text.split(/(?<=[.!?:;])\s/).map(wordCount));
    if (longest > MAX_SENTENCE_WORDS) found.push(`a sentence of ${longest} words: split it`);
    if (wordCount(text) > MAX_PARAGRAPH_WORDS)
      found.push(`a paragraph of ${wordCount(text)} words: split it`);
  }
  return found.map((what) => `${path}:${line}: ${what} — ${text.slice(0, 90)}`);
}

function wordCount(text) {
  return text.split(/\s+/).filter((word) => /\w/.test(word)).length;
}

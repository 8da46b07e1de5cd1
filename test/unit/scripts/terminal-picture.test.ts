/** Terminal recordings: conversion of program output to an SVG image. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { drawTerminal, playTerminal } from '../../../scripts/terminal-picture.mjs';

type Event = readonly [number, string];

/** Formats each row as `row from-to: text`. */
const rowsOf = (...events: readonly Event[]) =>
  playTerminal(events).map(
    ({ row, from, to, runs }) => `${row} ${from}-${to ?? ''}: ${runs.map(({ text }) => text).join('|')}`,
  );

describe('simulated terminals', () => {
  test('a row of a simulated terminal remains visible until it is overwritten or erased', () => {
    expect(rowsOf([0, 'one\r\ntwo\r\n'], [5, 'three\r\n'])).toEqual([
      '0 0-: one',
      '1 0-: two',
      '2 5-: three',
    ]);
    expect(rowsOf([0, '1 s\r\n'], [9, '\u001b[1A\u001b[2K\u001b[G2 s\r\n'])).toEqual([
      '0 0-9: 1 s',
      '0 9-: 2 s',
    ]);
    expect(rowsOf([0, 'gone\r\n'], [9, '\u001b[1A\u001b[2K\u001b[G'])).toEqual(['0 0-9: gone']);
  });

  test('a row of a simulated terminal is split into sections, each with a single text style', () => {
    const [row] = playTerminal([[0, '\u001b[1m\u001b[32mok\u001b[39m no\u001b[22m \u001b[2mdim']]);
    expect(row?.runs).toMatchObject([
      { column: 0, text: 'ok', bold: true, color: '#56d364' },
      { column: 2, text: ' no', bold: true, color: null },
      { column: 6, text: 'dim', dim: true },
    ]);
  });

  test('playTerminal rejects an unsupported control sequence', () => {
    expect(() => rowsOf([0, '\u001b[3J'])).toThrow('unsupported control sequence: J');
  });
});

test('drawTerminal escapes markup in the text and in the title', () => {
  const picture = drawTerminal(playTerminal([[0, '<script>&"']]), 'a "title"');
  expect(picture).toContain('&lt;script&gt;&amp;&quot;</tspan>');
  expect(picture).toContain('<title>a &quot;title&quot;</title>');
});

test.each(['README.md', 'docs/guides/self-hosting.md'])('the images in %s exist', (document) => {
  const url = new URL(`../../../${document}`, import.meta.url);
  const pictures = [...readFileSync(url, 'utf8').matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(
    ([, path = '']) => path,
  );
  expect(pictures.length).toBeGreaterThan(0);
  for (const path of pictures) expect([path, existsSync(new URL(path, url))]).toEqual([path, true]);
});

test('first-command.svg shows a complete apply, has fewer than 200,000 characters, and loads no resources', () => {
  const picture = readFileSync(new URL('../../../docs/pictures/first-command.svg', import.meta.url), 'utf8');
  expect(picture).toMatch(
    /^<svg [^]*npx --no-install loadtests apply --yes[^]*Actions: 5 done, 0 failed[^]*<\/svg>\n$/,
  );
  expect(picture).not.toMatch(/<script|href|url\(|@import/i);
  expect(picture.length).toBeLessThan(200_000);
});

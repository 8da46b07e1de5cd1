/**
 * Width of text on a terminal: one cell for most characters, two for East Asian characters and emoji, none
 * for combining marks.
 */

// Classes W and F of Unicode's EastAsianWidth.txt, in whole blocks.
const WIDE_CHARACTERS =
  /[\u{1100}-\u{115f}\u{2e80}-\u{303e}\u{3041}-\u{4dbf}\u{4e00}-\u{a4cf}\u{a960}-\u{a97c}\u{ac00}-\u{d7a3}\u{f900}-\u{faff}\u{fe30}-\u{fe6f}\u{ff01}-\u{ff60}\u{ffe0}-\u{ffe6}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u;
const ZERO_WIDTH_CHARACTERS = /[\p{Mn}\p{Me}]/u;
// oxlint-disable-next-line no-control-regex -- the range of ASCII
const ASCII_TEXT = /^[\u0000-\u007f]*$/;

/**
 * Returns the width in cells.
 * @param text - Text without control characters.
 */
export function cellWidthOf(text: string): number {
  if (ASCII_TEXT.test(text)) return text.length;
  let cells = 0;
  for (const character of text)
    cells += WIDE_CHARACTERS.test(character) ? 2 : ZERO_WIDTH_CHARACTERS.test(character) ? 0 : 1;
  return cells;
}

// Converts timed terminal output into one animated SVG without scripts, so that it can be displayed as an
// image. Pure.

const CHARACTER = { width: 7.83, height: 19 };
const EDGE = 16;
const HOLD_MS = 6000;
// The picture has its own background, because pages may be light or dark.
const COLORS = { 31: '#ff7b72', 32: '#56d364', 33: '#e3b341', 36: '#76e3ea' };
const TEXT = '#e6edf3';
const BACKGROUND = '#161b22';

/**
 * Replays terminal output.
 *
 * @param events - `[ms, text]` in order; supports the control sequences that loadtests prints.
 * @returns Every row that was ever visible: `{row, runs, from, to}`, times in ms; `to` is null if the row
 * remains visible.
 */
export function playTerminal(events) {
  const rows = [];
  const shown = [];
  const closed = [];
  let [row, column, style] = [0, 0, {}];
  const settle = (ms) => {
    for (let at = 0; at < Math.max(rows.length, shown.length); at++) {
      const key = JSON.stringify(runsOf(rows[at] ?? []));
      if (shown[at]?.key === key) continue;
      if (shown[at] !== undefined && shown[at].from < ms) closed.push({ ...shown[at], to: ms });
      shown[at] = { key, row: at, from: ms };
    }
  };
  for (const [ms, text] of events) {
    // oxlint-disable-next-line no-control-regex -- control sequences begin with one
    for (const [, codes, command, sign] of text.matchAll(/\u001b\[([?\d;]*)([A-Za-z])|([^\u001b])/gu)) {
      if (sign === '\n') row += 1;
      else if (sign === '\r') column = 0;
      else if (sign !== undefined) (rows[row] ??= [])[column++] = { sign, style };
      else if (command === 'A') row = Math.max(0, row - Number(codes || 1));
      else if (command === 'G') column = Number(codes || 1) - 1;
      else if (command === 'K') rows[row] = [];
      else if (command === 'm') style = styled(style, codes);
      else if (!codes.startsWith('?'))
        throw new Error(`The recording contains an unsupported control sequence: ${command}`);
    }
    settle(ms);
  }
  const all = [...closed, ...shown.map((one) => ({ ...one, to: null }))];
  return all
    .map(({ key, ...rest }) => ({ ...rest, runs: JSON.parse(key) }))
    .filter(({ runs }) => runs.length > 0)
    .sort((one, other) => one.row - other.row || one.from - other.from);
}

function styled(style, codes) {
  return codes.split(';').reduce((now, text) => {
    const code = Number(text);
    if (code === 0) return {};
    if (code === 1) return { ...now, bold: true };
    if (code === 2) return { ...now, dim: true };
    if (code === 22) return { ...now, bold: false, dim: false };
    if (code === 39) return { ...now, color: null };
    return { ...now, color: COLORS[code] ?? now.color };
  }, style);
}

/** Merges adjacent cells of the same style. */
function runsOf(cells) {
  const runs = [];
  for (const [column, cell] of Array.from(cells, (one) => one ?? { sign: ' ', style: {} }).entries()) {
    const { bold = false, dim = false, color = null } = cell.style;
    const last = runs.at(-1);
    if (last !== undefined && last.bold === bold && last.dim === dim && last.color === color)
      last.text += cell.sign;
    else runs.push({ column, text: cell.sign, bold, dim, color });
  }
  return runs.filter(({ text }) => text.trim() !== '');
}

/**
 * Draws the rows of `playTerminal` in real time, in a loop. Readers who prefer reduced motion, and printed
 * pages, see the last frame.
 *
 * @param title - Text for screen readers.
 */
export function drawTerminal(played, title) {
  const end = Math.max(...played.map(({ from, to }) => to ?? from));
  const cycle = end + HOLD_MS;
  const columns = Math.max(
    ...played.flatMap(({ runs }) => runs.map(({ column, text }) => column + text.length)),
  );
  const lines = Math.max(...played.map(({ row }) => row)) + 1;
  const [width, height] = [
    Math.ceil(columns * CHARACTER.width + 2 * EDGE),
    lines * CHARACTER.height + 2 * EDGE,
  ];
  const names = new Map();
  const nameOf = (from, to) => {
    const span = `${from} ${to}`;
    if (!names.has(span)) names.set(span, { name: `t${names.size}`, from, to });
    return names.get(span).name;
  };
  const texts = played.map(({ row, runs, from, to }) => {
    const moves = from === 0 && to === null ? '' : ` class="${to === null ? '' : 'o '}${nameOf(from, to)}"`;
    return `<text y="${EDGE + row * CHARACTER.height + 14}"${moves}>${runs.map(spanOf).join('')}</text>`;
  });
  const share = (ms) => `${((100 * ms) / cycle).toFixed(2)}%`;
  const moves = [...names.values()].map(({ name, from, to }) => {
    const start =
      from === 0 ? '0%{visibility:visible}' : `0%{visibility:hidden}${share(from)}{visibility:visible}`;
    const stop = to === null ? '' : `${share(to)}{visibility:hidden}`;
    return `.${name}{animation-name:${name}}@keyframes ${name}{${start}${stop}}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<title>${escaped(title)}</title>
<style>
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${TEXT};white-space:pre}
.b{font-weight:bold}.d{fill:#9198a1}.o{visibility:hidden}
@media screen and (prefers-reduced-motion:no-preference){
text{animation:${cycle}ms step-end infinite}
${moves.join('\n')}
}
</style>
<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>
${texts.join('\n')}
</svg>
`;
}

/** Fixes the width of a run, independent of the font. */
function spanOf({ column, text, bold, dim, color }) {
  const x = (EDGE + column * CHARACTER.width).toFixed(1);
  const length = ([...text].length * CHARACTER.width).toFixed(1);
  const classes = [bold ? 'b' : '', dim ? 'd' : ''].filter((one) => one !== '').join(' ');
  const marks = `${classes === '' ? '' : ` class="${classes}"`}${color === null ? '' : ` style="fill:${color}"`}`;
  return `<tspan x="${x}" textLength="${length}"${marks}>${escaped(text)}</tspan>`;
}

function escaped(text) {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** The exchanges of one pass, word for word. */
import { counted } from '../../core/counted.ts';
import type { Exchange } from '../../core/load/report.ts';
import { printable } from '../../core/printable.ts';
import type { Paint } from './paint.ts';
import { rounded } from './run.ts';

export function renderExchanges(name: string, exchanges: readonly Exchange[], paint: Paint): string {
  const count = counted(exchanges.length, 'request');
  const lines = [paint.bold(`${name} · one pass, ${count}`)];
  for (const [index, exchange] of exchanges.entries()) {
    lines.push('', headLine(index, exchange, paint), ...bodyLines(exchange, paint));
  }
  return lines.join('\n') + '\n';
}

function headLine(index: number, exchange: Exchange, paint: Paint): string {
  const { status, error, ms } = exchange;
  const failed = error !== null || status === null || status >= 400;
  const result = error ?? (status === null ? 'no answer' : `${status}`);
  const times = (['connect', 'tls', 'wait'] as const).flatMap((part) => {
    const value = ms[part];
    return value === null ? [] : [`${part} ${rounded(value)}`];
  });
  const hop = exchange.hop ? ' (redirected)' : '';
  const time = `${rounded(ms.total)} ms${times.length === 0 ? '' : ` (${times.join(', ')})`}`;
  const coloured = failed ? paint.red(result) : paint.green(result);
  return `  ${index + 1}  ${exchange.method} ${printable(exchange.url)}${hop}   ${coloured}   ${time}`;
}

function bodyLines(exchange: Exchange, paint: Paint): string[] {
  const { requestHead, requestBody, responseHead, variables } = exchange;
  const sent = [...textLines(requestHead), ...(requestBody === '' ? [] : ['', ...textLines(requestBody)])];
  return [
    ...sent.map((line) => `     ${paint.cyan('>')} ${line}`.trimEnd()),
    ...textLines(responseHead).map((line) => `     ${paint.green('<')} ${line}`),
    ...Object.entries(variables).map(
      ([name, value]) => `     ${paint.yellow('=')} ${name} = ${printable(value)}`,
    ),
  ];
}

function textLines(text: string): string[] {
  return text === '' ? [] : text.trimEnd().split(/\r?\n/).map(printable);
}

/** The exchanges of passes, word for word. */
import { counted } from '../core/counted.ts';
import { delayText, type Delay } from '../core/load/delay.ts';
import { keyOfAddress } from '../core/model/ids.ts';
import { TIMEOUT_PHASES } from '../core/report/result-text.ts';
import { printable } from '../core/printable.ts';
import type { Exchange, Iteration } from '../core/report/generated/documents.ts';
import type { Paint } from './paint.ts';
import { roundToThreeDigits } from '../core/metric-text.ts';

/** @param delays behind each URL of the test, by its index */
export function exchangesText(
  { address, exchanges }: Iteration,
  paint: Paint,
  delays: readonly (Delay | null)[] = [],
): string {
  const count = counted(exchanges.length, 'request');
  const lines = [paint.bold(`${printable(keyOfAddress(address))} · one pass, ${count}`)];
  for (const [index, exchange] of exchanges.entries()) {
    lines.push('', requestLine(index, exchange, paint), ...bodyLines(exchange, paint));
    const next = exchanges[index + 1]?.url_index ?? null;
    const delay = next === null || next === exchange.url_index ? null : delays[exchange.url_index];
    if (delay != null) lines.push('', `     waits ${delayText(delay)}`);
  }
  return lines.join('\n') + '\n';
}

function requestLine(index: number, exchange: Exchange, paint: Paint): string {
  const { status, error, success, times: ms } = exchange;
  const result = printable(failureText(error) ?? (status === null ? 'no answer' : `${status}`));
  const times = (['connect', 'tls', 'wait'] as const).flatMap((part) => {
    const value = ms[part];
    return value === null ? [] : [`${part} ${roundToThreeDigits(value)}`];
  });
  const how = [
    ...(exchange.redirected ? ['redirected'] : []),
    ...(exchange.resent ? ['sent again: the server had closed the connection'] : []),
  ];
  const notes = how.length === 0 ? '' : ` (${how.join('; ')})`;
  const time = `${roundToThreeDigits(ms.total)} ms${times.length === 0 ? '' : ` (${times.join(', ')})`}`;
  const coloured = success ? paint.green(result) : paint.red(result);
  return `  ${index + 1}  ${printable(exchange.request_type)} ${printable(exchange.url)}${notes}   ${coloured}   ${time}`;
}

/** What kept a request from being answered, in words where they are ours; a code of the system stays as it is. */
export function failureText(error: Exchange['error']): string | null {
  return error === null ? null : (FAILURE_TEXTS.get(error) ?? error);
}

const FAILURE_TEXTS: ReadonlyMap<string, string> = new Map([
  ['undefined_variable', 'not sent: a variable in it has no value'],
  ...[...TIMEOUT_PHASES].map(
    ([phase, words]) =>
      [phase === 'response' ? 'timeout' : `timeout_${phase}`, `timed out ${words}`] as const,
  ),
]);

function bodyLines(exchange: Exchange, paint: Paint): string[] {
  const {
    request_header: requestHead,
    request_body: requestBody,
    response_header: responseHead,
    unexpected,
    variables,
  } = exchange;
  const sent = [...textLines(requestHead), ...(requestBody === '' ? [] : ['', ...textLines(requestBody)])];
  return [
    ...sent.map((line) => `     ${paint.cyan('>')} ${line}`.trimEnd()),
    ...textLines(responseHead).map((line) => `     ${paint.green('<')} ${line}`),
    ...(unexpected === null ? [] : [`     ${paint.red('!')} ${unexpectedLine(unexpected, exchange.status)}`]),
    ...Object.entries(variables).map(
      ([name, value]) => `     ${paint.yellow('=')} ${printable(name)} = ${printable(value)}`,
    ),
  ];
}

function unexpectedLine(
  { error, actual }: NonNullable<Exchange['unexpected']>,
  status: Exchange['status'],
): string {
  // Of a status the error names the actual one.
  return printable(actual === null || actual === String(status) ? error : `${error}; actual: ${actual}`);
}

function textLines(text: string): string[] {
  return text === '' ? [] : text.trimEnd().split(/\r?\n/).map(printable);
}

import { counted } from '../core/counted.ts';
import { delayText, type Delay } from '../core/model/delay.ts';
import { keyOfAddress } from '../core/model/ids.ts';
import { failureText } from '../core/run-record/failure-text.ts';
import { printable } from '../core/printable.ts';
import type { Exchange, Iteration } from '../core/report/generated/documents.ts';
import type { Paint } from './paint.ts';
import { roundToThreeDigits } from '../core/model/metric-text.ts';

/** @param test - `delays`: delay after each URL, by index of the URL. `flows`: number of flows. */
export function exchangesText(
  { address, exchanges, omitted, seed }: Iteration,
  paint: Paint,
  {
    delays = [],
    flows = 0,
    showsSeed = false,
  }: {
    readonly delays?: readonly (Delay | null)[];
    readonly flows?: number;
    readonly showsSeed?: boolean;
  } = {},
): string {
  const shown = counted(exchanges.length, 'request');
  const count =
    omitted === undefined
      ? shown
      : `${counted(exchanges.length + omitted.requests, 'request')}; only the first ${exchanges.length} are shown`;
  const iterations = flows > 1 ? '1 iteration of each flow' : '1 iteration';
  const seedText = seed === undefined || !showsSeed ? '' : `; repeat with --seed ${seed}`;
  const lines = [paint.bold(`${printable(keyOfAddress(address))} · ${iterations}, ${count}${seedText}`)];
  for (const [index, exchange] of exchanges.entries()) {
    lines.push('', requestLine(index, exchange, paint), ...bodyLines(exchange, paint));
    const { url_index: next = null, phase = exchange.phase } = exchanges[index + 1] ?? {};
    const isLast = next === null || next === exchange.url_index || phase !== exchange.phase;
    const delay = isLast || phase !== undefined ? null : delays[exchange.url_index];
    if (delay != null) lines.push('', `     think time: ${delayText(delay)}`);
  }
  return lines.join('\n') + '\n';
}

function requestLine(index: number, exchange: Exchange, paint: Paint): string {
  const { status, error, success, times: ms } = exchange;
  const result = printable(failureText(error) ?? (status === null ? 'no response' : `${status}`));
  const times = (['connect', 'tls', 'wait'] as const).flatMap((part) => {
    const value = ms[part];
    return value === null ? [] : [`${part} ${roundToThreeDigits(value)}`];
  });
  const how = [
    ...(exchange.phase === undefined ? [] : [exchange.phase]),
    ...(exchange.redirected ? ['follows a redirect'] : []),
    ...(exchange.resent ? ['sent again: the server had closed the connection'] : []),
  ];
  const notes = how.length === 0 ? '' : ` (${how.join('; ')})`;
  const time = `${roundToThreeDigits(ms.total)} ms${times.length === 0 ? '' : ` (${times.join(', ')})`}`;
  const painted = success ? paint.green(result) : paint.red(result);
  return `  ${index + 1}  ${printable(exchange.request_type)} ${printable(exchange.url)}${notes}   ${painted}   ${time}`;
}

function bodyLines(exchange: Exchange, paint: Paint): string[] {
  const {
    request_header: requestHeader,
    request_body: requestBody,
    response_header: responseHeader,
    response_body: responseBody,
    unexpected,
    variables,
  } = exchange;
  const sent = [...textLines(requestHeader), ...(requestBody === '' ? [] : ['', ...textLines(requestBody)])];
  const content =
    responseBody === null
      ? ['(body not shown: it is not text, is too large, or cannot be decoded)']
      : textLines(responseBody);
  const received = [...textLines(responseHeader), ...(content.length === 0 ? [] : ['', ...content])];
  return [
    ...sent.map((line) => `     ${paint.cyan('>')} ${line}`.trimEnd()),
    ...received.map((line) => `     ${paint.green('<')} ${line}`.trimEnd()),
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
  // The message of an unexpected status already contains the status.
  return printable(actual === null || actual === String(status) ? error : `${error}; actual: ${actual}`);
}

function textLines(text: string): string[] {
  return text === '' ? [] : text.trimEnd().split(/\r?\n/).map(printable);
}

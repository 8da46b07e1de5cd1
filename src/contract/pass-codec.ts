/** Wire ↔ the exchanges of one pass. */
import type { Exchange } from '../core/load/report.ts';
import type { ExchangeRecord, IterationRecord } from './generated/iteration-record.ts';

export function encodePass(exchanges: readonly Exchange[]): IterationRecord {
  return { message: 'success', exchanges: exchanges.map(encodeExchange) };
}

function encodeExchange(exchange: Exchange): ExchangeRecord {
  return {
    url_index: exchange.target,
    url: exchange.url,
    request_type: exchange.method,
    redirected: exchange.hop,
    resent: exchange.resent,
    request_header: exchange.requestHead,
    request_body: exchange.requestBody,
    status: exchange.status,
    response_header: exchange.responseHead,
    data_received: exchange.bytes,
    error: exchange.error,
    success: exchange.success,
    unexpected: exchange.unexpected && { ...exchange.unexpected },
    times: { ...exchange.ms },
    variables: { ...exchange.variables },
  };
}

export function decodePass(answer: IterationRecord): readonly Exchange[] {
  return answer.exchanges.map((record) => ({
    target: record.url_index,
    url: record.url,
    method: record.request_type,
    hop: record.redirected,
    resent: record.resent,
    requestHead: record.request_header,
    requestBody: record.request_body,
    status: record.status,
    responseHead: record.response_header,
    bytes: record.data_received,
    error: record.error,
    success: record.success,
    unexpected: record.unexpected,
    ms: record.times,
    variables: record.variables,
  }));
}

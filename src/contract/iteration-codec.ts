import type { TracedExchange, TracedIteration } from '../core/load/run-report.ts';
import type { ExchangeRecord, IterationRecord } from './generated/iteration-record.ts';

export function encodeIteration({ exchanges, omitted, seed }: TracedIteration): IterationRecord {
  return {
    message: 'success',
    exchanges: exchanges.map(encodeExchange),
    ...(omitted.requests === 0 ? {} : { omitted: { ...omitted } }),
    ...(seed === null ? {} : { seed }),
  };
}

function encodeExchange(exchange: TracedExchange): ExchangeRecord {
  return {
    ...(exchange.phase === undefined ? {} : { phase: exchange.phase }),
    url_index: exchange.target,
    url: exchange.url,
    request_type: exchange.method,
    redirected: exchange.redirected,
    resent: exchange.resent,
    request_header: exchange.requestHeader,
    request_body: exchange.requestBody,
    status: exchange.status,
    response_header: exchange.responseHeader,
    response_body: exchange.responseBody,
    data_received: exchange.bytes,
    error: exchange.error,
    success: exchange.success,
    unexpected: exchange.unexpected && { ...exchange.unexpected },
    times: { ...exchange.ms },
    variables: { ...exchange.variables },
  };
}

export function decodeIteration({ exchanges, omitted, seed }: IterationRecord): TracedIteration {
  return {
    exchanges: exchanges.map(decodeExchange),
    omitted: omitted ?? { requests: 0, failed: 0 },
    seed: seed ?? null,
  };
}

function decodeExchange(record: ExchangeRecord): TracedExchange {
  return {
    ...(record.phase === undefined ? {} : { phase: record.phase }),
    target: record.url_index,
    url: record.url,
    method: record.request_type,
    redirected: record.redirected,
    resent: record.resent,
    requestHeader: record.request_header,
    requestBody: record.request_body,
    status: record.status,
    responseHeader: record.response_header,
    responseBody: record.response_body,
    bytes: record.data_received,
    error: record.error,
    success: record.success,
    unexpected: record.unexpected,
    ms: record.times,
    variables: record.variables,
  };
}

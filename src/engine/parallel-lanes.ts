/**
 * Lanes, which perform the requests of a parallel group at the same time. A lane is a separate client with its own
 * connections; the first lane uses those of its owner. Lanes have copies of the owner's values, so that no request
 * depends on the order of the responses. All lanes share the owner's cookies.
 */
import type { Group } from '../core/model/group.ts';
import type { Client } from './client.ts';
import type { CookieJar } from './cookie-jar.ts';
import type { CompiledTarget } from './request-compiler.ts';

export interface LaneContext {
  readonly targets: readonly CompiledTarget[];
  readonly usesRandom: boolean;
  readonly createLane: (client: Client, position: number) => Client;
  readonly createJar: () => CookieJar;
  /** Reports whether the conditions of a request are met. Otherwise, counts the request as skipped. */
  readonly performs: (client: Client, request: number) => boolean;
}

/** Prepares a lane for each request whose conditions are met, and moves the client to the last request of the group. */
export function beginLanes(
  client: Client,
  { first, count }: Group,
  { targets, usesRandom, createLane, createJar, performs }: LaneContext,
): void {
  const requests = targets.slice(first, first + count);
  // Creates the jar before the lanes begin, so that all lanes share the jar.
  if (requests.some((target) => target.capturesCookies)) client.jar ??= createJar();
  client.openLanes = [];
  requests.forEach((_, position) => {
    const lane = (client.lanes[position] ??= createLane(client, position));
    // Draws a number even for a skipped lane, so that the random numbers of later lanes do not depend on conditions.
    if (usesRandom) lane.random.restart([client.random.word()]);
    if (!performs(client, first + position)) return;
    lane.beginLane(client, first + position);
    client.openLanes.push(lane);
  });
  client.openLaneCount = client.openLanes.length;
  client.minOpeningTime = 0;
  client.requestIndex = first + count - 1;
}

export interface LanesOutcome {
  readonly endsIteration: boolean;
  /** Lower bounds, in ms, of the duration of the longest lane, without and with the delays after the requests. */
  readonly minDuration: number;
  readonly minRested: number;
  /** End of the last delay; 0 if there is none. */
  readonly restsUntil: number;
}

export function endLanes(client: Client, targets: readonly CompiledTarget[]): LanesOutcome {
  const { openLanes } = client;
  for (const lane of openLanes) {
    for (const { index, typeIndex } of targets[lane.iteration.first]?.variables ?? []) {
      client.values[index] = lane.values[index];
      if (typeIndex >= 0) client.values[typeIndex] = lane.values[typeIndex];
    }
    client.hasError ||= lane.hasError;
    client.lacksResponse ||= lane.lacksResponse;
    client.hasSent ||= lane.hasSent;
    client.lastEnd = Math.max(client.lastEnd, lane.lastEnd);
    client.dueAt = Math.max(client.dueAt, lane.lastEnd);
  }
  const maxOf = (numberOf: (lane: Client) => number) =>
    openLanes.reduce((max, lane) => Math.max(max, numberOf(lane)), 0);
  return {
    endsIteration: openLanes.some((lane) => lane.endsIteration),
    minDuration: maxOf((lane) => lane.minDuration),
    minRested: maxOf((lane) => lane.minDuration + lane.delay),
    restsUntil: maxOf((lane) => (lane.delay === 0 ? 0 : lane.lastEnd + lane.delay)),
  };
}

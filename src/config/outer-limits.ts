/** Limits from outside the configuration file, for example from the settings of a CI system. */
import type { Limits } from '../core/model/state.ts';
import { fail, ok, type Result } from '../core/result.ts';
import type { ConfigFile } from './generated/config-file.ts';
import {
  createLocator,
  createTreeLocations,
  sortProblems,
  toPlainValue,
  type MapNode,
} from './config-tree.ts';
import { lowerLimits } from './lower-config.ts';
import type { LoweringContext } from './quantities.ts';
import { checkShape } from './validate-shape.ts';
import { parseText } from './yaml-parser.ts';

/**
 * Parses limits in the form of `limits` in the file.
 * @param name - Name of the environment variable, for locations of problems.
 */
export function parseOuterLimits(name: string, text: string): Result<Limits> {
  const locate = createLocator(name, text);
  const parsed = parseText(text, locate);
  if (!parsed.ok) return parsed;
  const { root, problems } = checkShape({ root: fileWith(parsed.value), gaps: new Set() }, locate);
  const to: LoweringContext = {
    locations: createTreeLocations(root, locate),
    isComplete: () => true,
    readRows: () => ({ reason: 'is not read' }),
    readBodyFile: () => ({ reason: 'is not read' }),
    problems: [...problems],
  };
  // The cast is valid, because invalid values were removed.
  const { limits = {} } = toPlainValue(root) as ConfigFile;
  const lowered = lowerLimits(to, limits);
  return to.problems.length === 0 ? ok(lowered, []) : fail(sortProblems(to.problems));
}

/** Adds the other required keys, so that the schema of the file can validate limits. */
function fileWith(limits: MapNode): MapNode {
  const { span } = limits;
  const scalar = (value: number | string) =>
    ({ kind: 'scalar', value, written: String(value), secret: null, span }) as const;
  const entries = [
    ['version', scalar(1)],
    ['project', scalar('limits')],
    ['limits', limits],
  ] as const;
  return { ...limits, entries: new Map(entries.map(([key, node]) => [key, { key, keySpan: span, node }])) };
}

/** Reads k6 scripts. Executes no code. */
import { parse, type Program } from 'acorn';
import {
  type Intake,
  type IntakeFlow,
  type IntakeNote,
  type SourcePosition,
  START,
} from '../core/intake/intake.ts';
import { createPositions, InvalidSource, type IntakeSource } from '../core/intake/source-text.ts';
import { K6Interpreter } from './k6-interpreter.ts';
import { readK6Load, readK6Thresholds, weightOf } from './k6-load.ts';
import { memberOf, stringOf, type Value } from './k6-values.ts';

export function readK6(source: IntakeSource): Intake {
  const notes: IntakeNote[] = [];
  const program = parseScript(source, source.text, null);
  const interpreter = new K6Interpreter({
    source,
    notes,
    parseModule: (text, at) => parseScript(source, text, at),
  });
  const exports = interpreter.readModule(program, createPositions(source.text));
  const at = exports.optionsAt ?? START;
  const options = exports.values.get('options');
  const load = readK6Load(options, at);
  const { thresholds, notes: thresholdNotes } = readK6Thresholds(options, at);
  const userAgent = stringOf(memberOf(options, 'userAgent'));
  const withAgent = (flow: IntakeFlow) => (userAgent === null ? flow : withUserAgent(flow, userAgent));
  const isTrue = (name: string) => {
    const value = memberOf(options, name);
    return value?.kind === 'boolean' && value.value;
  };
  const phase = (name: 'setup' | 'teardown', data: readonly Value[]) => {
    const given = exports.values.get(name);
    if (given?.kind !== 'function') return null;
    const { finish, returned } = interpreter.readRequests(given, { data });
    // Called after the iterations are read, because the iterations can add captures to the requests of the setup.
    const flowOf = () => {
      const flow = finish(false);
      if (flow.requests.length > 0) return withAgent({ ...flow, name, weight: 1 });
      notes.push(...flow.notes);
      return null;
    };
    return { flowOf, returned };
  };
  const setup = phase('setup', []);
  const data = setup === null ? [] : [setup.returned];
  const flows = load.scenarios.flatMap((scenario): readonly IntakeFlow[] => {
    const iteration = exports.values.get(scenario.exec);
    if (iteration?.kind !== 'function') {
      const message = `the scenario ${JSON.stringify(scenario.name)} is omitted, because the script exports no function ${JSON.stringify(scenario.exec)}`;
      notes.push({ kind: 'loss', at, message });
      return [];
    }
    const isClosed = scenario.kind === 'connections';
    const flow = interpreter.readRequests(iteration, { env: scenario.env, data }).finish(isClosed);
    if (flow.requests.length > 0) return [{ ...flow, name: scenario.name, weight: weightOf(scenario) }];
    const message = `the scenario ${JSON.stringify(scenario.name)} is omitted, because it has no request that can be converted`;
    notes.push(...flow.notes, { kind: 'loss', at: flow.at, message });
    return [];
  });
  if (flows.length === 0)
    throw new InvalidSource(
      source,
      START,
      'the iterations of the script contain no request that is known without running the script',
    );
  const teardown = phase('teardown', data);
  return {
    flows: withWeights(flows).map(withAgent),
    setup: setup?.flowOf() ?? null,
    teardown: teardown?.flowOf() ?? null,
    load: load.load,
    connections: load.connections,
    keepAlive: !isTrue('noConnectionReuse'),
    thresholds,
    timeout: interpreter.timeout,
    tlsVerify: !isTrue('insecureSkipTLSVerify'),
    notes: [...notes, ...load.notes, ...thresholdNotes],
  };
}

function withUserAgent(flow: IntakeFlow, value: string): IntakeFlow {
  const requests = flow.requests.map((request) => ({
    ...request,
    headers: [{ name: 'user-agent', value: [value] }, ...request.headers],
  }));
  return { ...flow, requests };
}

function withWeights(flows: readonly IntakeFlow[]): readonly IntakeFlow[] {
  if (flows.length === 1) return flows.map((flow) => ({ ...flow, weight: 1 }));
  const smallest = Math.min(...flows.map(({ weight }) => weight).filter((weight) => weight > 0));
  return flows.map((flow) => ({ ...flow, weight: flow.weight / smallest }));
}

/**
 * @param at - Position of the import of a module; null for the script itself.
 * @throws InvalidSource if the script is not valid or is nested too deeply.
 */
function parseScript(source: IntakeSource, text: string, at: SourcePosition | null): Program {
  try {
    return parse(text, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true });
  } catch (error) {
    const where = at ?? createPositions(text)(offsetOf(error, text));
    const what = at === null ? 'the source' : 'the imported module';
    if (error instanceof RangeError) throw new InvalidSource(source, where, `${what} is nested too deeply`);
    if (!(error instanceof SyntaxError)) throw error;
    const message = error.message.replace(/ \(\d+:\d+\)$/, '');
    throw new InvalidSource(source, where, `${what} is not valid JavaScript: ${message}`);
  }
}

function offsetOf(error: unknown, text: string): number {
  const position = error instanceof SyntaxError && 'pos' in error ? Number(error.pos) : 0;
  return Math.min(position, text.length);
}

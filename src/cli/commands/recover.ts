/** Operations whose outcome is unknown, with what the service shows of each; closes them as told. */
import { evidenceOf, markOf, sameKey, type Evidence } from '../../apply/evidence.ts';
import type { JournalLine } from '../../apply/journal.ts';
import type { ServicePort } from '../../core/ports/service-port.ts';
import type { World } from '../../apply/world.ts';
import { CallError } from '../../core/call-error.ts';
import { formatInstant } from '../../core/instant.ts';
import { keyOfAddress, isRemoteId, resultId, testId, type TestId } from '../../core/model/ids.ts';
import { printable } from '../../core/printable.ts';
import { problem, ProblemError, type Problem } from '../../core/problem.ts';
import { formatDuration, milliseconds, type Milliseconds } from '../../core/units.ts';
import type { Context } from '../terminal/context.ts';
import type { FileFlags, OutputFlags } from '../terminal/flags.ts';
import { withService } from '../session/open.ts';
import { usageError } from '../terminal/errors.ts';
import { outcome, type Outcome } from '../terminal/outcome.ts';
import { NOBODYS } from '../session/session.ts';

export interface RecoverFlags extends FileFlags, OutputFlags {
  readonly adopt?: string;
  readonly absent?: boolean;
  readonly lockTimeout?: Milliseconds;
}

/** @param names nonces, addresses or keys of tests; none: all that are open */
export async function recover(
  context: Context,
  names: readonly string[],
  flags: RecoverFlags,
): Promise<Outcome> {
  if (flags.adopt !== undefined && flags.absent === true)
    throw usageError('--adopt and --absent exclude each other');
  if (flags.adopt !== undefined && !isRemoteId(flags.adopt)) throw usageError(`"${flags.adopt}" is no id`);
  return await withService(context, { flags, writes: true }, async ({ config, session }) => {
    const whose = config?.desired ?? NOBODYS;
    context.interruption.handleGracefully();
    const world = session.world(whose, ({ kind, ...event }) => {
      if (kind === 'note' && 'text' in event) context.stderr.write(`  ${event.text}\n`);
    });
    const open = world.journal.open();
    const chosen = choose(open, names);
    const closed = new Map<JournalLine, Closed>();
    if (flags.adopt !== undefined) {
      const line = theOne(chosen, '--adopt');
      closed.set(line, await adopt(line, flags.adopt, world));
    }
    if (flags.absent === true) {
      if (names.length === 0) theOne(chosen, '--absent');
      for (const line of chosen) closed.set(line, await closeAsAbsent(line, world));
    }
    const list = chosen.length === 0 ? null : await world.service.listTests();
    const evidence =
      list === null ? [] : await Promise.all(chosen.map((line) => evidenceOf(line, list, world)));
    return told(evidence, closed, { open, project: whose.project });
  });
}

function choose(open: readonly JournalLine[], names: readonly string[]): readonly JournalLine[] {
  if (names.length === 0) return open;
  const matches = (line: JournalLine, name: string) =>
    [line.nonce, line.address, keyOfAddress(line.address)].includes(name);
  for (const name of names) {
    if (open.some((line) => matches(line, name))) continue;
    const text = `no operation of unknown outcome is called "${name}"`;
    throw new ProblemError(problem('LT_RUN_NOT_FOUND', text, { hint: '"loadtests recover" lists them' }));
  }
  return open.filter((line) => names.some((name) => matches(line, name)));
}

function theOne(chosen: readonly JournalLine[], flag: string): JournalLine {
  const [line, ...others] = chosen;
  if (line === undefined) throw usageError(`${flag} has nothing to close: every outcome is known`);
  if (others.length === 0) return line;
  const nonces = chosen.map(({ nonce, op, address }) => `nonce ${nonce} (${op} of ${address})`);
  throw usageError(`${flag} could mean several operations; name one: ${nonces.join(', ')}`);
}

interface Closed {
  readonly how: 'adopted' | 'absent';
  /** What was done, in a sentence. */
  readonly text: string;
  readonly id: string | null;
}

/** The operation was carried out: the id is the test it made, or the run it started. */
async function adopt(line: JournalLine, id: string, world: World): Promise<Closed> {
  const at = world.clock.now();
  if (line.op === 'start') {
    await checkRun(line.id, id, world.service);
    world.journal.write({ ...line, phase: 'done', at });
    return { how: 'adopted', id, text: `the start of ${line.address} counts as done` };
  }
  const { test } = await world.service.getTest(testId(id)).catch(notFound(`the service has no test "${id}"`));
  const mark = markOf(test);
  if (mark !== null && !sameKey(mark, line)) {
    throw usageError(
      `"${id}" carries the mark of ${mark.project}/test.${mark.key}, so it is not ${line.address}`,
      'adopt another one, or say --absent',
    );
  }
  world.journal.write({ ...line, phase: 'done', id: test.id, at });
  const pin = mark === null ? `; it has no mark, so add "id: ${id}" to the test in the file` : '';
  return { how: 'adopted', id, text: `the create of ${line.address} counts as done, as ${id}${pin}` };
}

/** Either the test itself or one of its results may be named. */
async function checkRun(test: TestId, id: string, service: ServicePort): Promise<void> {
  if (id === test) return;
  const result = await service.getResult(test, resultId(id));
  if (result !== null) return;
  throw new ProblemError(
    problem('LT_RUN_NOT_FOUND', `"${id}" is neither the test "${test}" nor a result of it`),
  );
}

function notFound(text: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof CallError) || error.status !== 404) throw error;
    throw new ProblemError(problem('LT_RUN_NOT_FOUND', text));
  };
}

/** The operation was not carried out. Waits until the service cannot act on it any more, and looks once again. */
async function closeAsAbsent(line: JournalLine, world: World): Promise<Closed> {
  const left = Math.min(line.at, world.clock.now()) + world.settle - world.clock.now();
  if (left > 0) {
    const text = `the service may still act on the ${line.op} of ${line.address} for ${formatDuration(milliseconds(left))}; waiting`;
    world.emit({ kind: 'note', text });
    await world.clock.sleep(left, world.interrupted);
    if (world.interrupted.aborted)
      throw new ProblemError(problem('LT_CLI_INTERRUPTED', 'interrupted; nothing was closed'));
  }
  const seen = await evidenceOf(line, await world.service.listTests(), world);
  const there = line.op === 'create' ? seen.withNonce[0]?.id : seen.newResults?.[0];
  if (there !== undefined) {
    throw usageError(
      `the ${line.op} of ${line.address} was carried out, as ${there}; it is not absent`,
      `say --adopt ${there}`,
    );
  }
  world.journal.write({ ...line, phase: 'absent', at: world.clock.now() });
  const text = `the ${line.op} of ${line.address} counts as never carried out; the next apply may send it anew`;
  return { how: 'absent', id: null, text };
}

function told(
  evidence: readonly Evidence[],
  closed: ReadonlyMap<JournalLine, Closed>,
  about: { readonly open: readonly JournalLine[]; readonly project: string | null },
): Outcome {
  const left = about.open.filter((line) => !closed.has(line));
  const problems = left.map((line): Problem => {
    const text = `it is not known whether the ${line.op} of ${line.address} (nonce ${line.nonce}) was carried out`;
    return problem('LT_API_UNKNOWN', text, {
      hint: '"loadtests apply" looks again; "loadtests recover --adopt ID" or "--absent" decides it by hand',
    });
  });
  const lines = evidence.flatMap((one) => [...evidenceLines(one), ...closedLines(closed.get(one.line))]);
  const head = about.open.length === 0 ? ['Every outcome is known.'] : [];
  return outcome({
    problems,
    text: [...head, ...lines].join('\n') + '\n',
    members: {
      project: about.project,
      operations: evidence.map((one) => operationDocument(one, closed.get(one.line))),
    },
  });
}

function closedLines(closed: Closed | undefined): string[] {
  return closed === undefined ? [] : [`      closed: ${closed.text}`];
}

function evidenceLines(evidence: Evidence): string[] {
  const { line, withNonce, sameKey: others, alike, newResults, perhapsCut } = evidence;
  const head = `  ${line.op} of ${line.address}, nonce ${line.nonce}, sent ${formatInstant(line.at)} UTC`;
  const tests = (seen: Evidence['withNonce']) =>
    seen.length === 0
      ? 'none'
      : seen.map(({ id, status }) => `${id} (${status === '' ? 'no status' : printable(status)})`).join(', ');
  const listed = perhapsCut ? [`      the list may be cut off, so absence proves nothing`] : [];
  if (line.op === 'create') {
    return [
      head,
      `      tests with its mark:         ${tests(withNonce)}`,
      `      other tests of this key:     ${tests(others)}`,
      `      alike, without a mark:       ${tests(alike)}`,
      ...listed,
    ];
  }
  const results =
    newResults === null ? 'the service has none' : newResults.length === 0 ? 'none' : newResults.join(', ');
  return [
    head,
    `      the test:                    ${tests(withNonce)}`,
    `      results since then:          ${results}`,
    ...listed,
  ];
}

function operationDocument(evidence: Evidence, closed: Closed | undefined) {
  const { line, withNonce, sameKey: others, alike, newResults, perhapsCut } = evidence;
  return {
    op: line.op,
    address: line.address,
    nonce: line.nonce,
    sent_at: new Date(line.at).toISOString(),
    outcome: closed?.how ?? 'unknown',
    id: closed?.id ?? null,
    evidence: {
      ...(line.op === 'create' ? { with_nonce: withNonce, same_key: others, alike } : { tests: withNonce }),
      new_results: newResults,
      list_perhaps_cut: perhapsCut,
    },
  };
}

/** The `recover` command: shows and resolves operations with an unknown outcome, and closes inactive duplicates. */
import { readEvidence, type Evidence } from '../../apply/uncertainty/evidence.ts';
import { closeDuplicates, type ExplainedDuplicate } from '../../apply/uncertainty/duplicates.ts';
import type { JournalLine } from '../../apply/uncertainty/journal.ts';
import { isRemoteId } from '../../core/model/ids.ts';
import { problem, type Problem } from '../../core/problem.ts';
import type { Operation, KnownTest } from '../../core/report/generated/documents.ts';
import type { Context } from '../terminal/context.ts';
import type { ServiceFlags } from '../terminal/flags.ts';
import { withService } from '../session/open-session.ts';
import { usageError } from '../terminal/errors.ts';
import { createOutcome, type Outcome } from '../terminal/outcome.ts';
import { writeNote } from '../terminal/report.ts';
import { recoverText } from '../../report/recover-text.ts';
import {
  adoptOperation,
  chooseOperations,
  closeAsAbsent,
  requireSingle,
  type Resolution,
} from '../steps/recovery.ts';
import { UNSCOPED } from '../session/session.ts';

export interface RecoverFlags extends ServiceFlags {
  readonly adopt?: string;
  readonly absent?: boolean;
}

/** @param names - Nonces, test addresses or test keys; empty for all open operations. */
export async function recover(
  context: Context,
  names: readonly string[],
  flags: RecoverFlags,
): Promise<Outcome> {
  if (flags.adopt !== undefined && flags.absent === true)
    throw usageError('--adopt and --absent cannot be combined');
  if (flags.adopt !== undefined && !isRemoteId(flags.adopt))
    throw usageError(`"${flags.adopt}" is not a valid ID of a test or run`);
  return await withService(context, { flags, writes: true }, async ({ config, session }) => {
    const scope = config?.desired ?? UNSCOPED;
    context.interruption.handleGracefully();
    const applyContext = session.applyContext(scope, ({ kind, ...event }) => {
      if (kind === 'note' && 'text' in event) writeNote(context, `  ${event.text}`);
    });
    const open = applyContext.journal.open();
    const chosen = chooseOperations(open, names);
    const closed = new Map<JournalLine, Resolution>();
    if (flags.adopt !== undefined) {
      const line = requireSingle(chosen, '--adopt');
      closed.set(line, await adoptOperation(line, flags.adopt, applyContext));
    }
    if (flags.absent === true) {
      if (names.length === 0) requireSingle(chosen, '--absent');
      for (const line of chosen) closed.set(line, await closeAsAbsent(line, applyContext));
    }
    const list = await applyContext.service.listTests();
    const evidence = await Promise.all(chosen.map((line) => readEvidence(line, list, applyContext)));
    const duplicates = await closeDuplicates(list.items, applyContext);
    return recoverOutcome(evidence, closed, { open, project: scope.project, duplicates });
  });
}

function recoverOutcome(
  evidence: readonly Evidence[],
  closed: ReadonlyMap<JournalLine, Resolution>,
  about: {
    readonly open: readonly JournalLine[];
    readonly project: string | null;
    readonly duplicates: readonly ExplainedDuplicate[];
  },
): Outcome {
  const remaining = about.open.filter((line) => !closed.has(line));
  const problems = remaining.map((line): Problem => {
    const text = `the outcome of the ${line.op} request for ${line.address} (nonce ${line.nonce}) is unknown`;
    const command = `loadtests recover ${line.nonce}`;
    return problem('LT_API_UNKNOWN', text, {
      hint: `run "loadtests apply" to check again, or record the outcome with "${command} --adopt ID" or "${command} --absent"`,
    });
  });
  const duplicates = about.duplicates.map(({ address, usedId, id, closed: isClosed }) => ({
    address,
    test_id: id,
    counts: usedId,
    closed: isClosed,
  }));
  const operations = evidence.map((one) => toOperation(one, closed.get(one.line)));
  return createOutcome({
    problems,
    text: recoverText(operations, duplicates, about.open.length === 0),
    body: {
      command: 'recover',
      project: about.project,
      operations,
      duplicates,
    },
  });
}

function toOperation(evidence: Evidence, closed: Resolution | undefined): Operation {
  const { line, withNonce, sameKey, unmarkedMatches, newResults, maybeTruncated } = evidence;
  return {
    op: line.op,
    address: line.address,
    nonce: line.nonce,
    sent_at: new Date(line.at).toISOString(),
    outcome: closed?.kind ?? 'unknown',
    id: closed?.id ?? null,
    resolution: closed?.text ?? null,
    evidence: {
      ...(line.op === 'create'
        ? {
            with_nonce: withNonce.map(toKnownTest),
            same_key: sameKey.map(toKnownTest),
            alike: unmarkedMatches.map(toKnownTest),
          }
        : { tests: withNonce.map(toKnownTest) }),
      new_results: newResults,
      list_maybe_truncated: maybeTruncated,
    },
  };
}

function toKnownTest({ id, status }: Evidence['withNonce'][number]): KnownTest {
  return { test_id: id, status };
}

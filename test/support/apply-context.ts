/** Contexts of `apply` for tests. */
import { Journal, type JournalFile } from '../../src/apply/uncertainty/journal.ts';
import type { ApplyContext } from '../../src/apply/apply-context.ts';
import { sha256 } from '../../src/cli/files/sha256.ts';
import type { DesiredState } from '../../src/core/model/state.ts';
import { milliseconds } from '../../src/core/units.ts';

/** Creates a context with a hosted service and a journal in memory, unless the test replaces them. */
export function createApplyContext(
  parts: Pick<ApplyContext, 'service' | 'clock'> & Partial<Omit<ApplyContext, 'service' | 'clock'>>,
): ApplyContext {
  return {
    journal: openJournal(createMemoryFile()),
    sha256,
    nonce: () => 'nonce001',
    emit: () => undefined,
    publish: () => Promise.resolve(),
    contentOf: () => new Uint8Array(),
    verificationIdOf: (id) => `acme-${id}`,
    isEmbedded: false,
    isSilent: () => Promise.resolve(false),
    resolutionFailure: () => Promise.resolve(null),
    findStop: () => null,
    locateField: () => null,
    settle: milliseconds(1_000),
    loadOutlivesCommand: () => true,
    interrupted: new AbortController().signal,
    ...parts,
  };
}

/**
 * Opens a journal.
 * @param of - project and environment of its lines
 */
export function openJournal(
  file: JournalFile,
  of: Pick<DesiredState, 'project' | 'environment'> = SHOP,
): Journal {
  return new Journal(file, { service: 'https://api.example', p: of.project, e: of.environment });
}

const SHOP = { project: 'shop', environment: null };

function createMemoryFile(): JournalFile {
  const texts: string[] = [];
  return { read: () => texts.join(''), append: (text) => void texts.push(text) };
}

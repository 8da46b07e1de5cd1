/** The note on a run, on one line, with an edit button. */
import { useState } from 'preact/hooks';
import { ConfirmDialog } from './dialog.tsx';
import { useUi } from './ui-context.ts';

/**
 * @param path - Path of the run in the API.
 * @param stored - Note at the time the view was loaded; null if there was none.
 */
export function RunNote({ path, stored }: { readonly path: string; readonly stored: string | null }) {
  const { api, announcement } = useUi();
  const [note, setNote] = useState(stored ?? '');
  const [typed, setTyped] = useState<string | null>(null);
  const [fault, setFault] = useState('');
  const save = async (text: string): Promise<void> => {
    const response = await api.call('PUT', `${path}/note`, { note: text });
    if (response.kind === 'ok') {
      setNote(text.trim());
      announcement.set('The note is saved.');
    }
    setFault(
      response.kind === 'ok'
        ? ''
        : response.kind === 'refused'
          ? `Not saved: ${response.reasons.join('; ')}`
          : 'Not saved: the service did not respond.',
    );
  };
  return (
    <p class="run-note">
      {note === '' ? null : <bdi>{note}</bdi>}{' '}
      <button
        type="button"
        onClick={() => {
          setTyped(note);
        }}
      >
        {note === '' ? 'Add a note' : 'Change the note'}
      </button>{' '}
      {fault === '' ? null : (
        <span class="fault" role="alert">
          {fault}
        </span>
      )}
      {typed === null ? null : (
        <ConfirmDialog
          title="Note on this run"
          confirmLabel="Save"
          tone="primary"
          onClose={() => {
            setTyped(null);
          }}
          onConfirm={() => void save(typed)}
        >
          <input
            type="text"
            maxLength={200}
            aria-label="Note"
            value={typed}
            onInput={({ currentTarget }) => {
              setTyped(currentTarget.value);
            }}
          />
        </ConfirmDialog>
      )}
    </p>
  );
}

import { useState } from 'preact/hooks';
import { faultText } from './api.ts';
import { ActionButton } from './dialog.tsx';
import { useUi } from './ui-context.ts';

/**
 * @param path - Path of the run in the API.
 * @param stored - Note at the time the view was loaded; null if there was none.
 */
export function RunNote({ path, stored }: { readonly path: string; readonly stored: string | null }) {
  const { api, announcement } = useUi();
  const [note, setNote] = useState(stored ?? '');
  const [typed, setTyped] = useState('');
  const save = async (): Promise<string> => {
    const response = await api.call('PUT', `${path}/note`, { note: typed });
    if (response.kind === 'ok') {
      setNote(typed.trim());
      announcement.set('The note is saved.');
    }
    return faultText(response, 'Not saved');
  };
  return (
    <p class="run-note">
      {note === '' ? null : (
        <>
          Note: <bdi>{note}</bdi>
        </>
      )}{' '}
      <ActionButton
        label={note === '' ? 'Add a note' : 'Change the note'}
        title="Note on this run"
        confirmLabel="Save"
        tone="primary"
        onOpen={() => setTyped(note)}
        onConfirm={save}
      >
        <input
          type="text"
          maxLength={200}
          aria-label="Note"
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </ActionButton>
    </p>
  );
}

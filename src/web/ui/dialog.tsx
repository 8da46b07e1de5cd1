/** Modal dialogs. They are fully usable with a keyboard, and restore the previous focus when closed. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: ComponentChildren;
  /** Closes the dialog. Also called when the user presses Escape. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** A modal dialog, open while it is mounted. */
function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const previousFocus = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (previousFocus instanceof HTMLElement) previousFocus.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <h2 id="dialog-title">{title}</h2>
      {children}
    </dialog>
  );
}

interface ConfirmDialogProps extends DialogProps {
  /** Label of the confirm button, such as `Stop the run`. */
  readonly confirmLabel: string;
  readonly onConfirm: () => void;
  /** Style of the confirm button: `danger` for actions that start or stop load. */
  readonly tone?: 'danger' | 'primary';
  /** True to disable the confirm button while there is nothing to confirm. */
  readonly disabled?: boolean;
}

/** A dialog with two buttons. The first button cancels, so that pressing Enter immediately does not start an action. */
export function ConfirmDialog({
  title,
  onClose,
  children,
  confirmLabel,
  onConfirm,
  ...options
}: ConfirmDialogProps) {
  const { tone = 'danger', disabled = false } = options;
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <p class="actions">
        <button type="button" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          class={tone}
          disabled={disabled}
          onClick={() => {
            onClose();
            onConfirm();
          }}
        >
          {confirmLabel}
        </button>
      </p>
    </Dialog>
  );
}

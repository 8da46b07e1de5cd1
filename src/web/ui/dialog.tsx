/** Questions in front of the page: by keyboard alone, with the focus back where it was. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface DialogProps {
  readonly title: ComponentChildren;
  /** Also where the reader presses Escape. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

/** Open as long as it is shown. */
function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
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
  /** What is done then: `Stop the run`. */
  readonly confirmLabel: string;
  readonly onConfirm: () => void;
  /** `danger`: it ends or makes load. */
  readonly tone?: 'danger' | 'primary';
  /** There is nothing yet that it could do. */
  readonly disabled?: boolean;
}

/** The first button does nothing, so that Enter alone changes nothing. */
export function ConfirmDialog({
  title,
  onClose,
  children,
  confirmLabel,
  onConfirm,
  ...how
}: ConfirmDialogProps) {
  const { tone = 'danger', disabled = false } = how;
  return (
    <Dialog {...{ title, onClose }}>
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

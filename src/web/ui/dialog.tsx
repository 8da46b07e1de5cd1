/** Modal dialogs, which restore the previous focus when they are closed. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

interface DialogProps {
  readonly title: ComponentChildren;
  /** Called when the user closes the dialog, for example with Escape. */
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

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
  readonly confirmLabel: string;
  readonly onConfirm: () => void;
  readonly cancelLabel?: string;
  readonly tone?: 'danger' | 'primary';
  readonly disabled?: boolean;
}

/** The cancel button has the initial focus, so that pressing Enter immediately does not start an action. */
export function ConfirmDialog({
  title,
  onClose,
  children,
  confirmLabel,
  onConfirm,
  ...options
}: ConfirmDialogProps) {
  const { cancelLabel = 'Cancel', tone = 'danger', disabled = false } = options;
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      <p class="actions">
        <button type="button" onClick={onClose}>
          {cancelLabel}
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

interface ActionButtonProps extends Omit<ConfirmDialogProps, 'onClose' | 'onConfirm' | 'disabled'> {
  readonly label: string;
  /** Accessible name of the button; absent if the label is also the accessible name. */
  readonly name?: string | undefined;
  readonly style?: 'danger' | 'primary';
  readonly busyLabel?: string;
  readonly onOpen?: () => void;
  /** Returns the reason why the action failed; empty if it succeeded. */
  readonly onConfirm: () => Promise<ComponentChildren>;
}

export function ActionButton({
  label,
  name,
  style,
  busyLabel,
  onOpen,
  onConfirm,
  ...dialog
}: ActionButtonProps) {
  const [state, setState] = useState<'idle' | 'asking' | 'busy'>('idle');
  const [fault, setFault] = useState<ComponentChildren>('');
  const act = async (): Promise<void> => {
    setState('busy');
    setFault('');
    setFault(await onConfirm());
    setState('idle');
  };
  const isBusy = state === 'busy' && busyLabel !== undefined;
  return (
    <>
      <button
        type="button"
        class={style}
        aria-label={name}
        disabled={isBusy}
        onClick={() => {
          onOpen?.();
          setState('asking');
        }}
      >
        {isBusy ? busyLabel : label}
      </button>{' '}
      {fault === '' ? null : (
        <span class="fault" role="alert">
          {fault}
        </span>
      )}
      {state === 'asking' ? (
        <ConfirmDialog {...dialog} onClose={() => setState('idle')} onConfirm={() => void act()} />
      ) : null}
    </>
  );
}

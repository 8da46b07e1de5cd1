/** A table that is made when it is opened, so that what nobody looks at costs nothing each second. */
import { useState } from 'preact/hooks';
import type { FoldedTable } from '../run-section.tsx';

export function Folded({ id, name, isLong, content }: FoldedTable) {
  const [open, setOpen] = useState(false);
  return (
    <details
      id={id}
      class={isLong ? 'long' : undefined}
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
      }}
    >
      <summary>{name}</summary>
      {open ? content() : null}
    </details>
  );
}

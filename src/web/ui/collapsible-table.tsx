/**
 * Collapsible table. The content is rendered only while the table is open, because live content changes every second.
 */
import { useState } from 'preact/hooks';
import type { CollapsibleTable } from '../run-section.tsx';

export function LazyTable({ id, name, isLong, content }: CollapsibleTable) {
  const [open, setOpen] = useState(false);
  return (
    <details
      id={id}
      class={isLong ? 'long' : undefined}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{name}</summary>
      {open ? content() : null}
    </details>
  );
}

import { useSignal } from './signal.ts';
import { useUi } from './ui-context.ts';

export function Loading() {
  const isLost = useSignal(useUi().api.unreachableSince) !== null;
  return <p class="about loading">{isLost ? 'Not loaded yet' : 'Loading…'}</p>;
}

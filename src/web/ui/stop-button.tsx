/** A button that stops tests after confirmation. */
import { useState } from 'preact/hooks';
import { counted } from '../../core/counted.ts';
import { BidiIsolate } from '../bidi-isolate.tsx';
import { ActionButton } from './dialog.tsx';
import { useUi } from './ui-context.ts';
import { testNameOf, ownerOf, type NamedTest } from './test-name.tsx';

export interface Stoppable extends NamedTest {
  readonly test_id: string;
}

/**
 * A button that stops runs after a confirmation.
 * @param label - `Stop` or `Stop all`.
 * @param isScheduled - True if the tests have not started. Default: false.
 */
export function StopButton({
  tests,
  label,
  isScheduled = false,
}: {
  readonly tests: readonly Stoppable[];
  readonly label: string;
  readonly isScheduled?: boolean;
}) {
  const { api, polling, announcement } = useUi();
  // The tests at the time the dialog was opened.
  const [pending, setPending] = useState(tests);
  const stop = async (): Promise<string> => {
    const faults: string[] = [];
    for (const test of pending) {
      const response = await api.call('PUT', `/v2/tests/${encodeURIComponent(test.test_id)}/stop`);
      if (response.kind === 'refused') faults.push(`${testNameOf(test)}: ${response.reasons.join('; ')}`);
      if (response.kind === 'unreachable') faults.push(`${testNameOf(test)}: the service did not respond`);
    }
    announcement.set(faults.length === 0 ? `${counted(pending.length, 'test')} stopped.` : '');
    polling.now();
    return faults.length === 0 ? '' : `Not stopped: ${faults.join('. ')}`;
  };
  const [first] = tests;
  const name = tests.length === 1 && first !== undefined ? testNameOf(first) : counted(tests.length, 'test');
  return (
    <ActionButton
      label={label}
      name={label === 'Stop' ? `Stop ${name}` : undefined}
      style="danger"
      title={
        <>Stop {pending.length === 1 ? <bdi>{pending.map(testNameOf)}</bdi> : `${pending.length} tests`}?</>
      }
      confirmLabel={pending.length === 1 ? 'Stop the test' : `Stop ${pending.length} tests`}
      onOpen={() => setPending(tests)}
      onConfirm={stop}
    >
      <p>
        {isScheduled
          ? 'The scheduled run will be canceled.'
          : 'The load stops immediately. The results up to this point are stored, without a verdict.'}
      </p>
      {pending.length === 1 ? null : (
        <ul class="stopped">
          {pending.map((test) => (
            <li>
              <bdi>{testNameOf(test)}</bdi>{' '}
              <span class="note">
                <BidiIsolate texts={ownerOf(test)} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </ActionButton>
  );
}

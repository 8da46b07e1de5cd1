/** Stops what runs, after it has said what that is. */
import { useState } from 'preact/hooks';
import { counted } from '../../core/counted.ts';
import { BidiIsolate } from '../bidi-isolate.tsx';
import { ConfirmDialog } from './dialog.tsx';
import { useUi } from './ui-context.ts';
import { testNameOf, ownerOf, type NamedTest } from './test-name.tsx';

export interface Stoppable extends NamedTest {
  readonly test_id: string;
}

/** @param label what stands on it: `Stop`, `Stop all` */
export function StopButton({
  tests,
  label,
}: {
  readonly tests: readonly Stoppable[];
  readonly label: string;
}) {
  const { api, polling, announcement } = useUi();
  const [asked, setAsked] = useState<readonly Stoppable[] | null>(null);
  const [fault, setFault] = useState('');
  const stop = async (stopped: readonly Stoppable[]): Promise<void> => {
    setFault('');
    const faults: string[] = [];
    for (const test of stopped) {
      const response = await api.call('PUT', `/v2/tests/${encodeURIComponent(test.test_id)}/stop`);
      if (response.kind === 'refused') faults.push(`${testNameOf(test)}: ${response.reasons.join('; ')}`);
      if (response.kind === 'gone') faults.push(`${testNameOf(test)}: the service does not answer`);
    }
    setFault(faults.length === 0 ? '' : `Not stopped: ${faults.join('. ')}`);
    announcement.set(faults.length === 0 ? `${counted(stopped.length, 'test')} stopped.` : '');
    polling.now();
  };
  const [first] = tests;
  const what = tests.length === 1 && first !== undefined ? testNameOf(first) : counted(tests.length, 'test');
  return (
    <>
      <button
        type="button"
        class="danger"
        aria-label={label === 'Stop' ? `Stop ${what}` : undefined}
        onClick={() => {
          setAsked(tests);
        }}
      >
        {label}
      </button>
      {fault === '' ? null : (
        <span class="fault" role="alert">
          {fault}
        </span>
      )}
      {asked === null ? null : (
        <ConfirmDialog
          title={
            <>Stop {asked.length === 1 ? <bdi>{asked.map(testNameOf)}</bdi> : `${asked.length} tests`}?</>
          }
          confirmLabel={asked.length === 1 ? 'Stop the test' : `Stop ${asked.length} tests`}
          onClose={() => {
            setAsked(null);
          }}
          onConfirm={() => void stop(asked)}
        >
          <p>The load ends at once. What was measured until then is kept, without a verdict.</p>
          {asked.length === 1 ? null : (
            <ul class="stopped">
              {asked.map((test) => (
                <li>
                  <bdi>{testNameOf(test)}</bdi>{' '}
                  <span class="note">
                    <BidiIsolate texts={ownerOf(test)} />
                  </span>
                </li>
              ))}
            </ul>
          )}
        </ConfirmDialog>
      )}
    </>
  );
}

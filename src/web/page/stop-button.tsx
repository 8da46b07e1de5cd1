/** Stops what runs, after it has said what that is. */
import { useState } from 'preact/hooks';
import { counted } from '../../core/counted.ts';
import { Apart } from '../apart.tsx';
import { Question } from './dialog.tsx';
import { usePage } from './page.ts';
import { nameOf, ownerOf, type Named } from './test-name.tsx';

export interface Stoppable extends Named {
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
  const { api, polling, said } = usePage();
  const [asked, setAsked] = useState<readonly Stoppable[] | null>(null);
  const [fault, setFault] = useState('');
  const stop = async (stopped: readonly Stoppable[]): Promise<void> => {
    setFault('');
    const faults: string[] = [];
    for (const test of stopped) {
      const answer = await api.call('PUT', `/v2/tests/${encodeURIComponent(test.test_id)}/stop`);
      if (answer.kind === 'refused') faults.push(`${nameOf(test)}: ${answer.reasons.join('; ')}`);
      if (answer.kind === 'gone') faults.push(`${nameOf(test)}: the service does not answer`);
    }
    setFault(faults.length === 0 ? '' : `Not stopped: ${faults.join('. ')}`);
    said.set(faults.length === 0 ? `${counted(stopped.length, 'test')} stopped.` : '');
    polling.now();
  };
  const [first] = tests;
  const what = tests.length === 1 && first !== undefined ? nameOf(first) : counted(tests.length, 'test');
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
        <Question
          title={<>Stop {asked.length === 1 ? <bdi>{asked.map(nameOf)}</bdi> : `${asked.length} tests`}?</>}
          yes={asked.length === 1 ? 'Stop the test' : `Stop ${asked.length} tests`}
          onClose={() => {
            setAsked(null);
          }}
          onYes={() => void stop(asked)}
        >
          <p>The load ends at once. What was measured until then is kept, without a verdict.</p>
          {asked.length === 1 ? null : (
            <ul class="stopped">
              {asked.map((test) => (
                <li>
                  <bdi>{nameOf(test)}</bdi>{' '}
                  <span class="note">
                    <Apart texts={ownerOf(test)} />
                  </span>
                </li>
              ))}
            </ul>
          )}
        </Question>
      )}
    </>
  );
}

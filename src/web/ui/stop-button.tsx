/** A button that stops runs, or cancels a scheduled run, after a confirmation. */
import { useState } from 'preact/hooks';
import { counted } from '../../core/counted.ts';
import { BidiIsolate } from '../bidi-isolate.tsx';
import { faultText } from './api.ts';
import { ActionButton } from './dialog.tsx';
import { Time } from './time.tsx';
import { useUi } from './ui-context.ts';
import { testNameOf, ownerOf, type NamedTest } from './test-name.tsx';

export interface Stoppable extends NamedTest {
  readonly test_id: string;
}

/**
 * @param label - `Stop` or `Stop all`. A scheduled run has its own label.
 * @param scheduledAt - Start of a scheduled run (RFC 3339); null if the service reports no start. Absent for active
 * runs.
 */
export function StopButton({
  tests,
  label,
  scheduledAt,
}: {
  readonly tests: readonly Stoppable[];
  readonly label: string;
  readonly scheduledAt?: string | null | undefined;
}) {
  const { api, polling, announcement } = useUi();
  // Tests to stop: the value of `tests` when the dialog was opened.
  const [pending, setPending] = useState(tests);
  const isScheduled = scheduledAt !== undefined;
  const [verb, done, keep] = isScheduled
    ? ['Cancel', 'canceled', 'Keep it']
    : ['Stop', 'stopped', 'Keep running'];
  const stop = async (): Promise<string> => {
    const faults: string[] = [];
    for (const test of pending) {
      const response = await api.call('PUT', `/v2/tests/${encodeURIComponent(test.test_id)}/stop`);
      if (response.kind !== 'ok') faults.push(faultText(response, testNameOf(test)));
    }
    announcement.set(faults.length === 0 ? `${runs} ${done}.` : '');
    polling.now();
    return faults.length === 0 ? '' : `Not ${done}: ${faults.join('. ')}`;
  };
  const [only] = pending.length === 1 ? pending : [];
  const runs = counted(pending.length, 'run');
  return (
    <ActionButton
      label={isScheduled ? 'Cancel scheduled run' : label}
      name={isScheduled || label !== 'Stop' ? undefined : `Stop ${tests.map(testNameOf).join(', ')}`}
      style="danger"
      title={
        <>
          {verb}{' '}
          {only === undefined ? (
            runs
          ) : (
            <>
              {isScheduled ? 'the scheduled' : 'this'} run of{' '}
              <BidiIsolate texts={[testNameOf(only), ...ownerOf(only)]} />
            </>
          )}
          ?
        </>
      }
      confirmLabel={`${verb} ${only === undefined ? runs : 'the run'}`}
      cancelLabel={keep}
      onOpen={() => setPending(tests)}
      onConfirm={stop}
    >
      <p>
        {!isScheduled ? (
          'The load stops immediately. Results so far are stored.'
        ) : scheduledAt === null ? (
          'The scheduled run will not start.'
        ) : (
          <>
            The run at <Time inSentence at={Date.parse(scheduledAt)} /> will not start.
          </>
        )}
      </p>
      {only !== undefined ? null : (
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

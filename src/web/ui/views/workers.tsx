/** Who makes the load of a service that gives it to other machines: how much they can, and what they do. */
import { useState } from 'preact/hooks';
import type { WorkerList, WorkerRecord } from '../../../contract/generated/worker-list.ts';
import { counted, withCommas } from '../../../core/counted.ts';
import { Table } from '../../table.tsx';
import { ConfirmDialog } from '../dialog.tsx';
import { useUi } from '../ui-context.ts';
import { usePolled } from '../use-polled.ts';
import { Time } from '../time.tsx';
import type { View } from '../view.ts';

export const workers: View = {
  path: 'workers',
  parameters: (parts) => parts === 0,
  name: 'Workers',
  inNavigation: true,
  Content: WorkersView,
};

function WorkersView() {
  const { body } = usePolled<WorkerList>('/v2/workers');
  if (body === null) return <p class="about">Loading…</p>;
  if (body.length === 0)
    return (
      <p>
        There are no workers: this service makes its load itself, or none has been started. With{' '}
        <code>serve --redis URL</code>, other machines join by <code>loadtests worker --redis URL</code>.
      </p>
    );
  const threads = body.reduce((sum, worker) => sum + worker.threads, 0);
  return (
    <section class="workers">
      <p class="about">
        {counted(body.length, 'worker')} with {counted(threads, 'thread')}.
      </p>
      <Table
        name="Workers"
        columns={[
          { heading: 'worker' },
          { heading: 'state' },
          { heading: 'action' },
          { heading: 'threads', numeric: true },
          { heading: 'connections', numeric: true },
          { heading: 'busy', numeric: true },
          { heading: 'clock', numeric: true },
          { heading: 'version' },
          { heading: 'since' },
        ]}
        rows={body.map((worker) => [
          <span class="name">{worker.name}</span>,
          worker.compatible ? stateText(worker) : 'gets nothing: it and the service need the same version',
          worker.state === 'draining' ? '' : <DrainButton worker={worker} />,
          worker.threads,
          worker.connections === null ? 'no limit' : withCommas(worker.connections),
          `${Math.round(100 * worker.load)}%`,
          clockText(worker),
          <span class="name">{worker.version}</span>,
          <Time at={Date.parse(worker.since)} />,
        ])}
      />
      <p class="note">
        Clock: how far the clock of a worker is from that of Redis, and how exactly that is known.
      </p>
    </section>
  );
}

/** In the words of `status` and the metrics. */
function stateText({ state, result_id: result }: WorkerRecord): string {
  return result === null ? state : `${state}, works on ${result.slice(0, 8)}`;
}

/** `+3 ± 1 ms` */
function clockText({ clock_offset_ms: offset, clock_uncertainty_ms: uncertainty }: WorkerRecord): string {
  const rounded = (value: number): string => String(Number(value.toFixed(1)));
  return `${offset > 0 ? '+' : ''}${rounded(offset)} ± ${rounded(uncertainty)} ms`;
}

function DrainButton({ worker: { name, worker_id: id } }: { readonly worker: WorkerRecord }) {
  const { api, polling, announcement } = useUi();
  const [asking, setAsking] = useState(false);
  const [fault, setFault] = useState('');
  const drain = async (): Promise<void> => {
    const response = await api.call('POST', `/v2/workers/${encodeURIComponent(id)}/drain`);
    setFault(
      response.kind === 'given'
        ? ''
        : response.kind === 'refused'
          ? `Not drained: ${response.reasons.join('; ')}`
          : 'Not drained: the service does not answer',
    );
    if (response.kind !== 'given') return;
    announcement.set(`${name} takes nothing new.`);
    polling.now();
  };
  return (
    <>
      <button
        type="button"
        aria-label={`Drain ${name}`}
        onClick={() => {
          setAsking(true);
        }}
      >
        Drain
      </button>{' '}
      {fault === '' ? null : (
        <span class="fault" role="alert">
          {fault}
        </span>
      )}
      {asking ? (
        <ConfirmDialog
          title={
            <>
              Drain <bdi>{name}</bdi>?
            </>
          }
          confirmLabel="Drain the worker"
          onConfirm={() => void drain()}
          onClose={() => {
            setAsking(false);
          }}
        >
          <p>It takes nothing new, finishes what it has, and then ends.</p>
        </ConfirmDialog>
      ) : null}
    </>
  );
}

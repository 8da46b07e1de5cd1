/** View of the workers of a service that distributes its load: their capacity and activity. */
import type { WorkerList, WorkerRecord } from '../../../contract/generated/worker-list.ts';
import { useState } from 'preact/hooks';
import { counted, withCommas } from '../../../core/counted.ts';
import { numberColumns, Table, textColumns } from '../../table.tsx';
import { faultText } from '../api.ts';
import { CopyableText } from '../copyable-text.tsx';
import { ActionButton } from '../dialog.tsx';
import { useUi } from '../ui-context.ts';
import { usePolled } from '../use-polled.ts';
import { Loading } from '../loading.tsx';
import { linkTo } from '../routes.ts';
import { Time } from '../time.tsx';
import type { View } from '../view.ts';

export const workers: View = {
  path: 'workers',
  acceptsParameters: (count) => count === 0,
  name: 'Workers',
  inNavigation: true,
  Content: WorkersView,
};

function WorkersView() {
  const { body, refusal } = usePolled<WorkerList>('/v2/workers');
  const [fault, setFault] = useState('');
  if (refusal !== null)
    return (
      <p class="fault" role="alert">
        {faultText(refusal, 'The workers cannot be listed')}
      </p>
    );
  if (body === null) return <Loading />;
  if (body.length === 0)
    return (
      <section>
        <p>
          No workers are connected. Without <code>--redis</code>, the service generates load itself. With{' '}
          <code>--redis</code>, it needs workers. To start a worker, run this command on another machine:
        </p>
        <CopyableText label="command" text="loadtests worker --redis <URL>" />
      </section>
    );
  const present = body.filter(({ state }) => state !== 'lost');
  const free = present.filter(({ state, compatible }) => state === 'ready' && compatible);
  const threads = free.reduce((sum, worker) => sum + worker.threads, 0);
  const connections = free.reduce((sum, worker) => sum + (worker.connections ?? Infinity), 0);
  return (
    <section class="workers">
      <p class="about">
        {free.length} of {counted(present.length, 'connected worker')} free ({counted(threads, 'thread')},{' '}
        {connections === Infinity ? 'unlimited' : withCommas(connections)} connections)
        {present.length < body.length ? `, ${body.length - present.length} lost` : ''}.
      </p>
      {fault === '' ? null : (
        <p class="fault" role="alert">
          {fault}
        </p>
      )}
      <Table
        cards
        name="Workers"
        columns={[
          ...textColumns('worker', 'state', 'action'),
          ...numberColumns('threads', 'max. connections', 'utilization', 'clock'),
          ...textColumns('version', 'started'),
        ]}
        rows={body.map((worker) => {
          const isLost = worker.state === 'lost';
          return [
            <span class="name">{worker.name}</span>,
            <State worker={worker} />,
            worker.state === 'draining' || isLost ? '' : <DrainButton worker={worker} setFault={setFault} />,
            worker.threads,
            worker.connections === null ? 'unlimited' : withCommas(worker.connections),
            isLost ? '–' : `${Math.round(100 * worker.load)}%`,
            isLost ? '–' : clockText(worker),
            <span class="name">{worker.version}</span>,
            isLost ? '–' : <Time at={Date.parse(worker.since)} />,
          ];
        })}
      />
      <p class="note">Clock: offset from the Redis clock, with uncertainty.</p>
    </section>
  );
}

function State({ worker }: { readonly worker: WorkerRecord }) {
  const { state, result_id: result, test_id: test = null, lost_at: lostAt = null } = worker;
  const run = result?.slice(0, 8);
  return (
    <>
      {state === 'lost' ? (
        <span class="verdict fail">
          <span aria-hidden="true">✗</span> lost
        </span>
      ) : state === 'ready' && !worker.compatible ? null : (
        state
      )}
      {lostAt === null ? null : (
        <>
          {' '}
          since <Time inSentence at={Date.parse(lostAt)} />
        </>
      )}
      {result === null ? null : state === 'lost' ? ', ran ' : ', running '}
      {result === null || test === null ? (
        run
      ) : (
        <a href={linkTo('runs', test, result)}>
          <bdi>{worker.test_name ?? run}</bdi>
        </a>
      )}
      {worker.compatible ? null : (
        <>
          {' '}
          <span class="verdict inconclusive">
            <span aria-hidden="true">!</span> incompatible version
          </span>{' '}
          Update the worker or the service.
        </>
      )}
    </>
  );
}

/** Formats the clock offset of a worker: `+3 ± 1 ms`. */
function clockText({ clock_offset_ms: offset, clock_uncertainty_ms: uncertainty }: WorkerRecord): string {
  const rounded = (value: number): string => String(Number(value.toFixed(1)));
  return `${offset > 0 ? '+' : ''}${rounded(offset)} ± ${rounded(uncertainty)} ms`;
}

function DrainButton({
  worker: { name, worker_id: id },
  setFault,
}: {
  readonly worker: WorkerRecord;
  /**
   * Shows the reason why the worker was not drained, outside the table. In the table, the reason would change the
   * widths of the columns.
   */
  readonly setFault: (fault: string) => void;
}) {
  const { api, polling, announcement } = useUi();
  const drain = async (): Promise<string> => {
    setFault('');
    const response = await api.call('POST', `/v2/workers/${encodeURIComponent(id)}/drain`);
    if (response.kind === 'ok') {
      announcement.set(`${name} is draining.`);
      polling.now();
    }
    setFault(faultText(response, `${name} was not drained`));
    return '';
  };
  return (
    <ActionButton
      label="Drain"
      name={`Drain ${name}`}
      title={
        <>
          Drain <bdi>{name}</bdi>?
        </>
      }
      confirmLabel="Drain the worker"
      onConfirm={drain}
    >
      <p>The worker accepts no new runs. It exits after its current run, or immediately if it has none.</p>
    </ActionButton>
  );
}

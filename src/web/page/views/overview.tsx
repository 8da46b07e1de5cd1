/** What runs now. */
import type { Overview, RunningTest } from '../../../contract/generated/overview.ts';
import { counted, withCommas } from '../../../core/counted.ts';
import { figureText } from '../../../core/figure-text.ts';
import { numberOf, objectOf } from '../../../core/report/record.ts';
import { clockText } from '../../../core/report/timeline.ts';
import type { Json } from '../../../core/canonical.ts';
import { Table } from '../../table.tsx';
import { useHeading } from '../page.ts';
import { usePolled } from '../polled.ts';
import { linkTo } from '../routes.ts';
import type { View } from '../view.ts';

export const overview: View = {
  at: '',
  takes: (parts) => parts === 0,
  name: 'Overview',
  inNavigation: true,
  Content: () => {
    const { body } = usePolled<Overview>('/v2/overview');
    const running = body?.running.length ?? 0;
    useHeading(running === 0 ? null : `${counted(running, 'test')} running`);
    return body === null ? null : <Running running={body.running} />;
  },
};

function Running({ running }: { readonly running: readonly RunningTest[] }) {
  if (running.length === 0) return <p>Nothing runs now.</p>;
  return (
    <section>
      <h2>Running now</h2>
      <Table
        name="Running now"
        columns={[
          { head: 'test' },
          { head: 'time', numeric: true },
          { head: 'requests per second', numeric: true },
          { head: 'failed', numeric: true },
        ]}
        rows={running.map(rowOf)}
      />
    </section>
  );
}

function rowOf({ test_id: test, result_id: result, title, duration_ms: duration, progress }: RunningTest) {
  const told = objectOf(progress as Json); // of a JSON document
  const elapsed = numberOf(told['elapsed_ms']) ?? 0;
  const failed = ['error', 'timeout_error', 'network_error'].map((kind) => numberOf(told[kind]) ?? 0);
  return [
    <a href={linkTo('runs', test, result)}>{title}</a>,
    `${clockText(Math.round(elapsed / 1000))} of ${clockText(duration / 1000)}`,
    figureText('requests_per_second', numberOf(told['requests_per_second']) ?? 0),
    withCommas(failed.reduce((sum, count) => sum + count, 0)),
  ];
}

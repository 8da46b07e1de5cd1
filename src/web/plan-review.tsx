/** The plan in an HTML report: dangers first, then each change as a diff. */
import { diffLines, type DiffLine } from '../core/report/change-text.ts';
import type { Load, Origin, PlanDocument, Source, TestLoad } from '../core/report/generated/documents.ts';
import {
  loadText,
  phaseRequestsText,
  plannedRequestsText,
  scheduledStartsText,
} from '../core/report/load-text.ts';
import {
  comparedLoads,
  dangerText,
  environmentChanges,
  planItems,
  type PlanItem,
} from '../core/report/plan-items.ts';
import { APPLY_INTRODUCTION, originText, sourceUrl } from '../core/report/origin-text.ts';
import { counted } from '../core/counted.ts';
import { formatDuration, seconds } from '../core/units.ts';
import { Table, textColumns } from './table.tsx';

export function PlanReview({ plan }: { readonly plan: PlanDocument }) {
  const loads = comparedLoads(plan);
  const { summary, against } = plan;
  return (
    <>
      {plan.danger.length === 0 ? null : (
        <section class="problems">
          <h2>Danger</h2>
          <ul>
            {plan.danger.map((one) => (
              <li class="error">
                <p>{dangerText(one)}</p>
                <p class="note">
                  {[one.kind, ...(one.file === null ? [] : [`${one.file}:${one.line ?? 1}`])].join(' · ')}
                </p>
              </li>
            ))}
          </ul>
        </section>
      )}
      <section>
        <h2>Load</h2>
        <Table
          name="Load"
          columns={textColumns('load', 'value')}
          rows={[
            ['started by this plan', loadWords(plan.load) + scheduledStartsText(plan.actions)],
            ...(loads === null
              ? []
              : [
                  ['all tests before', loadWords(loads.before)],
                  ['all tests after', loadWords(loads.after)],
                ]),
          ]}
        />
      </section>
      {planItems(plan).map((item) => (
        <Item item={item} origin={plan.origin} />
      ))}
      {[...environmentChanges(plan)].map(([names, changes]) => (
        <section>
          <h2>Only in {names}</h2>
          {changes.map((change) => (
            <Diff lines={[{ sign: '@', text: change.address.replace('.', ' ') }, ...diffLines([change])]} />
          ))}
        </section>
      ))}
      {plan.drift.length === 0 ? null : (
        <section>
          <h2>Drift</h2>
          <p>Changed on the service, but not in the file: {counted(plan.drift.length, 'test')}.</p>
          {plan.drift.map(({ address, changes }) => (
            <Table
              name={address.replace('.', ' ')}
              columns={textColumns('field', 'on the service', 'in the file')}
              rows={changes.map(({ field, from, to }) => [
                field.slice(1).replaceAll('/', '.'),
                JSON.stringify(from),
                JSON.stringify(to),
              ])}
            />
          ))}
        </section>
      )}
      <p class="note">
        {summary.unchanged} unchanged, {summary.unmanaged} unmanaged, {summary.superseded} superseded.
        {against === undefined ? '' : ` Compared with ${against.revision} (${against.commit.slice(0, 12)}).`}
      </p>
      {plan.origin === undefined ? null : <OriginNote origin={plan.origin} />}
    </>
  );
}

function OriginNote({ origin }: { readonly origin: Origin }) {
  const { apply_command: apply } = origin;
  return (
    <p class="note">
      {originText(origin, 'plan')}
      {apply === undefined ? '' : ` ${APPLY_INTRODUCTION} ${apply}`}
    </p>
  );
}

function Place({ source, origin }: { readonly source: Source; readonly origin: Origin | undefined }) {
  const text = `${source.file ?? ''}:${source.line ?? 1}`;
  const url = sourceUrl(origin, source);
  return url === null ? text : <a href={url}>{text}</a>;
}

function Item({
  item: { verb, kind, key, action, changes, source },
  origin,
}: {
  readonly item: PlanItem;
  readonly origin: Origin | undefined;
}) {
  const facts = [
    ...(action?.starts_load === true ? ['starts load'] : []),
    ...(action?.host == null ? [] : [action.host]),
    ...(action?.note == null ? [] : [action.note]),
  ];
  const place = source.file === undefined ? null : <Place source={source} origin={origin} />;
  return (
    <section>
      <h2>
        {verb} {kind === 'app' ? 'app ' : ''}
        {key}
      </h2>
      {facts.length === 0 && place === null ? null : (
        <p class="note">
          {facts.join(' · ')}
          {facts.length === 0 || place === null ? '' : ' · '}
          {place}
        </p>
      )}
      <Diff lines={diffLines(changes)} />
      {action?.load == null ? null : <p>{loadChange(action.load_before, action.load)}</p>}
    </section>
  );
}

function loadChange(before: TestLoad | undefined, after: TestLoad): string {
  return before === undefined ? loadText(after) : `${loadText(before)} → ${loadText(after)}`;
}

function Diff({ lines }: { readonly lines: readonly DiffLine[] }) {
  if (lines.length === 0) return null;
  return (
    <pre class="diff">
      {lines.map(({ sign, text }) => (
        <span class={DIFF_CLASSES[sign]}>{`${sign === '@' ? '' : `${sign} `}${text}\n`}</span>
      ))}
    </pre>
  );
}

const DIFF_CLASSES = { '+': 'added', '-': 'removed', '!': 'noted', ' ': 'context', '@': 'place' } as const;

function loadWords(load: Load): string {
  if (load.starts === 0) return 'none';
  const peaks = Object.entries(load.peak_connections).map(
    ([host, peak]) => `${counted(peak, 'connection')} on ${host}`,
  );
  const requests =
    load.requests === undefined ? [] : [plannedRequestsText(load, counted(load.requests, 'request'))];
  const outside = phaseRequestsText(load);
  const bound = load.seconds_vary === true ? 'at most ' : '';
  return (
    [
      counted(load.starts, 'test'),
      `${bound}${formatDuration(seconds(load.seconds))}`,
      ...requests,
      ...peaks,
    ].join(', ') + outside
  );
}

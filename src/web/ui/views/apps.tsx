/** View of the target hosts: their verification status, the tokens to publish, and the last checks. */
import { useState } from 'preact/hooks';
import type { AppList, AppListMember } from '../../../contract/generated/app-list.ts';
import type { AppCheckRecord, AppRecord } from '../../../contract/generated/app-record.ts';
import { counted } from '../../../core/counted.ts';
import { Table, textColumns } from '../../table.tsx';
import { CopyableText } from '../copyable-text.tsx';
import { Loading } from '../loading.tsx';
import { useUi } from '../ui-context.ts';
import { usePolled } from '../use-polled.ts';
import { Time } from '../time.tsx';
import type { View } from '../view.ts';

export const apps: View = {
  path: 'apps',
  acceptsParameters: (count) => count === 0,
  name: 'Apps',
  inNavigation: true,
  Content: AppsView,
};

/** Maximum number of unverified apps that are initially expanded to show their instructions. */
const MAX_INITIALLY_OPEN = 3;

function AppsView() {
  const { body } = usePolled<AppList>('/v2/apps');
  const [filter, setFilter] = useState('');
  if (body === null) return <Loading />;
  if (body.length === 0)
    return (
      <p>
        No apps are registered. An app is a host that receives load. Declare it in loadtests.yaml and run{' '}
        <code>loadtests apply</code> to register it.
      </p>
    );
  const unverified = body.filter((app) => !isVerified(app));
  const search = filter.trim().toLowerCase();
  const found = [...unverified, ...body.filter(isVerified)].filter(({ app }) => app.includes(search));
  const open = new Set(unverified.slice(0, MAX_INITIALLY_OPEN).map(idOf));
  return (
    <>
      <p class="about">
        {counted(body.length, 'app')}, {unverified.length} not verified. Only verified hosts can receive load.
      </p>
      {body.length < 10 ? null : (
        <p>
          <label>
            Host contains{' '}
            <input
              type="search"
              value={filter}
              onInput={({ currentTarget }) => setFilter(currentTarget.value)}
            />
          </label>
        </p>
      )}
      {found.length === 0 ? <p>No host contains “{filter}”.</p> : null}
      {found.slice(0, MAX_SHOWN_APPS).map((app) => (
        <App key={idOf(app)} app={app} openAtFirst={open.has(idOf(app))} />
      ))}
      {found.length > MAX_SHOWN_APPS ? (
        <p class="about">
          {counted(found.length - MAX_SHOWN_APPS, 'more app')} not shown. Enter more of the host name.
        </p>
      ) : null}
    </>
  );
}

const MAX_SHOWN_APPS = 100;

function isVerified({ status }: AppListMember): boolean {
  return status === 'verified';
}

function idOf({ app_id: id }: AppListMember): string {
  return String(id);
}

function App({ app, openAtFirst }: { readonly app: AppListMember; readonly openAtFirst: boolean }) {
  const [open, setOpen] = useState(openAtFirst);
  const verified = isVerified(app);
  return (
    <section class="app">
      <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <h2>{app.app}</h2>{' '}
          <span class={`verdict ${verified ? 'pass' : 'inconclusive'}`}>
            <span aria-hidden="true">{verified ? '✓' : '!'}</span> {verified ? 'verified' : 'not verified'}
          </span>
        </summary>
        {open ? <AppDetail id={idOf(app)} /> : null}
      </details>
    </section>
  );
}

function AppDetail({ id }: { readonly id: string }) {
  const { body } = usePolled<AppRecord>(`/v2/apps/${encodeURIComponent(id)}`);
  if (body === null) return <Loading />;
  const { app, verification_id: file, verification_record: record, checks } = body;
  return (
    <>
      <div class="columns">
        <div>
          <h3>Verification file</h3>
          <p class="about">Every IP address of the host must serve this URL</p>
          <CopyableText label="URL of the file" text={`http://${app}/${file ?? ''}.txt`} />
          <p class="about">with exactly this content:</p>
          <CopyableText label="file content" text={file ?? ''} />
          <VerifyApp id={id} app={app} method="http" />
        </div>
        {isIpAddress(app) ? null : (
          <div>
            <h3>TXT record</h3>
            <p class="about">
              Publish this record at {app.replace(/:\d+$/, '')} or a parent domain. Before the host can
              receive load, its addresses must also serve the file, unless the operator of the service exempts
              them.
            </p>
            <CopyableText label="TXT record" text={record ?? ''} />
            <VerifyApp id={id} app={app} method="dns" />
          </div>
        )}
      </div>
      <CheckHistory checks={checks ?? []} app={app} />
    </>
  );
}

/** Reports whether a host is an IP address, which cannot have DNS records. */
function isIpAddress(host: string): boolean {
  return host.startsWith('[') || /^\d+(\.\d+){3}(:\d+)?$/.test(host);
}

function VerifyApp({
  id,
  app,
  method,
}: {
  readonly id: string;
  readonly app: string;
  readonly method: 'http' | 'dns';
}) {
  const { api, polling, announcement } = useUi();
  const [state, setState] = useState({ checking: false, outcome: '', isFault: false });
  const verify = async (): Promise<void> => {
    setState({ checking: true, outcome: '', isFault: false });
    const response = await api.call('POST', `/v2/apps/${encodeURIComponent(id)}/verify`, { method });
    const outcome =
      response.kind === 'ok'
        ? `${app} is verified.`
        : response.kind === 'refused'
          ? `Not verified: ${response.reasons.join('; ')}`
          : 'Outcome unknown: the service did not respond.';
    announcement.set(outcome);
    setState({ checking: false, outcome, isFault: response.kind !== 'ok' });
    polling.now();
  };
  return (
    <p class="actions">
      <button type="button" disabled={state.checking} onClick={() => void verify()}>
        {state.checking ? 'Checking…' : method === 'http' ? 'Verify the file' : 'Verify the record'}
      </button>{' '}
      <span class={state.isFault ? 'fault' : undefined}>{state.outcome}</span>
    </p>
  );
}

const CHECK_OUTCOMES = {
  verified: 'verified',
  unverified: 'not verified',
  file_missing: 'file missing',
} as const;

function CheckHistory({ checks, app }: { readonly checks: readonly AppCheckRecord[]; readonly app: string }) {
  if (checks.length === 0) return null;
  return (
    <>
      <h3>Last checks</h3>
      <Table
        name={`Last checks of ${app}`}
        columns={textColumns('outcome', 'checked')}
        rows={checks.map(({ at, purpose, method, outcome, reason }) => [
          <>
            <span class={`verdict ${outcome === 'verified' ? 'pass' : 'inconclusive'}`}>
              {CHECK_OUTCOMES[outcome]}
            </span>
            <span class="reason">{reason}</span>
          </>,
          <>
            <Time at={Date.parse(at)} />{' '}
            <span class="note">
              {purpose === 'run' ? 'for a run' : 'on request'}, by {method === 'dns' ? 'TXT record' : 'file'}
            </span>
          </>,
        ])}
      />
    </>
  );
}

/**
 * Pages on a server of an attacker, and what each does without user interaction in a browser that also
 * displays the web UI of a service.
 *
 * BASE is the address of the service. TEST, RESULT and APP are ids that the attacker cannot know. BACK is a
 * path of the attacker's server that redirects to the address that is added to it.
 */

export interface AttackPage {
  readonly name: string;
  readonly body: string;
}

/**
 * Functions for the scripts of all pages, which collect everything that they can read from the service in
 * `got`.
 */
export const PRELUDE = `<script>
  const got = [];
  window.got = got;
  const keep = (name, value) => {
    const text = typeof value === 'string' ? value : value === undefined || value === null ? '' : String(value);
    if (text !== '') got.push(name + ': ' + text.slice(0, 200));
  };
  const tries = async (name, work) => {
    try {
      keep(name, await work());
    } catch {
      // Refused by the browser.
    }
  };
  const element = (tag, fields) => new Promise((resolve) => {
    const made = Object.assign(document.createElement(tag), fields);
    made.onload = () => resolve(made);
    made.onerror = () => resolve(null);
    document.body.append(made);
  });
</script>`;

const APP = '{"app":"evil.example"}';
const LOAD = '{"test_type":"non-cycling","duration":1,"urls":[{"url":"http://127.0.0.1/"}]}';

function scriptPage(text: string): string {
  return `<script>${text}</script>`;
}

/** Returns a form that is submitted on load into a frame, which the page then tries to read. */
function formPage(attributes: string, fields: string): string {
  return `<iframe name=into></iframe><form target=into ${attributes}>${fields}</form>
    <script>
      document.forms[0].submit();
      into.addEventListener?.('load', () => tries('form', () => into.document.body.innerText));
      setTimeout(() => tries('form', () => into.document.body.innerText), 500);
    </script>`;
}

function formField(name: string, value: string): string {
  const quoted = (text: string) => `"${text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`;
  return `<input name=${quoted(name)} value=${quoted(value)}>`;
}

/** Returns a script that sends a request and keeps the response. */
function fetchScript(url: string, init = '{}'): string {
  return scriptPage(`tries('fetch', async () => (await fetch(\`${url}\`, ${init})).text());`);
}

const FORM_PAGES: readonly AttackPage[] = [
  {
    name: 'a JSON form as text',
    body: formPage(
      'method=post enctype=text/plain action=BASE/v2/apps',
      formField('{"app":"evil.example","x":"', '"}'),
    ),
  },
  { name: 'a form', body: formPage('method=post action=BASE/v2/apps', formField('app', 'evil.example')) },
  {
    name: 'a multipart form',
    body: formPage(
      'method=post enctype=multipart/form-data action=BASE/v2/apps',
      formField('app', 'evil.example'),
    ),
  },
  {
    name: 'a GET form',
    body: formPage('action=BASE/v2/apps', formField('app', 'evil.example') + formField('_method', 'POST')),
  },
  {
    name: 'a form that stops a test',
    body: formPage('method=post action=BASE/v2/tests/TEST/stop', formField('_method', 'PUT')),
  },
  {
    name: 'a form that starts a test',
    body: formPage('method=post action="BASE/v2/tests/TEST/run?_method=PUT"', ''),
  },
  {
    name: 'a form that deletes an app',
    body: formPage('method=post action="BASE/v2/apps/APP?_method=DELETE"', formField('_method', 'DELETE')),
  },
  {
    name: 'a form that verifies an app',
    body: formPage('method=post action=BASE/v2/apps/APP/verify', formField('method', 'http')),
  },
  {
    name: 'a form that requests a sign-in code',
    body: formPage('method=post action=BASE/v2/sign-in-codes', ''),
  },
  {
    name: 'a form that submits a sign-in code',
    body: formPage(
      'method=post enctype=text/plain action=BASE/v2/sessions',
      formField(`{"code":"${'f'.repeat(32)}","x":"`, '"}'),
    ),
  },
  {
    name: 'a form that creates a test',
    body: formPage(
      'method=post enctype=text/plain action=BASE/v2/tests',
      formField(LOAD.slice(0, -1) + ',"x":"', '"}'),
    ),
  },
  {
    name: 'a button with its own form action',
    body: `<form action=/ target=into><button formaction=BASE/v2/tests/TEST/stop formmethod=post>x</button></form><iframe name=into></iframe>${scriptPage('document.querySelector("button").click();')}`,
  },
];

const RESOURCE_PAGES: readonly AttackPage[] = [
  {
    name: 'images',
    body: ['/v2/overview', '/v2/tests/TEST/run', '/v2/tests/TEST/stop', '/metrics']
      .map((path) => `<img src="BASE${path}">`)
      .join(''),
  },
  {
    name: 'a loaded image',
    body: scriptPage(
      `tries('picture', async () => { const made = await element('img', { src: 'BASE/v2/overview' }); return made && 'loaded'; });`,
    ),
  },
  {
    name: 'a style sheet',
    body: `<link rel=stylesheet href=BASE/v2/overview>${scriptPage("setTimeout(() => tries('style', () => [...document.styleSheets].map((sheet) => sheet.cssRules.length).filter(Boolean).join()), 500);")}`,
  },
  {
    name: 'resources of style sheets',
    body: '<style>@import url(BASE/v2/tests); @font-face { font-family: x; src: url(BASE/v2/apps) } body { font-family: x; background: url(BASE/v2/keys) }</style>x',
  },
  {
    name: 'audio and video',
    body: '<video src=BASE/v2/overview></video><audio src=BASE/v2/tests></audio><video><track default src=BASE/v2/apps></video>',
  },
  {
    name: 'preloaded resources',
    body: '<link rel=prefetch href=BASE/v2/overview><link rel=preload as=fetch crossorigin href=BASE/v2/tests><link rel=modulepreload href=BASE/v2/apps><link rel=icon href=BASE/v2/keys><link rel=manifest href=BASE/v2/overview>',
  },
  {
    name: 'speculation rules',
    body: '<script type=speculationrules>{"prefetch":[{"source":"list","urls":["BASE/v2/overview"]}],"prerender":[{"source":"list","urls":["BASE/"]}]}</script>',
  },
  { name: 'SVG references', body: '<svg><image href=BASE/v2/overview /><use href=BASE/#x /></svg>' },
  {
    name: 'a link with a ping',
    body: `<a href=# ping=BASE/v2/tests/TEST/stop>x</a>${scriptPage('document.querySelector("a").click();')}`,
  },
  {
    name: 'CSP reports',
    body: '<meta http-equiv=Content-Security-Policy content="img-src \'none\'; report-uri BASE/v2/apps"><img src=/x>',
  },
];

const SCRIPT_PAGES: readonly AttackPage[] = [
  { name: 'a script', body: `<script src=BASE/v2/overview></script><script src=BASE/v2/tests></script>` },
  {
    name: 'a JSONP script',
    body: `${scriptPage("window.receive = (value) => keep('callback', JSON.stringify(value));")}<script src="BASE/v2/overview?callback=receive"></script>`,
  },
  {
    name: 'a script in another encoding',
    body: '<script charset=utf-16 src=BASE/v2/tests></script><script charset=utf-7 src=BASE/v2/apps></script>',
  },
  {
    name: 'a script with intercepted setters',
    body: `${scriptPage("for (const name of ['title', 'app', 'test_id']) Object.defineProperty(Object.prototype, name, { set(value) { keep('setter', value); } });")}<script src=BASE/v2/tests></script>`,
  },
  {
    name: 'a module',
    body: `<script type=module>await tries('module', async () => JSON.stringify(await import('BASE/v2/overview')));</script>`,
  },
  {
    name: 'a fetch of the web UI',
    body: scriptPage(
      "tries('page', async () => { const page = await (await fetch('BASE/')).text(); return page; });",
    ),
  },
  {
    name: 'a worker',
    body: scriptPage(
      "tries('worker', () => new Promise((resolve) => { const made = new Worker(URL.createObjectURL(new Blob([`try { importScripts('BASE/v2/overview'); postMessage('loaded'); } catch { postMessage(''); }`]))); made.onmessage = ({ data }) => resolve(data); }));",
    ),
  },
  {
    name: 'a worker that sends a request',
    body: scriptPage(
      "tries('worker', () => new Promise((resolve) => { const made = new Worker(URL.createObjectURL(new Blob([`fetch('BASE/v2/tests').then((response) => response.text()).then(postMessage, () => postMessage(''))`]))); made.onmessage = ({ data }) => resolve(data); }));",
    ),
  },
];

const FRAME_PAGES: readonly AttackPage[] = [
  {
    name: 'a frame',
    body: `<iframe id=x src=BASE/></iframe>${scriptPage("x.onload = () => tries('frame', () => x.contentDocument.body.innerText);")}`,
  },
  {
    name: 'a sandboxed frame',
    body: `<iframe id=x sandbox="allow-scripts allow-forms" src=BASE/></iframe>${scriptPage("x.onload = () => tries('frame', () => x.contentDocument.body.innerText);")}`,
  },
  {
    name: 'an object',
    body: `<object id=x data=BASE/></object>${scriptPage("x.onload = () => tries('object', () => x.contentDocument.body.innerText);")}`,
  },
  { name: 'an embed element', body: '<embed src=BASE/v2/overview><embed src=BASE/>' },
  {
    name: 'a nested frame',
    body: `<iframe srcdoc="<iframe src=BASE/></iframe><iframe src=BASE/v2/overview></iframe>"></iframe>`,
  },
  {
    name: 'a frame with a refresh',
    body: `<iframe srcdoc="<meta http-equiv=refresh content=0;url=BASE/#/tests>"></iframe>`,
  },
  {
    name: 'a frame with permissions',
    body: `<iframe csp="default-src *" allow="clipboard-read" src=BASE/></iframe>`,
  },
  {
    name: 'a page with an opaque origin that sends a request',
    body: `<iframe sandbox=allow-scripts srcdoc="<script>fetch('BASE/v2/tests').then((response) => response.text()).then((text) => parent.postMessage(text, '*'))</script>"></iframe>${scriptPage("onmessage = ({ data }) => keep('nobody', data);")}`,
  },
  {
    name: 'a page with an opaque origin that submits a form',
    body: `<iframe sandbox="allow-scripts allow-forms" srcdoc="<form method=post enctype=text/plain action=BASE/v2/apps><input name='{&quot;app&quot;:&quot;evil.example&quot;,&quot;x&quot;:&quot;' value='&quot;}'></form><script>document.forms[0].submit()</script>"></iframe>`,
  },
  {
    name: 'a data URL',
    body: `<iframe src="data:text/html,<script>fetch('BASE/v2/apps',{method:'POST',mode:'no-cors',body:'app=evil.example'})</script>"></iframe>`,
  },
];

const REQUEST_PAGES: readonly AttackPage[] = [
  { name: 'a request', body: fetchScript('BASE/v2/overview') + fetchScript('BASE/healthz') },
  {
    name: 'a request with credentials',
    body: fetchScript('BASE/v2/tests', "{ credentials: 'include' }"),
  },
  {
    name: 'a no-cors request',
    body: fetchScript('BASE/v2/tests', "{ mode: 'no-cors', credentials: 'include' }"),
  },
  {
    name: 'a request without a referrer',
    body: fetchScript(
      'BASE/v2/apps',
      `{ method: 'POST', mode: 'no-cors', referrerPolicy: 'no-referrer', body: '${APP}' }`,
    ),
  },
  {
    name: 'a request with an invented token',
    body: fetchScript('BASE/v2/tests', "{ headers: { authorization: 'Bearer ' + '0'.repeat(64) } }"),
  },
  {
    name: 'a request with an invented key',
    body: fetchScript(
      'BASE/v2/tests/TEST/stop',
      "{ method: 'PUT', headers: { 'service-auth': '0'.repeat(32) } }",
    ),
  },
  { name: 'a PUT request', body: fetchScript('BASE/v2/tests/TEST/run', "{ method: 'PUT' }") },
  {
    name: 'a DELETE request',
    body:
      fetchScript('BASE/v2/apps/APP', "{ method: 'DELETE' }") +
      fetchScript('BASE/v2/sessions', "{ method: 'DELETE' }"),
  },
  {
    name: 'a request that overrides its method',
    body: fetchScript(
      'BASE/v2/tests/TEST/stop',
      "{ method: 'POST', headers: { 'x-http-method-override': 'PUT' } }",
    ),
  },
  {
    name: 'a JSON request',
    body: fetchScript(
      'BASE/v2/apps',
      `{ method: 'POST', headers: { 'content-type': 'application/json' }, body: '${APP}' }`,
    ),
  },
  {
    name: 'a JSON request as text',
    body: fetchScript(
      'BASE/v2/apps',
      `{ method: 'POST', mode: 'no-cors', headers: { 'content-type': 'text/plain;application/json' }, body: '${APP}' }`,
    ),
  },
  {
    name: 'a verdict',
    body: fetchScript(
      'BASE/v2/tests/TEST/results/RESULT/verdict',
      `{ method: 'POST', mode: 'no-cors', body: '{"verdict":"pass","thresholds":[]}' }`,
    ),
  },
  {
    name: 'a redirected request',
    body:
      fetchScript('BACK302/v2/overview') +
      fetchScript('BACK302/v2/tests', "{ mode: 'no-cors', credentials: 'include' }"),
  },
  {
    name: 'a redirected request with a body',
    body:
      fetchScript('BACK307/v2/apps', `{ method: 'POST', mode: 'no-cors', body: '${APP}' }`) +
      formPage(
        'method=post enctype=text/plain action=BACK308/v2/apps',
        formField('{"app":"evil.example","x":"', '"}'),
      ),
  },
  {
    name: 'a keepalive request',
    body: fetchScript(
      'BASE/v2/tests/TEST/stop',
      "{ method: 'POST', mode: 'no-cors', keepalive: true, body: '{}' }",
    ),
  },
  {
    name: 'beacons',
    body: scriptPage(
      `for (const type of ['text/plain', 'application/json', 'application/x-www-form-urlencoded']) try { navigator.sendBeacon('BASE/v2/apps', new Blob(['${APP}'], { type })); } catch {}`,
    ),
  },
  {
    name: 'an XMLHttpRequest',
    body: scriptPage(
      "tries('older', () => new Promise((resolve) => { const made = new XMLHttpRequest(); made.open('GET', 'BASE/v2/overview'); made.withCredentials = true; made.onloadend = () => resolve(made.responseText); made.send(); }));",
    ),
  },
  {
    name: 'an event stream',
    body: scriptPage(
      "tries('events', () => new Promise((resolve) => { const made = new EventSource('BASE/v2/overview'); made.onmessage = ({ data }) => resolve(data); made.onerror = () => { made.close(); resolve(''); }; }));",
    ),
  },
  {
    name: 'sockets',
    body: scriptPage(
      "for (const path of ['/', '/v2/overview', '/v2/tests/TEST/results/RESULT/progress']) tries('socket', () => new Promise((resolve) => { const made = new WebSocket(`${'BASE'.replace('http', 'ws')}${path}`, ['x']); made.onopen = () => resolve('open'); made.onmessage = ({ data }) => resolve(data); made.onerror = () => resolve(''); }));",
    ),
  },
  {
    name: 'resource timing',
    body: scriptPage(
      "tries('sizes', async () => { await fetch('BASE/v2/tests', { mode: 'no-cors' }).catch(() => null); return performance.getEntriesByType('resource').filter(({ name }) => name.includes('/v2/')).map(({ transferSize, encodedBodySize, responseStart }) => transferSize + encodedBodySize + responseStart).filter(Boolean).join(); });",
    ),
  },
  {
    name: 'invalid sign-in links',
    body: scriptPage(
      "for (let at = 0; at < 40; at++) tries('link', async () => (await fetch('BASE/v2/sessions', { method: 'POST', mode: 'no-cors', body: JSON.stringify({ code: String(at).padStart(32, '0') }) })).text());",
    ),
  },
];

const WINDOW_PAGES: readonly AttackPage[] = [
  {
    name: 'a broadcast channel',
    body: scriptPage(
      "tries('channel', () => new Promise((resolve) => { const made = new BroadcastChannel('loadtests-session'); made.onmessage = ({ data }) => resolve(JSON.stringify(data)); made.postMessage({ kind: 'who-has-a-token' }); setTimeout(resolve, 400, ''); }));",
    ),
  },
  {
    name: 'storage',
    body: scriptPage(
      "tries('storage', () => [...Object.keys(sessionStorage), ...Object.keys(localStorage)].join()); tries('cookies', () => document.cookie); tries('databases', async () => (await indexedDB.databases()).map(({ name }) => name).join()); tries('caches', async () => (await caches.keys()).join());",
    ),
  },
];

/** Pages that can read or change the data of a service without any protection. */
export const EFFECTIVE_ATTACK_PAGES: readonly AttackPage[] = [
  ...[FORM_PAGES, SCRIPT_PAGES, REQUEST_PAGES].flat(),
];

/** At least 60 pages. */
export const ATTACK_PAGES: readonly AttackPage[] = [
  ...[EFFECTIVE_ATTACK_PAGES, RESOURCE_PAGES, FRAME_PAGES, WINDOW_PAGES].flat(),
];

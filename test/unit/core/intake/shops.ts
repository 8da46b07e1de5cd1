/** Recordings of ten small shops. The values that each of them generates are known. */
import {
  EMPTY_REQUEST,
  type IntakeBody,
  type IntakeField,
  type IntakeRequest,
} from '../../../../src/core/intake/intake.ts';

/** Returns a generated value of a shop, which differs between recordings. */
export type ValueOf = (name: string, kind?: 'token' | 'id' | 'uuid' | 'number') => string;

export interface Shop {
  readonly name: string;
  /** Names of the generated values that a response contains and that a later request sends. */
  readonly correlated: readonly string[];
  readonly record: (value: ValueOf) => readonly IntakeRequest[];
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
}

interface Received {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly html?: string;
}

function exchange(line: string, sent: Sent, received: Received): IntakeRequest {
  const [method = '', path = ''] = line.split(' ');
  const fields = (map: Readonly<Record<string, string>> = {}): readonly IntakeField[] =>
    Object.entries(map).map(([name, value]) => ({ name, value: [value] }));
  const body: IntakeBody | null =
    sent.json !== undefined
      ? { kind: 'text', text: [JSON.stringify(sent.json)] }
      : sent.form !== undefined
        ? { kind: 'form', fields: fields(sent.form) }
        : null;
  return {
    ...EMPTY_REQUEST,
    at: { line: 1, column: 1 },
    method,
    url: [`https://shop.example.com${path}`],
    headers: fields(sent.headers),
    body,
    response: {
      status: received.status ?? 200,
      headers: Object.entries(received.headers ?? {}).map(([name, value]) => ({ name, value })),
      body: received.json === undefined ? (received.html ?? null) : JSON.stringify(received.json),
    },
  };
}

const GENRES = ['fiction', 'history', 'science'];

export const SHOPS: readonly Shop[] = [
  {
    name: 'forms with a CSRF token',
    correlated: ['csrf', 'second'],
    record: (value) => [
      exchange(
        'GET /login',
        {},
        {
          html: `<form><input type="hidden" name="_csrf" value="${value('csrf')}"><input name="user" value=""></form>`,
        },
      ),
      exchange(
        'POST /login',
        { form: { _csrf: value('csrf'), user: 'ann', lang: 'english' } },
        { html: `<meta name="csrf-token" content="${value('second')}"><p>english</p>` },
      ),
      exchange(
        'POST /cart',
        { headers: { 'x-csrf-token': value('second') }, form: { sku: 'BOOK-0001', qty: '2' } },
        { html: '<p>BOOK-0001</p>' },
      ),
    ],
  },
  {
    name: 'a JSON web token',
    correlated: ['jwt'],
    record: (value) => [
      exchange(
        'POST /token',
        { json: { user: 'ann', scope: 'orders' } },
        { json: { access_token: value('jwt'), token_type: 'Bearer', expires_in: 3600, scope: 'orders' } },
      ),
      exchange(
        'GET /orders?limit=3600',
        { headers: { authorization: `Bearer ${value('jwt')}` } },
        { json: [] },
      ),
      exchange(
        'GET /profile',
        { headers: { authorization: `Bearer ${value('jwt')}` } },
        { json: { user: 'ann' } },
      ),
    ],
  },
  {
    name: 'a session cookie that is sent twice',
    correlated: ['xsrf'],
    record: (value) => [
      exchange(
        'GET /',
        {},
        { headers: { 'set-cookie': `XSRF-TOKEN=${value('xsrf')}; Path=/` }, html: '<p>welcome</p>' },
      ),
      exchange(
        'POST /cart',
        { headers: { 'x-xsrf-token': value('xsrf') }, json: { sku: 'welcome', currency: 'EUR' } },
        { json: { currency: 'EUR' } },
      ),
    ],
  },
  {
    name: 'identifiers in paths',
    correlated: ['cart', 'order'],
    record: (value) => [
      exchange(
        'POST /carts',
        { json: { country: 'DE' } },
        { status: 201, json: { id: value('cart', 'uuid'), country: 'DE', items: [] } },
      ),
      exchange(
        `PUT /carts/${value('cart', 'uuid')}/items/4711`,
        { json: { qty: 3 } },
        { json: { id: value('cart', 'uuid'), total: 59.97 } },
      ),
      exchange(
        'POST /orders',
        { json: { cartId: value('cart', 'uuid'), note: 'leave at the door' } },
        { status: 201, json: { orderId: value('order', 'id'), state: 'pending' } },
      ),
      exchange(
        `GET /orders/${value('order', 'id')}?state=pending`,
        {},
        { json: { orderId: value('order', 'id'), state: 'paid' } },
      ),
    ],
  },
  {
    name: 'GraphQL',
    correlated: ['node', 'payment'],
    record: (value) => [
      exchange(
        'POST /graphql',
        {
          json: {
            operationName: 'AddItem',
            variables: { sku: 'SKU-9000' },
            query: 'mutation AddItem($sku: ID!) { add(sku: $sku) { id sku } }',
          },
        },
        { json: { data: { add: { id: value('node'), sku: 'SKU-9000', __typename: 'CartItem' } } } },
      ),
      exchange(
        'POST /graphql',
        {
          json: {
            operationName: 'Pay',
            variables: { item: value('node'), method: 'invoice' },
            query: 'mutation Pay($item: ID!) { pay(item: $item) { reference } }',
          },
        },
        { json: { data: { pay: { reference: value('payment'), method: 'invoice' } } } },
      ),
      exchange(
        'POST /graphql',
        {
          json: {
            operationName: 'Receipt',
            variables: { reference: value('payment') },
            query: 'query Receipt($reference: String!) { receipt(reference: $reference) { url } }',
          },
        },
        { json: { data: {} } },
      ),
    ],
  },
  {
    name: 'redirects after a purchase',
    correlated: ['purchase'],
    record: (value) => [
      exchange(
        'POST /purchases',
        { form: { sku: 'BOOK-0002', genre: 'history' } },
        {
          html: `<input type="hidden" name="purchase" value="${value('purchase', 'id')}"><select>${GENRES.join(' ')}</select>`,
        },
      ),
      exchange(`GET /purchases/${value('purchase', 'id')}`, {}, { html: '<p>history</p>' }),
      exchange(
        'POST /reviews',
        { form: { purchase: value('purchase', 'id'), stars: '5', genre: 'history' } },
        { html: '<p>thanks</p>' },
      ),
    ],
  },
  {
    name: 'pagination with a cursor',
    correlated: ['first', 'second'],
    record: (value) => [
      exchange(
        'GET /items?limit=20',
        {},
        {
          json: {
            items: GENRES.map((genre, at) => ({ id: at + 1, genre })),
            next_cursor: value('first'),
            limit: 20,
          },
        },
      ),
      exchange(
        `GET /items?limit=20&cursor=${value('first')}`,
        {},
        { json: { items: [{ id: 4, genre: 'fiction' }], next_cursor: value('second'), limit: 20 } },
      ),
      exchange(
        `GET /items?limit=20&cursor=${value('second')}`,
        {},
        { json: { items: [], next_cursor: null } },
      ),
    ],
  },
  {
    name: 'URLs in the JSON of responses',
    correlated: ['catalog', 'page', 'add', 'checkout', 'receipt'],
    record: (value) => [
      exchange('GET /api', {}, { json: { version: '1.0', _links: { session: { href: '/api/sessions' } } } }),
      exchange(
        'POST /api/sessions',
        { json: { user: 'ann' } },
        {
          json: {
            _links: {
              self: { href: '/api/sessions' },
              catalog: { href: `/api/catalog/${value('catalog')}?limit=20` },
            },
          },
        },
      ),
      exchange(
        `GET /api/catalog/${value('catalog')}?limit=20`,
        {},
        {
          json: {
            items: [{ sku: 'BOOK-0001' }],
            _links: {
              next: { href: `https://shop.example.com/api/catalog?limit=20&cursor=${value('page')}` },
            },
          },
        },
      ),
      exchange(
        `GET /api/catalog?limit=20&cursor=${value('page')}`,
        {},
        {
          json: {
            items: [
              { sku: 'BOOK-0002', _links: { add: { href: `/api/items/${value('other')}/add` } } },
              { sku: 'BOOK-0003', _links: { add: { href: `/api/items/${value('add')}/add` } } },
            ],
          },
        },
      ),
      exchange(
        `POST /api/items/${value('add')}/add`,
        { json: { quantity: 2 } },
        { json: { _links: { checkout: { href: `/api/carts/${value('checkout')}/checkout` } } } },
      ),
      exchange(
        `POST /api/carts/${value('checkout')}/checkout`,
        { json: {} },
        { status: 201, headers: { location: `/api/orders/${value('receipt')}` }, json: { state: 'paid' } },
      ),
      exchange(`GET /api/orders/${value('receipt')}`, {}, { json: { state: 'paid' } }),
    ],
  },
  {
    name: 'links and forms in pages of a session',
    correlated: ['cart', 'receipt', 'login', 'pay'],
    record: (value) => [
      exchange(
        'GET /login',
        {},
        {
          headers: { 'set-cookie': `sid=${value('session')}; Path=/; HttpOnly` },
          html: `<a href="/help/contact">Help</a><form action="/login"><input type='hidden' value='${value('login')}' name='token'></form>`,
        },
      ),
      exchange(
        'POST /login',
        { form: { token: value('login'), user: 'ann' } },
        {
          headers: { 'set-cookie': `sid=${value('second')}; Path=/; HttpOnly` },
          html: `<a href="/help/contact">Help</a><a href="/carts/${value('cart')}">Cart</a>`,
        },
      ),
      exchange(
        `GET /carts/${value('cart')}`,
        {},
        {
          html: `<form action="/search"><input name="token" value="${value('other')}"></form><form action="/carts/${value('cart')}/checkout?lang=english"></form><form action="/pay"><input name="token" value="${value('pay')}"></form>`,
        },
      ),
      exchange(
        `POST /carts/${value('cart')}/checkout?lang=english`,
        { form: { token: value('pay'), method: 'invoice' } },
        { html: `<a href='/orders/${value('receipt')}?format=pdf'>Receipt</a>` },
      ),
      exchange(`GET /orders/${value('receipt')}?format=pdf`, {}, { html: '<p>invoice</p>' }),
      exchange('GET /help/contact', {}, { html: '<p>contact</p>' }),
    ],
  },
  {
    name: 'an upload with a number and a header',
    correlated: ['upload', 'etag', 'account'],
    record: (value) => [
      exchange(
        'POST /sessions',
        { json: { user: 'ann@example.com', device: 'desktop-1920x1080' } },
        {
          headers: { 'x-upload-token': value('etag') },
          json: {
            accountNumber: Number(value('account', 'number')),
            device: 'desktop-1920x1080',
            since: '2026-01-01',
          },
        },
      ),
      exchange(
        'POST /uploads?since=2026-01-01',
        {
          headers: { 'x-upload-token': value('etag') },
          json: { accountNumber: Number(value('account', 'number')), size: 1024 },
        },
        { status: 201, json: { uploadId: value('upload', 'uuid'), size: 1024, version: '1.12.0' } },
      ),
      exchange(
        'POST /publish',
        { json: { ids: [value('upload', 'uuid')], size: 1024, version: '1.12.0' } },
        { json: { ok: true } },
      ),
    ],
  },
];

/** Returns generated values that depend on a seed. */
export function valuesOf(seed: number): {
  readonly valueOf: ValueOf;
  readonly values: ReadonlyMap<string, string>;
} {
  const values = new Map<string, string>();
  const digits = (name: string, count: number) =>
    Array.from(
      { length: count },
      (_, at) => (seed * 7919 + name.charCodeAt(at % name.length) * 31 + at * 17) % 10,
    ).join('');
  return {
    values,
    valueOf: (name, kind = 'token') => {
      const known = values.get(name);
      if (known !== undefined) return known;
      const made = {
        token: `T${name.slice(0, 2)}${digits(name, 12)}x`,
        id: `${name.slice(0, 1)}${digits(name, 7)}`,
        uuid: `${digits(name, 8)}-${digits(`${name}b`, 4)}-4${digits(name, 3)}-8${digits(name, 3)}-${digits(name, 12)}`,
        number: `7${digits(name, 6)}`,
      }[kind];
      values.set(name, made);
      return made;
    },
  };
}

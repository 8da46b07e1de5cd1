/**
 * Two small shops that refuse requests with the values of another session: one with HTML forms, cookies and CSRF
 * tokens, and one with a JSON API whose clients follow the URLs in its responses. Recordings of clients must become
 * tests that these shops accept.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

/** Only this customer can log in. */
export const CUSTOMER = { user: 'ann', password: 'c4nAry-7secret' };

const random = () => randomBytes(12).toString('hex');

/** Starts a shop on a free port of 127.0.0.1. `log` contains each request with its status. */
async function openShop(respond) {
  const log = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const host = request.headers.host ?? '';
      const answer = respond({ request, body, url: new URL(request.url ?? '/', `http://${host}`) });
      const { status = 200, headers = {}, content = '' } = answer;
      log.push({ method: request.method ?? '', path: request.url ?? '', status });
      response.writeHead(status, headers).end(content);
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    log,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * A shop with forms. Each form has a token that is valid once, for one session. The session changes at the login.
 * Carts and orders belong to a session.
 */
export async function openFormShop() {
  const sessions = new Map();
  const newSession = (user) => {
    const id = random();
    sessions.set(id, { user, tokens: new Set(), carts: new Set(), orders: new Set() });
    return id;
  };
  return await openShop(({ request, body, url }) => {
    const [, cookie] = /(?:^|; )sid=(\w+)/.exec(request.headers.cookie ?? '') ?? [];
    const id = sessions.has(cookie) ? cookie : newSession(null);
    const session = sessions.get(id);
    const setCookie = (value) => ({ 'set-cookie': `sid=${value}; Path=/; HttpOnly; SameSite=Lax` });
    const page = (content) => ({
      headers: { 'content-type': 'text/html; charset=utf-8', ...(id === cookie ? {} : setCookie(id)) },
      content: `<!doctype html><title>Shop</title>${content}`,
    });
    const token = () => {
      const value = random();
      session.tokens.add(value);
      return `<input type="hidden" name="_csrf" value="${value}">`;
    };
    const redirect = (location, headers = {}) => ({ status: 303, headers: { location, ...headers } });
    const form = new URLSearchParams(body);
    if (request.method === 'POST' && !session.tokens.delete(form.get('_csrf')))
      return { status: 403, content: 'the token is not valid' };
    const route = `${request.method} ${url.pathname.replace(/^\/orders\/.+/, '/orders/ID').replace(/^\/carts\/.+\//, '/carts/ID/')}`;
    switch (route) {
      case 'GET /login':
        return page(
          `<form method="post" action="/login">${token()}<input name="user"><input type="password" name="password"><button>Log in</button></form>`,
        );
      case 'POST /login': {
        if (form.get('user') !== CUSTOMER.user || form.get('password') !== CUSTOMER.password)
          return { status: 401, content: 'the password is wrong' };
        sessions.delete(id);
        return redirect('/products', setCookie(newSession(CUSTOMER.user)));
      }
      case 'GET /products':
        if (session.user === null) return { status: 401 };
        return page(
          ['Book', 'Pen']
            .map(
              (name, at) =>
                `<form method="post" action="/cart">${token()}<input type="hidden" name="product" value="${at + 1}"><input name="qty" value="1"><button id="add-${at + 1}">Add ${name}</button></form>`,
            )
            .join(''),
        );
      case 'POST /cart': {
        const cart = random();
        session.carts.add(cart);
        return page(
          `<p>1 item</p><form method="post" action="/carts/${cart}/checkout">${token()}<button id="order">Order</button></form>`,
        );
      }
      case 'POST /carts/ID/checkout': {
        if (!session.carts.delete(url.pathname.split('/')[2]))
          return { status: 409, content: 'no such cart' };
        const order = random();
        session.orders.add(order);
        return page(`<a id="receipt" href="/orders/${order}?format=short">Receipt</a>`);
      }
      case 'GET /orders/ID':
        return session.orders.has(url.pathname.slice('/orders/'.length))
          ? page('<p>Thank you</p>')
          : { status: 403 };
      default:
        return { status: 404 };
    }
  });
}

/** A shop with a JSON API. Clients know one URL, and all others are in responses, with signed paths. */
export async function openLinkShop() {
  const tokens = new Map();
  const links = new Map();
  return await openShop(({ request, body, url }) => {
    const json = (value, { status = 200, ...headers } = {}) => ({
      status,
      headers: { 'content-type': 'application/json', ...headers },
      content: JSON.stringify(value),
    });
    const link = (session, action, isAbsolute = false) => {
      const path = `/api/${action}/${random()}`;
      links.set(path, { session, action });
      return { href: isAbsolute ? url.origin + path : path };
    };
    if (request.url === '/api')
      return json({ version: '1.0', _links: { sessions: { href: '/api/sessions' } } });
    if (request.url === '/api/sessions' && request.method === 'POST') {
      const { user, password } = JSON.parse(body);
      if (user !== CUSTOMER.user || password !== CUSTOMER.password) return json({}, { status: 401 });
      const token = random();
      tokens.set(token, user);
      return json(
        { token, _links: { catalog: link(token, 'catalog'), cart: link(token, 'cart') } },
        { status: 201 },
      );
    }
    const session = (request.headers.authorization ?? '').replace('Bearer ', '');
    if (!tokens.has(session)) return json({}, { status: 401 });
    const known = links.get(url.pathname);
    if (known === undefined) return json({}, { status: 404 });
    if (known.session !== session) return json({}, { status: 403 });
    switch (`${request.method} ${known.action}`) {
      case 'GET catalog':
        return json({ items: [{ sku: 'BOOK-1' }], _links: { next: link(session, 'page', true) } });
      case 'GET page': {
        const item = (sku) => ({ sku, _links: { add: link(session, 'add') } });
        return json({ items: [item('BOOK-2'), item('BOOK-3')] });
      }
      case 'POST add':
        // An item can be added once.
        if (!links.delete(url.pathname)) return json({}, { status: 409 });
        return json({ count: JSON.parse(body).quantity, _links: { checkout: link(session, 'checkout') } });
      case 'POST checkout': {
        if (!links.delete(url.pathname)) return json({}, { status: 409 });
        return json({ state: 'paid' }, { status: 201, location: link(session, 'orders').href });
      }
      case 'GET orders':
        return json({ state: 'paid' });
      default:
        return json({}, { status: 405 });
    }
  });
}

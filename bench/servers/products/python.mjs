import { readMatchingLine, readAfterPrefix, readPlainLine } from '../access-log.mjs';
import { OUTPUT } from '../start-server.mjs';

const MORE = ['/empty', '/broken', '/moved', '/parts'];
const PYTHON = { file: '/usr/bin/python3', install: 'apt-get install python3' };

/** Describes a Debian package: its module or program, and how to install it. */
function debian(name, path) {
  return { file: path, debian: name, install: `apt-get install ${name}` };
}
const module = (name) => debian(`python3-${name}`, `/usr/lib/python3/dist-packages/${name}`);

const WSGI = `
ANSWERS = {
    '/ok': ('200 OK', b'ok'),
    '/big': ('200 OK', b'x' * 100000),
    '/empty': ('204 No Content', None),
    '/broken': ('500 Internal Server Error', b'it does not work'),
    '/moved': ('302 Found', b''),
    '/post': ('200 OK', b'read'),
}

def app(environ, start_response):
    path = environ['PATH_INFO']
    if environ['REQUEST_METHOD'] == 'POST':
        environ['wsgi.input'].read(int(environ.get('CONTENT_LENGTH') or 0))
    headers = [('Content-Type', 'text/plain')]
    if path == '/moved':
        headers.append(('Location', '/ok'))
    if path == '/parts':
        start_response('200 OK', headers)
        return (b'part ' * 100 for _ in range(10))
    status, body = ANSWERS.get(path, ('404 Not Found', b'there is no such page'))
    if body is None:
        start_response(status, [])
        return []
    start_response(status, headers + [('Content-Length', str(len(body)))])
    return [body]
`;

const ASGI = `
ANSWERS = {
    '/ok': (200, b'ok'),
    '/big': (200, b'x' * 100000),
    '/empty': (204, None),
    '/broken': (500, b'it does not work'),
    '/moved': (302, b''),
    '/post': (200, b'read'),
}

async def app(scope, receive, send):
    if scope['type'] != 'http':
        raise NotImplementedError(scope['type'])
    while (await receive()).get('more_body'):
        pass
    path = scope['path']
    status, body = ANSWERS.get(path, (404, b'there is no such page'))
    headers = [(b'content-type', b'text/plain')]
    if path == '/moved':
        headers.append((b'location', b'/ok'))
    if path == '/parts':
        await send({'type': 'http.response.start', 'status': 200, 'headers': headers})
        for _ in range(10):
            await send({'type': 'http.response.body', 'body': b'part ' * 100, 'more_body': True})
        await send({'type': 'http.response.body', 'body': b''})
        return
    if body is None:
        headers = []
    else:
        headers.append((b'content-length', str(len(body)).encode()))
    await send({'type': 'http.response.start', 'status': status, 'headers': headers})
    await send({'type': 'http.response.body', 'body': body or b''})
`;

const TORNADO = `
import logging, signal, sys
import tornado.httpserver, tornado.ioloop, tornado.web

class Handler(tornado.web.RequestHandler):
    async def get(self, path):
        self.set_header('Content-Type', 'text/plain')
        if path == 'ok':
            self.write('ok')
        elif path == 'big':
            self.write('x' * 100000)
        elif path == 'empty':
            self.set_status(204)
        elif path == 'broken':
            self.set_status(500)
            self.write('it does not work')
        elif path == 'moved':
            self.redirect('/ok')
        elif path == 'parts':
            for _ in range(10):
                self.write('part ' * 100)
                await self.flush()
        else:
            self.set_status(404)
            self.write('there is no such page')

    def post(self, path):
        self.write('read')

log = open('access.log', 'w', buffering=1)
def write(handler):
    request = handler.request
    log.write('%s %s %d\\n' % (request.method, request.uri, handler.get_status()))

app = tornado.web.Application([('/(.*)', Handler)], log_function=write)
app.listen(int(sys.argv[1]), '127.0.0.1')
tornado.ioloop.IOLoop.current().start()
`;

const AIOHTTP = `
import logging, sys
from aiohttp import web

async def handle(request):
    path = request.path
    if request.method == 'POST':
        await request.read()
        return web.Response(text='read')
    if path == '/ok':
        return web.Response(text='ok')
    if path == '/big':
        return web.Response(text='x' * 100000)
    if path == '/empty':
        return web.Response(status=204)
    if path == '/broken':
        return web.Response(status=500, text='it does not work')
    if path == '/moved':
        return web.Response(status=302, headers={'Location': '/ok'})
    if path == '/parts':
        answer = web.StreamResponse()
        answer.enable_chunked_encoding()
        await answer.prepare(request)
        for _ in range(10):
            await answer.write(b'part ' * 100)
        await answer.write_eof()
        return answer
    return web.Response(status=404, text='there is no such page')

logging.basicConfig(filename='access.log', format='%(message)s', level=logging.INFO)
app = web.Application()
app.router.add_route('*', '/{path:.*}', handle)
web.run_app(app, host='127.0.0.1', port=int(sys.argv[1]), access_log_format='%r %s %b', print=None)
`;

const TWISTED = `
import sys
from twisted.internet import reactor
from twisted.web import resource, server

class Page(resource.Resource):
    isLeaf = True
    def render_GET(self, request):
        path = request.path
        request.setHeader('Content-Type', 'text/plain')
        if path == b'/ok':
            return b'ok'
        if path == b'/big':
            return b'x' * 100000
        if path == b'/empty':
            request.setResponseCode(204)
            return b''
        if path == b'/broken':
            request.setResponseCode(500)
            return b'it does not work'
        if path == b'/moved':
            request.setResponseCode(302)
            request.setHeader('Location', '/ok')
            return b''
        if path == b'/parts':
            for _ in range(10):
                request.write(b'part ' * 100)
            request.finish()
            return server.NOT_DONE_YET
        request.setResponseCode(404)
        return b'there is no such page'
    def render_POST(self, request):
        request.content.read()
        return b'read'

class Site(server.Site):
    def log(self, request):
        line = (request.method, request.uri, request.code, request.sentLength)
        log.write('%s %s %d %d\\n' % (line[0].decode(), line[1].decode(), line[2], line[3]))

log = open('access.log', 'w', buffering=1)
reactor.listenTCP(int(sys.argv[1]), Site(Page()), interface='127.0.0.1', backlog=1024)
reactor.run()
`;

/** For servers without a log. */
const LOGGED_WSGI = `${WSGI}
log = open('access.log', 'w', buffering=1)
def logged(environ, start_response):
    def start(status, headers, exc_info=None):
        query = environ['QUERY_STRING']
        path = environ['PATH_INFO'] + ('?' + query if query else '')
        log.write('%s %s %s\\n' % (environ['REQUEST_METHOD'], path, status[:3]))
        return start_response(status, headers)
    return app(environ, start)
`;

const CHEROOT = `${LOGGED_WSGI}
import signal, sys
from cheroot import wsgi
server = wsgi.Server(('127.0.0.1', int(sys.argv[1])), logged, numthreads=10, request_queue_size=1024)
signal.signal(signal.SIGTERM, lambda *_: sys.exit())
server.start()
`;

const HTTP_SERVER = `
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    protocol_version = sys.argv[2]
    def answer(self, status, body):
        self.send_response(status)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        path = self.path.split('?')[0]
        if path == '/ok':
            self.answer(200, b'ok')
        elif path == '/big':
            self.answer(200, b'x' * 100000)
        else:
            self.answer(404, b'there is no such page')
    def do_POST(self):
        self.rfile.read(int(self.headers['Content-Length']))
        self.answer(200, b'read')
    def log_request(self, code='-', size='-'):
        log.write('%s %s %d\\n' % (self.command, self.path, code))

class Server(ThreadingHTTPServer):
    request_queue_size = 1024

log = open('access.log', 'w', buffering=1)
Server(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()
`;

const PLAIN = { file: 'access.log', read: readPlainLine };
const BODIES = { ...PLAIN, bytes: 'body' };

const wsgi = { files: () => ({ 'answers.py': WSGI }), more: MORE };
const asgi = { files: () => ({ 'answers.py': ASGI }), more: MORE };

function gunicorn(name, options, log = BODIES) {
  return {
    make: 'gunicorn',
    name,
    needs: [debian('gunicorn', '/usr/bin/gunicorn')],
    log,
    ...wsgi,
    commands: ({ port }) => [
      {
        command: [
          ...['/usr/bin/gunicorn', '--bind', `127.0.0.1:${port}`, '--access-logfile', 'access.log'],
          ...['--access-logformat', '%(r)s %(s)s %(B)s', ...options, 'answers:app'],
        ],
        port,
      },
    ],
  };
}

function program(make, name, { needs, script, args = [], log }) {
  return {
    make,
    name,
    needs: [needs, PYTHON],
    log: log ?? PLAIN,
    more: make === 'http.server' ? [] : MORE,
    files: () => ({ 'server.py': script }),
    commands: ({ port }) => [{ command: ['/usr/bin/python3', 'server.py', String(port), ...args], port }],
  };
}

export const PYTHON_SERVERS = [
  gunicorn('sync workers; closes after each request', ['--workers', '2']),
  gunicorn('threads; persistent connections', ['--workers', '1', '--threads', '32', '--keep-alive', '5']),
  // The last responses before an exit have other headers.
  gunicorn(
    'workers that exit after 500 requests',
    ['--workers', '2', '--threads', '16', '--keep-alive', '5', '--max-requests', '500'],
    PLAIN,
  ),
  {
    make: 'uvicorn',
    name: 'persistent connections',
    needs: [debian('uvicorn', '/usr/bin/uvicorn')],
    ...asgi,
    log: { file: OUTPUT, read: readAfterPrefix },
    commands: ({ port }) => [{ command: ['/usr/bin/uvicorn', '--port', String(port), 'answers:app'], port }],
  },
  {
    make: 'uvicorn',
    name: '12 connections, 503 above the limit',
    needs: [debian('uvicorn', '/usr/bin/uvicorn')],
    ...asgi,
    log: { file: OUTPUT, read: readAfterPrefix },
    commands: ({ port }) => [
      {
        command: ['/usr/bin/uvicorn', '--port', String(port), '--limit-concurrency', '12', 'answers:app'],
        port,
      },
    ],
  },
  {
    make: 'hypercorn',
    name: 'persistent connections',
    ...asgi,
    log: { ...BODIES, read: readAfterPrefix },
    needs: [debian('python3-hypercorn', '/usr/bin/hypercorn')],
    commands: ({ port }) => [
      {
        command: [
          ...['/usr/bin/hypercorn', '--bind', `127.0.0.1:${port}`, '--access-logfile', 'access.log'],
          ...['--access-logformat', '%(R)s %(s)s %(b)s', 'answers:app'],
        ],
        port,
      },
    ],
  },
  {
    make: 'waitress',
    name: 'persistent connections',
    needs: [module('waitress')],
    more: MORE,
    log: PLAIN,
    files: () => ({
      'server.py': `${LOGGED_WSGI}
import sys, threading, waitress
waitress.serve(logged, host='127.0.0.1', port=int(sys.argv[1]), threads=4)
`,
    }),
    commands: ({ port }) => [{ command: ['/usr/bin/python3', 'server.py', String(port)], port }],
  },
  program('tornado', 'persistent connections', { needs: module('tornado'), script: TORNADO }),
  program('aiohttp', 'persistent connections', {
    needs: module('aiohttp'),
    script: AIOHTTP,
    log: { ...PLAIN, bytes: 'all' },
  }),
  program('Twisted', 'persistent connections', { needs: module('twisted'), script: TWISTED, log: BODIES }),
  program('Cheroot', 'ten threads', { needs: module('cheroot'), script: CHEROOT }),
  program('http.server', 'HTTP/1.0', {
    needs: { ...PYTHON, debian: 'python3' },
    script: HTTP_SERVER,
    args: ['HTTP/1.0'],
  }),
  program('http.server', 'HTTP/1.1', {
    needs: { ...PYTHON, debian: 'python3' },
    script: HTTP_SERVER,
    args: ['HTTP/1.1'],
  }),
  ...[
    ['--http-socket; closes unannounced', MORE, ['--http-socket']],
    // These responses have no end: no length, no chunks, and the connection stays open.

    ['--http11-socket; persistent connections', MORE.slice(0, 3), ['--threads', '16', '--http11-socket']],
    ['--http router', MORE, ['--plugin', 'http', '--http-keepalive', '--http-auto-chunked', '--http']],
  ].map(([name, more, options]) => ({
    make: 'uWSGI',
    name,
    ...wsgi,
    more,
    log: { file: 'access.log', read: readMatchingLine },
    needs: [
      debian('uwsgi-core', '/usr/bin/uwsgi-core'),
      debian('uwsgi-plugin-python3', '/usr/lib/uwsgi/plugins/python3_plugin.so'),
    ],
    commands: ({ port }) => [
      {
        command: [
          ...['/usr/bin/uwsgi-core', ...options, `127.0.0.1:${port}`],
          ...[
            '--plugin',
            'python3',
            '--module',
            'answers:app',
            '--chdir',
            '.',
            '--processes',
            '2',
            '--master',
            '--die-on-term',
          ],
          ...['--logto', 'access.log', '--log-format', '%(method) %(uri) %(status)', '--listen', '100'],
        ],
        port,
      },
    ],
  })),
];

import { readPlainLine } from '../access-log.mjs';

const MORE = ['/empty', '/broken', '/moved', '/parts'];

const RACK = `
LOG = File.open('access.log', 'a')
LOG.sync = true
ANSWERS = {
  '/ok' => [200, 'ok'],
  '/big' => [200, 'x' * 100_000],
  '/broken' => [500, 'it does not work'],
  '/moved' => [302, ''],
  '/post' => [200, 'read'],
}
run(lambda do |env|
  path = env['PATH_INFO']
  env['rack.input'].read if env['REQUEST_METHOD'] == 'POST'
  headers = { 'Content-Type' => 'text/plain' }
  if path == '/empty'
    status, headers, body = 204, {}, []
  elsif path == '/parts'
    status, body = 200, Enumerator.new { |parts| 10.times { parts << 'part ' * 100 } }
  else
    status, text = ANSWERS.fetch(path, [404, 'there is no such page'])
    headers['Location'] = '/ok' if path == '/moved'
    headers['Content-Length'] = text.bytesize.to_s
    body = [text]
  end
  query = env['QUERY_STRING'].to_s
  LOG.write("#{env['REQUEST_METHOD']} #{path}#{query.empty? ? '' : '?' + query} #{status}\\n")
  [status, headers, body]
end)
`;

const WEBRICK = `
require 'webrick'
log = File.open('access.log', 'a')
log.sync = true
server = WEBrick::HTTPServer.new(
  BindAddress: '127.0.0.1', Port: ARGV[0].to_i, Logger: WEBrick::Log.new(File::NULL), MaxClients: 300,
  AccessLog: [[log, '%r %s %b']]
)
server.mount_proc('/') do |request, response|
  response['Content-Type'] = 'text/plain'
  case request.path
  when '/ok' then response.body = 'ok'
  when '/big' then response.body = 'x' * 100_000
  when '/empty' then response.status = 204
  when '/moved'
    response.status = 302
    response['Location'] = '/ok'
  when '/post' then response.body = request.body ? 'read' : ''
  else
    response.status = 404
    response.body = 'there is no such page'
  end
end
trap('TERM') { server.shutdown }
server.start
`;

const PUMA = [{ program: 'puma', debian: 'puma', install: 'apt-get install puma' }];
const LOG = { file: 'access.log', read: readPlainLine };

function puma(name, options) {
  return {
    make: 'puma',
    name,
    needs: PUMA,
    log: LOG,
    more: MORE,
    files: () => ({ 'config.ru': RACK }),
    commands: ({ port, program }) => [
      { command: [program('puma'), '--bind', `tcp://127.0.0.1:${port}`, ...options, 'config.ru'], port },
    ],
  };
}

export const RUBY_SERVERS = [
  puma('five threads', []),
  puma('16 threads, two processes', ['--threads', '16:16', '--workers', '2']),
  {
    make: 'unicorn',
    name: 'two processes, closes after each request',
    log: LOG,
    more: MORE,
    needs: [{ program: 'unicorn', debian: 'unicorn', install: 'apt-get install unicorn' }],
    files: () => ({ 'config.ru': RACK, 'unicorn.rb': 'worker_processes 2\n' }),
    commands: ({ port, program }) => [
      { command: [program('unicorn'), '-l', `127.0.0.1:${port}`, '-c', 'unicorn.rb', 'config.ru'], port },
    ],
  },
  {
    make: 'thin',
    name: 'persistent connections',
    log: LOG,
    more: MORE,
    needs: [{ program: 'thin', debian: 'thin', install: 'apt-get install thin' }],
    files: () => ({ 'config.ru': RACK }),
    commands: ({ port, program }) => [
      {
        command: [program('thin'), '--address', '127.0.0.1', '--port', String(port), '--quiet', 'start'],
        port,
      },
    ],
  },
  {
    make: 'WEBrick',
    name: 'persistent connections',
    log: { ...LOG, bytes: 'body' },
    more: ['/empty', '/moved'],
    needs: [
      {
        file: '/usr/share/rubygems-integration/all/gems/webrick-1.8.1',
        debian: 'ruby-webrick',
        install: 'apt-get install ruby-webrick',
      },
    ],
    files: () => ({ 'server.rb': WEBRICK }),
    commands: ({ port, program }) => [{ command: [program('ruby'), 'server.rb', String(port)], port }],
  },
];

// Who may import whom. Each rule has a name and a sentence why.
const layer = (name) => `^src/${name}/`;
const packages = (...names) => names.map((name) => `^node_modules/${name}/`).join('|');

/** What each layer may import of the others, beside itself. */
const layers = {
  core: [],
  disk: [],
  pattern: ['core'],
  schema: ['core'],
  web: ['core', 'contract'],
  report: ['core', 'web'],
  action: ['core', 'report'],
  contract: ['core', 'schema'],
  config: ['core', 'disk', 'schema', 'pattern'],
  client: ['core', 'contract'],
  apply: ['core'],
  egress: ['core'],
  engine: ['core', 'egress', 'pattern'],
  cluster: ['core', 'engine', 'egress'],
  server: ['core', 'disk', 'schema', 'contract', 'egress', 'pattern'],
};

/** The rooms of the command line, from the top down: each may import itself and those that come after it. */
const rooms = ['commands', 'steps', 'session', 'files', 'terminal', 'render'];
const room = (name) => `^src/cli/${name}/`;

/** Packages and the only layers that may import them; cli joins all and may import any. */
const owners = {
  schema: ['ajv', 'ajv-formats', 'fastest-levenshtein'],
  config: ['yaml'],
  client: ['undici'],
  egress: ['ipaddr.js'],
  pattern: ['re2js'],
  server: ['fastify', 'libsql', 'nodemailer'],
  cluster: ['bullmq', 'ioredis'],
  web: ['preact', 'uplot'],
  cli: ['commander', 'chalk', 'pino', '@clack/prompts', 'log-update'],
};

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Files that import each other in a circle can only be understood all at once. Types count.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'A file that nobody imports and that is no entry is dead.',
      severity: 'error',
      from: {
        orphan: true,
        path: '^src/',
        pathNot:
          '\\.d\\.ts$|^src/(index|action/main|cli/main|engine/thread|web/report-script|web/ui/main)\\.tsx?$|^src/pattern/re2\\.cjs$',
      },
      to: {},
    },
    {
      name: 'no-tests-in-src',
      comment: 'What is shipped must not lean on what tests it.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|examples|bench)/' },
    },
    ...Object.entries(layers).map(([name, allowed]) => ({
      name: `${name}-imports`,
      comment: `${name} may import ${allowed.length === 0 ? 'no other layer' : allowed.join(', ')}.`,
      severity: 'error',
      from: { path: layer(name) },
      to: { path: '^src/', pathNot: [name, ...allowed].map(layer).join('|') },
    })),
    {
      name: 'page-knows-the-contract',
      comment:
        'The page of a service is a client of its API: of the contract it knows the types, and no more.',
      severity: 'error',
      from: { path: layer('web') },
      to: { path: layer('contract'), pathNot: '^src/contract/generated/' },
    },
    ...Object.entries(owners).map(([name, owned]) => ({
      name: `${name}-owns-packages`,
      comment: `${owned.join(', ')} are imported by ${name} only, so that each outside thing has one edge.`,
      severity: 'error',
      from: { path: '^src/', pathNot: layer(name) },
      to: { path: packages(...owned) },
    })),
    {
      name: 'watched-processes-tell-metrics',
      comment: 'What is watched are the service and its workers.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(server|cluster)/' },
      to: { path: packages('prom-client') },
    },
    {
      name: 'tries-again-at-the-edges',
      comment: 'What speaks with a service, and with GitHub, says what is tried again; nothing else does.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(client|action)/' },
      to: { path: packages('p-retry') },
    },
    ...rooms.slice(1).map((name, index) => ({
      name: `cli-${name}-imports-nothing-above`,
      comment: `In cli, imports lead down: main, answer, program, entries, ${rooms.join(', ')}.`,
      severity: 'error',
      from: { path: room(name) },
      to: { path: ['^src/cli/[^/]+$', ...rooms.slice(0, index + 1).map(room)].join('|') },
    })),
    {
      name: 'cli-commands-stand-alone',
      comment: 'A command calls steps, and no other command: what two of them need is a step.',
      severity: 'error',
      from: { path: room('commands') },
      to: { path: ['^src/cli/[^/]+$', room('commands')].join('|') },
    },
    {
      name: 'cli-has-rooms',
      comment: `Beside ${rooms.join(', ')} lie the entry and the table of commands alone.`,
      severity: 'error',
      from: { path: '^src/' },
      to: {
        path: '^src/cli/',
        pathNot: ['^src/cli/(main|run-command|program|commands|options)\\.ts$', ...rooms.map(room)].join('|'),
      },
    },
    {
      name: 'library-calls-no-command',
      comment:
        'For a program, library does what commands do; it shares the rooms below them, and prints nothing.',
      severity: 'error',
      from: { path: layer('library') },
      to: { path: ['^src/cli/[^/]+$', room('commands'), room('render')].join('|') },
    },
    {
      name: 'library-is-for-programs',
      comment: 'Programs get it through src/index.ts; nothing of ours is built on it.',
      severity: 'error',
      from: { path: '^src/', pathNot: `${layer('library')}|^src/index\\.ts$` },
      to: { path: layer('library') },
    },
    {
      name: 'core-is-pure',
      comment: 'Core decides and never does: no Node, no packages.',
      severity: 'error',
      from: { path: layer('core') },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-peer'] },
    },
    {
      name: 'one-door-to-the-network',
      comment:
        'Targets, callbacks and payload files are dialled by egress only, which classifies and pins addresses.',
      severity: 'error',
      from: { path: '^src/', pathNot: layer('egress') },
      to: { path: '^(net|tls|dns|dgram|node:net|node:tls|node:dns)' },
    },
    {
      name: 'threads-belong-to-the-engine',
      comment: 'Only the engine starts threads.',
      severity: 'error',
      from: { path: '^src/', pathNot: layer('engine') },
      to: { path: '^(node:)?worker_threads$' },
    },
    {
      name: 'disk-in-named-places',
      comment:
        'Disk opens files: never through a link, never without a bound. Beside it, the package reads its own schemas, what it puts into reports, what it is made of as a page and what the kernel tells, output-files looks at what is there, and the action writes what the runner asks for.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot:
          '^src/(action/main|disk/|schema/schema-files|report/web-assets|server/web-ui-files|engine/kernel-files|cli/(terminal/(process-control|report)|files/output-files))',
      },
      to: { path: '^(node:)?fs(/promises)?$' },
    },
    {
      name: 'processes-in-named-places',
      comment:
        'Git is called in one place, which keeps it from running what a repository names; beside it, the commands that the file names are started, the browser for the page, and what the action runs.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/(action/main|cli/(files/git|session/(browser|publish-token|web-server)))\\.ts$',
      },
      to: { path: '^(node:)?child_process$' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'src/tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};

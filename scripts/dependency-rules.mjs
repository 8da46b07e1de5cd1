// Rules for imports between modules. Each rule has a name and a comment that states its reason.
const layer = (name) => `^src/${name}/`;
const packages = (...names) => names.map((name) => `^node_modules/${name}/`).join('|');

/** The layers that each layer may import, in addition to itself. */
const layers = {
  core: [],
  disk: ['core'],
  pattern: ['core'],
  certificate: ['core'],
  retry: [],
  schema: ['core'],
  web: ['core', 'contract'],
  report: ['core', 'web'],
  action: ['core', 'disk', 'report', 'retry'],
  formats: ['core'],
  contract: ['core', 'schema'],
  config: ['core', 'disk', 'schema', 'pattern', 'certificate'],
  client: ['core', 'contract', 'retry'],
  apply: ['core', 'retry'],
  egress: ['core'],
  engine: ['core', 'egress', 'pattern'],
  cluster: ['core', 'schema', 'engine', 'egress'],
  server: ['core', 'disk', 'schema', 'contract', 'egress', 'pattern', 'certificate'],
};

/** The modules of src/cli, from top to bottom: each may import itself and the modules after it. */
const modules = ['commands', 'steps', 'session', 'files', 'terminal', 'render'];
const moduleOf = (name) => `^src/cli/${name}/`;

/** The layers of src/core, from bottom to top: each may import itself, the ones before it, and the files of core. */
const coreLayers = ['model', 'intake', 'load', 'run-record', 'ports', 'compare', 'reconcile', 'report'];
const coreLayerOf = (name) => `^src/core/${name}/`;

/**
 * Packages and the only layer that may import them. The cli layer composes the program and may import any.
 */
const owners = {
  schema: ['ajv', 'ajv-formats', 'fastest-levenshtein'],
  egress: ['ipaddr.js'],
  pattern: ['re2js'],
  retry: ['p-retry'],
  server: ['fastify', 'libsql', 'nodemailer'],
  cluster: ['ioredis'],
  formats: ['acorn', 'sax'],
  web: ['preact', 'uplot'],
  cli: ['commander', 'chalk', 'pino', '@clack/prompts', 'log-update'],
};

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Import cycles are not allowed, including cycles of type imports.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'A file that is not an entry point and has no importer is dead code.',
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
      comment: 'Shipped code must not import tests, examples or benchmarks.',
      from: { path: '^src/' },
      to: { path: '^(test|examples|bench)/' },
    },
    ...Object.entries(layers).map(([name, allowed]) => ({
      name: `${name}-imports`,
      comment: `${name} may import ${allowed.length === 0 ? 'no other layer' : allowed.join(', ')}.`,
      from: { path: layer(name) },
      to: { path: '^src/', pathNot: [name, ...allowed].map(layer).join('|') },
    })),
    {
      name: 'web-ui-imports-contract-types',
      comment: 'The web UI is a client of the API and may import only the generated types of the contract.',
      from: { path: layer('web') },
      to: { path: layer('contract'), pathNot: '^src/contract/generated/' },
    },
    ...Object.entries(owners).map(([name, owned]) => ({
      name: `${name}-owns-packages`,
      comment: `${owned.join(', ')} may be imported by ${name} only, so that each package has one entry point into the code.`,
      from: { path: '^src/', pathNot: layer(name) },
      to: { path: packages(...owned) },
    })),
    {
      name: 'undici-of-client-and-action',
      comment: 'Only the client of the service and that of GitHub send HTTP requests.',
      from: { path: '^src/', pathNot: '^src/(client|action)/' },
      to: { path: packages('undici') },
    },
    {
      name: 'yaml-of-config-and-formats',
      comment: 'Only the configuration file and the sources of imports are YAML.',
      from: { path: '^src/', pathNot: '^src/(config|formats)/' },
      to: { path: packages('yaml') },
    },
    {
      name: 'metrics-of-service-and-workers',
      comment: 'Only the service and its workers expose metrics.',
      from: { path: '^src/', pathNot: '^src/(server|cluster)/' },
      to: { path: packages('prom-client') },
    },
    ...modules.slice(1).map((name, index) => ({
      name: `cli-${name}-imports-nothing-above`,
      comment: `Modules of cli may import only modules that come later: main, run-command, program, commands, ${modules.join(', ')}.`,
      from: { path: moduleOf(name) },
      to: { path: ['^src/cli/[^/]+$', ...modules.slice(0, index + 1).map(moduleOf)].join('|') },
    })),
    {
      name: 'cli-commands-are-independent',
      comment: 'A command must not import another command. Shared code belongs in steps.',
      from: { path: moduleOf('commands') },
      to: { path: ['^src/cli/[^/]+$', moduleOf('commands')].join('|') },
    },
    {
      name: 'cli-has-modules',
      comment: `Next to ${modules.join(', ')}, src/cli contains only the entry point and the command table.`,
      from: { path: '^src/' },
      to: {
        path: '^src/cli/',
        pathNot: [
          '^src/cli/(main|run-command|program|commands|options)\\.ts$',
          ...modules.map(moduleOf),
        ].join('|'),
      },
    },
    {
      name: 'library-imports-no-command',
      comment:
        'The library must not import commands or terminal rendering; it shares the modules below them.',
      from: { path: layer('library') },
      to: { path: ['^src/cli/[^/]+$', moduleOf('commands'), moduleOf('render')].join('|') },
    },
    {
      name: 'library-is-for-programs',
      comment: 'The library is exported through src/index.ts, and no other code imports it.',
      from: { path: '^src/', pathNot: `${layer('library')}|^src/index\\.ts$` },
      to: { path: layer('library') },
    },
    ...coreLayers.slice(0, -1).map((name, index) => ({
      name: `core-${name}-imports-nothing-above`,
      comment: `Layers of core may import only earlier layers: ${coreLayers.join(', ')}.`,
      from: { path: coreLayerOf(name) },
      to: {
        path: coreLayers
          .slice(index + 1)
          .map(coreLayerOf)
          .join('|'),
      },
    })),
    {
      name: 'core-files-import-no-layer',
      comment: 'The files of core that belong to no layer are for all layers, and import only each other.',
      from: { path: '^src/core/[^/]+$' },
      to: { path: '^src/core/[^/]+/' },
    },
    {
      name: 'core-has-layers',
      comment: `Each folder of core is one of its layers: ${coreLayers.join(', ')}.`,
      from: { path: '^src/' },
      to: { path: '^src/core/[^/]+/', pathNot: coreLayers.map(coreLayerOf).join('|') },
    },
    {
      name: 'core-is-pure',
      comment: 'The core layer is pure: it imports neither Node modules nor packages.',
      from: { path: layer('core') },
      to: { dependencyTypes: ['core', 'npm', 'npm-dev', 'npm-optional', 'npm-peer'] },
    },
    {
      name: 'network-in-egress',
      comment:
        'Only egress opens connections to targets, callbacks and payload files, because it classifies and pins addresses.',
      from: { path: '^src/', pathNot: layer('egress') },
      to: { path: '^(net|tls|dns|dgram|node:net|node:tls|node:dns)' },
    },
    {
      name: 'threads-belong-to-the-engine',
      comment: 'Only the engine starts threads.',
      from: { path: '^src/', pathNot: layer('engine') },
      to: { path: '^(node:)?worker_threads$' },
    },
    {
      name: 'files-in-disk',
      comment:
        'Only disk opens files, never through a link and never without a size limit. Exceptions: the files of the package itself, kernel files, the check of output files, and the files that the GitHub runner reads.',
      from: {
        path: '^src/',
        pathNot:
          '^src/(action/main|disk/|schema/schema-files|report/html-report|server/web-ui-files|engine/kernel-files|cli/(terminal/(process-control|report)|files/output-files))',
      },
      to: { path: '^(node:)?fs(/promises)?$' },
    },
    {
      name: 'processes-in-few-places',
      comment:
        'Processes are started in few places: git with safe options, the commands of the configuration file, the browser for the web UI, the command of a recording, and the commands of the action.',
      from: {
        path: '^src/',
        pathNot:
          '^src/(action/main|cli/(files/git|session/(browser|publish-token|recorded-command|web-server)))\\.ts$',
      },
      to: { path: '^(node:)?child_process$' },
    },
  ].map((rule) => ({ ...rule, severity: 'error' })),
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'src/tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};

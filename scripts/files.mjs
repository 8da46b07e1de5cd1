// Into which files the command line is cut. esbuild makes a file of its own for each set of entries that share a
// module, nearly as many as there are modules, and each takes a third of a millisecond to load. So what most entries
// of a kind need is given to all of that kind: it is one file then.
import { readFileSync, readdirSync } from 'node:fs';
import { extname, join, relative } from 'node:path';

const COMMANDS = 'src/cli/commands';
const WITHOUT_FILE = ['completion', 'explain', 'init', 'schema', 'serve'];
const WITHOUT_SERVICE = [...WITHOUT_FILE, 'complete', 'validate'];

const commands = readdirSync(COMMANDS);
const commandsBut = (names) =>
  commands
    .filter((file) => !names.includes(file.slice(0, -'.ts'.length)))
    .map((file) => `${COMMANDS}/${file}`);
const modulesOf = (folder) =>
  readdirSync(folder).flatMap((file) => (file.endsWith('.ts') ? [`${folder}/${file}`] : []));

const COMMAND_LINE = [
  'src/cli/main.ts',
  'src/cli/files/output-files.ts',
  'src/cli/session/embedded.ts',
  ...commandsBut([]),
];
const PARTS = [
  'src/cli/terminal/interactive.ts',
  'src/client/client.ts',
  'src/server/prometheus.ts',
  'src/server/domain/mail.ts',
  'node_modules/chalk/source/index.js',
];

/** Modules, with all that they import, and the entries that get them. */
const GROUPS = [
  {
    modules: [
      ...modulesOf('src/core'),
      ...modulesOf('src/core/model'),
      'src/core/load/expression.ts',
      'src/contract/routes.ts',
      'src/schema/nearest.ts',
      'src/cli/terminal/outcome.ts',
      'src/cli/files/data-folder.ts',
    ],
    entries: [...COMMAND_LINE, ...PARTS, 'src/index.ts'],
  },
  {
    modules: ['src/cli/files/project.ts'],
    entries: ['src/cli/files/output-files.ts', 'src/index.ts', ...commandsBut(WITHOUT_FILE)],
  },
  { modules: modulesOf('src/core/reconcile'), entries: ['src/index.ts', ...commandsBut(WITHOUT_SERVICE)] },
  {
    modules: [
      'src/apply/saved-plan.ts',
      'src/cli/steps/carry-out.ts',
      'src/cli/steps/observe.ts',
      'src/cli/steps/planning.ts',
      'src/cli/session/session.ts',
      'src/cli/render/plan.ts',
    ],
    entries: commandsBut(WITHOUT_SERVICE),
  },
];

/** For esbuild. `root`: the folder that the paths above begin in. */
export function groupedFiles(root) {
  return {
    name: 'grouped-files',
    setup(build) {
      build.onLoad({ filter: /\.[jt]s$/ }, ({ path }) => {
        const groups = GROUPS.filter(({ entries }) => entries.includes(relative(root, path)));
        if (groups.length === 0) return undefined;
        const imports = groups.flatMap(({ modules }) =>
          modules.map((one) => `import ${JSON.stringify(join(root, one))};`),
        );
        return {
          contents: `${readFileSync(path, 'utf8')}\n${imports.join('\n')}\n`,
          loader: extname(path).slice(1),
        };
      });
    },
  };
}

// Node's own modules, asked for by a call. `import` of one reads all that it exports, also what loads further
// modules by being read: for some that takes milliseconds, at each start of each command.
import { isBuiltin } from 'node:module';

const IMPORT =
  /^import (?<all>\* as )?(?:(?<whole>[\w$]+)(?:, )?)?(?<names>\{[^}]*\})? from "(?<module>[^"]+)";$/gm;

/**
 * @param imports what esbuild's metafile says of the output: a statement that is not found must not go unnoticed,
 *        nor a text that only looks like one.
 */
export function withBuiltinsByCall(text, imports) {
  let found = 0;
  const result = text.replaceAll(IMPORT, (statement, ...matched) => {
    const { all, whole, names, module } = matched.at(-1);
    if (!isBuiltin(module)) return statement;
    found++;
    if (all !== undefined && text.includes(`${whole}.default`))
      throw new Error(`${module} has no default by a call`);
    // chalk calls one of its own variables `process`.
    const variables = [whole, names?.replaceAll(' as ', ': ')].filter((one) => one !== undefined);
    return `var ${variables.map((one) => `${one} = globalThis.process.getBuiltinModule("${module}")`).join(', ')};`;
  });
  const expected = imports.filter(({ path, kind }) => kind === 'import-statement' && isBuiltin(path)).length;
  if (found !== expected)
    throw new Error(`${found} imports of Node's modules were found, and not ${expected}`);
  return result;
}

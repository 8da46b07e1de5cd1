// Bundles the declarations that `tsc -b` wrote into dist/index.d.ts. Internal types are not exported.
import { fileURLToPath } from 'node:url';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

// The declarations of the language itself have no effect on the bundle.
const compilerOptions = { noLib: true, types: [] };
const bundle = await rollup({ input: 'dist/types/index.d.ts', plugins: [dts({ compilerOptions })] });
const { output } = await bundle.write({ file: 'dist/index.d.ts' });
const imports = output.flatMap((file) => file.imports ?? []);
if (imports.length > 0) throw new Error(`the declarations import ${imports.join(', ')}`);

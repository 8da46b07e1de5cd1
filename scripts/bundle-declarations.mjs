// Bundles the declarations that `tsc -b` wrote into dist/index.d.ts. Internal types are not exported.
import { fileURLToPath } from 'node:url';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const bundle = await rollup({ input: 'dist/types/index.d.ts', plugins: [dts()] });
const { output } = await bundle.write({ file: 'dist/index.d.ts' });
const imports = output.flatMap((file) => file.imports ?? []);
if (imports.length > 0) throw new Error(`the declarations import ${imports.join(', ')}`);

// One declaration file, dist/index.d.ts, of those that `tsc -b` wrote: what is internal stays out.
import { fileURLToPath } from 'node:url';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const bundle = await rollup({ input: 'dist/types/index.d.ts', plugins: [dts()] });
const { output } = await bundle.write({ file: 'dist/index.d.ts' });
const imports = output.flatMap((file) => file.imports ?? []);
if (imports.length > 0) throw new Error(`the declarations import ${imports.join(', ')}`);

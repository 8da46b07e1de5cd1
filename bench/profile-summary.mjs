// Prints the functions of a CPU profile by self time. Usage: node bench/profile-summary.mjs FILE.cpuprofile
// [LINES] `npm run bench -- --profile DIRECTORY` writes profiles of the engine thread; `node --cpu-prof`
// writes others.
import { readFileSync } from 'node:fs';

const [file, lines = '25'] = process.argv.slice(2);
const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8'));
const byId = new Map(nodes.map((node) => [node.id, node]));
const self = new Map();
samples.forEach((id, at) => {
  const name = nameOf(byId.get(id).callFrame);
  self.set(name, (self.get(name) ?? 0) + timeDeltas[at] / 1000);
});
const idle = self.get('(idle)') ?? 0;
self.delete('(idle)');
const busy = [...self.values()].reduce((sum, ms) => sum + ms, 0);
console.log(`${busy.toFixed(0)} ms busy, ${idle.toFixed(0)} ms idle`);
for (const [name, ms] of [...self].sort(([, a], [, b]) => b - a).slice(0, Number(lines))) {
  console.log(`${((ms / busy) * 100).toFixed(1).padStart(5)} %  ${ms.toFixed(1).padStart(8)} ms  ${name}`);
}

function nameOf({ functionName, url, lineNumber }) {
  const location = url === '' ? '' : `  ${url.split('/').at(-1)}:${lineNumber + 1}`;
  return `${functionName || '(anonymous)'}${location}`;
}

// Converts the JSON document of a command to a report of GitLab: a plan to counts for the Terraform widget, and the
// runs of apply or run to metrics in the OpenMetrics format. Usage: node gitlab-reports.mjs FILE
import { readFileSync } from 'node:fs';

const document = JSON.parse(readFileSync(process.argv[2], 'utf8'));
process.stdout.write(
  'runs' in document ? metricsOf(document.runs) : JSON.stringify(countsOf(document)) + '\n',
);

function countsOf({ summary = {} }) {
  const { register = 0, create = 0, replace = 0, stop = 0 } = summary;
  return { create: register + create, update: replace, delete: stop };
}

function metricsOf(runs) {
  const lines = runs.flatMap(({ address, metrics }) =>
    Object.entries(metrics ?? {}).map(
      ([name, value]) => `loadtests_${name.replaceAll(/\W/g, '_')}{test="${labelOf(address)}"} ${value}\n`,
    ),
  );
  return `${lines.sort().join('')}# EOF\n`;
}

function labelOf(address) {
  return address
    .replace(/^test\./, '')
    .replaceAll(/[\\"]/g, '\\$&')
    .replaceAll('\n', '\\n');
}

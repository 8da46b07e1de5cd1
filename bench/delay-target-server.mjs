// A target that responds after a delay and counts its requests. Messages on its channel:
// - { delay: 'fixed' | 'spread', ms } sets the delay and resets the counts.
// - { report: true } requests { requests, answered, p50, p95, p99 }.
import { createServer } from 'node:http';

let delayOf = () => 0;
let requests = 0;
let durations = [];

const server = createServer((request, response) => {
  const startedAt = performance.now();
  requests++;
  setTimeout(() => {
    response.end('ok', () => durations.push(performance.now() - startedAt));
  }, delayOf());
});
server.keepAliveTimeout = 60_000;

process.on('message', (command) => {
  if (command.report === true) process.send(report());
  else {
    requests = 0;
    durations = [];
    delayOf = command.delay === 'fixed' ? () => command.ms : exponential(command.ms);
  }
});
// The channel closes when the parent exits for any reason.
process.on('disconnect', () => process.exit());
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  process.send({ port: server.address().port }),
);

function report() {
  const sorted = durations.sort((a, b) => a - b);
  const percentile = (fraction) => sorted[Math.max(0, Math.ceil(sorted.length * fraction) - 1)] ?? null;
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map(percentile);
  return { requests, answered: sorted.length, p50, p95, p99 };
}

/**
 * Returns exponential delays that are equal in every run. The distribution is continuous, so no percentile
 * falls on a step.
 */
function exponential(mean) {
  let state = 1;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return Math.min(20 - mean * Math.log(1 - state / 4_294_967_296), 2000);
  };
}

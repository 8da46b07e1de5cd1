// A target that answers after a while and keeps its own books. It is told by messages:
//   { delay: 'fixed' | 'spread', ms }  how long, from now on; the books begin anew
//   { report: true }                   answered with { requests, answered, p50, p99 }
import { createServer } from 'node:http';

let delayOf = () => 0;
let requests = 0;
let took = [];

const server = createServer((request, response) => {
  const begun = performance.now();
  requests++;
  setTimeout(() => {
    response.end('ok', () => took.push(performance.now() - begun));
  }, delayOf());
});
server.keepAliveTimeout = 60_000;

process.on('message', (order) => {
  if (order.report === true) process.send(report());
  else {
    requests = 0;
    took = [];
    delayOf = order.delay === 'fixed' ? () => order.ms : spread(order.ms);
  }
});
// However its parent ended.
process.on('disconnect', () => process.exit());
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  process.send({ port: server.address().port }),
);

function report() {
  const sorted = took.sort((a, b) => a - b);
  const percentile = (share) => sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
  return { requests, answered: sorted.length, p50: percentile(0.5), p99: percentile(0.99) };
}

/** Mostly short, sometimes long, the same in every run: exponential, so that no percentile lies on a step. */
function spread(mean) {
  let state = 1;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return Math.min(20 - mean * Math.log(1 - state / 4_294_967_296), 2000);
  };
}

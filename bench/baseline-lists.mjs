// The minimum work of a plan: fetches and parses both lists. Usage: node baseline-lists.mjs ORIGIN
const [origin] = process.argv.slice(2);
const { fetch } = globalThis;
const lists = await Promise.all(
  ['/v2/apps', '/v2/tests'].map(async (path) => await (await fetch(origin + path)).json()),
);
console.log(lists.map((list) => list.length).join(' '));

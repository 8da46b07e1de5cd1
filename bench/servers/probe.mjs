/** One request of each kind before the load: how many bytes its answer has. */
import { once } from 'node:events';
import { Agent, request } from 'node:http';

const MARK = '?probe';

/** Whether a line of the log is one of these requests. */
export function isProbe({ path }) {
  return path.endsWith(MARK);
}

/** Method and path, without the mark, to bytes of the whole answer. */
export async function probeSizes({ port, headers, paths, post, body }) {
  const sizes = new Map();
  for (const path of paths) sizes.set(`GET ${path}`, await sizeOf({ port, headers, path, body: '' }));
  sizes.set(`POST ${post}`, await sizeOf({ port, headers, path: post, body }));
  return sizes;
}

/**
 * The same where the log has bodies only: what came beyond the body of a probe comes with every such answer. Null
 * for those that have no probe.
 */
export function withHeads(requests, sizes) {
  const keyOf = ({ method, path }) => `${method} ${path.replace(MARK, '')}`;
  const heads = new Map();
  for (const one of requests.filter(isProbe)) {
    heads.set(`${keyOf(one)} ${one.status}`, sizes.get(keyOf(one)) - one.bytesOut);
  }
  return requests.map((one) => {
    const head = heads.get(`${keyOf(one)} ${one.status}`);
    return { ...one, bytesOut: head === undefined ? null : one.bytesOut + head };
  });
}

async function sizeOf({ port, headers, path, body }) {
  const agent = new Agent({ keepAlive: true });
  const fields = {
    Host: `target.test:${port}`,
    ...Object.fromEntries(headers.map(({ name, value }) => [name, value])),
  };
  if (body !== '') fields['Content-Length'] = body.length;
  const asked = request({
    ...{ host: '127.0.0.1', port, agent, headers: fields },
    ...{ method: body === '' ? 'GET' : 'POST', path: path + MARK },
  });
  // As the engine: some answers say more to those who do.
  asked.removeHeader('Connection');
  try {
    asked.end(body);
    const [answer] = await once(asked, 'response');
    const { socket } = answer;
    answer.resume();
    await once(answer, 'end');
    return socket.bytesRead;
  } finally {
    agent.destroy();
  }
}

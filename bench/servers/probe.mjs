/** Probes: one request of each kind before the load, to measure the bytes of its response. */
import { once } from 'node:events';
import { Agent, request } from 'node:http';

const PROBE_QUERY = '?probe';

/** Reports whether a line of the log is a probe. */
export function isProbe({ path }) {
  return path.endsWith(PROBE_QUERY);
}

/** Returns the bytes of complete responses by method and path. */
export async function probeSizes({ port, headers, paths, post, body }) {
  const sizes = new Map();
  for (const path of paths) sizes.set(`GET ${path}`, await sizeOf({ port, headers, path, body: '' }));
  sizes.set(`POST ${post}`, await sizeOf({ port, headers, path: post, body }));
  return sizes;
}

/**
 * Adds the header bytes to requests of a log that counts only bodies: the bytes of a probe's response beyond
 * its body are the same in every such response. Null for requests without a probe.
 */
export function withHeaderBytes(requests, sizes) {
  const keyOf = ({ method, path }) => `${method} ${path.replace(PROBE_QUERY, '')}`;
  const headerBytes = new Map();
  for (const one of requests.filter(isProbe)) {
    headerBytes.set(`${keyOf(one)} ${one.status}`, sizes.get(keyOf(one)) - one.bytesOut);
  }
  return requests.map((one) => {
    const headerLength = headerBytes.get(`${keyOf(one)} ${one.status}`);
    return { ...one, bytesOut: headerLength === undefined ? null : one.bytesOut + headerLength };
  });
}

async function sizeOf({ port, headers, path, body }) {
  const agent = new Agent({ keepAlive: true });
  const fields = {
    Host: `target.test:${port}`,
    ...Object.fromEntries(headers.map(({ name, value }) => [name, value])),
  };
  if (body !== '') fields['Content-Length'] = body.length;
  const sent = request({
    host: '127.0.0.1',
    port,
    agent,
    headers: fields,
    method: body === '' ? 'GET' : 'POST',
    path: path + PROBE_QUERY,
  });
  // Like the engine, because some servers add headers to the response otherwise.
  sent.removeHeader('Connection');
  try {
    sent.end(body);
    const [response] = await once(sent, 'response');
    const { socket } = response;
    response.resume();
    await once(response, 'end');
    return socket.bytesRead;
  } finally {
    agent.destroy();
  }
}

/**
 * Readers of access log lines. A reader returns null for a line that is not a request, and undefined for a
 * line that is ignored.
 */

/**
 * Reads `GET /path HTTP/1.1 200 120 80`: the request, the status, and the bytes of the response and of the
 * request. This is the format of our server configurations; version and bytes are optional.
 */
export function readPlainLine(line) {
  const match = /^(GET|POST) (\S+)(?: (?:HTTP\/)?1\.[01]"?)? (\d{3})(?: (\d+|-))?(?: (\d+))?(?: \w+)*$/.exec(
    line,
  );
  if (match === null) return null;
  const [, method, path, status, bytesOut, bytesIn] = match;
  return { method, path, status: Number(status), bytesOut: numberOf(bytesOut), bytesIn: numberOf(bytesIn) };
}

/**
 * Reads the same format and ignores all other lines, for servers that write other messages to the same log.
 */
export function readMatchingLine(line) {
  return readPlainLine(line) ?? undefined;
}

/**
 * Reads the same format at the end of a line, after any prefix of the server, and ignores all other lines.
 */
export function readAfterPrefix(line) {
  const at = line.search(/(GET|POST) \//);
  return at < 0 ? undefined : (readPlainLine(line.slice(at)) ?? undefined);
}

function numberOf(text) {
  if (text === undefined) return null;
  return text === '-' ? 0 : Number(text);
}

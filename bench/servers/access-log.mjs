/** Lines of access logs as requests. A reader gives null for a line that is none, undefined for one to be left out. */

/**
 * `GET /path HTTP/1.1 200 120 80`: the request, status, bytes of the answer and of the request, as our configurations
 * ask for it. The version and bytes may be missing.
 */
export function readPlainLine(line) {
  const match = /^(GET|POST) (\S+)(?: (?:HTTP\/)?1\.[01]"?)? (\d{3})(?: (\d+|-))?(?: (\d+))?(?: \w+)*$/.exec(
    line,
  );
  if (match === null) return null;
  const [, method, path, status, out, into] = match;
  return { method, path, status: Number(status), bytesOut: numberOf(out), bytesIn: numberOf(into) };
}

/** Leaves out whatever does not begin as a request: for servers that write their log beside other messages. */
export function readAmongOthers(line) {
  return readPlainLine(line) ?? undefined;
}

/** Reads the same at the end of a line, behind whatever the server writes before it, and leaves out what is none. */
export function readBehind(line) {
  const at = line.search(/(GET|POST) \//);
  return at < 0 ? undefined : (readPlainLine(line.slice(at)) ?? undefined);
}

function numberOf(text) {
  if (text === undefined) return null;
  return text === '-' ? 0 : Number(text);
}

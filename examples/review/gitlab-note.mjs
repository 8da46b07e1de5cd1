// Writes a file as a note in the merge request of the job, or updates the note of an earlier job. The token is read from
// GITLAB_TOKEN. Usage: node gitlab-note.mjs FILE
import { readFileSync } from 'node:fs';

const MARKER = '<!-- loadtests -->';
const { CI_API_V4_URL: api, CI_PROJECT_ID: project, CI_MERGE_REQUEST_IID: request } = process.env;
const notes = `${api}/projects/${project}/merge_requests/${request}/notes`;
const body = `${MARKER}\n${readFileSync(process.argv[2], 'utf8')}`;

const { id: user } = await send('GET', `${api}/user`);
const own = await findOwnNote(user);
const isQuiet = /^### loadtests: no changes/.test(body.slice(MARKER.length + 1));
if (own !== null) await send('PUT', `${notes}/${own}`, { body });
else if (!isQuiet) await send('POST', notes, { body });

/** Returns the ID of the note that the user of the token wrote; anyone else can copy the marker. */
async function findOwnNote(user) {
  for (let page = 1; ; page++) {
    const list = await send('GET', `${notes}?per_page=100&page=${page}`);
    const found = list.find((note) => note.author.id === user && note.body.startsWith(MARKER));
    if (found !== undefined) return found.id;
    if (list.length < 100) return null;
  }
}

async function send(method, url, content) {
  const response = await fetch(url, {
    method,
    headers: { 'private-token': process.env.GITLAB_TOKEN ?? '', 'content-type': 'application/json' },
    ...(content === undefined ? {} : { body: JSON.stringify(content) }),
    signal: AbortSignal.timeout(30_000),
  });
  if (!response.ok) throw new Error(`GitLab responded with status ${response.status} to ${method} ${url}`);
  return await response.json();
}

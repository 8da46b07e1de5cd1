// Checks the subjects of all commits after the one that added this file: "area: Verb …", imperative, at most 72 characters.
import { execFileSync } from 'node:child_process';

const MAX_LENGTH = 72;
const FORM = /^[a-z][a-z0-9/-]*: [A-Z][a-z]+/;
const NOT_IMPERATIVE =
  /^(?!(Pass|Process|Address|Access|Focus|Compress|Suppress|Express|Bring|Embed|Feed|Need|Speed|Shed|Seed|Bypass|Canvas|Discuss|Dismiss|Assess|Bless)$)\w+(s|ed|ing)$/;

const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();
const [added] = git('log', '--diff-filter=A', '--format=%H', '--', 'scripts/commit-subjects.mjs').split('\n');
const subjects = added
  ? git('log', '--no-merges', '--format=%h %s', `${added}..HEAD`).split('\n').filter(Boolean)
  : [];

const findings = subjects.flatMap((line) => {
  const [hash, ...words] = line.split(' ');
  const subject = words.join(' ');
  const verb = /: (\w+)/.exec(subject)?.[1] ?? '';
  return [
    [subject.length > MAX_LENGTH, `has ${subject.length} characters; at most ${MAX_LENGTH} are allowed`],
    [!FORM.test(subject), 'does not have the form "area: Verb …"'],
    [NOT_IMPERATIVE.test(verb), `does not start with an imperative verb: "${verb}"`],
  ].flatMap(([wrong, what]) => (wrong ? [`${hash} "${subject}" ${what}`] : []));
});
for (const finding of findings) console.log(finding);
if (findings.length > 0) process.exitCode = 1;

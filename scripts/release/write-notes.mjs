// Prints the text of a GitHub release: the changelog's section, the image, how it was tried against GitHub, and what was never
// tried. VERSION IMAGE "DIGEST DIGEST". Ends with 1 where the changelog has no section of the version.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.join(import.meta.dirname, '..', '..');
const read = (...place) => readFileSync(path.join(ROOT, ...place), 'utf8');

/** The lines between the version's heading and the next one; null where there is no such heading. */
export function readChanges(changelog, version) {
  const sections = changelog.split(/^## /m).slice(1);
  const own = sections.find((section) => section.split(/[\s(]/, 1)[0] === version);
  return own === undefined ? null : own.slice(own.indexOf('\n')).trim();
}

/** `table`: what `npm run try-github` printed for this version; null where it was not run. */
export function writeNotes({ changes, image, digests, table, untried }) {
  return [
    changes,
    '## Image',
    digests.map((digest) => `- \`${image}@${digest}\``).join('\n'),
    '## Tried against GitHub',
    table ?? 'Not tried against github.com: `npm run try-github` was not run for this version.',
    '## Not tried',
    untried.map((what) => `- ${what}`).join('\n'),
  ].join('\n\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [version = '', image = '', digests = ''] = process.argv.slice(2);
  const changes = readChanges(read('CHANGELOG.md'), version);
  const table = path.join('docs', 'try-github', `${version}.md`);
  if (changes === null) {
    console.error(`CHANGELOG.md has no section "## ${version}".`);
    process.exitCode = 1;
  } else {
    console.log(
      writeNotes({
        changes,
        image,
        digests: digests.split(' '),
        table: existsSync(path.join(ROOT, table)) ? read(table).trim() : null,
        untried: JSON.parse(read('scripts', 'release', 'untried.json')),
      }),
    );
  }
}

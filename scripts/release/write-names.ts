// Writes where Causeway is to be had into the pages that say so, from two fields of package.json: `published.scope`, the npm scope of
// who publishes it (the plain name belongs to others), and `published.repository`, its address. `npm run write:names` after a change.
// While they are empty the pages speak of "your copy" and name nobody.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderWorkflow } from '../../src/github/configuration/workflow-file.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
/** In Markdown a passage is between `<!-- published: KEY -->` and `<!-- /published -->`. */
const PASSAGE = /(<!-- published: (\w+) -->\n)[\s\S]*?(<!-- \/published -->)/g;
const APP_URL = /^url: .*$/m;

export interface Published {
  /** Such as `@acme`; "" while nobody publishes it. */
  readonly scope: string;
  /** Such as `https://github.com/acme/causeway`; "" while it is nowhere. */
  readonly repository: string;
}

/** The files with something to write, from the root. */
export const NAMED_FILES = ['README.md', 'docs/install.md', 'docs/action.md', 'app.yml'];

/** `published`: as package.json has it. The same names give the same text. */
export function writeNames(file: string, text: string, published: Published): string {
  if (file === 'app.yml')
    return text.replace(APP_URL, `url: ${published.repository || 'https://causeway.example.com'}`);
  return text.replaceAll(PASSAGE, (_passage, before: string, key: string, after: string) => {
    const write = PASSAGES[key];
    if (write === undefined) throw new Error(`${file} has a passage "${key}", which nothing writes.`);
    return `${before}${write(published)}\n${after}`;
  });
}

/** What npm knows the package by; null while nobody publishes it. */
export function packageName({ scope }: Published): string | null {
  return scope === '' ? null : `${scope}/causeway`;
}

/** Where npm sends the package's people; nothing while nobody publishes it. */
export function placesOf({ repository }: Published): Readonly<Record<string, string>> {
  if (repository === '') return {};
  return { repository: `git+${repository}.git`, bugs: `${repository}/issues`, homepage: `${repository}#readme` };
}

const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));

const shell = (...lines: readonly string[]) => ['```sh', ...lines, '```'].join('\n');

const START = 'npm start              # PORT=3001 npm start where 3000 is taken';

const PASSAGES: Readonly<Record<string, (published: Published) => string>> = {
  start: (published) => {
    const { repository } = published;
    const name = packageName(published);
    const clone =
      repository === ''
        ? ['In your copy of this repository:', shell(START)]
        : [shell(`git clone ${repository} causeway && cd causeway`, START)];
    const npx = name === null ? [] : ['Or without a clone, on Node 24 or newer:', shell(`npx ${name} serve`)];
    return [...clone, ...npx].join('\n\n');
  },
  /** What `causeway init --mode fix --model gpt-5.6-terra` writes. */
  workflow: ({ repository }) => {
    const owner = repository === '' ? 'OWNER/NAME' : new URL(repository).pathname.slice(1);
    const [major] = version.split('.');
    const uses = `${owner}@v${major}${repository === '' ? '   # where your copy is published' : ''}`;
    const asked = { mode: 'fix', model: 'gpt-5.6-terra', key: 'OPENAI_API_KEY', watched: ['CI'] } as const;
    return ['```yaml', renderWorkflow({ uses, ...asked }).trimEnd(), '```'].join('\n');
  },
  package: (published) => {
    const name = packageName(published);
    if (name !== null) {
      return shell(
        `npm install --global ${name}     # then: causeway serve, causeway analyse …`,
        `npx ${name} serve                # without an installation`,
      );
    }
    const made = 'Nobody publishes your copy yet. It makes the same package, which installs like any other:';
    return [
      made,
      shell(
        'npm run pack:release                                # writes release/causeway-VERSION.tgz',
        'npm install --global ./release/causeway-*.tgz       # then: causeway serve, causeway analyse …',
      ),
    ].join('\n\n');
  },
  local: ({ repository }) =>
    shell(
      ...(repository === '' ? [] : [`git clone ${repository} causeway && cd causeway`]),
      'npm start                                        # the repository around the current folder, and a demo project',
      'PROJECTS=~/code/shop:~/code/pay npm start        # these (separated by ":"; ";" on Windows)',
    ),
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { published } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  for (const file of NAMED_FILES) {
    const place = path.join(ROOT, file);
    writeFileSync(place, writeNames(file, readFileSync(place, 'utf8'), published));
  }
}

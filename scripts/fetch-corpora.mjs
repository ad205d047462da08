// Brings the public corpora that the long runs use into a cache folder, each at a fixed commit. Nothing of them is part of this repository.
// Usage: node scripts/fetch-corpora.mjs [folder]   (default: node_modules/.cache/corpora, or CORPORA)
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');
const folder = path.resolve(
  process.argv[2] ?? process.env['CORPORA'] ?? path.join(ROOT, 'node_modules/.cache/corpora'),
);

/** Licences: MIT, MIT, Apache-2.0; read where they are, not copied. `files`: what of it is kept, under which name. */
const CORPORA = [
  {
    name: 'json-test-suite',
    url: 'https://github.com/nst/JSONTestSuite',
    commit: '1ef36fa01286573e846ac449e8683f8833c5b26a',
    pick: 'test_parsing',
  },
  {
    name: 'naughty-strings',
    url: 'https://github.com/minimaxir/big-list-of-naughty-strings',
    commit: 'db33ec7b1d5d9616a88c76394b7d0897bd0b97eb',
    pick: 'blns.json',
  },
  {
    name: 'wycheproof',
    url: 'https://github.com/C2SP/wycheproof',
    commit: 'dac1dd4729fd1f8dd9e1e9f3dce51d783da6c166',
    pick: 'testvectors_v1/hmac_sha256_test.json',
  },
];

mkdirSync(folder, { recursive: true });
for (const { name, url, commit, pick } of CORPORA) {
  const work = mkdtempSync(path.join(folder, 'fetching-'));
  const git = (args, input = '') => execFileSync('git', ['-C', work, ...args], { input, maxBuffer: 256 * 1024 * 1024 });
  // The tree first, then only the files that are kept: Wycheproof alone is some 100 MB.
  const fetched = ['fetch', '--quiet', '--no-tags', '--depth', '1', '--filter=blob:none', '--stdin', 'origin'];
  try {
    git(['init', '--quiet', '--bare', '.']);
    git(['remote', 'add', 'origin', url]);
    git(['config', 'remote.origin.promisor', 'true']);
    git(fetched, `${commit}\n`);
    const listed = git(['ls-tree', '-r', '-z', commit, '--', pick]).toString('utf8').split('\0').filter(Boolean);
    // Each by its last name: no file of the corpus decides where it lands.
    const files = listed.flatMap((line) => {
      const [, blob = '', file = ''] = /^100(?:644|755) blob ([0-9a-f]+)\t(.+)$/.exec(line) ?? [];
      return blob === '' ? [] : [{ blob, name: path.posix.basename(file) }];
    });
    git(fetched, files.map(({ blob }) => `${blob}\n`).join(''));
    const target = path.join(work, 'kept');
    mkdirSync(target);
    for (const file of files) writeFileSync(path.join(target, file.name), git(['cat-file', 'blob', file.blob]));
    rmSync(path.join(folder, name), { recursive: true, force: true });
    renameSync(target, path.join(folder, name));
    console.log(`${name}: ${files.length} files at ${commit.slice(0, 10)}`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

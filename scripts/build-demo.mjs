// Builds demo/corner-shop.bundle, the repository of `causeway demo`, from the commits in demo/corner-shop.mbox.
// Names, dates and so the commit ids are fixed: the same series gives the same repository everywhere.
// Usage: node scripts/build-demo.mjs [FILE]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const DEMO = path.join(import.meta.dirname, '..', 'demo');
const bundle = path.resolve(process.argv[2] ?? path.join(DEMO, 'corner-shop.bundle'));
const folder = mkdtempSync(path.join(tmpdir(), 'causeway-demo-'));

function git(...args) {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_COMMITTER_NAME: 'Nora Lind',
    GIT_COMMITTER_EMAIL: 'nora@corner-shop.example',
  };
  return execFileSync('git', args, { cwd: folder, env, encoding: 'utf8' });
}

try {
  git('init', '--quiet', '--initial-branch=main');
  git('am', '--quiet', '--committer-date-is-author-date', path.join(DEMO, 'corner-shop.mbox'));
  for (const line of git('log', '--format=%H %s', '--grep=^Release ').trim().split('\n')) {
    const [commit, , version] = line.split(' ');
    git('tag', `v${version}`, commit);
  }
  // One thread: more of them split the pack differently from run to run.
  git('-c', 'pack.threads=1', 'bundle', 'create', '--quiet', bundle, 'HEAD', '--all');
  console.log(`${bundle} holds main at ${git('rev-parse', 'main').trim()}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

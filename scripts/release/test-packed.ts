// Runs the main stories against what is published: packed, installed in an empty folder, each service a process of its own.
// `npm run test:packed [-- TEST FILES]`
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './build-program.ts';
import { installPacked } from './install-packed.ts';

const STORIES = ['rest-call', 'demo-script', 'killed', 'restore', 'github/label', 'github-checks/opened-again'];

const { folder, installed } = installPacked();
try {
  const given = process.argv.slice(2);
  const files = given.length > 0 ? given : STORIES.map((name) => `test/stories/${name}.test.ts`);
  const vitest = path.join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const env = {
    ...process.env,
    CAUSEWAY_TEST_PROGRAM: path.join(installed, 'dist', 'main.js'),
    STORIES_ENGINE: 'sqlite',
  };
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...files], { cwd: ROOT, env, stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

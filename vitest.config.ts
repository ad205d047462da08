// Every test but the long fault runs. A Node that is too old would crash inside better-sqlite3 without a word.
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { OVER_BOTH } from './test/support/over-both.ts';

if (Number(process.versions.node.split('.')[0]) < 24) {
  throw new Error(`Tests need Node 24; this is ${process.version}. Run "npm test", which brings it.`);
}

export default defineConfig({
  test: {
    globalSetup: [
      'test/support/temporary-files.ts',
      'test/support/compiled.ts',
      'test/support/leftover-processes.ts',
      'test/support/postgres-shared.ts',
    ],
    setupFiles: ['test/support/light-git.ts', 'test/support/property-seed.ts'],
    // What is waited for is a condition; on a machine that does other work as well it takes its time.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // A process for each file, with all its imports, was a third of the processor time of the small ones.
    isolate: false,
    // On two cores: a story waits for its service and for git a third of its time.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    projects: [
      { extends: true, test: { name: 'all', include: ['test/**/*.test.ts'], exclude: ['test/faults/**'] } },
      // Where the environment names an engine, all stories run over that one, and once.
      ...Object.entries(process.env['STORIES_ENGINE'] === undefined ? OVER_BOTH : {}).map(([name, include]) => ({
        extends: true as const,
        test: { name, include: [...include], env: { STORIES_ENGINE: name } },
      })),
    ],
  },
});

// The tests, in three modes: `npm test` leaves out what test/left-out.ts names, `--mode rest` runs that alone, `--mode all` runs everything;
// what is asked for by its path runs in any mode. Not the long fault rounds, which have a configuration of their own.
// A Node that is too old would crash inside better-sqlite3 without a word.
import { defineConfig } from 'vitest/config';
import { LEFT_OUT, SECOND_ENGINE } from './test/left-out.ts';
import { LongestFirst } from './test/support/longest-first.ts';
import { PATIENCE_MS } from './test/support/patience.ts';
import { RunSummary } from './test/support/run-summary.ts';

if (Number(process.versions.node.split('.')[0]) < 24) {
  throw new Error(`Tests need Node 24; this is ${process.version}. Run "npm test", which brings it.`);
}

const EVERYTHING = ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'];
const FAULTS = 'test/faults/**';
const leftOut = LEFT_OUT.flatMap(({ files }) => files);
const asksForFiles = process.argv.some((argument) => /^(?:\.?\/)?(?:test|packages)(?:\/|$)/.test(argument));

export default defineConfig(({ mode }) => {
  const leavesOut = mode === 'test' && !asksForFiles;
  const first = {
    include: mode === 'rest' ? leftOut : EVERYTHING,
    exclude: leavesOut ? [FAULTS, ...leftOut] : [FAULTS],
  };
  // Where the environment names an engine, all stories run over that one, and once.
  const isOverBoth = !leavesOut && process.env['STORIES_ENGINE'] === undefined;
  return {
    plugins: [
      {
        // Vite prefers builds for development, micromark's among them, which take twice the time of those that the service runs.
        name: 'as-node-resolves',
        configResolved: ({ ssr }) => void ssr.resolve?.conditions?.splice(0, Infinity, 'node', 'module-sync'),
      },
    ],
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
      expect: { poll: { timeout: PATIENCE_MS } },
      // A process for each file, with all its imports, was a third of the processor time of the small ones.
      isolate: false,
      // On two cores: a story waits for its service and for git a third of its time.
      maxWorkers: 4,
      reporters: ['default', new RunSummary(leavesOut)],
      sequence: { sequencer: LongestFirst },
      projects: [
        { extends: true as const, test: { name: 'all', ...first } },
        ...Object.entries(isOverBoth ? SECOND_ENGINE : {}).map(([name, include]) => ({
          extends: true as const,
          test: { name, include: [...include], env: { STORIES_ENGINE: name } },
        })),
      ],
    },
  };
});

// Every test but the long fault runs. A Node that is too old would crash inside better-sqlite3 without a word.
import { defineConfig } from 'vitest/config';

if (Number(process.versions.node.split('.')[0]) < 24) {
  throw new Error(`Tests need Node 24; this is ${process.version}. Run "npm test", which brings it.`);
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    exclude: ['test/faults/**'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    maxWorkers: 2,
  },
});

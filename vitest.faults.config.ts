// The long runs: kill -9 rounds and other faults that take minutes. `npm run test:faults`.
import { defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './test/support/patience.ts';

export default defineConfig({
  test: {
    include: ['test/faults/**/*.test.ts', 'test/stories/model-providers.test.ts'],
    globalSetup: ['test/support/leftover-processes.ts', 'test/support/postgres-shared.ts'],
    // What is killed, measured or traced there is a process.
    env: { CAUSEWAY_TEST_PROCESSES: '1' },
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: PATIENCE_MS } },
    fileParallelism: false,
  },
});

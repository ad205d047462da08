// The maintained rules leave nothing behind in the process that asks them.
import { performance } from 'node:perf_hooks';
import { expect, it } from 'vitest';
import { maintainedSpans } from '../../src/redact/maintained-rules.ts';

it('looking for secrets leaves no marks that would add up', async () => {
  const before = performance.getEntriesByType('mark').length;
  for (let text = 0; text < 5; text++) await maintainedSpans(`text ${text}`);
  expect(performance.getEntriesByType('mark').length).toBe(before);
});

// Reports of more lines than anybody reads.
import { expect, it } from 'vitest';
import { toPlainLines } from '../../src/triage/report-text.ts';

it('of a million line ends as many lines are read as of a long report: the first and the last', () => {
  const lines = toPlainLines(`first${'\n'.repeat(1_000_000)}last`);
  expect(lines.length).toBe(40_000);
  expect([lines[0], lines.at(-1)]).toEqual(['first', 'last']);
  expect(toPlainLines('a\nb\r\nc')).toEqual(['a', 'b', 'c']);
});

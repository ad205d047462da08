// Reports of more lines than anybody reads.
import { expect, it } from 'vitest';
import { toPlainLines } from '../../src/triage/report-text.ts';

it('of a million line ends as many lines are read as of a long report: the first and the last', () => {
  const lines = toPlainLines(`first${'\n'.repeat(1_000_000)}last`);
  expect(lines.length).toBe(20_000);
  expect([lines[0], lines.at(-1)]).toEqual(['first', 'last']);
  expect(toPlainLines('a\nb\r\nc')).toEqual(['a', 'b', 'c']);
});

it('of one line that folds a trace of a megabyte no more lines are read', () => {
  const lines = toPlainLines(`{"stack":"Error: x${'\\nat '.repeat(200_000)}"}`);
  expect(lines.length).toBe(20_000);
  expect(lines[1]).toBe('Error: x');
});

// The table of docs/evaluation.md as `npm run bench` writes it.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Row } from './comparison.ts';
import { isReached, lineOf, updatedPage } from './performance-page.ts';

const WHEN = { day: '2026-11-22', load: [0.2, 1.14] } as const;
const POST: Row = {
  ...{ what: 'POST, 1 connection', against: 'bare hono', unit: 'a second' },
  rounds: [
    { ours: 90, other: 100 },
    { ours: 70, other: 100 },
    { ours: 85, other: 100 },
  ],
  aim: { kind: 'ratio-at-least', limit: 0.8 },
};
const FIRST_PROMPT: Row = {
  ...{ what: 'first prompt', against: 'whole files', unit: 'tokens', rounds: [{ ours: 13_000, other: 130_000 }] },
  aim: { kind: 'at-most', limit: 12_000 },
};

test('a row tells medians with their spread, the ratio, and whether it keeps to its aim', () => {
  expect(lineOf(POST, WHEN)).toBe(
    '| POST, 1 connection | bare hono | 85.0 (70.0–90.0) a second | 100.0 (100.0–100.0) a second | 0.85 (0.70–0.90) | ≥ 0.8 × | yes | 3 | 0.2–1.1 | 2026-11-22 |',
  );
});

test('an aim for our own figure is not judged by the ratio', () => {
  expect(isReached(FIRST_PROMPT)).toBe(false);
  expect(lineOf(FIRST_PROMPT, WHEN)).toContain('| ≤ 12000 tokens | **no** |');
});

test('measuring again replaces the row where it stands and leaves the others and the prose alone', () => {
  const page =
    '# Performance\n\nBefore.\n\n<!-- results: written by `npm run bench` -->\n\n<!-- end of results -->\n\nAfter.\n';
  const first = updatedPage(page, [POST, FIRST_PROMPT], WHEN);
  const again = updatedPage(first, [{ ...POST, rounds: [{ ours: 50, other: 100 }] }], WHEN);
  const rows = again.split('\n').filter((line) => line.startsWith('| POST, 1') || line.startsWith('| first prompt'));
  expect(rows.map((line) => line.split(' | ')[6])).toEqual(['**no**', '**no**']);
  expect(again).toMatch(/^# Performance\n\nBefore\.\n\n<!-- results.*<!-- end of results -->\n\nAfter\.\n$/s);
  expect(updatedPage(again, [], WHEN)).toBe(again);
});

test('the page that is kept has a place for them', async () => {
  const page = await readFile(path.resolve(import.meta.dirname, '../../docs/evaluation.md'), 'utf8');
  expect(updatedPage(page, [], WHEN)).toBe(page);
});

test('a page without the place for its table is refused', () => {
  expect(() => updatedPage('# Performance\n', [POST], WHEN)).toThrow('needs the lines');
});

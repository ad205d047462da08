// Signals of reports as large as a report may be.
import { expect, it } from 'vitest';
import { findSignals } from '../../src/triage/signals.ts';

it('any text of 1 MiB without a line break, or of hostile repetitions, is read', () => {
  const fill = (piece: string): string => piece.repeat(Math.ceil(1_048_576 / piece.length)).slice(0, 1_048_576);
  const hostile = [
    'a',
    `${'a'.repeat(1_999)}\n`,
    'at ',
    ':1',
    'Error: ',
    '(((',
    '\\n    at ',
    '`a b',
    '1.',
    '\u001b[',
    `at ${'a.<'.repeat(300)}\n`,
    'x.js:',
    '[1] | ',
  ];
  for (const piece of hostile) expect(findSignals(fill(piece)).title.length).toBeLessThanOrEqual(300);
});

// The best window is where distinct words of a report stand together, not where one is repeated.

import { hashTerm } from 'causeway-code-words';
import { expect, it } from 'vitest';
import { findBestWindow, findWantedLines, type Window } from '../../../src/triage/localise/rank-files.ts';

const WEIGHTS = new Map([
  [hashTerm('cart'), 1],
  [hashTerm('total'), 2],
]);

function windowOf(text: string): Window {
  return findBestWindow(findWantedLines(text, WEIGHTS), WEIGHTS);
}

it('distinct words count once each, and the line is the fullest one', () => {
  const text = `${'cart cart cart\n'.repeat(60)}${'\n'.repeat(60)}the cart\nthe total of a cart\n`;
  expect(windowOf(text)).toEqual({ score: 3, line: 122 });
});

it('words further apart than a window do not add up', () => {
  expect(windowOf(`cart${'\n'.repeat(44)}total`)).toEqual({ score: 3, line: 45 });
  expect(windowOf(`cart${'\n'.repeat(45)}total`)).toEqual({ score: 2, line: 46 });
});

it('a file without any of the words has no line', () => {
  expect(windowOf('nothing\n')).toEqual({ score: 0, line: 0 });
});

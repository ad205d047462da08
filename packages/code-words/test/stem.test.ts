// Forms of a word have one stem.
import { expect, it } from 'vitest';
import { stemWord } from '../src/names.ts';

it.each([
  ['headers', 'header'],
  ['parsing', 'pars'],
  ['parse', 'pars'],
  ['validation', 'validat'],
  ['normalization', 'normaliz'],
  ['entries', 'entry'],
  ['classes', 'class'],
  ['boxes', 'box'],
  ['class', 'class'],
  ['stopped', 'stop'],
  ['filling', 'fill'],
  ['handler', 'handl'],
  ['validator', 'validat'],
  ['layer', 'layer'],
  ['has', 'has'],
  ['404', '404'],
  ['', ''],
])('the stem of %s is %s', (word, expected) => {
  expect(stemWord(word)).toBe(expected);
});

// Names taken apart into their words.
import { expect, it } from 'vitest';
import { splitName } from '../../src/triage/identifiers.ts';

it.each([
  ['parseHTTPHeader_v2', ['parse', 'http', 'header', 'v2']],
  ['src/main/HTTPServer2Go.test.ts', ['src', 'main', 'http', 'server2', 'go', 'test', 'ts']],
  ['ABc', ['bc']],
  ['aB', []],
  ['x-__-yz', ['yz']],
  ['größeÄndern', ['größeändern']],
  ['', []],
])('%s', (name, parts) => {
  expect(splitName(name)).toEqual(parts);
});

it('takes letters of ASCII apart as it does beside others', () => {
  const letters = 'abzABZ09_-./ $';
  let seed = 1;
  const next = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let round = 0; round < 20_000; round++) {
    const name = Array.from({ length: next(14) }, () => letters[next(letters.length)]).join('');
    // A word of one letter is left out.
    expect(splitName(name), name).toEqual(splitName(`${name} é`));
  }
});

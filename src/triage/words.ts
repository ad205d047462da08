// Plain words of a report that may name what it is about, for texts that name no code.
import { markCode } from './code-fences.ts';
import { stem } from './stem.ts';
import { COMMON_WORDS, nameParts } from './tokens.ts';

export interface Word {
  /** As first written, in lower case. */
  readonly word: string;
  readonly stem: string;
  readonly weight: number;
}

const MAX_WORDS = 80;

/** At most 80, best first; the title counts three times. */
export function findWords(lines: readonly string[], title: string): readonly Word[] {
  const counts = new Map<string, { word: string; weight: number }>();
  const add = (text: string, weight: number): void => {
    for (const word of nameParts(text)) {
      if (word.length < 3 || word.length > 40 || COMMON_WORDS.has(word) || /^\d|[0-9a-f]{9,}/.test(word)) continue;
      const key = stem(word);
      const known = counts.get(key);
      if (known) known.weight += weight / (1 + known.weight);
      else if (counts.size < 3_000) counts.set(key, { word, weight });
    }
  };
  add(title, 3);
  for (const { text, kind } of markCode(lines)) {
    if (kind !== 'fence') add(withoutPaths(text), kind === 'code' ? 0.4 : 1);
  }
  return [...counts]
    .map(([key, { word, weight }]) => ({ word, stem: key, weight }))
    .sort((a, b) => b.weight - a.weight || (a.stem < b.stem ? -1 : 1))
    .slice(0, MAX_WORDS);
}

/** Addresses and paths are looked up as such; their parts are no words. */
function withoutPaths(text: string): string {
  return /[/\\]/.test(text)
    ? text
        .split(/\s+/)
        .filter((token) => !/[/\\]/.test(token))
        .join(' ')
    : text;
}

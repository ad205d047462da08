// The first sentences of a text: who reads on a phone wants the cause, not all of its story.

const END = /[.!?…][)"”’\]]*\s+(?=[\p{Lu}\p{Lo}\p{N}`"“'(])/gu;
/** A stop after these ends no sentence. */
const SHORT = /(?:\b(?:e\.g|i\.e|etc|cf|vs|no|approx|resp)|\b\p{L})\.\s+$/iu;

/** At most `count` sentences, and what follows them ("" for nothing). A stop within code ends none. */
export function firstSentences(text: string, count: number): { readonly first: string; readonly rest: string } {
  let seen = 0;
  let counted = 0;
  let ticks = 0;
  for (const { 0: end, index } of text.matchAll(END)) {
    const at = index + end.length;
    ticks += text.slice(counted, at).split('`').length - 1;
    counted = at;
    if (ticks % 2 === 1 || SHORT.test(text.slice(Math.max(0, at - 12), at))) continue;
    seen += 1;
    if (seen === count) return { first: text.slice(0, at).trimEnd(), rest: text.slice(at) };
  }
  return { first: text, rest: '' };
}

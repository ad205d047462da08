// How seldom three characters are seen in logs: by what is rarest in it a word is looked for.

/** Letters of English, from the most to the least frequent; other signs come in between. */
const FREQUENT = ' etaoinsrhldcumfpgwybvkxjqz';
/** What stands in logs again and again: what it is made of is found far more often than its letters let think. */
const REPEATED = [
  ...['building', 'testing', 'running', 'process', 'times', 'task ', 'command', 'version', 'response', 'finished: '],
  ...[' ---', '...', '%] '],
];
const OFTEN = new Set(REPEATED.flatMap(threesOf));

/** Each three characters of a word that follow one another, in order. */
export function threesOf(word: string): readonly string[] {
  return Array.from({ length: word.length - 2 }, (_, at) => word.slice(at, at + 3));
}

/** The higher, the seldomer; in whatever case. */
export function rarityOfThree(written: string): number {
  const three = written.toLowerCase();
  return OFTEN.has(three) ? 0 : three.split('').reduce((sum, sign) => sum + rarity(sign), 0);
}

function rarity(sign: string): number {
  return FREQUENT.includes(sign) ? FREQUENT.indexOf(sign) : 16;
}

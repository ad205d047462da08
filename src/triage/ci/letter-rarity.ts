// How seldom a character is seen in logs: by what is rarest in it a word is looked for.

/** Letters of English, from the most to the least frequent; other signs come in between. */
const FREQUENT = ' etaoinsrhldcumfpgwybvkxjqz';

/** The higher, the seldomer. */
export function rarity(sign: string): number {
  return FREQUENT.includes(sign) ? FREQUENT.indexOf(sign) : 16;
}

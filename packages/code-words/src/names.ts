// A name as the words that it is made of, and a word without its ending.

/** `parseHTTPHeader_v2` → `parse`, `http`, `header`, `v2`. */
export function splitName(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part.length > 1);
}

/** A light stem of a word in lower case: `headers` → `header`, `parsing` → `pars`, `validator` → `validat`. */
export function stemWord(word: string): string {
  const one = toSingular(word);
  const { length } = one;
  if (length > 6 && one.endsWith('tion')) return one.slice(0, one.endsWith('ization') ? -5 : -3);
  if (length > 5 && one.endsWith('ing')) return removeDoubled(one.slice(0, -3));
  if (length > 4 && one.endsWith('ed')) return removeDoubled(one.slice(0, -2));
  if (length > 6 && /(?:[^aeiou]e|to)r$/.test(one)) return removeDoubled(one.slice(0, -2));
  return length > 4 && one.endsWith('e') ? one.slice(0, -1) : one;
}

function toSingular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || word.endsWith('ss')) return word;
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return word.length > 4 && /(?:ss|x|z|ch|sh)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1);
}

function removeDoubled(word: string): string {
  const last = word.at(-1) ?? '';
  return last === word.at(-2) && !'aeiousl'.includes(last) ? word.slice(0, -1) : word;
}

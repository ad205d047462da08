// The line of a function around which the words of a report stand closest together.
import { eachWord, hashesOfWord } from '../localise/terms.ts';
import type { Unit } from './read-units.ts';

/** Lines on each side that count as well, each half as much as the one nearer. */
const AROUND = 3;

/** `weights`: what each of the report's terms is worth, by hash. The line that names the function where no term stands in it. */
export function tellingLine(unit: Unit, weights: ReadonlyMap<number, number>): number {
  const own = unit.lines.filter((line) => line >= unit.span.line);
  const texts = unit
    .text()
    .split('\n')
    .slice(unit.lines.length - own.length);
  const worth = texts.map((text) => worthOf(text, weights));
  let [best, at] = [0, unit.span.line];
  for (const [index, line] of own.entries()) {
    let sum = worth[index] ?? 0;
    for (let away = 1; away <= AROUND; away++)
      sum += ((worth[index - away] ?? 0) + (worth[index + away] ?? 0)) / 2 ** away;
    if (sum > best + 1e-9) [best, at] = [sum, line];
  }
  return at;
}

/** A term counts once a line. */
function worthOf(text: string, weights: ReadonlyMap<number, number>): number {
  const seen = new Set<number>();
  eachWord(text, (word) => {
    for (const hash of hashesOfWord(word)) seen.add(hash);
  });
  let sum = 0;
  for (const hash of seen) sum += weights.get(hash) ?? 0;
  return sum;
}

// What a passing log of the same job prints as well: that is not the cause.
import { plainLines } from './plain-lines.ts';

/** Lines of a job that passed. */
export interface PassingLog {
  /** Whether it printed this line too, whatever numbers, times, hashes and folders stood in it. */
  has(text: string): boolean;
}

const MAX_LINE = 400;
/** A line of less than this many letters says nothing of where it came from. */
const MIN_LETTERS = 3;

/** Reads the log as {@link plainLines} does; one set of short strings is kept of it. */
export function readPassing(log: string): PassingLog {
  const known = new Set<string>();
  for (const { text } of plainLines(log)) {
    const words = constantPart(text);
    if (words.length >= MIN_LETTERS) known.add(words);
  }
  return { has: (text) => known.has(constantPart(text)) };
}

/** None failed is not the same as one failed: `0` stays apart from other numbers. */
function constantPart(text: string): string {
  return text
    .slice(0, MAX_LINE)
    .replace(/[\w.@~+:/\\-]+/g, lastPart)
    .replace(/\b(?=[a-f]*\d)[\da-f]{7,64}\b/gi, '#')
    .replace(/\d+(?:[.,:]\d+)*/g, (digits) => (/[1-9]/.test(digits) ? '9' : '0'))
    .replace(/\s+/g, ' ')
    .trim();
}

/** Of a path; a word without folders stays. Words are taken whole: a search for the slash in each begins anew at every letter. */
function lastPart(word: string): string {
  return word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1) || '/';
}

// The one-time code that shows who is at the terminal: compared in constant time, few wrong ones a minute.
import { createHash, randomInt, timingSafeEqual } from 'node:crypto';

/** Without letters and digits that look alike: 31 kinds, 20 of them, 99 bits. */
const ALPHABET = 'ABCDEFGHJKLMNPQRSTUVWXYZ3456789';
const TRIES = 10;
const WINDOW_MS = 60_000;

type Verdict = 'right' | 'wrong' | 'too_many';

export interface OneTimeCode {
  /** To be printed in the terminal, in groups of five. */
  readonly text: string;
  judge(given: string): Verdict;
}

export function createOneTimeCode(now: () => Date): OneTimeCode {
  const letters = Array.from({ length: 20 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
  const wanted = digest(letters);
  let tries: readonly number[] = [];
  return {
    text: letters.replace(/.{5}(?=.)/g, '$&-'),
    judge: (given) => {
      // First of all: 99 bits need no lock, and whoever guesses must not lock out who knows.
      if (timingSafeEqual(digest(given.toUpperCase().replace(/[^A-Z0-9]/g, '')), wanted)) return 'right';
      const at = now().getTime();
      tries = tries.filter((earlier) => at - earlier < WINDOW_MS);
      if (tries.length >= TRIES) return 'too_many';
      tries = [...tries, at];
      return 'wrong';
    },
  };
}

/** Whether two secrets are equal, in a time that tells nothing of where they differ. */
export function isSame(a: string, b: string): boolean {
  return timingSafeEqual(digest(a), digest(b));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

// What one run has seen of secrets it never shows again, in whatever surroundings: an edit may take away by what a rule knows one.
import { REDACTED } from '../core/redacted.ts';
import type { Redactor } from '../redact/redactor.ts';

/** Shorter pieces would tear ordinary text. */
const SHORTEST = 8;
/** A repository that holds more has made its secrets public knowledge; each one is looked for in every text. */
const MOST = 400;

/** The redactor of one run, every secret that it cuts out of whole lines is from then on cut out wherever it stands. */
export function createRunRedactor(redactor: Redactor): Redactor {
  const seen = new Set<string>();
  return redactor.remembering({
    values: () => [...seen],
    onFound: (secret) => {
      for (const piece of piecesOf(secret)) if (seen.size < MOST) seen.add(piece);
    },
  });
}

/** Each line of a key, and of a line that holds more than the secret the parts that are no words. */
function piecesOf(secret: string): readonly string[] {
  const lines = secret.split('\n').map((line) => line.trim());
  const parts = lines.flatMap((line) => line.split(/[\s'"`=:;,@/()[\]{}<>]+/).filter((part) => /\d/.test(part)));
  return [...lines, ...parts].filter((piece) => piece.length >= SHORTEST && !piece.includes(REDACTED));
}

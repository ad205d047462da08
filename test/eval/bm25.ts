// BM25 over words and the parts of names, without stems or weights: what the product's ranking is measured against.

export interface Document {
  readonly path: string;
  readonly words: ReadonlyMap<string, number>;
  /** How many words there are, repeated ones counted each time. */
  readonly length: number;
}

const K1 = 1.2;
const B = 0.75;
/** The reports' own size is bounded, so the words of a file are too: a longer one is data. */
const MAX_TEXT = 1_000_000;

export function documentOf(path: string, text: string): Document {
  const words = new Map<string, number>();
  let length = 0;
  for (const word of wordsOf(text)) {
    words.set(word, (words.get(word) ?? 0) + 1);
    length += 1;
  }
  return { path, words, length };
}

/** Words, and the parts of names: `readLine` is `readline`, `read` and `line`. */
function wordsOf(text: string): readonly string[] {
  const found = text.slice(0, MAX_TEXT).match(/[\p{L}\p{N}_]+/gu) ?? [];
  return found.flatMap((word) => {
    const parts = word
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
      .toLowerCase()
      .split('_')
      .filter((part) => part !== '');
    return parts.length > 1 ? [word.toLowerCase(), ...parts] : parts;
  });
}

/** Paths of the documents that share a word with the query, best first, at most `limit`; equal scores in path order. */
export function rankByBm25(query: string, documents: readonly Document[], limit: number): readonly string[] {
  const terms = new Set(wordsOf(query));
  const mean = documents.reduce((sum, { length }) => sum + length, 0) / Math.max(1, documents.length);
  const rarity = new Map<string, number>();
  for (const term of terms) {
    const holding = documents.filter(({ words }) => words.has(term)).length;
    rarity.set(term, Math.log(1 + (documents.length - holding + 0.5) / (holding + 0.5)));
  }
  return documents
    .map((document) => ({ path: document.path, score: scoreOf(document, rarity, mean) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
    .slice(0, limit)
    .map(({ path }) => path);
}

function scoreOf({ words, length }: Document, rarity: ReadonlyMap<string, number>, mean: number): number {
  let score = 0;
  for (const [term, weight] of rarity) {
    const count = words.get(term) ?? 0;
    if (count > 0) score += (weight * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / mean));
  }
  return score;
}

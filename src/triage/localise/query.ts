// A report as a query: its terms with their counts in each of its parts, and the names whose definitions are looked for.
import { COMMON_WORDS, stemWord } from '../identifiers.ts';

import type { PartName } from './report-texts.ts';
import { eachWord, hashTerm, termsOfWord, wholeName } from './terms.ts';

/** A part of the report, or the source of the test that failed. */
export type QueryPart = PartName | 'test';
export const QUERY_PARTS: readonly QueryPart[] = ['title', 'name', 'prose', 'code', 'log', 'test'];

/** Looked up at once; each costs one byte a file. */
const MAX_TERMS = 700;
const MAX_NAMES = 200;

export interface QueryTerm {
  readonly hash: number;
  /** As it is compared. */
  readonly term: string;
  /** As the report writes it first. */
  readonly word: string;
  /** A name of several parts as a whole (`readline` of `readLine`), rather than a word. */
  readonly whole: boolean;
  /** How often it stands in each part; 0 for most. */
  readonly counts: Readonly<Record<QueryPart, number>>;
}

export interface QueryName {
  readonly hash: number;
  /** As the report writes it. */
  readonly word: string;
  /** Written as only code is, or in backticks; else a plain word. */
  readonly isCode: boolean;
  readonly parts: ReadonlySet<QueryPart>;
}

export interface Query {
  /** Those of the title first, then of the other parts in the order of `QUERY_PARTS`. */
  readonly terms: readonly QueryTerm[];
  readonly names: readonly QueryName[];
}

const COMMON_STEMS: ReadonlySet<string> = new Set([...COMMON_WORDS].map(stemWord));

export function queryOf(texts: Readonly<Record<QueryPart, string>>): Query {
  const terms = new Map<string, QueryTerm & { counts: Record<QueryPart, number> }>();
  const names = new Map<string, { hash: number; word: string; isCode: boolean; parts: Set<QueryPart> }>();
  for (const part of QUERY_PARTS) {
    eachWord(texts[part], (word) => {
      addTerms(terms, part, word);
      addName(names, part, word);
    });
  }
  return { terms: [...terms.values()], names: [...names.values()] };
}

function addTerms(
  terms: Map<string, QueryTerm & { counts: Record<QueryPart, number> }>,
  part: QueryPart,
  word: string,
): void {
  const own = termsOfWord(word);
  for (const [index, term] of own.entries()) {
    const whole = own.length > 2 && index === 0;
    if (term.length < 2 || (!whole && COMMON_STEMS.has(term))) continue;
    const known = terms.get(term);
    if (known) known.counts[part]++;
    else if (terms.size < MAX_TERMS) {
      const counts = { title: 0, name: 0, prose: 0, code: 0, log: 0, test: 0, [part]: 1 };
      terms.set(term, { hash: hashTerm(term), term, word, whole, counts });
    }
  }
}

function addName(
  names: Map<string, { hash: number; word: string; isCode: boolean; parts: Set<QueryPart> }>,
  part: QueryPart,
  word: string,
): void {
  const name = wholeName(word);
  if (name.length < 3 || COMMON_WORDS.has(name)) return;
  const isCode = part === 'name' || /[A-Z_$]/.test(word.slice(1));
  const known = names.get(name);
  if (known) {
    known.parts.add(part);
    known.isCode ||= isCode;
  } else if (names.size < MAX_NAMES) names.set(name, { hash: hashTerm(name), word, isCode, parts: new Set([part]) });
}

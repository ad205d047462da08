// Clues from names and words of the report: where they are defined, where they are used.

import type { SearchHit, SearchResult } from '../../ports/source.ts';
import { fileKind, isForeign } from '../file-kind.ts';
import { type Identifier, looksLikeCode } from '../identifiers.ts';
import { type Lookups, searchEach, searchStep } from '../lookups.ts';
import type { Signals } from '../signals.ts';
import type { Clue } from './clue.ts';
import { isDefinition, keywordPattern, methodPattern } from './definitions.ts';
import { type TermHits, useClues } from './term-weights.ts';

const MAX_DEFINED = 24;
const MAX_USED = 10;
/** Each costs a search over the whole tree. */
const MAX_WORDS = 10;
/** A plain word never tells as much as a name. */
const WORD_MOST = 1;
const DEFINED = 0.4;
const HITS = 1_000;
/** An expression may have 1,000 characters, about 250 of which are the form around the names. */
const MAX_NAMES_LENGTH = 600;

export async function nameClues(lookups: Lookups, signals: Signals): Promise<readonly Clue[]> {
  const { identifiers, words } = signals;
  const defined = await definitionClues(lookups, identifiers.slice(0, MAX_DEFINED));
  const names = identifiers.slice(0, MAX_USED).map(({ name, weight }) => ({ term: name, name, weight }));
  const plain = words.filter(({ stem }) => stem.length > 3).slice(0, MAX_WORDS);
  const terms = plain.map(({ stem, word, weight }) => ({
    term: stem,
    name: word,
    weight: Math.min(WORD_MOST, weight / 3),
  }));
  const uses = [...(await searchTerms(lookups, names, false)), ...(await searchTerms(lookups, terms, true))];
  return [...defined, ...useClues(uses, lookups.ground.index)];
}

/** Two searches find the definitions of all names: by keyword, and, for those without, as methods. */
async function definitionClues(lookups: Lookups, identifiers: readonly Identifier[]): Promise<readonly Clue[]> {
  const names = fitting(identifiers.map(({ name }) => name));
  const byKeyword = await searchDefinitions(lookups, { by: 'keyword', pattern: keywordPattern }, names);
  const left = names.filter((name) => !byKeyword.some(({ text }) => isDefinition(text, name)));
  const hits = [...byKeyword, ...(await searchDefinitions(lookups, { by: 'form', pattern: methodPattern }, left))];
  const strongest = identifiers[0]?.weight ?? 1;
  return identifiers.flatMap((identifier) => {
    const files = definingFiles(hits, identifier.name);
    const sources = files.filter(([path]) => fileKind(path) === 'source').length;
    const weight = Math.min(1, identifier.weight / strongest) / Math.max(1, sources) ** 0.6;
    return files.map(
      ([path, line]): Clue => ({
        kind: 'definition',
        path,
        line,
        function: '',
        strength: DEFINED * weight * nearness(path, identifier.qualifier),
        reason: `defines \`${identifier.name}\`, named in the report`,
        names: [identifier.name].filter(looksLikeCode),
      }),
    );
  });
}

/** As many names as one expression may hold. */
function fitting(names: readonly string[]): readonly string[] {
  let length = 0;
  return names.filter((name) => {
    if (!/^\w+$/.test(name) || length + name.length > MAX_NAMES_LENGTH) return false;
    length += name.length + 1;
    return true;
  });
}

async function searchDefinitions(
  lookups: Lookups,
  form: { readonly by: string; readonly pattern: (names: readonly string[]) => string },
  names: readonly string[],
): Promise<readonly SearchHit[]> {
  if (names.length === 0) return [];
  const query = { pattern: form.pattern(names), regex: true, ignoreCase: false, paths: [], limit: 1_000 };
  const defines = ({ text }: SearchHit): boolean => names.some((name) => isDefinition(text, name));
  const { hits } = await searchStep(
    { ...lookups, said: `definitions of ${names.join(', ')} (by ${form.by})`, keep: defines },
    query,
    (result) => {
      const found = names.filter((name) => result.hits.some(({ text }) => isDefinition(text, name)));
      return found.length === 0
        ? 'None of these names from the report is defined in this form here.'
        : `Defined here: ${found.slice(0, 12).join(', ')}.`;
    },
  );
  return hits;
}

/** Files with the first line that defines the name. */
function definingFiles(hits: readonly SearchHit[], name: string): readonly (readonly [string, number])[] {
  const files = new Map<string, number>();
  for (const { path, line, text } of hits) {
    if (!files.has(path) && isDefinition(text, name) && !isForeign(path)) files.set(path, line);
  }
  return [...files];
}

/** `Header.parse` is rather the `parse` of a file called header. */
function nearness(path: string, qualifier: string): number {
  return qualifier !== '' && path.toLowerCase().includes(qualifier.toLowerCase()) ? 1.3 : 1;
}

async function searchTerms(
  lookups: Lookups,
  terms: readonly Pick<TermHits, 'term' | 'name' | 'weight'>[],
  plain: boolean,
): Promise<readonly TermHits[]> {
  const query = { regex: false, ignoreCase: plain, word: !plain, paths: [], limit: HITS };
  const texts = terms.map(({ term }) => term);
  const results = await searchEach(lookups, texts, query, (found) => meaningOf(texts, found));
  return terms.map((term, index) => ({
    ...term,
    hits: results[index]?.hits ?? [],
    everywhere: (results[index]?.cut ?? '') !== '',
  }));
}

function meaningOf(texts: readonly string[], results: readonly SearchResult[]): string {
  const telling = texts.filter((_, index) => {
    const files = new Set(results[index]?.hits.map(({ path }) => path)).size;
    return files > 0 && files <= 5 && results[index]?.cut === '';
  });
  return telling.length === 0
    ? 'None of these stands in so few files that it would tell much.'
    : `Standing in few files, these tell most: ${telling.join(', ')}.`;
}

// Why a file ranks where it does: what each signal found in it, as clues.

import { findDefinedNames, findPart, forEachWord, hashWord, isNumber, joinName } from 'causeway-code-words';
import { cutText } from 'causeway-visible-text';
import { type IndexedCommit, markTexts } from '../../core/source/index.ts';
import type { Clue, ClueKind } from '../clues.ts';
import { looksLikeCode, STOP_WORDS } from '../identifiers.ts';
import { getFileName } from '../paths.ts';
import { getWrittenTerm, type Query, type QueryPart, type WrittenTerm } from './query.ts';
import { type Combined, type Gathered, type MatchedCommits, type SignalName, WHOLE } from './signals.ts';
import { type PartWeights, type Table, weighTerm } from './table.ts';

/** A signal with less than this share of a file's sum is not worth a sentence. */
const LEAST_SHARE = 0.06;
const MAX_NAMED = 3;
const MAX_SUBJECT = 80;
const MAX_DEFINED = 2;
/** A log's names are explained by the frame or the message that they lead to. */
const EXPLAINED_PARTS: readonly QueryPart[] = ['title', 'name', 'prose', 'code'];
const WITHOUT_LOG: PartWeights = { ...WHOLE, log: 0 };
const ONLY_TEST: PartWeights = { title: 0, name: 0, prose: 0, code: 0, log: 0, test: 1 };

interface Ranking {
  readonly table: Table;
  readonly query: Query;
  readonly gathered: Gathered;
  readonly combined: Combined;
  readonly history: MatchedCommits;
  /** Names of the project's packages, in lower case: any report mentions them. */
  readonly ownNames: ReadonlySet<string>;
  /** Subjects of some commits, by sha. */
  readonly subjects: ReadonlyMap<string, string>;
}

export interface ReadFile {
  /** The file's text; "" where it was not read. */
  readonly text: string;
  /** Line of its best stretch; 0 where none is known. */
  readonly line: number;
}

/** Strengths are shares of the file's sum. */
export function explainFile(ranking: Ranking, file: number, { text, line }: ReadFile): readonly Clue[] {
  const { table, gathered, combined } = ranking;
  const total = Math.max(1e-9, combined.evidence[file] ?? 0);
  const createClue = (
    kind: ClueKind,
    signals: readonly SignalName[],
    explained: Pick<Clue, 'reason' | 'names'> & { readonly line?: number },
  ): Clue => ({
    kind,
    path: table.paths[file] ?? '',
    line: 0,
    function: '',
    strength: Math.min(1, signals.reduce((sum, signal) => sum + combined.share(signal, file), 0) / total),
    ...explained,
  });
  const use = explainUse(ranking, file, text);
  const qualified = (gathered.qualified.names.get(file) ?? []).slice(0, 2).map((name) =>
    createClue('definition', ['qualified'], {
      reason: describeQualified(name, table.paths[file] ?? ''),
      names: [name],
    }),
  );
  const defined = explainDefinitions(ranking, file, text).map((one) =>
    createClue('definition', ['definitions', 'definedWords'], one),
  );
  const clues = [...qualified, ...defined];
  clues.push(createClue('use', ['words', 'title', 'window'], { ...use, line }));
  const test = explainTest(ranking, file, text);
  // The stretch is of the test's words only where the file has none of the report's.
  if (use.reason === '') clues.push(createClue('use', ['testWords', 'window'], { reason: test, line }));
  else clues.push(createClue('use', ['testWords'], { reason: test }));
  const shared = gathered.paths
    .shared(file)
    .filter((word) => isInformativeWord(word) && !ranking.ownNames.has(word.word.toLowerCase()))
    .slice(0, 4);
  const contains = shared.length === 0 ? '' : `path contains ${quoteEachWord(shared)}`;
  clues.push(createClue('name', ['pathNames', 'pathFolders'], { reason: contains, names: [] }));
  const [commit] = gathered.commits.commits.get(file) ?? [];
  const changed = commit === undefined ? '' : explainCommit(ranking, commit);
  clues.push(createClue('commit', ['commits', 'titleCommits'], { reason: changed, names: [] }));
  const like = gathered.likeTests.tests.get(file);
  const together = like === undefined ? '' : explainLikeTest(ranking, like);
  clues.push(createClue('commit', ['testHistory'], { reason: together, names: [] }));
  return clues.filter(({ reason, strength }) => reason !== '' && strength >= LEAST_SHARE);
}

/** A path that is the file's own says nothing more than that it is mentioned. */
function describeQualified(name: string, path: string): string {
  const isOwn = path === name || path.endsWith(`/${name}`);
  return isOwn ? 'mentioned in the report' : `\`${name}\`, mentioned in the report, is in this file`;
}

/** Only what a line of code of the file defines: the index takes each line as it is, documentation too. */
function explainDefinitions({ table, gathered }: Ranking, file: number, text: string) {
  const names = (gathered.definitions.names.get(file) ?? []).filter(({ parts }) =>
    EXPLAINED_PARTS.some((part) => parts.has(part)),
  );
  const defined: { readonly line: number; readonly reason: string; readonly names: readonly string[] }[] = [];
  for (const { word, isCode } of names) {
    const { name, line } = findDefinition(table.paths[file] ?? '', text, word);
    const naming = isCode ? describeNaming(name === word) : 'a word in the report';
    if (name !== '') defined.push({ line, reason: `defines \`${name}\`, ${naming}`, names: isCode ? [word] : [] });
    if (defined.length === MAX_DEFINED) break;
  }
  return defined;
}

/** Names are compared without case and separators: the report may write one differently. */
function describeNaming(isSame: boolean): string {
  return isSame ? 'mentioned in the report' : 'similar to a name in the report';
}

/**
 * The first line that defines exactly this name, else the first that defines a form of it; line 0 and no name where
 * none does.
 */
function findDefinition(path: string, text: string, name: string): { readonly name: string; readonly line: number } {
  const wanted = joinName(name);
  const lines = text === '' ? [] : text.split('\n');
  let texts: Uint8Array | undefined;
  let form = { name: '', line: 0 };
  for (const [index, line] of lines.entries()) {
    if (!joinName(line).includes(wanted)) continue;
    const own = findDefinedNames(line).filter((one) => joinName(one) === wanted);
    if (own.length === 0) continue;
    texts ??= markTexts(path, lines);
    if (texts[index] === 1) continue;
    if (own.includes(name)) return { name, line: index + 1 };
    if (form.line === 0 && own[0] !== undefined) form = { name: own[0], line: index + 1 };
  }
  return form;
}

/** With its subject, so that the reader can judge it at once. */
function explainCommit(ranking: Ranking, commit: IndexedCommit): string {
  const { history, subjects } = ranking;
  const position = history.commits.indexOf(commit);
  const shared = listSharedTerms(ranking, (term) => history.matches[term]?.positions, position);
  const subject = subjects.get(commit.sha) ?? '';
  const said = subject === '' ? '' : ` “${cutText(subject, MAX_SUBJECT)}”`;
  return shared === ''
    ? ''
    : `changed in ${commit.sha.slice(0, 7)}${said}, whose message shares ${shared} with the report`;
}

function explainLikeTest(ranking: Ranking, path: string): string {
  const { tests } = ranking.table;
  const shared = listSharedTerms(ranking, (term) => tests.terms[term]?.files, tests.paths.indexOf(path));
  return shared === ''
    ? ''
    : `changed together with \`${getFileName(path)}\`, a test that shares ${shared} with the report`;
}

/** The rarest words of the report that a text has, whatever their endings; "" where it has none that says something. */
function listSharedTerms(
  { query, ownNames }: Ranking,
  textsOf: (term: number) => Uint32Array | undefined,
  text: number,
): string {
  const found = query.terms.flatMap((term, index) => {
    const texts = textsOf(index);
    if (texts === undefined || isNumber(term.term) || !hasPosition(texts, text)) return [];
    const worth = weighTerm(term, WITHOUT_LOG) / Math.log(2 + texts.length);
    return worth > 0 ? [{ word: getWrittenTerm(term), worth }] : [];
  });
  const best = found.sort((a, b) => b.worth - a.worth).map(({ word }) => word);
  const telling = best.filter((word) => isInformativeWord(word) && !ownNames.has(word.word.toLowerCase()));
  const words = keepFirst(telling, ({ word }) => word.toLowerCase());
  // A single everyday word is in many messages.
  if (words.length < 2 && !words.some(({ word }) => looksLikeCode(word.slice(1)))) return '';
  return quoteEachWord(words.slice(0, MAX_NAMED));
}

/** `positions`: ascending. */
function hasPosition(positions: Uint32Array, wanted: number): boolean {
  let [from, to] = [0, positions.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((positions[middle] ?? 0) < wanted) from = middle + 1;
    else to = middle;
  }
  return positions[from] === wanted;
}

/** Names from code, else words. */
function explainUse(ranking: Ranking, file: number, text: string): { readonly reason: string; names: string[] } {
  const terms = listInformativeTerms(ranking, WITHOUT_LOG, file).slice(0, 8);
  if (terms.length === 0) return { reason: '', names: [] };
  const forms = findForms(text, terms);
  if (forms.length === 0)
    return { reason: `mentions variants of ${quoteEachWord(terms.slice(0, MAX_NAMED))}`, names: [] };
  const names = forms
    .filter(({ word, term }) => term.isWhole && looksLikeCode(term.word.slice(1)) && looksLikeCode(word.slice(1)))
    .slice(0, MAX_NAMED);
  if (names.length === 0) return { reason: `mentions ${quoteEachWord(forms.slice(0, MAX_NAMED))}`, names: [] };
  const naming = describeNaming(names.every(({ isSame }) => isSame));
  return { reason: `mentions ${quoteNames(names)}, ${naming}`, names: names.map(({ term }) => term.word) };
}

function explainTest(ranking: Ranking, file: number, text: string): string {
  const terms = listInformativeTerms(ranking, ONLY_TEST, file).slice(0, MAX_NAMED);
  if (terms.length === 0) return '';
  const forms = findForms(text, terms);
  if (forms.length === 0) return `mentions variants of ${quoteNames(terms)}, used by the failing test`;
  const isSame = forms.every((form) => form.isSame);
  return `mentions ${quoteNames(forms)}, ${isSame ? 'used by' : 'similar to words of'} the failing test`;
}

function isInformativeWord({ word }: { readonly word: string }): boolean {
  return !STOP_WORDS.has(word.toLowerCase());
}

function quoteEachWord(words: readonly { readonly word: string }[]): string {
  return words.map(({ word }) => `“${word.toLowerCase()}”`).join(', ');
}

function quoteNames(words: readonly { readonly word: string }[]): string {
  return words.map(({ word }) => `\`${word}\``).join(', ');
}

/**
 * The terms that add most to this file, best first, each written form once; numbers (of a line, a size, a date) say
 * nothing to a reader.
 */
function listInformativeTerms({ table, query }: Ranking, weights: PartWeights, file: number): readonly WrittenTerm[] {
  const gains = query.terms.flatMap((term, index) => {
    const column = table.terms[index];
    const at = column?.files.indexOf(file) ?? -1;
    if (column === undefined || at < 0 || isNumber(term.term)) return [];
    return [{ term, gain: weighTerm(term, weights) * column.rarity * (column.saturations[at] ?? 0) }];
  });
  const best = gains.filter(({ gain }) => gain > 0).sort((a, b) => b.gain - a.gain);
  return keepFirst(best.map(({ term }) => getWrittenTerm(term)).filter(isInformativeWord), ({ word }) =>
    word.toLowerCase(),
  );
}

function keepFirst<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  return [...new Map(items.toReversed().map((item) => [keyOf(item), item])).values()].reverse();
}

/** A term of the report as a file writes it. */
interface TermForm {
  /** Of a longer name only the part, in lower case. */
  readonly word: string;
  readonly term: WrittenTerm;
  /** Whether the report writes it like that. */
  readonly isSame: boolean;
}

/** Those of `terms` that the text has, in their order, each form once; the report's own spelling is preferred. */
function findForms(text: string, terms: readonly WrittenTerm[]): readonly TermForm[] {
  const byHash = new Map(terms.map((term) => [term.hash, term]));
  const found = new Map<WrittenTerm, TermForm>();
  forEachWord(text, (word) => {
    for (const term of hashWord(word).flatMap((hash) => byHash.get(hash) ?? [])) {
      if (found.get(term)?.isSame) continue;
      const form = toForm(word, term);
      if (form.isSame || !found.has(term)) found.set(term, form);
    }
  });
  return keepFirst(
    terms.flatMap((term) => found.get(term) ?? []),
    ({ word }) => word,
  );
}

/** A single word, or a name as a whole; of other names the part that is the term. */
function toForm(word: string, term: WrittenTerm): TermForm {
  const hashes = hashWord(word);
  const isWhole = word === term.word || hashes.length === 1 || hashes[0] === term.hash;
  const form = isWhole ? word : findPart(word, term.term);
  return { word: form, term, isSame: isSameWord(form, term.word) };
}

/** A plain word may begin a sentence; a name is written in one way. */
function isSameWord(word: string, wanted: string): boolean {
  const isName = looksLikeCode(word.slice(1)) || looksLikeCode(wanted.slice(1));
  return word === wanted || (!isName && word.toLowerCase() === wanted.toLowerCase());
}

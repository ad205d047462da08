// Why a file ranks where it does: what each signal found in it, as clues.

import { findDefinedNames, findPart, forEachWord, hashWord, isNumber, joinName } from 'causeway-code-words';
import { type IndexedCommit, markTexts } from '../../core/source/index.ts';
import type { Clue, ClueKind } from '../clues.ts';
import { isOfLanguage, looksLikeCode, STOP_WORDS } from '../identifiers.ts';
import { cutSubject, shortenSha } from '../lookups.ts';
import { IN_PROSE } from './qualified.ts';
import { getWrittenTerm, type Query, type QueryPart, type WrittenTerm } from './query.ts';
import { type Combined, type Gathered, type MatchedCommits, type SignalName, WHOLE } from './signals.ts';
import { type PartWeights, type Table, weighTerm } from './table.ts';

/** A signal with less than this share of a file's sum is not worth a sentence. */
const LEAST_SHARE = 0.06;
const MAX_NAMED = 3;
const MAX_USED = 8;
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
  /** Line of its best stretch; 0 if not known. */
  readonly line: number;
}

/** Strengths are shares of the file's sum. */
export function explainFile(ranking: Ranking, file: number, { text, line }: ReadFile): readonly Clue[] {
  const { table, gathered, combined } = ranking;
  const total = Math.max(1e-9, combined.evidence[file] ?? 0);
  const createClue = (
    kind: ClueKind,
    signals: readonly SignalName[],
    explained: Pick<Clue, 'reason' | 'names' | 'ofFile'> & { readonly line?: number },
  ): Clue => ({
    kind,
    path: table.paths[file] ?? '',
    line: 0,
    function: '',
    strength: Math.min(1, signals.reduce((sum, signal) => sum + combined.share(signal, file), 0) / total),
    ...explained,
  });
  const path = table.paths[file] ?? '';
  const qualified = (gathered.qualified.names.get(file) ?? []).slice(0, 2).map(({ written, weight }) => {
    const [last = ''] = /[\w$]{1,200}$/.exec(written) ?? [];
    const { line: at } = path.endsWith(`/${written}`) || last === '' ? { line: 0 } : findDefinition(path, text, last);
    // `test/response.js::sendFile` is a test of another file: this one has no more than the name.
    const isOfTest = written.includes('/') && written.includes('::');
    const name = isOfTest ? last : written;
    const reason =
      at > 0 ? `defines \`${name}\`, mentioned in the report` : isOfTest ? '' : describeQualified(name, path);
    // With its owner a name in prose says more than the definition of the owner, which it includes; a sample calls much.
    const isSaid = at > 0 && weight >= IN_PROSE;
    const signals = isSaid ? (['qualified', 'definitions', 'definedWords'] as const) : (['qualified'] as const);
    return createClue('definition', signals, { reason, names: [name], line: at, ...(at > 0 && { ofFile: name }) });
  });
  const defined = explainDefinitions(ranking, file, text).map((one) =>
    createClue('definition', ['definitions', 'definedWords'], one),
  );
  const use = explainUse(ranking, file, text);
  const test = explainTest(ranking, file, text);
  const [commit] = gathered.commits.commits.get(file) ?? [];
  const changed = commit === undefined ? '' : explainCommit(ranking, commit);
  const clues = [
    ...qualified,
    ...defined,
    ...(use === null ? [] : [createClue('use', ['words', 'title', 'window'], { ...use, line, ofFile: '' })]),
    // The stretch is of the test's words only where the file has none of the report's.
    ...(test === null
      ? []
      : [
          createClue(
            'use',
            use === null ? ['testWords', 'window'] : ['testWords'],
            use === null ? { ...test, line, ofFile: '' } : { ...test, ofFile: '' },
          ),
        ]),
    // Whoever reads the path sees its words, and the name of a test that reads like the report says nothing.
    createClue('name', ['pathNames', 'pathFolders'], { reason: '', names: [] }),
    createClue('commit', ['testHistory'], { reason: '', names: [] }),
    createClue('commit', ['commits', 'titleCommits'], { reason: changed, names: [], ofFile: '' }),
  ];
  // Where nothing else is defined, what a sample calls with its owner is worth saying however little it counts.
  const isOnly = defined.every(({ strength }) => strength < LEAST_SHARE);
  return clues.filter((clue) => clue.strength >= LEAST_SHARE || (isOnly && clue.line > 0 && qualified.includes(clue)));
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
  const defined: (Explained & { readonly line: number; readonly ofFile: string })[] = [];
  for (const { word, isCode } of names) {
    const { name, line } = findDefinition(table.paths[file] ?? '', text, word);
    // What a plain word defines may be called so by chance.
    const reason = isCode ? `defines \`${name}\`, ${describeNaming(name === word)}` : '';
    if (name !== '') defined.push({ line, reason, names: isCode ? [word] : [], ofFile: name });
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

/** With its subject, so that the reader can judge it at once; "" where that has no telling word of the report. */
function explainCommit(ranking: Ranking, { sha }: IndexedCommit): string {
  const subject = ranking.subjects.get(sha) ?? '';
  const telling = listTerms(ranking, WITHOUT_LOG).flatMap(({ term, isTelling }) => (isTelling ? [term] : []));
  const shared = findForms(subject, telling).slice(0, MAX_NAMED);
  if (!areTelling(shared)) return '';
  return `changed in ${shortenSha(sha)} “${cutSubject(subject)}”, which shares ${quoteEachWord(shared)} with the report`;
}

type Explained = Required<Pick<Clue, 'reason' | 'names'>>;

/** Names from code, else words; of both only those that tell files apart are said. Null: the file has none. */
function explainUse(ranking: Ranking, file: number, text: string): Explained | null {
  const listed = listTerms(ranking, WITHOUT_LOG, file).slice(0, MAX_USED);
  if (listed.length === 0) return null;
  const telling = new Set(listed.flatMap(({ term, isTelling }) => (isTelling ? [term] : [])));
  const forms = findForms(
    text,
    listed.map(({ term }) => term),
  );
  const names = forms
    .filter(({ word, term }) => term.isWhole && looksLikeCode(term.word.slice(1)) && looksLikeCode(word.slice(1)))
    .slice(0, MAX_NAMED);
  const said = (names.length > 0 ? names : forms).filter(({ term }) => telling.has(term)).slice(0, MAX_NAMED);
  return { reason: describeUse(said, names.length > 0), names: names.map(({ term }) => term.word) };
}

function describeUse(said: readonly TermForm[], areNames: boolean): string {
  if (!areNames) return areTelling(said) ? `mentions ${quoteEachWord(said)}` : '';
  if (said.length === 0) return '';
  return `mentions ${quoteNames(said)}, ${describeNaming(said.every(({ isSame }) => isSame))}`;
}

/** A single plain word says nothing, however rare it is. */
function areTelling(said: readonly TermForm[]): boolean {
  return said.length > 1 || said.some(({ term }) => looksLikeCode(term.word.slice(1)));
}

/** As `explainUse`, of the source of the failing test. */
function explainTest(ranking: Ranking, file: number, text: string): Explained | null {
  const listed = listTerms(ranking, ONLY_TEST, file).slice(0, MAX_NAMED);
  if (listed.length === 0) return null;
  const said = findForms(
    text,
    listed.flatMap(({ term, isTelling }) => (isTelling ? [term] : [])),
  );
  const naming = said.every(({ isSame }) => isSame) ? 'used by' : 'similar to words of';
  return {
    reason: said.length === 0 ? '' : `mentions ${quoteNames(said)}, ${naming} the failing test`,
    names: [],
  };
}

function quoteEachWord(words: readonly { readonly word: string }[]): string {
  return words.map(({ word }) => `“${word.toLowerCase()}”`).join(', ');
}

function quoteNames(words: readonly { readonly word: string }[]): string {
  return words.map(({ word }) => `\`${word}\``).join(', ');
}

interface ListedTerm {
  readonly term: WrittenTerm;
  /** Whether a reader learns something from it: few files have it, and it is not a name of a language or of the project. */
  readonly isTelling: boolean;
}

/** A word in more files, or in a larger part of them, is one of everyday. */
const FEW = 3;
const PART = 0.03;

const SHORTEST = 4;

/**
 * The terms that add most to this file, or to any, best first, each written form once; numbers (of a line, a size, a
 * date) say nothing to a reader.
 */
function listTerms({ table, query, ownNames }: Ranking, weights: PartWeights, file?: number): readonly ListedTerm[] {
  const most = Math.max(FEW, table.paths.length * PART);
  const gains = query.terms.flatMap((term, index) => {
    const { files = new Uint32Array(), rarity = 0, saturations } = table.terms[index] ?? {};
    const at = file === undefined ? -1 : files.indexOf(file);
    if ((file !== undefined && at < 0) || isNumber(term.term) || STOP_WORDS.has(term.word.toLowerCase())) return [];
    const written = getWrittenTerm(term);
    const isNamed = ownNames.has(written.word.toLowerCase()) || isOfLanguage(term.word);
    const isTelling = files.length <= most && written.word.length >= SHORTEST && !isNamed;
    const worth = file === undefined ? 1 / Math.log(2 + files.length) : rarity * (saturations?.[at] ?? 0);
    return [{ term: written, isTelling, gain: weighTerm(term, weights) * worth }];
  });
  const best = gains.filter(({ gain }) => gain > 0).sort((a, b) => b.gain - a.gain);
  return keepFirst(
    best.filter(({ term }) => !STOP_WORDS.has(term.word.toLowerCase())),
    ({ term }) => term.word.toLowerCase(),
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

// Why a file ranks where it does: what each signal found in it, as clues.
import type { Clue } from '../clues.ts';
import { looksLikeCode, STOP_WORDS } from '../identifiers.ts';
import type { Query, QueryPart, QueryTerm } from './query.ts';
import { type Combined, type Gathered, type SignalName, WHOLE } from './signals.ts';
import { type PartWeights, type Table, termWeight } from './table.ts';
import { definedNames, eachWord, hashesOfWord, isNumber, partOf, termsOfWord, wholeName } from './terms.ts';

/** A signal that brings less of a file's sum than this is not worth a sentence. */
const LEAST_SHARE = 0.06;

const MAX_SAID = 3;

/** What a log holds is said by the frame or the message that it leads to. */
const SAID: readonly QueryPart[] = ['title', 'name', 'prose', 'code'];

const IN_TEXT = { ...WHOLE, log: 0 };

interface Explained {
  readonly table: Table;
  readonly query: Query;
  readonly gathered: Gathered;
  readonly combined: Combined;
}

export interface LookedAt {
  /** The file's text; "" where it was not read. */
  readonly text: string;
  /** Line of its best stretch; 0 where none is known. */
  readonly line: number;
}

/** Strengths are shares of the file's sum. */
export function explainFile(all: Explained, file: number, looked: LookedAt): readonly Clue[] {
  const total = Math.max(1e-9, all.combined.sums[file] ?? 0);
  const strength = (...signals: readonly SignalName[]): number =>
    Math.min(1, signals.reduce((sum, signal) => sum + all.combined.share(signal, file), 0) / total);
  const use = useClue(all, file, looked.text);
  // The stretch is of the test's words alone where the file holds none of the report's.
  const ofTest = use.reason === '' ? (['testWords', 'window'] as const) : (['testWords'] as const);
  const base = { path: all.table.paths[file] ?? '', line: 0, function: '' };
  const clues: Clue[] = [
    ...definitionClues(all, file, looked).map((clue) => ({
      ...base,
      ...clue,
      kind: 'definition' as const,
      strength: strength('definitions', 'definedWords'),
    })),
    {
      ...base,
      ...use,
      kind: 'use',
      line: looked.line,
      strength: strength('words', 'title', 'window', 'titleWindow'),
    },
    {
      ...base,
      ...testClue(all, file, looked.text),
      kind: 'use',
      line: use.reason === '' ? looked.line : 0,
      strength: strength(...ofTest),
    },
    { ...base, ...pathClue(all, file), kind: 'name', strength: strength('pathNames', 'pathFolders') },
    { ...base, ...commitClue(all, file), kind: 'commit', strength: strength('commits', 'titleCommits') },
  ];
  return clues.filter(({ reason, strength: own }) => reason !== '' && own >= LEAST_SHARE);
}

type Said = Pick<Clue, 'reason' | 'names'>;

function definitionClues(
  { gathered }: Explained,
  file: number,
  { text }: LookedAt,
): readonly (Said & { readonly line: number })[] {
  const names = (gathered.definitions.names.get(file) ?? [])
    .filter(({ parts }) => SAID.some((part) => parts.has(part)))
    .slice(0, 2);
  return names.map(({ word, isCode }) => {
    const { name, line } = definitionOf(text, word);
    const reason =
      name === ''
        ? `defines a form of \`${word}\`, named in the report`
        : `defines \`${name}\`, ${named(name === word)}`;
    return { line, reason, names: isCode && looksLikeCode(word) ? [word] : [] };
  });
}

/** Names meet without case and joints: the report may write one otherwise than the file does. */
function named(isSame: boolean): string {
  return isSame ? 'named in the report' : 'similar to a name in the report';
}

/** The first line that defines just this name, else the first that defines a form of it; line 0 and no name where none does. */
function definitionOf(text: string, name: string): { readonly name: string; readonly line: number } {
  const wanted = wholeName(name);
  let form = { name: '', line: 0 };
  for (const [index, line] of (text === '' ? [] : text.split('\n')).entries()) {
    if (!wholeName(line).includes(wanted)) continue;
    const own = definedNames(line).filter((one) => wholeName(one) === wanted);
    if (own.includes(name)) return { name, line: index + 1 };
    if (form.line === 0 && own[0] !== undefined) form = { name: own[0], line: index + 1 };
  }
  return form;
}

/** Names from code are worth telling; words only where the file holds no such name. */
function useClue({ table, query }: Explained, file: number, text: string): Said {
  const telling = tellingWords(table, query, IN_TEXT, file).filter(isInformative).slice(0, 8);
  const found = foundForms(text, telling);
  if (telling.length === 0) return { reason: '' };
  if (found.length === 0) return { reason: `mentions forms of ${quoted(telling.slice(0, MAX_SAID))}`, names: [] };
  const names = found.filter(isCodeName).slice(0, MAX_SAID);
  if (names.length > 0) {
    const isSame = names.every((form) => form.isSame);
    return { reason: `mentions ${ticked(names)}, ${named(isSame)}`, names: names.map(({ asked }) => asked.word) };
  }
  return { reason: `mentions ${quoted(found.slice(0, MAX_SAID))}`, names: [] };
}

/** Written as code is by the report, and by the file too. */
function isCodeName({ word, asked }: FoundForm): boolean {
  return asked.isWhole && looksLikeCode(asked.word.slice(1)) && looksLikeCode(word.slice(1));
}

function testClue({ table, query }: Explained, file: number, text: string): Said {
  const weights = { title: 0, name: 0, prose: 0, code: 0, log: 0, test: 1 };
  const telling = tellingWords(table, query, weights, file).filter(isInformative).slice(0, MAX_SAID);
  const found = foundForms(text, telling);
  if (telling.length === 0) return { reason: '' };
  if (found.length === 0) return { reason: `mentions forms of ${ticked(telling)}, used by the failing test` };
  const isSame = found.every((one) => one.isSame);
  return { reason: `mentions ${ticked(found)}, ${isSame ? 'used by' : 'similar to words of'} the failing test` };
}

function pathClue({ gathered }: Explained, file: number): Said {
  const shared = gathered.paths.shared(file).filter(isInformative).slice(0, 4);
  return shared.length === 0 ? { reason: '' } : { reason: `path contains ${quoted(shared)}`, names: [] };
}

function isInformative({ word }: { readonly word: string }): boolean {
  return !STOP_WORDS.has(word.toLowerCase());
}

function quoted(words: readonly { readonly word: string }[]): string {
  return words.map(({ word }) => `“${word.toLowerCase()}”`).join(', ');
}

function ticked(words: readonly { readonly word: string }[]): string {
  return words.map(({ word }) => `\`${word}\``).join(', ');
}

function commitClue({ gathered }: Explained, file: number): Said {
  const [commit] = gathered.commits.commits.get(file) ?? [];
  if (!commit) return { reason: '' };
  return { reason: `changed in ${commit.sha.slice(0, 7)}, whose message resembles this report`, names: [] };
}

/** A term of the report in a file. */
interface FoundForm {
  /** As the text has it; of a longer name only the part, in lower case. */
  readonly word: string;
  readonly asked: TellingWord;
  /** Whether the report writes it like that. */
  readonly isSame: boolean;
}

/** Those of the asked ones that stand in the text, in the order asked, each form once; the report's own way of writing goes before others. */
function foundForms(text: string, asked: readonly TellingWord[]): readonly FoundForm[] {
  const byHash = new Map(asked.map((one) => [one.hash, one]));
  const found = new Map<TellingWord, FoundForm>();
  eachWord(text, (word) => {
    for (const hash of hashesOfWord(word)) {
      const one = byHash.get(hash);
      if (one === undefined || found.get(one)?.isSame) continue;
      const form = formOf(word, one);
      if (form.isSame || !found.has(one)) found.set(one, form);
    }
  });
  const forms = asked.flatMap((one) => found.get(one) ?? []);
  return [...new Map(forms.toReversed().map((form) => [form.word, form])).values()].reverse();
}

function formOf(word: string, asked: TellingWord): FoundForm {
  if (word === asked.word) return { word, asked, isSame: true };
  const hashes = hashesOfWord(word);
  // A single word, or a name as a whole, stands for itself; of other names it is the part that was asked for.
  if (hashes.length === 1 || hashes[0] === asked.hash) return { word, asked, isSame: sameBut(word, asked) };
  const part = partOf(word, asked.term);
  return { word: part, asked, isSame: sameBut(part, asked) };
}

/** A plain word may begin a sentence; a name is written in one way. */
function sameBut(word: string, { word: wanted }: TellingWord): boolean {
  const isName = looksLikeCode(word.slice(1)) || looksLikeCode(wanted.slice(1));
  return !isName && word.toLowerCase() === wanted.toLowerCase();
}

/** A term as it stands in the report. */
interface TellingWord {
  readonly hash: number;
  /** As it is compared. */
  readonly term: string;
  readonly word: string;
  /** Whether it is the whole of what the report writes there, rather than a part of a name. */
  readonly isWhole: boolean;
}

/**
 * The words that bring this file most, best first, as the report writes them; each once. A part of a name is no proof of the name, and a number
 * (of a line, a size, a date) says nothing to a reader.
 */
function tellingWords(table: Table, query: Query, weights: PartWeights, file: number): readonly TellingWord[] {
  const gains: { readonly term: QueryTerm; readonly gain: number }[] = [];
  table.eachTerm(file, (index, saturated) => {
    const term = query.terms[index];
    if (term === undefined) return;
    gains.push({ term, gain: termWeight(term, weights) * (table.rarities[index] ?? 0) * saturated });
  });
  const best = gains.filter(({ gain, term }) => gain > 0 && !isNumber(term.term)).sort((a, b) => b.gain - a.gain);
  const words = best.map(({ term }) => asWritten(term));
  return [...new Map(words.toReversed().map((one) => [one.word.toLowerCase(), one])).values()].reverse();
}

/** Of a name that the report writes the part that is compared: a part of it is no proof of the whole. */
export function asWritten({ hash, term, word, whole }: QueryTerm): TellingWord {
  if (whole || termsOfWord(word).length === 1) return { hash, term, word, isWhole: true };
  return { hash, term, word: partOf(word, term), isWhole: false };
}

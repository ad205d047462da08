// What a place calls or names, one step on: where each function is defined, and the text of those that are nearest to
// the report.

import { forEachWord, hashWord } from 'causeway-code-words';
import type { LineRange } from 'causeway-git-objects';
import { formatCounted } from '../core/counted.ts';
import { findSpans, isCommentLine, type Span } from '../core/source/index.ts';
import { isCompoundName, looksLikeCode, STOP_WORDS } from './identifiers.ts';
import { attempt, formatLines, type Lookups, shortenSha } from './lookups.ts';
import { classifyFile } from './own-code.ts';

interface CallingPlace {
  readonly path: string;
  readonly lines: readonly string[];
  readonly spans: readonly Span[];
  /** What of the file is shown already. */
  readonly shown: readonly LineRange[];
  /** The part of it whose calls are followed; its function is not a callee of itself. */
  readonly calling: readonly LineRange[];
  readonly report: string;
}

/** A function that the place calls or names. */
interface Callee {
  readonly path: string;
  readonly span: Span;
  /** Of its file. */
  readonly lines: readonly string[];
}

const MAX_NAMED = 8;

/** Whole functions shown, the lines of each, and the characters of all. */
const MAX_WHOLE = 2;
const MAX_LINES = 40;
const MAX_CHARACTERS = 3_000;

/** One step; none where nothing is known of what the place calls. */
export async function recordCallees(lookups: Lookups, place: CallingPlace): Promise<void> {
  const uses = findCallUses(place);
  const own = findOwnCallees(place, uses);
  const here = new Set(place.spans.map(({ name }) => name));
  const rest = [...uses.values()].filter(({ name, isFree }) => isFree && !here.has(name));
  const callees = [...own, ...(await findElsewhere(lookups, place, rest))];
  const ranked = rankByReport(callees, place.report);
  if (ranked.length === 0) return;
  const named = ranked.slice(0, MAX_NAMED);
  const whole = chooseWhole(named);
  const more = ranked.length > named.length ? [`… ${ranked.length - named.length} more`] : [];
  const texts = whole.flatMap(({ callee: { path, span, lines } }) => [
    `${path}:${span.line}-${span.lastLine}:`,
    formatLines(lines, { from: span.line, to: span.lastLine }, 0),
  ]);
  await lookups.notebook.record({
    lookup: 'callees',
    action: `find what ${place.path}:${place.calling.map(({ from, to }) => `${from}-${to}`).join(', ')} calls at ${shortenSha(lookups.tree.revision)}`,
    result: [...named.map(({ callee }) => describeCallee(callee)), ...more, ...texts].join('\n'),
    analysis: `${formatCounted(ranked.length, 'function')} of this repository that it calls or names, those nearest to the report first.`,
  });
}

function describeCallee({ path, span }: Callee): string {
  return `${span.owner === '' ? span.name : `${span.owner}.${span.name}`} ${path}:${span.line}`;
}

/** The best that are short enough and have words of the report. */
function chooseWhole(ranked: readonly RankedCallee[]): readonly RankedCallee[] {
  let left = MAX_CHARACTERS;
  const chosen: RankedCallee[] = [];
  for (const each of ranked) {
    const { span, lines } = each.callee;
    const size = lines.slice(span.line - 1, span.lastLine).join('\n').length;
    const isShort = span.lastLine - span.line < MAX_LINES && size <= left;
    if (each.score === 0 || !isShort || chosen.length === MAX_WHOLE) continue;
    chosen.push(each);
    left -= size;
  }
  return chosen;
}

interface Use {
  readonly name: string;
  /** Whether it may be a function of another file: `x.push(…)` is a method of whatever `x` is. */
  readonly isFree: boolean;
}

const KEYWORDS = new Set(
  'if for while switch catch return function await typeof new def elif in not and or fn func match super with toString'.split(
    ' ',
  ),
);

const OF_ITSELF = /(?:^|[^\w$])(?:this|self|cls|Self|super\(\))\??(?:\.|::|->)$/;

/** Words that are called, or written as only code is, outside of comments; in their order. */
function findCallUses({ path, lines, calling }: CallingPlace): ReadonlyMap<string, Use> {
  const uses = new Map<string, Use>();
  for (const text of calling.flatMap(({ from, to }) => lines.slice(from - 1, to))) {
    for (const use of isCommentLine(path, text) ? [] : findUsesInLine(text.slice(0, MAX_LINE))) {
      if (use.isFree || !uses.has(use.name)) uses.set(use.name, use);
    }
  }
  return uses;
}

function findUsesInLine(text: string): readonly Use[] {
  const uses: Use[] = [];
  forEachWord(text, (name, at) => {
    const isCalled = text[at + name.length] === '(';
    if (name.length < 3 || KEYWORDS.has(name) || !(isCalled || looksLikeCode(name))) return;
    const before = text.slice(Math.max(0, at - 12), at);
    const isMethod = /(?:\.|::|->)$/.test(before) && !OF_ITSELF.test(before);
    uses.push({ name, isFree: !isMethod || isCompoundName(name) });
  });
  return uses;
}

/** Characters of a line that are read for names. */
const MAX_LINE = 500;

/** Of the same file, without what is shown of it: the only one of its name, or the one next to the place. */
function findOwnCallees({ path, lines, spans, shown, calling }: CallingPlace, uses: ReadonlyMap<string, Use>) {
  const functions = spans.filter(({ kind }) => kind === 'function');
  const holders = functions.filter((span) => calling.some(({ from, to }) => span.line >= from && span.line <= to));
  const owners = new Set(holders.map(({ owner }) => owner));
  const isShown = (span: Span) => shown.some(({ from, to }) => span.line >= from && span.lastLine <= to);
  return [...Map.groupBy(functions, ({ name }) => name)].flatMap(([name, same]): readonly Callee[] => {
    if (!uses.has(name)) return [];
    const near = same.length === 1 ? same : same.filter(({ owner }) => owners.has(owner));
    const [span] = near;
    return span === undefined || near.length > 1 || isShown(span) || holders.includes(span)
      ? []
      : [{ path, span, lines }];
  });
}

/** Characters of the names that are looked for: a search takes 1,000 in all. */
const MAX_SOUGHT = 650;

/** Files that are read for definitions; a name that more than a few files may define has no one definition. */
const MAX_FILES = 12;
const MAX_DEFINING = 4;

/** In other files of the language: functions whose name has one definition there. */
async function findElsewhere(
  lookups: Lookups,
  { path, report }: CallingPlace,
  uses: readonly Use[],
): Promise<readonly Callee[]> {
  const names = chooseSought(uses, report);
  if (names.length === 0) return [];
  const { tree, signal } = lookups;
  const query = { pattern: toDefinitionPattern(path, names), regex: true, ignoreCase: false, paths: [], limit: 1_000 };
  const found = await attempt(lookups, 'search definitions', () => tree.search(query, signal));
  const hits = (found?.hits ?? []).filter(
    (hit) => isOfSameLanguage(hit.path, path) && classifyFile(hit.path) === 'source',
  );
  const files = new Map(names.map((name) => [name, new Set<string>()]));
  for (const { path: each, text } of hits) {
    forEachWord(text.slice(0, MAX_LINE), (word, at) => {
      if (!SCRIPT.test(path) || mayDefine(text.slice(0, at))) files.get(word)?.add(each);
    });
  }
  const sought = new Map([...files].filter(([, paths]) => paths.size <= MAX_DEFINING));
  const read = [...new Set([...sought.values()].flatMap((paths) => [...paths]))].slice(0, MAX_FILES);
  const defined = await readDefined(lookups, read, new Set(sought.keys()));
  return [...Map.groupBy(defined, ({ span }) => span.name)].flatMap(([name, same]) =>
    same.length === 1 && [...(sought.get(name) ?? [])].every((each) => read.includes(each)) ? same : [],
  );
}

/** Those with words of the report first. */
function chooseSought(uses: readonly Use[], report: string): readonly string[] {
  const terms = listReportTerms(report);
  const rated = uses.map(({ name }) => ({ name, shared: listTerms(name).intersection(terms).size }));
  let left = MAX_SOUGHT;
  return rated
    .sort((a, b) => b.shared - a.shared)
    .flatMap(({ name }) => {
      left -= name.length + 1;
      return left >= 0 ? [name] : [];
    });
}

/** Lines that may define one of the names; which do, their outline says. */
function toDefinitionPattern(path: string, names: readonly string[]): string {
  const any = `(?:${names.map((name) => name.replaceAll('$', '\\$')).join('|')})`;
  if (SCRIPT.test(path)) {
    // What may stand before the name is left to `mayDefine`: here it would triple the time of the search.
    return `(?<![\\w$])${any}(?:\\s*[(<][^;]*[{(]\\s*$|\\s*[:=]\\s*(?:async\\s*)?(?:function\\b|[(<]|\\w+\\s*=>))`;
  }
  const keyword = '\\b(?:def|fn|func|fun|function|sub)\\s+(?:\\([^()]{0,80}\\)\\s*)?(?:self\\.)?';
  const typed = '^\\s*(?:[\\w<>\\[\\],.?@&:*]{1,80}\\s+){1,6}[*&]?';
  return TYPED.test(path) ? `${typed}${any}\\s*\\([^;]*$` : `${keyword}${any}\\b`;
}

const BINDINGS = new Set(['function', 'function*', 'const', 'let', 'var']);

const MODIFIERS = new Set(['*', '#', ...'async static get set public private protected override export'.split(' ')]);

/** Whether JavaScript may define a name there, by what is before it on the line. */
function mayDefine(before: string): boolean {
  const words = before.split(/\s/).filter((word) => word !== '');
  return BINDINGS.has(words.at(-1) ?? '') || words.every((word) => MODIFIERS.has(word));
}

/** Languages that begin a function with the type of what it returns. */
const TYPED = /\.(?:java|cs|c|cc|cpp|cxx|h|hh|hpp|m|mm|dart|groovy)$/;

const SCRIPT = /\.(?:[cm]?[jt]sx?|vue|svelte)$/;

function isOfSameLanguage(one: string, other: string): boolean {
  if (SCRIPT.test(one)) return SCRIPT.test(other);
  return one.slice(one.lastIndexOf('.')) === other.slice(other.lastIndexOf('.'));
}

async function readDefined(
  lookups: Lookups,
  paths: readonly string[],
  names: ReadonlySet<string>,
): Promise<readonly Callee[]> {
  const { tree, signal } = lookups;
  const found = await Promise.all(
    paths.map((path) =>
      attempt(lookups, `read ${path}`, async (): Promise<readonly Callee[]> => {
        const file = await tree.read(path, {}, signal);
        if (file.kind !== 'text') return [];
        const spans = findSpans(path, file.text, await tree.outline(path, signal));
        const lines = file.text.split(/\r?\n/);
        return spans
          .filter(({ kind, name }) => kind === 'function' && names.has(name))
          .map((span) => ({ path, span, lines }));
      }),
    ),
  );
  return found.flatMap((each) => each ?? []);
}

interface RankedCallee {
  readonly callee: Callee;
  /** What its name and text share with the report, each word worth more the fewer callees have it. */
  readonly score: number;
}

/** What a word in the report counts by where it is. */
const IN_TITLE = 2;
const IN_NAME = 2;
const IN_TEXT = 0.5;

/** A function with fewer lines only gets or sets a value. */
const TRIVIAL = 5;

/** Best first; equal ones in the order of their names. */
function rankByReport(callees: readonly Callee[], report: string): readonly RankedCallee[] {
  const [title = ''] = report.split('\n', 1);
  const [all, titled] = [listReportTerms(report), listTerms(title)];
  const terms = callees.map(({ span, lines }) => ({
    name: listTerms(span.name),
    text: listTerms(lines.slice(span.line - 1, Math.min(span.lastLine, span.line + 300)).join('\n')),
    size: span.lastLine - span.line + 1,
  }));
  const holding = new Map<number, number>();
  for (const { text } of terms) for (const term of text) holding.set(term, (holding.get(term) ?? 0) + 1);
  const weigh = (term: number): number =>
    Math.log(1 + callees.length / (holding.get(term) ?? 1)) * (titled.has(term) ? IN_TITLE : 1);
  const ranked = terms.map(({ name, text, size }, index) => {
    const shared = [...text].filter((term) => all.has(term));
    const score = shared.reduce((sum, term) => sum + weigh(term) * (name.has(term) ? IN_NAME : IN_TEXT), 0);
    return { callee: callees[index] as Callee, score: size < TRIVIAL ? score / 2 : score };
  });
  return ranked.sort((a, b) => b.score - a.score || (describeCallee(a.callee) < describeCallee(b.callee) ? -1 : 1));
}

/** Hashes of the words of a report that say something. */
export function listReportTerms(report: string): ReadonlySet<number> {
  return listTerms(keepEnds(report));
}

/** Of each end of a report: all of a megabyte of different words held the event loop for 0.3 s. */
const END = 50_000;

function keepEnds(report: string): string {
  return report.length <= 2 * END ? report : `${report.slice(0, END)}\n${report.slice(-END)}`;
}

function listTerms(text: string): ReadonlySet<number> {
  const terms = new Set<number>();
  forEachWord(text, (word) => {
    if (STOP_WORDS.has(word.toLowerCase())) return;
    for (const hash of hashWord(word)) terms.add(hash);
  });
  return terms;
}

// Every function and class of the ranked files with what a report's terms find in it: the candidates of the ranking.
import type { Symbol as OutlineSymbol } from '../../core/source.ts';
import { eachWord, hashesOfWord } from '../localise/terms.ts';
import { docstringOf } from './docstring.ts';
import type { Phrases } from './phrases.ts';
import { cutLine } from './source-lines.ts';
import { type Span, spansOf } from './spans.ts';

export interface FunctionFile {
  readonly path: string;
  readonly text: string;
  /** As the source's outline has it. */
  readonly outline: readonly OutlineSymbol[];
  /** Of the ranking of files; larger is better. */
  readonly score: number;
}

/** A function with its whole text, or a class without that of its functions. */
export interface Unit {
  readonly path: string;
  readonly span: Span;
  /** Position of its file, from 0; its file's score beside the best one's; how many units the file has. */
  readonly fileRank: number;
  readonly fileScore: number;
  readonly siblings: number;
  /** How often each of the report's terms stands in it, by hash; in its documentation a third as much. */
  readonly counts: ReadonlyMap<number, number>;
  /** Terms in it, whether the report has them or not. */
  readonly length: number;
  /** Its lines, without those of other units in a class. */
  readonly lines: readonly number[];
  /** Pairs of neighbouring words that the report has as well. */
  readonly pairs: ReadonlySet<number>;
  /** The text of its lines, each up to 1,000 characters. */
  readonly text: () => string;
}

/** What a word of documentation counts beside one of code: it says what is promised, the report what is not kept. */
const DOCUMENTATION = 0.35;
/** Files beyond this many units are generated. */
const MAX_UNITS = 3_000;
/** Of one unit: what comes after so many says nothing new, and a file may lie in a thousand classes at once. */
const MAX_LINES = 2_000;

interface Reading extends Pick<Unit, 'fileRank' | 'fileScore'> {
  /** Hashes of the report's terms. */
  readonly terms: ReadonlySet<number>;
  readonly phrases: Phrases;
}

/** Of one file, in the order of its lines. Linear in its text. */
export function readUnits(file: FunctionFile, { fileRank, fileScore, terms, phrases }: Reading): readonly Unit[] {
  const spans = spansOf(file.path, file.text, file.outline.slice(0, MAX_UNITS));
  const lines = readTerms(file.text, terms, phrases);
  return spans.map((span) => ({
    path: file.path,
    span,
    fileRank,
    fileScore,
    siblings: spans.length,
    ...gather(lines, span, ownLines(span, spans)),
  }));
}

interface LineTerms {
  readonly text: string;
  /** Hashes of the report's terms in it, repeats included. */
  readonly found: readonly number[];
  readonly length: number;
  readonly pairs: readonly number[];
}

function readTerms(text: string, terms: ReadonlySet<number>, phrases: Phrases): readonly LineTerms[] {
  return text.split(/\r?\n/).map((line) => {
    const found: number[] = [];
    let length = 0;
    const short = cutLine(line);
    eachWord(short, (word) => {
      for (const hash of hashesOfWord(word)) {
        length++;
        if (terms.has(hash)) found.push(hash);
      }
    });
    return { text: short, found, length, pairs: phrases.pairsIn(short) };
  });
}

/** A class is what is left of it without what is defined in it. */
function ownLines(span: Span, spans: readonly Span[]): readonly number[] {
  const end = Math.min(span.lastLine, span.leadLine + MAX_LINES - 1);
  const lines: number[] = [];
  let next = span.leadLine;
  const takeTo = (line: number): void => {
    for (; next <= Math.min(line, end); next++) lines.push(next);
  };
  if (span.kind !== 'function') {
    for (const inner of spans) {
      if (inner.line <= span.line || inner.lastLine > span.lastLine || inner.lastLine < next) continue;
      takeTo(inner.leadLine - 1);
      next = Math.max(next, inner.lastLine + 1);
    }
  }
  takeTo(end);
  return lines;
}

function gather(lines: readonly LineTerms[], span: Span, own: readonly number[]) {
  const textAt = (line: number): string => lines[line - 1]?.text ?? '';
  const { from, to } = docstringOf(textAt, span);
  const counts = new Map<number, number>();
  const pairs = new Set<number>();
  let length = 0;
  for (const line of own) {
    const weight = line < span.line || (line >= from && line <= to) ? DOCUMENTATION : 1;
    const terms = lines[line - 1];
    if (terms === undefined) continue;
    length += weight * terms.length;
    for (const hash of terms.found) counts.set(hash, (counts.get(hash) ?? 0) + weight);
    for (const pair of terms.pairs) pairs.add(pair);
  }
  return { counts, length, pairs, lines: own, text: () => own.map(textAt).join('\n') };
}

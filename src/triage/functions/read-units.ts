// Every function and class of the ranked files with what a report's terms find in it: the candidates of the ranking.

import { forEachWord, hashTerm, hashWord, joinName } from 'causeway-code-words';
import type { OutlineSymbol } from 'causeway-git-objects';
import { cutLine, findDocstring, findSpans, type Span } from '../../core/source/index.ts';
import { type MappedFrame, putCallerFirst } from '../clues.ts';
import type { Query } from '../localise/query.ts';
import { listPaths, type Mapping } from '../paths.ts';
import type { Trace } from '../traces/find-traces.ts';

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
  /** Position of its file, from 0; its file's score relative to the best; how many units the file has. */
  readonly fileRank: number;
  readonly fileScore: number;
  readonly siblings: number;
  /** How often each of the report's terms is in it, by hash; in its documentation a third as much. */
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

/**
 * The weight of a word of documentation relative to one of code: it describes what should happen, the report what does
 * not.
 */
const DOCUMENTATION = 0.35;

/** Files beyond this many units are generated. */
const MAX_UNITS = 3_000;

/** Of one unit: what comes after so many says nothing new, and a file may lie in a thousand classes at once. */
const MAX_LINES = 2_000;

interface FileReading extends Pick<Unit, 'fileRank' | 'fileScore'> {
  /** Hashes of the report's terms. */
  readonly terms: ReadonlySet<number>;
  readonly phrases: Phrases;
}

/** Of one file, in the order of its lines. Linear in its text. */
export function readUnits(file: FunctionFile, { fileRank, fileScore, terms, phrases }: FileReading): readonly Unit[] {
  const spans = findSpans(file.path, file.text, file.outline.slice(0, MAX_UNITS));
  const lines = readTerms(file.text, terms, phrases);
  return spans.map((span) => ({
    path: file.path,
    span,
    fileRank,
    fileScore,
    siblings: spans.length,
    ...gatherTerms(lines, span, listOwnLines(span, spans)),
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
    forEachWord(short, (word) => {
      for (const hash of hashWord(word)) {
        length++;
        if (terms.has(hash)) found.push(hash);
      }
    });
    return { text: short, found, length, pairs: phrases.pairsIn(short) };
  });
}

/** A class is what is left of it without what is defined in it. */
function listOwnLines(span: Span, spans: readonly Span[]): readonly number[] {
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

function gatherTerms(lines: readonly LineTerms[], span: Span, own: readonly number[]) {
  const textAt = (line: number): string => lines[line - 1]?.text ?? '';
  const { from, to } = findDocstring(textAt, span);
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

interface Phrases {
  /** Pairs of neighbouring words of the line that the report has too, repeats included. */
  pairsIn(line: string): readonly number[];
}

/** The words beyond these repeat the others: a long log. */
const MAX_WORDS = 20_000;

export function findPhrases(report: string): Phrases {
  const numbers = new Map<string, number>();
  const pairs = new Set<number>();
  let before = 0;
  let read = 0;
  forEachWord(report, (word) => {
    if (read++ > MAX_WORDS) return;
    const key = word.toLowerCase();
    const own = numbers.get(key) ?? hashTerm(key);
    numbers.set(key, own);
    if (before !== 0) pairs.add(toPair(before, own));
    before = own;
  });
  return {
    pairsIn(line) {
      const found: number[] = [];
      let last = 0;
      forEachWord(line, (word) => {
        const own = numbers.get(word.toLowerCase()) ?? 0;
        if (last !== 0 && own !== 0 && pairs.has(toPair(last, own))) found.push(toPair(last, own));
        last = own;
      });
      return found;
    },
  };
}

function toPair(first: number, second: number): number {
  return (Math.imul(first, 31) ^ Math.imul(second, 0x9e3779b1)) >>> 0;
}

interface FramedUnit {
  readonly strength: number;
  /** Of the frame, inside of the unit; 0 where only the name leads there. */
  readonly line: number;
  /** Units of the file that the frame may be in: more than one where only a name leads there that several have. */
  readonly alike: number;
}

/** For each unit that has one its best frame. `frames`: best first. */
export function findFramedUnits(units: readonly Unit[], frames: readonly MarkedFrame[]): ReadonlyMap<Unit, FramedUnit> {
  const framed = new Map<Unit, FramedUnit>();
  for (const frame of frames) {
    const own = units.filter(({ path }) => path === frame.path);
    const inside = pickInnermost(own, frame);
    const found = inside === undefined ? findByName(own, frame) : [inside];
    for (const unit of found) {
      if (framed.has(unit)) continue;
      const { strength, line } = frame;
      framed.set(unit, { strength, line: unit === inside ? line : 0, alike: found.length });
    }
  }
  return framed;
}

/**
 * What the line lies in and the frame names; undefined where the file has such a name elsewhere, for the line is then
 * one of another text. A name that the file does not have (`<lambda>`, a minified one) says nothing against the line.
 */
function pickInnermost(own: readonly Unit[], { line, name }: MarkedFrame): Unit | undefined {
  const inside = own
    .filter(({ span }) => line >= span.line && line <= span.lastLine)
    .toSorted((a, b) => a.span.lastLine - a.span.line - (b.span.lastLine - b.span.line));
  return own.some(({ span }) => span.name === name) ? inside.find(({ span }) => span.name === name) : inside[0];
}

/** With a line, which then lies outside, only the one unit of that name. */
function findByName(own: readonly Unit[], { line, name }: MarkedFrame): readonly Unit[] {
  const named = own.filter(({ span }) => span.name === name);
  return line > 0 && named.length > 1 ? [] : named;
}

export interface MarkedFrame {
  readonly path: string;
  /** As the trace prints it; 0 where it has none, or where it is one of another text than the file's. */
  readonly line: number;
  /** Last part of the function's name; "" where the trace has none. */
  readonly name: string;
  /** 1 for the innermost own frame; less for each one further out, and for an error that another one caused. */
  readonly strength: number;
}

const OUTWARD = 0.8;

interface MappedTraces {
  readonly traces: readonly Trace[];
  /** The frames of each of `traces`, as `mapTraces` laid them to the project's files. */
  readonly mapped: readonly (readonly MappedFrame[])[];
  /** Whether the lines of the frames are those of the commit that is read: else only their names count. */
  readonly linesHold: boolean;
}

/** Best first. A line of compiled output says nothing of its source. */
export function markFrames({ traces, mapped, linesHold }: MappedTraces): readonly MarkedFrame[] {
  const marked = mapped.flatMap((frames, index) => {
    const depth = Math.min(traces[index]?.depth ?? 0, 3);
    const own = putCallerFirst(frames).flatMap(({ frame, mapping }) =>
      listPaths(mapping).map((path) => ({ frame, path, line: hasLine(mapping) && linesHold ? frame.line : 0 })),
    );
    return own.map(
      ({ frame, path, line }, position): MarkedFrame => ({
        path,
        line,
        name: frame.function.split(/[.:#/$]/).at(-1) ?? '',
        strength: OUTWARD ** (position + depth),
      }),
    );
  });
  return marked.toSorted((a, b) => b.strength - a.strength);
}

function hasLine(mapping: Mapping): boolean {
  return !('compiled' in mapping && mapping.compiled);
}

/** More functions of one name than this, and the report does not say which it means. */
const MAX_NAMESAKES = 3;

const SHORTEST_NAME = 4;

/** For each function the one of its file that calls it, where the report names that one as code. */
export function findNamedCallers(units: readonly Unit[], { names }: Query): ReadonlyMap<Unit, string> {
  const told = new Set(names.filter(({ isCode }) => isCode).map(({ word }) => joinName(word)));
  const functions = units.filter(({ span }) => span.kind === 'function' && span.name.length >= SHORTEST_NAME);
  const byName = Map.groupBy(functions, ({ span }) => span.name);
  const callers = new Map<Unit, string>();
  for (const [name, own] of byName) {
    if (!told.has(joinName(name)) || own.length > MAX_NAMESAKES) continue;
    for (const called of own.flatMap((caller) => isCalledBy(caller, byName))) {
      if (!callers.has(called)) callers.set(called, name);
    }
  }
  return callers;
}

function isCalledBy(caller: Unit, byName: ReadonlyMap<string, readonly Unit[]>): readonly Unit[] {
  const words = new Set<string>();
  const text = caller.text();
  forEachWord(text, (word, at) => {
    if (text[at + word.length] === '(') words.add(word);
  });
  words.delete(caller.span.name);
  return [...words].flatMap((word) => (byName.get(word) ?? []).filter(({ path }) => path === caller.path));
}

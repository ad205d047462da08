// What a line of a long log is kept for. Lines that differ in their numbers alone are judged once.

import { glance } from './condense-filter.ts';
import { isDigit, stampEnd } from './condense-stamp.ts';
import { signOf } from './error-signs.ts';
import { isFinding } from './place-forms.ts';
import { type PlainLine, plainLine } from './plain-lines.ts';
import { findSteps } from './steps.ts';
import { findFailedTests, mayNameLast, nameOn } from './test-names.ts';

/**
 * `opening`: a step begins. `part`: a part of the log ends. `marked`: the runner says what ended the step. `end`: a program says that it is
 * over. `listed`: on a list of what failed, under a heading. `finding`: a place with words, which counts where nothing is an error.
 */
export type LineKind =
  | 'nothing'
  | 'opening'
  | 'part'
  | 'marked'
  | 'verdict'
  | 'heading'
  | 'listed'
  | 'error'
  | 'finding'
  | 'end';

export interface JudgedLine {
  readonly kind: LineKind;
  /** How many lines of the step were like it, with this one. */
  readonly count: number;
}

interface Shape {
  readonly kind: LineKind;
  step: number;
  count: number;
}

const NOTHING: JudgedLine = { kind: 'nothing', count: 0 };
/** As many different lines are remembered; then all are forgotten. */
const MOST_SHAPES = 20_000;
/** No sign stands further behind. */
const MOST_BYTES = 1_200;
const DIGIT_0 = 0x30;
const LISTED = /^\s{0,12}\d{1,4}\) \S/;
/** Headings of lists of what failed, which say too little to be signs. */
const LIST =
  /^(?:There (?:was|were) \d+ (?:failures?|errors?)|[Ff]ailures|(?:Failing|Errored) scenarios|The following tests FAILED): ?$/;

export class LineJudge {
  readonly #shapes = new Map<number, Shape>();
  #step = 0;

  /** Of the line between two places, without its end. `isFull`: there is no room for more of the step, so only those of steps are judged. */
  judge(bytes: Buffer, from: number, to: number, isFull: boolean): JudgedLine {
    const seen = glance(bytes, from, to);
    if (seen === 'nothing' || (isFull && seen !== 'step')) return NOTHING;
    const end = Math.min(to, from + MOST_BYTES);
    const key = shapeOf(bytes, stampEnd(bytes, from), end);
    const shape =
      this.#shapes.get(key) ?? this.#remember(key, kindOf(bytes.toString('utf8', from, end), seen === 'step'));
    if (shape.kind === 'nothing') return NOTHING;
    if (shape.kind === 'opening') this.#step += 1;
    if (shape.step !== this.#step) {
      shape.step = this.#step;
      shape.count = 0;
    }
    shape.count += 1;
    return shape;
  }

  #remember(key: number, kind: LineKind): Shape {
    if (this.#shapes.size >= MOST_SHAPES) this.#shapes.clear();
    const shape: Shape = { kind, step: this.#step, count: 0 };
    this.#shapes.set(key, shape);
    return shape;
  }
}

/** FNV-1a over the bytes; a number counts as one digit, and only zero as itself. */
function shapeOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; ) {
    const byte = bytes[at] ?? 0;
    const next = isDigit(byte) ? numberEnd(bytes, at, to) : at + 1;
    const isNumber = isDigit(byte) && (byte !== DIGIT_0 || next > at + 1);
    hash = Math.imul(hash ^ (isNumber ? DIGIT_0 + 1 : byte), 0x01000193);
    at = next;
  }
  return hash;
}

function numberEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from + 1;
  while (at < to && isDigit(bytes[at] ?? 0)) at += 1;
  return at;
}

function kindOf(raw: string, isOfStep: boolean): LineKind {
  const line = plainLine(raw);
  if (isOfStep && isOpening(line)) return 'opening';
  if (line.mark === 'end' && !raw.includes('##[')) return 'part';
  if (line.mark === 'error') return 'marked';
  if (line.mark !== '') return 'nothing';
  return toldBy(line);
}

/** One line is one step, which has a name only where the line opens it. */
function isOpening(line: PlainLine): boolean {
  const { mark, step } = line;
  return step === '' && (mark === '' || mark === 'begin' || mark === 'shell') && findSteps([line])[0]?.name !== '';
}

function toldBy(line: PlainLine): LineKind {
  const { text } = line;
  if (LIST.test(text)) return 'heading';
  const sign = signOf(text, false);
  const isNamed = (sign?.kind !== 'verdict' || sign.isHeading) && nameOn(text) !== null;
  if (isNamed) return 'verdict';
  if (sign === null || sign.kind === 'weak') return toldWeakly(line);
  if (sign.kind === 'verdict') return sign.isHeading ? 'heading' : 'verdict';
  return sign.kind === 'end' ? 'end' : 'error';
}

/** Some lines name a test only where no other line does. */
function toldWeakly(line: PlainLine): LineKind {
  if (mayNameLast(line) && findFailedTests([line], 0, 1).length > 0) return 'verdict';
  if (LISTED.test(line.text)) return 'listed';
  return isFinding(line.text) ? 'finding' : 'nothing';
}

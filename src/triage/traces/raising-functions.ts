// Which innermost functions of a trace only raise its error, so that it is about their caller.
import { findSpans, markTexts } from '../../core/source/index.ts';
import { isOwnSource, type MappedFrame } from '../clues.ts';
import { attempt, type Lookups } from '../lookups.ts';

/** Own frames of a trace that are looked at: guards that call guards are rarely deeper. */
const MAX_DEPTH = 4;

/** Traces after these are consequences. */
const MAX_TRACES = 3;

/** A longer function does more. */
const MAX_LINES = 40;

type Traces = readonly (readonly MappedFrame[])[];

/** The traces with `raises` set for the innermost own frames whose functions only raise. */
export async function markRaising(lookups: Lookups, mapped: Traces): Promise<Traces> {
  const marked: (readonly MappedFrame[])[] = [];
  for (const frames of mapped.slice(0, MAX_TRACES)) {
    const raising = new Set<MappedFrame>();
    for (const one of frames.filter(isOwnSource).slice(0, MAX_DEPTH)) {
      if (!(await isRaising(lookups, one))) break;
      raising.add(one);
    }
    marked.push(raising.size === 0 ? frames : frames.map((one) => (raising.has(one) ? { ...one, raises: true } : one)));
  }
  return [...marked, ...mapped.slice(MAX_TRACES)];
}

async function isRaising(lookups: Lookups, { frame, mapping }: MappedFrame): Promise<boolean> {
  const { tree, signal } = lookups;
  if (mapping.kind !== 'own' || mapping.compiled || frame.line === 0) return false;
  const { path } = mapping;
  const found = await attempt(lookups, `outline ${path}`, async () => {
    const read = await tree.read(path, {}, signal);
    if (read.kind !== 'text') return false;
    const functions = findSpans(path, read.text, await tree.outline(path, signal)).filter(
      ({ kind }) => kind === 'function',
    );
    const span = functions.findLast(({ line, lastLine }) => line <= frame.line && frame.line <= lastLine);
    return span !== undefined && onlyRaises(path, read.text.split(/\r?\n/).slice(span.line - 1, span.lastLine));
  });
  return found === true;
}

const RAISE =
  /(?:^|[{:;]\s{0,4})(?:throw|raise|assert(?:_eq|_ne)?|panic|unreachable|unimplemented|todo|abort|fatalError|preconditionFailure)\b|(?:=|^return)\s{1,4}(?:new\s)?[\w.]{0,80}(?:Error|Exception)\(/;

const CONDITION = /^\W{0,4}(?:if|unless|elif|elsif|else|guard|when)\b/;

/** What does something after its condition, on the same line: `if (x.a) return compute(x.a);`, `if x: compute(x)`. */
const DOES =
  /(?:\)|\{|:\s|\bthen\s)\s{0,4}(?:return\s{1,4}(?!\w{1,40}\W{0,8}$)\S|(?!return\b|if\b|and\b|or\b|panic\b|abort\b|fatalError\b|unreachable\b)[\w$.]{1,100}(?:\(|\+\+|--))/;

const ASSIGNS = /[^=!<>]=(?![=>])/;

/** Nothing but the end of a block, or what was given. */
const NOTHING = /^\W{0,8}(?:end|return(?: \w{1,40})?)?\W{0,8}$/;

/** Whether a function does nothing but check and raise, or never returns. `lines`: from its head on. */
export function onlyRaises(path: string, lines: readonly string[]): boolean {
  if (lines.length > MAX_LINES) return false;
  const texts = markTexts(path, lines);
  const [head = '', ...body] = lines.filter((line, index) => texts[index] !== 1 && line.trim() !== '');
  if (body.length === 0) return RAISE.test(head.trim());
  const margin = countMargin(body[0] ?? '');
  const code = body.map((line) => line.trim());
  const last = body.findLast((line) => countMargin(line) <= margin && !NOTHING.test(line.trim()))?.trim() ?? '';
  const returns = code.some((line) => /\breturn\b\s*[^\s;}]/.test(line));
  return (
    code.some((line) => RAISE.test(line)) &&
    (code.every(isOfGuard) || (!returns && RAISE.test(last) && !/^assert/.test(last)))
  );
}

function countMargin(line: string): number {
  return line.length - line.trimStart().length;
}

function isOfGuard(line: string): boolean {
  return RAISE.test(line) || NOTHING.test(line) || (CONDITION.test(line) && !ASSIGNS.test(line) && !DOES.test(line));
}

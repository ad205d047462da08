// TAP: most of its lines are assertions; the test that one belongs to is named by a comment above it.
import type { LogLine } from './log-lines.ts';
import type { NamedTest } from './test-scopes.ts';

const BEGIN = /^TAP version \d/;
/** Of node-tap and Node's own, above all that is in the test; its own result follows at the same depth. */
const SUBTEST = /^(\s{0,60})# Subtest: (.{1,700})$/;
/** Of tape, whose assertions are not indented and whose tests have no result of their own. */
const TAPE_TEST = /^# (?!Subtest: )(\S.{0,699})$/;
const RESULT = /^(\s{0,60})(?:not )?ok \d{1,6}( - | )/;
/** Of brittle, whose tests have a comment above them as tape's, and a result of their own. */
const OWN_RESULT = /^(?:not )?ok \d{1,6} - (.{1,699}?)(?: # .{0,200})?$/;
/** The plan, with the number of tests. No test starts after it. */
const PLAN = /^1\.\.\d/;
/** Node's last line after the stack of an uncaught error. */
const ENDED = /^Node\.js v\d{1,3}\.\d/;
const THROWN = /^(?:Uncaught )?\[?(?:[A-Za-z_$][\w$.]{0,80})?(?:Error|Exception)\b/;
const STACK = /^ {4}at \S/;
/** Runners of TAP take each file for a test. */
const FILE = /^\S{1,400}\.[cm]?[jt]sx?$/;

/** Lines of one step. */
export interface StepLines {
  readonly lines: readonly LogLine[];
  readonly from: number;
  readonly to: number;
}

interface OpenTest {
  readonly depth: number;
  readonly name: string;
  /** Whether a line below has been named for it. */
  isNamed: boolean;
  /** Whether a test in it has failed, which is named itself. */
  hasFailedTest: boolean;
}

interface Reading {
  readonly mentions: Map<number, NamedTest>;
  /** Of node-tap, from the outermost. */
  readonly open: OpenTest[];
  /** Of tape: the last one. */
  tape: OpenTest | null;
  isTap: boolean;
  /** Since the last line of TAP. */
  thrown: ThrownError | null;
  /** What ended the run, as far as nothing of TAP follows. */
  ended: NamedTest | null;
}

interface ThrownError {
  readonly at: number;
  readonly hasStack: boolean;
}

/** The same mentions, assertions under the name of their test; without tests that failed for others in them alone. */
export function nameTapTests({ lines, from, to }: StepLines, named: readonly NamedTest[]): readonly NamedTest[] {
  const isTap = lines.slice(from, to).some(({ text }) => text.startsWith('TAP version'));
  if (!isTap && !named.some(({ at }) => RESULT.test(lines[at]?.text ?? ''))) return named;
  const mentions = new Map(named.map((test) => [test.at, test] as const));
  const reading: Reading = { mentions, open: [], tape: null, isTap: false, thrown: null, ended: null };
  for (let at = from; at < to; at += 1) {
    const text = lines[at]?.text ?? '';
    const [, indent, separator] = RESULT.exec(text) ?? [];
    if (indent === undefined) readHeading(reading, text);
    else {
      noteLine(reading);
      nameResult(reading, at, { depth: indent.length, isDashed: separator !== ' ' });
      if (reading.tape?.name === OWN_RESULT.exec(text)?.[1]) reading.tape = null;
    }
    readEnd(reading, at, text);
  }
  if (reading.ended !== null) mentions.set(reading.ended.at, reading.ended);
  return [...mentions.values()];
}

/** A line of TAP: what was thrown before it ended nothing, such as in a process that a test starts. */
function noteLine(reading: Reading): void {
  reading.thrown = null;
  reading.ended = null;
}

/** An uncaught error ends the run before the current test has a result. */
function readEnd(reading: Reading, at: number, text: string): void {
  const { tape, thrown } = reading;
  if (!reading.isTap || tape === null) return;
  if (PLAN.test(text)) reading.tape = null;
  else if (thrown === null && THROWN.test(text)) reading.thrown = { at, hasStack: false };
  else if (thrown !== null && STACK.test(text)) reading.thrown = { ...thrown, hasStack: true };
  else if (thrown?.hasStack && ENDED.test(text)) {
    reading.ended = { name: tape.name, at: thrown.at, endsRun: true, ...(tape.isNamed && { repeats: true }) };
  }
}

function readHeading(reading: Reading, text: string): void {
  if (BEGIN.test(text)) {
    // What another process had left open is not of this one.
    if (reading.ended !== null) reading.mentions.set(reading.ended.at, reading.ended);
    noteLine(reading);
    reading.tape = null;
    reading.isTap = true;
  }
  const [, indent = '', subtest] = SUBTEST.exec(text) ?? [];
  if (subtest !== undefined) {
    closeTo(reading.open, indent.length);
    reading.open.push(openTest(indent.length, subtest));
  }
  const title = reading.isTap ? TAPE_TEST.exec(text)?.[1] : undefined;
  if (title === undefined) return;
  noteLine(reading);
  reading.tape = openTest(0, title);
}

function openTest(depth: number, name: string): OpenTest {
  return { depth, name: name.trim(), isNamed: false, hasFailedTest: false };
}

/** Leaves what is not as deep. */
function closeTo(open: OpenTest[], depth: number): void {
  while ((open.at(-1)?.depth ?? -1) >= depth) open.pop();
}

function nameResult(
  { mentions, open, tape }: Reading,
  at: number,
  { depth, isDashed }: { readonly depth: number; readonly isDashed: boolean },
): void {
  closeTo(open, depth + 1);
  const own = open.at(-1)?.depth === depth ? open.pop() : undefined;
  const test = mentions.get(at);
  if (test === undefined) return;
  const around = open.at(-1);
  if (own !== undefined) {
    if (around !== undefined) around.hasFailedTest = true;
    if (own.isNamed) mentions.set(at, { ...test, repeats: true });
    else if (own.hasFailedTest) mentions.delete(at);
    return;
  }
  const owner = around ?? (depth === 0 && !isDashed ? tape : null);
  if (owner === null || FILE.test(owner.name)) return;
  mentions.set(at, { ...test, name: owner.name, ...(owner.isNamed && { repeats: true }) });
  owner.isNamed = true;
}

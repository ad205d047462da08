// TAP: most of its lines are assertions; the test that one belongs to is named by a comment above it.
import type { LogLine } from './log-lines.ts';
import type { NamedTest } from './test-scopes.ts';

const BEGIN = /^TAP version \d/;
/** Of node-tap and Node's own, above all that is in the test; its own result follows at the same depth. */
const SUBTEST = /^(\s{0,60})# Subtest: (.{1,700})$/;
/** Of tape, whose assertions are not indented and whose tests have no result of their own. */
const TAPE_TEST = /^# (?!Subtest: )(\S.{0,699})$/;
const RESULT = /^(\s{0,60})(?:not )?ok \d{1,6}( - | )/;
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
}

/** The same mentions, assertions under the name of their test; without tests that failed for others in them alone. */
export function nameTapTests({ lines, from, to }: StepLines, named: readonly NamedTest[]): readonly NamedTest[] {
  if (!named.some(({ at }) => RESULT.test(lines[at]?.text ?? ''))) return named;
  const mentions = new Map(named.map((test) => [test.at, test] as const));
  const reading: Reading = { mentions, open: [], tape: null, isTap: false };
  for (let at = from; at < to; at += 1) {
    const text = lines[at]?.text ?? '';
    const [, indent, separator] = RESULT.exec(text) ?? [];
    if (indent === undefined) readHeading(reading, text);
    else nameResult(reading, at, { depth: indent.length, isDashed: separator !== ' ' });
  }
  return [...mentions.values()];
}

function readHeading(reading: Reading, text: string): void {
  reading.isTap ||= BEGIN.test(text);
  const [, indent = '', subtest] = SUBTEST.exec(text) ?? [];
  if (subtest !== undefined) {
    closeTo(reading.open, indent.length);
    reading.open.push(openTest(indent.length, subtest));
  }
  const title = reading.isTap ? TAPE_TEST.exec(text)?.[1] : undefined;
  if (title !== undefined) reading.tape = openTest(0, title);
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

// Failed tests that fail without the change as well: which they are, and a log without what it says of them.

import { type FailedTest, findAllMentions } from './failed-tests.ts';
import type { LogLine } from './log-lines.ts';
import type { NamedTest } from './test-scopes.ts';

/** What failed in another run of the same job, as far as its log says. */
export interface FailedBefore {
  readonly tests: readonly string[];
  /** Files that it named: which one of several tests of a name it was. */
  readonly paths: readonly string[];
}

const QUALIFIED = /^(.{1,700}?)::(.+)$/s;

/** Whether that test failed there. A name stands alone where no other test has it, and behind its file where one has. */
export function isFailedBefore({ name, path }: Pick<FailedTest, 'name' | 'path'>, before: FailedBefore): boolean {
  if (before.tests.includes(name)) return true;
  const [, place = '', bare = ''] = QUALIFIED.exec(name) ?? [];
  const last = bare.split(' > ').at(-1) ?? '';
  const isPlace = (one: string) => one === place || one.endsWith(`/${place}`) || place.endsWith(`/${one}`);
  if (place !== '' && (before.tests.includes(bare) || before.tests.includes(last))) return before.paths.some(isPlace);
  const behind = before.tests.filter((test) => test.endsWith(`::${name}`) || test.endsWith(` > ${name}`));
  return behind.length > 0 && (path === '' || behind.some((test) => test.startsWith(`${path}::`)));
}

const SIGNS = ['::', ' > ', ' › ', ' ', '.', '/', '#'];

/** One name is the end of the other. */
function isSameEnd(one: string, other: string): boolean {
  return one === other || SIGNS.some((sign) => one.endsWith(`${sign}${other}`) || other.endsWith(`${sign}${one}`));
}

/** A line of a list, or one that opens what was printed during a test. */
const LISTED =
  /^\s{0,60}(?:[×✗✘✖✕●] |\d{1,4}\) |=== (?:RUN|CONT|NAME|PAUSE) {1,4}|---- |# Subtest: )(.{1,700}?)(?: stdout ----)?(?: {1,4}\(?\d{1,9}(?:\.\d{1,9})? ?m?s\)?)?:?$/;
/** What Node's own runner may say of a group of tests, which fails with any of them. */
const GROUP = /^\s{0,60}(?:✖ |not ok )/;
/** Over a test, in the summary of Node's own runner. */
const PLACE_OVER = /^test at \S.{0,400}:\d{1,6}:\d{1,6}$/;
/** The name of a file over its tests. */
const FILE_OVER = /^\s{0,4}(?:FAIL|❯) {1,3}\S{1,400}\.\w{1,8}(?: \(.{0,80}\))?(?: [\d.]{1,9} ?m?s)?$/;
/** What is no longer about the test above it. */
const ENDS =
  /^(?:[=⎯]{3,}|(?:Tests?|Test Suites?|Test Files|Snapshots|Ran|Finished in|Duration|Start at|Failed examples|Failed tests|Summary of)\b|ℹ |\s{0,60}[✔✓√▶] |\s{0,60}ok \d|failures:$|(?:FAIL|ok {2}|PASS)\s{1,4}\S|test .{1,300} \.\.\. ok$|\s{0,40}--- (?:PASS|SKIP)|\s{0,60}# (?:Subtest|tests|pass|fail)\b|\s{0,8}\d{1,6} (?:passing|failing|pending|passed|failed)\b|\[INFO\]|(?:\[ERROR\] )?Tests run:|npm (?:ERR!|error) |error Command |1\.\.\d)/;

export interface OwnLines {
  /** As many as before: what is about other tests is empty. */
  readonly lines: readonly LogLine[];
  readonly tests: readonly FailedTest[];
}

/** The log as if those tests had passed. Each line is looked at once. */
export function leaveOutTests(
  lines: readonly LogLine[],
  tests: readonly FailedTest[],
  before: FailedBefore,
): OwnLines & { readonly left: readonly FailedTest[] } {
  const left = tests.filter((test) => isFailedBefore(test, before));
  const own = tests.filter((test) => !left.includes(test));
  if (left.length === 0) return { lines, tests, left };
  const marks = markSections(lines, createKeeper(lines, { own, left }));
  const kept = lines.map((line, at) => (marks[at] === 'left' ? { ...line, text: '' } : line));
  return { lines: emptyFileNames(kept, marks), tests: own, left };
}

type SectionMark = 'own' | 'left' | 'other';

/** Whose section begins on a line; null: none. */
type Keeper = (at: number, text: string) => SectionMark | null;

function createKeeper(
  lines: readonly LogLine[],
  { own, left }: { readonly own: readonly FailedTest[]; readonly left: readonly FailedTest[] },
): Keeper {
  const mentions = new Map(findAllMentions(lines, 0, lines.length).map((test) => [test.at, test] as const));
  const known = new Map<string, SectionMark | null>();
  const findOwner = (name: string): SectionMark | null => {
    const isOf = (tests: readonly NamedTest[]) => tests.some((test) => isSameEnd(test.name, name));
    if (own.some((test) => test.name === name)) return 'own';
    if (left.some((test) => test.name === name)) return 'left';
    return isOf(own) ? 'own' : isOf(left) ? 'left' : null;
  };
  const remember = (name: string): SectionMark | null => {
    const before = known.get(name);
    const owner = before === undefined ? findOwner(name) : before;
    known.set(name, owner);
    return owner;
  };
  return (at, text) => {
    const mention = mentions.get(at);
    if (mention !== undefined) return remember(mention.name) ?? (GROUP.test(text) ? 'left' : null);
    const listed = LISTED.exec(text)?.[1];
    return listed === undefined ? null : remember(listed.trim());
  };
}

function markSections(lines: readonly LogLine[], findOwner: Keeper): readonly SectionMark[] {
  let current: SectionMark = 'other';
  const marks: SectionMark[] = [];
  for (const [at, { text, mark }] of lines.entries()) {
    const owner = mark === '' ? findOwner(at, text) : null;
    if (owner !== null) {
      current = owner;
      if (PLACE_OVER.test(lines[at - 1]?.text ?? '')) marks[at - 1] = owner;
    } else if ((mark !== '' && mark !== 'error') || endsSection(text)) current = 'other';
    marks.push(current);
  }
  return marks;
}

function endsSection(text: string): boolean {
  return ENDS.test(text) || PLACE_OVER.test(text) || FILE_OVER.test(text);
}

/** A file is named over its tests: none of which is left. */
function emptyFileNames(lines: readonly LogLine[], marks: readonly SectionMark[]): readonly LogLine[] {
  let below = new Set<SectionMark>();
  const kept = [...lines];
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const line = lines[at];
    if (line === undefined || !FILE_OVER.test(line.text)) {
      if (marks[at] !== 'other') below.add(marks[at] ?? 'other');
      else if (line?.text.trim() !== '') below = new Set();
      continue;
    }
    if (below.has('left') && !below.has('own')) kept[at] = { ...line, text: '' };
    below = new Set();
  }
  return kept;
}

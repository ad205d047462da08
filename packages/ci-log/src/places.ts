// Places that the error lines of a log name, in paths as the repository may have them.
import { isRuntimeFrame } from 'causeway-log-lines';
import { RANKS } from './error-patterns.ts';
import { type Cause, findHeadedMessage, formatMessage } from './find-cause.ts';
import type { LogLine } from './log-lines.ts';
import { findWrittenPlaces, isFinding, readFindingLine, readListHeading, toRepositoryPath } from './written-places.ts';

/**
 * A place that a log or an annotation names, in a path as written or, where the runner's own folder was in front,
 * without that.
 */
export interface LogPlace {
  readonly path: string;
  /** 0: none. */
  readonly line: number;
  readonly message: string;
  /** Whether it is the check's own annotation. */
  readonly isMarked?: boolean;
}

const MAX_PLACES = 30;
const MAX_MESSAGE = 300;
/** Lines after an error line that still belong to it: frames, excerpts of source. */
const REACH = 40;
const HARNESS =
  /^(?:hudson|jenkins|org\.(?:jenkinsci|testng|mockito|hamcrest|assertj|opentest4j|apache\.tools\.ant|codehaus\.plexus|spockframework))\./;
/** `at com.shop.Cart.add(Cart.java:12)`: the package is the folder. */
const JVM_FRAME =
  /\bat ((?:[a-z_][\w$]*\.){1,20})[\w$<>.]{1,200}\(([\w$]{1,100}\.(?:java|kt|scala|groovy)):(\d{1,6})\)/;

/** Distinct, as they come after the first error; nothing of the machine's own folders or of installed packages. */
export function findPlaces(lines: readonly LogLine[], cause: Cause, most = MAX_PLACES): readonly LogPlace[] {
  const found = new Map<string, LogPlace>();
  // Of which only the name of a file over a list was read so far.
  const bare = new Set<string>();
  let over = '';
  const inFolder = createGoFolders(lines);
  const quoted = findQuotation(lines, cause);
  for (const at of quoted === null ? findNearLines(lines, cause) : [quoted, ...findNearLines(lines, cause)]) {
    const line = lines[at]?.text ?? '';
    // The place alone says nothing.
    const headed = findHeadedMessage(lines, at);
    const own = headed === at ? line : formatMessage(lines, headed);
    const said = at === quoted ? (lines[cause.headline]?.text ?? '') : own;
    over = findHeadingAfter(line, over);
    for (const written of [...findPlacesOn(line), ...findPlacesUnder(line, over)]) {
      const place = { ...written, path: inFolder(written.path, at) };
      const key = `${place.path}:${place.line}`;
      if (found.has(key) && !bare.delete(key)) continue;
      found.set(key, { ...place, message: said.trim().slice(0, MAX_MESSAGE) });
      if (readListHeading(line) !== null) bare.add(key);
    }
    if (found.size >= most) break;
  }
  return [...found.values()].slice(0, most);
}

/**
 * Indexes of the error lines and of those that follow them, each once; the first with what a linter listed right before
 * it, and the file's name.
 */
function* findNearLines(lines: readonly LogLine[], { errorLines, headline, message, step }: Cause): Generator<number> {
  const to = step?.to ?? lines.length;
  yield* findTrail(lines, message, to);
  let next = findListStart(lines, headline, step?.from ?? 0);
  for (const { at, kind } of errorLines) {
    if (RANKS[kind] <= RANKS.weak || at < headline) continue;
    for (next = Math.max(at === headline ? next : at, next); next < Math.min(at + REACH, to); next += 1) yield next;
  }
}

/** A frame of JavaScript, with any error above it; the end of a message of Perl. */
const TRAIL = /^\s{1,40}at .{1,400}:\d{1,6}:\d{1,5}\)?(?: \{)?$|\bat \S{1,300} line \d{1,6}[.,]/;

/** Indexes of the message and of the frames right below it, which count in whatever words the message is. */
function* findTrail(lines: readonly LogLine[], message: number, to: number): Generator<number> {
  if (message < 0) return;
  if (TRAIL.test(lines[message]?.text ?? '')) yield message;
  for (let at = message + 1; at < Math.min(message + REACH, to) && TRAIL.test(lines[at]?.text ?? ''); at += 1) yield at;
}

/** How far below a failed test its package may be named: what its other tests print comes first. */
const PACKAGE_REACH = 3_000;
const GO_PACKAGE = /^(?:FAIL|ok {2})\s{1,4}(\S{1,300})/;

/**
 * `go test` names files without their folder, and the package below all of its tests: `FAIL github.com/acme/shop/cart
 * 0.004s`. Each line is looked at once: the lines up to a package are all of it.
 */
function createGoFolders(lines: readonly LogLine[]): (path: string, at: number) => string {
  let known = { from: 0, to: 0, folder: '' };
  return (path, at) => {
    if (!path.endsWith('.go') || path.includes('/')) return path;
    if (at < known.from || at >= known.to) known = findFolderBelow(lines, at);
    return `${known.folder}${path}`;
  };
}

function findFolderBelow(lines: readonly LogLine[], from: number): { from: number; to: number; folder: string } {
  const end = Math.min(lines.length, from + PACKAGE_REACH);
  for (let to = from + 1; to < end; to += 1) {
    const name = GO_PACKAGE.exec(lines[to]?.text ?? '')?.[1] ?? '';
    // Most modules of GitHub begin at the root of their repository; of others the folders at the end are right.
    if (/\.\w+\//.test(name))
      return { from, to, folder: `${name}/`.replace(/^github\.com\/[^/]+\/[^/]+\/(?:v\d{1,3}\/)?/, '') };
  }
  return { from, to: end, folder: '' };
}

function findListStart(lines: readonly LogLine[], headline: number, from: number): number {
  let first = headline;
  const least = Math.max(from, headline - REACH);
  while (first > least && (isFinding(lines[first - 1]?.text ?? '') || lines[first - 1]?.text === '')) first -= 1;
  let over = first - 1;
  while (over > least && BETWEEN.test(lines[over]?.text ?? '')) over -= 1;
  return over >= least && readListHeading(lines[over]?.text ?? '') !== null ? over : first;
}

const QUOTED_FROM = /^(?:file:\/\/)?\/\S{1,400}:\d{1,6}$/;
/** Lines of source that an error quotes, with the marks below. */
const MOST_QUOTED = 4;

/**
 * Node names the place of an error that nobody caught above it, over the line of source and marks below that: of a syntax error it is
 * nowhere else, since the frames are those of the file that loads it. Index of its line; null: there is none.
 */
function findQuotation(lines: readonly LogLine[], { headline, step }: Cause): number | null {
  const least = step?.from ?? 0;
  let at = headline - 1;
  while (at >= least && lines[at]?.text.trim() === '') at -= 1;
  if (at < least || !/^\s*\^+\s*$/.test(lines[at]?.text ?? '')) return null;
  const end = Math.max(least, at - MOST_QUOTED);
  for (at -= 1; at >= end; at -= 1) if (QUOTED_FROM.test(lines[at]?.text ?? '')) return at;
  return null;
}

/** Lines between the name of a file and the findings in it. */
const BETWEEN = /^[-=|]|^FOUND \d+ (?:ERROR|WARNING)/;

/**
 * A blank line ends a list of some tools, and is part of those of others: only another heading or other words end it.
 */
function findHeadingAfter(text: string, over: string): string {
  const path = readListHeading(text);
  if (path !== null) return path;
  return /^\S/.test(text) && !BETWEEN.test(text) && readFindingLine(text) === 0 ? '' : over;
}

function findPlacesUnder(text: string, over: string): readonly Omit<LogPlace, 'message'>[] {
  const line = over === '' ? 0 : readFindingLine(text);
  const path = line === 0 ? null : toRepositoryPath(over);
  return path === null ? [] : [{ path, line }];
}

/** Whether the line names a line of a file of the repository. */
export function hasPlace(text: string): boolean {
  return findPlacesOn(text).length > 0;
}

/** Elixir names the application before the file. */
const ELIXIR_FRAME = /^\s{0,12}\((?:elixir|stdlib|ex_unit|mix|kernel|logger|eex|iex)(?: [\d.]{1,20})?\) /;

function findPlacesOn(text: string): readonly Omit<LogPlace, 'message'>[] {
  if (ELIXIR_FRAME.test(text)) return [];
  const frame = JVM_FRAME.exec(text);
  if (frame) return toJvmPlace(frame);
  return findWrittenPlaces(text).flatMap(({ path: written, line }) => {
    const path = toRepositoryPath(written.replace(/^.{1,200}[\w)]@(?=[\w.])/, ''));
    return path === null ? [] : [{ path, line }];
  });
}

function toJvmPlace([, scope = '', file = '', line = '']: readonly string[]): readonly Omit<LogPlace, 'message'>[] {
  if (isRuntimeFrame({ file, symbol: scope, language: 'jvm' }) || HARNESS.test(scope)) return [];
  return [{ path: `${scope.replaceAll('.', '/')}${file}`, line: Number(line) }];
}

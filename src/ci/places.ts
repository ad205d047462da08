// Places that the telling lines of a log name, in paths as the repository may have them.
import { isRuntimeFrame } from '../triage/own-code.ts';
import type { Place } from './evidence.ts';
import type { Cause } from './find-cause.ts';
import { fileOver, isFinding, lineUnder, placesOn } from './place-forms.ts';
import type { PlainLine } from './plain-lines.ts';
import { repositoryPath } from './repository-path.ts';

const MAX_PLACES = 30;
const MAX_MESSAGE = 300;
/** Lines after a telling one that still belong to it: frames, excerpts of source. */
const REACH = 25;
const HARNESS =
  /^(?:hudson|jenkins|org\.(?:jenkinsci|testng|mockito|hamcrest|assertj|opentest4j|apache\.tools\.ant|codehaus\.plexus|spockframework))\./;
/** `at com.shop.Cart.add(Cart.java:12)`: the package is the folder. */
const JVM_FRAME =
  /\bat ((?:[a-z_][\w$]*\.){1,20})[\w$<>.]{1,200}\(([\w$]{1,100}\.(?:java|kt|scala|groovy)):(\d{1,6})\)/;

/** Distinct, as they come after the first error; nothing of the machine's own folders or of installed packages. */
export function findPlaces(lines: readonly PlainLine[], cause: Cause, most = MAX_PLACES): readonly Place[] {
  const found = new Map<string, Place>();
  let over = '';
  const inFolder = createGoFolders(lines);
  for (const at of nearLines(lines, cause)) {
    const line = lines[at]?.text ?? '';
    over = overAfter(line, over);
    for (const written of [...placesIn(line), ...placesUnder(line, over)]) {
      const place = { ...written, path: inFolder(written.path, at) };
      const key = `${place.path}:${place.line}`;
      if (!found.has(key)) found.set(key, { ...place, message: line.trim().slice(0, MAX_MESSAGE) });
    }
    if (found.size >= most) break;
  }
  return [...found.values()].slice(0, most);
}

/** Indices of the telling lines and of those that follow them, each once; the first with what a linter listed right before it, and the file's name. */
function* nearLines(lines: readonly PlainLine[], { telling, headline, step }: Cause): Generator<number> {
  const to = step?.to ?? lines.length;
  let next = listBefore(lines, headline, step?.from ?? 0);
  for (const { at, kind } of telling) {
    if (kind === 'weak' || kind === 'end' || at < headline) continue;
    for (next = Math.max(at === headline ? next : at, next); next < Math.min(at + REACH, to); next += 1) yield next;
  }
}

/** How far below a failed test its package may be named: what its other tests print comes first. */
const PACKAGE_REACH = 3_000;
const GO_PACKAGE = /^(?:FAIL|ok {2})\s{1,4}(\S{1,300})/;

/**
 * `go test` names files without their folder, and the package below all of its tests: `FAIL github.com/acme/shop/cart 0.004s`. Each line is
 * looked at once: the lines up to a package are all of it.
 */
function createGoFolders(lines: readonly PlainLine[]): (path: string, at: number) => string {
  let known = { from: 0, to: 0, folder: '' };
  return (path, at) => {
    if (!path.endsWith('.go') || path.includes('/')) return path;
    if (at < known.from || at >= known.to) known = folderBelow(lines, at);
    return `${known.folder}${path}`;
  };
}

function folderBelow(lines: readonly PlainLine[], from: number): { from: number; to: number; folder: string } {
  const end = Math.min(lines.length, from + PACKAGE_REACH);
  for (let to = from + 1; to < end; to += 1) {
    const name = GO_PACKAGE.exec(lines[to]?.text ?? '')?.[1] ?? '';
    // Most modules of GitHub begin at the root of their repository; of others the folders at the end are right.
    if (/\.\w+\//.test(name))
      return { from, to, folder: `${name}/`.replace(/^github\.com\/[^/]+\/[^/]+\/(?:v\d{1,3}\/)?/, '') };
  }
  return { from, to: end, folder: '' };
}

function listBefore(lines: readonly PlainLine[], headline: number, from: number): number {
  let first = headline;
  const least = Math.max(from, headline - REACH);
  while (first > least && isFinding(lines[first - 1]?.text ?? '')) first -= 1;
  let over = first - 1;
  while (over > least && BETWEEN.test(lines[over]?.text ?? '')) over -= 1;
  return over >= least && fileOver(lines[over]?.text ?? '') !== null ? over : first;
}

/** What stands between the name of a file and what is found in it. */
const BETWEEN = /^[-=|]|^FOUND \d+ (?:ERROR|WARNING)/;

/** A blank line ends a list of some tools, and stands within those of others: only another heading or other words end it. */
function overAfter(text: string, over: string): string {
  const path = fileOver(text);
  if (path !== null) return path;
  return /^\S/.test(text) && !BETWEEN.test(text) && lineUnder(text) === 0 ? '' : over;
}

function placesUnder(text: string, over: string): readonly Omit<Place, 'message'>[] {
  const line = over === '' ? 0 : lineUnder(text);
  const path = line === 0 ? null : repositoryPath(over);
  return path === null ? [] : [{ path, line }];
}

/** Whether the line names a line of a file of the repository. */
export function hasPlace(text: string): boolean {
  return placesIn(text).length > 0;
}

function placesIn(text: string): readonly Omit<Place, 'message'>[] {
  const frame = JVM_FRAME.exec(text);
  if (frame) return jvmPlace(frame);
  return placesOn(text).flatMap(({ path: written, line }) => {
    const path = repositoryPath(written.replace(/^.{1,200}[\w)]@(?=[\w.])/, ''));
    return path === null ? [] : [{ path, line }];
  });
}

function jvmPlace([, scope = '', file = '', line = '']: readonly string[]): readonly Omit<Place, 'message'>[] {
  if (isRuntimeFrame({ file, symbol: scope, language: 'jvm' }) || HARNESS.test(scope)) return [];
  return [{ path: `${scope.replaceAll('.', '/')}${file}`, line: Number(line) }];
}

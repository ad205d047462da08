// Failed tests of one name: told apart by their file, package or group, where the log says of which each is.
import type { LogLine } from './log-lines.ts';
import { findWrittenPlaces, toRepositoryPath } from './written-places.ts';

export interface NamedTest {
  readonly name: string;
  /** Index of the line that names it. */
  readonly at: number;
  /** Its file, where the log names it. */
  readonly path?: string;
  /** Whether a line above names the same test: as another assertion of it, or its result. */
  readonly repeats?: boolean;
  /** Whether the run ended in it: tests behind it did not run. */
  readonly endsRun?: boolean;
}

interface TestScope {
  /** Of the file, or of the package. */
  readonly place: string;
  /** 0: not known. */
  readonly line: number;
  /** The group of tests that it is in; "" for none. */
  readonly suite: string;
}

/** Lines between a test and what says where it is. */
const NEAR = 8;
/** Groups that are looked at for the one that a test is in. */
const MOST_SUITES = 200;
const STACK = 60;

/** Node's own runner: over the name in its summary; below it in TAP. */
const NODE_PLACE = /^test at (\S.{0,400}?):(\d{1,6}):\d{1,6}$/;
const TAP_PLACE = /^\s{1,60}location: '(.{1,400}?):(\d{1,6}):\d{1,6}'$/;
const NODE_SUITE = /^(\s{0,60})▶ (.{1,300}?)(?: \([\d.]{1,12}ms\))?$/;
const TAP_SUITE = /^(\s{0,60})(?:not )?ok \d{1,6} - (.{1,300}?)(?: # .{0,300})?$/;
const JEST_FILE = /^\s{0,4}FAIL {1,3}([^\s>]{1,400}\.[cm]?[jt]sx?)(?=\s|$)/;
const JEST_TEST = /^\s{0,4}● /;
const GO_TEST = /^\s*--- FAIL: /;
const GO_PACKAGE = /^(?:FAIL|ok {2})\s{1,4}(\S{1,300}\/\S{1,300})/;
const CARGO_TEST = /^test .{1,300} \.\.\. FAILED$/;
const CARGO_TARGET =
  /^\s{0,12}Running (?:unittests )?(\S{1,300}) \((?:\S{0,300}[/\\])?([\w-]{1,200})-[0-9a-f]{16}(?:\.exe)?\)$/;
const MOCHA_TEST = /^\s{1,12}\d{1,4}\) /;
const FRAME = /^\s{2,40}at /;
const NODE_TEST = /^\s{0,60}✖ /;

/** The same mentions, where one name stands for several tests each under a name of its own. */
export function tellApart(lines: readonly LogLine[], named: readonly NamedTest[]): readonly NamedTest[] {
  const groups = Map.groupBy(named, ({ name }) => name);
  if (groups.size === named.length) return named;
  const within = createScopeLines(lines);
  const renamed = new Map<NamedTest, NamedTest | null>();
  for (const group of groups.values()) {
    if (group.length > 1) for (const [test, apart] of tellGroupApart(within, group)) renamed.set(test, apart);
  }
  return named.flatMap((test) => {
    const apart = renamed.get(test);
    return apart === undefined ? [test] : (apart ?? []);
  });
}

function tellGroupApart(
  lines: ScopeLines,
  group: readonly NamedTest[],
): readonly (readonly [NamedTest, NamedTest | null])[] {
  const scopes = group.map((test) => findScope(lines, test));
  const known = scopes.filter((scope) => scope.place !== '');
  const places = distinct(known.length > 0 ? known : scopes.filter(({ suite }) => suite !== ''));
  if (places.length < 2) return [];
  // A list of all tests comes before the summary, in the same order, and says of what group each is.
  const bare = scopes.flatMap(({ place }, at) => (place === '' ? [at] : []));
  const isListed = known.length > 0 && bare.length === places.length;
  const owns = places.map((scope, at) => ({
    ...scope,
    suite: scope.suite || (isListed ? (scopes[bare[at] ?? 0]?.suite ?? '') : ''),
  }));
  const names = nameApart(group[0]?.name ?? '', owns);
  return group.map((test, at) => {
    const scope = scopes[at];
    const key = scope === undefined ? '' : toKey(scope);
    const index = isListed && bare.includes(at) ? bare.indexOf(at) : places.findIndex((one) => toKey(one) === key);
    const name = names[index];
    const path = owns[index]?.place ?? '';
    return [test, name === undefined ? null : { ...test, name, ...(/\.\w{1,5}$/.test(path) && { path }) }] as const;
  });
}

function distinct(scopes: readonly TestScope[]): readonly TestScope[] {
  return [...new Map(scopes.map((scope) => [toKey(scope), scope] as const)).values()];
}

function toKey({ place, line, suite }: TestScope): string {
  return place === '' ? suite : `${place}:${line}`;
}

/** As runners write it that name files; where those are the same, with the group, or counted. */
function nameApart(name: string, scopes: readonly TestScope[]): readonly string[] {
  const counts = new Map<string, number>();
  return scopes.map(({ place, suite }) => {
    const same = scopes.filter((other) => other.place === place);
    const isTold = suite !== '' && same.every((one, at) => same.findIndex((other) => other.suite === one.suite) === at);
    const inside = same.length > 1 && isTold ? `${suite} > ${name}` : name;
    const whole = place === '' ? inside : `${place}::${inside}`;
    const count = (counts.get(whole) ?? 0) + 1;
    counts.set(whole, count);
    return count === 1 ? whole : `${whole} (${count})`;
  });
}

function findScope({ lines, above, below }: ScopeLines, { at, path = '' }: NamedTest): TestScope {
  if (path !== '') return { place: path, line: 0, suite: '' };
  const text = lines[at]?.text ?? '';
  const depth = measure(text);
  if (NODE_TEST.test(text)) {
    const place = NODE_PLACE.exec(lines[at - 1]?.text ?? '');
    return place === null ? { ...NOWHERE, suite: findSuite(above(NODE_SUITE, at), depth) } : toScope(place, '');
  }
  if (TAP_SUITE.test(text)) {
    const near = lines.slice(at + 1, at + NEAR).map((line) => TAP_PLACE.exec(line.text));
    const place = near.find((found) => found !== null);
    // The group of a test is named below all that is in it.
    const suite = findSuite(below(TAP_SUITE, at), depth);
    return place ? toScope(place, suite) : { ...NOWHERE, suite };
  }
  if (JEST_TEST.test(text)) return ofFile(takeFirst(above(JEST_FILE, at))?.[1]);
  if (GO_TEST.test(text)) return ofFile(takeFirst(below(GO_PACKAGE, at))?.[1]);
  if (CARGO_TEST.test(text)) {
    const [, source = '', target = ''] = takeFirst(above(CARGO_TARGET, at)) ?? [];
    return { ...NOWHERE, place: source.startsWith('tests/') ? source : target };
  }
  return MOCHA_TEST.test(text) ? findFrame(lines, at) : NOWHERE;
}

const NOWHERE: TestScope = { place: '', line: 0, suite: '' };

function ofFile(written: string | undefined): TestScope {
  return { ...NOWHERE, place: written === undefined ? '' : (toRepositoryPath(written) ?? '') };
}

function toScope([, written = '', line = '0']: readonly string[], suite: string): TestScope {
  return { place: toRepositoryPath(written.replace(/^file:\/\//, '')) ?? '', line: Number(line), suite };
}

function takeFirst(found: Iterable<RegExpExecArray>): RegExpExecArray | null {
  for (const one of found) return one;
  return null;
}

/** The nearest that is not as deep; "" for none. */
function findSuite(suites: Iterable<RegExpExecArray>, depth: number): string {
  let left = MOST_SUITES;
  for (const [, indent = '', suite = ''] of suites) {
    if (indent.length < depth) return suite;
    left -= 1;
    if (left === 0) break;
  }
  return '';
}

/** The first file of the repository in the stack below. */
function findFrame(lines: readonly LogLine[], at: number): TestScope {
  for (let below = at + 1; below < Math.min(lines.length, at + STACK); below += 1) {
    const text = lines[below]?.text ?? '';
    if (MOCHA_TEST.test(text)) break;
    const [written] = FRAME.test(text) ? findWrittenPlaces(text) : [];
    const path = written === undefined ? null : toRepositoryPath(written.path);
    if (written !== undefined && path !== null) return { place: path, line: written.line, suite: '' };
  }
  return NOWHERE;
}

interface ScopeLines {
  readonly lines: readonly LogLine[];
  /** Lines of that form, from the one that is nearest. */
  readonly above: (form: RegExp, at: number) => Iterable<RegExpExecArray>;
  readonly below: (form: RegExp, at: number) => Iterable<RegExpExecArray>;
}

/** Each line is matched once with each form. */
function createScopeLines(lines: readonly LogLine[]): ScopeLines {
  const known = new Map<RegExp, readonly FoundLine[]>();
  const find = (form: RegExp): readonly FoundLine[] => {
    const found = known.get(form) ?? findFormed(lines, form);
    known.set(form, found);
    return found;
  };
  return {
    lines,
    *above(form, at) {
      const all = find(form);
      for (let index = countBefore(all, at) - 1; index >= 0; index -= 1) {
        const one = all[index];
        if (one !== undefined) yield one.match;
      }
    },
    *below(form, at) {
      const all = find(form);
      for (let index = countBefore(all, at + 1); index < all.length; index += 1) {
        const one = all[index];
        if (one !== undefined) yield one.match;
      }
    },
  };
}

interface FoundLine {
  readonly at: number;
  readonly match: RegExpExecArray;
}

function findFormed(lines: readonly LogLine[], form: RegExp): readonly FoundLine[] {
  return lines.flatMap(({ text }, at) => {
    const match = form.exec(text);
    return match === null ? [] : [{ at, match }];
  });
}

function countBefore(all: readonly FoundLine[], at: number): number {
  let [from, to] = [0, all.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((all[middle]?.at ?? 0) < at) from = middle + 1;
    else to = middle;
  }
  return from;
}

function measure(text: string): number {
  return text.length - text.trimStart().length;
}

// Which tests of a change the names mean that runners give to failed tests.

/** A test in a file of the change. */
export interface OwnTest {
  readonly file: string;
  /** As its source has it: a title of JavaScript and Ruby, the name of a function elsewhere. */
  readonly title: string;
  /**
   * What is literal in its title. With several parts something is computed between them, and the test stands for all
   * that are made of it: it fails without the change if one of them does.
   */
  readonly parts: readonly string[];
  /** Titles of the enclosing groups, outermost first; null: computed. Null as a whole for languages without such titles. */
  readonly groups: readonly (string | null)[] | null;
  /** Whether the change adds it, or lines of it. */
  readonly isTouched: boolean;
  readonly isAdded: boolean;
  /** Whether what makes it is another file's, which may write more behind the title: `adds (as a string)`. */
  readonly isWrapped?: boolean;
}

export interface NamingTests {
  readonly tests: readonly OwnTest[];
}

/** Letters and digits of a title without which it could be any. */
const LEAST_LITERAL = 4;

/** Whether a log can tell it apart from the others by name. */
export function isTold({ parts, groups }: OwnTest): boolean {
  return hasWords(parts) || (groups?.at(-1) ?? '') !== '';
}

function hasWords(parts: readonly string[]): boolean {
  const letters = parts.join('').match(/[\p{L}\p{N}]/gu)?.length ?? 0;
  return parts.length === 1 ? parts[0]?.trim() !== '' : letters >= LEAST_LITERAL;
}

/** Titles as shown to people; one that several tests share comes with its group or file. */
export function labelTests(tests: readonly OwnTest[]): readonly string[] {
  const counts = new Map<string, number>();
  const count = (title: string) => tests.filter((one) => one.title === title).length;
  return tests.map(({ title, groups, file }) => {
    const within = groups?.findLast((group) => group !== null) ?? file;
    const label = count(title) === 1 ? title : `${within} › ${title}`;
    const before = counts.get(label) ?? 0;
    counts.set(label, before + 1);
    return before === 0 ? label : `${label} (${before + 1})`;
  });
}

/** Names by which a log may show that it ran them. */
export function listShownNames(tests: readonly OwnTest[]): readonly string[] {
  return tests.flatMap(({ parts, isTouched }) => {
    const longest = parts.map((part) => part.trim()).reduce((one, other) => (other.length > one.length ? other : one));
    return isTouched && (parts.length === 1 || longest.length >= LEAST_SHOWN) ? longest : [];
  });
}

const LEAST_SHOWN = 8;

/** Whether a failed test is one that the change adds or changes. */
export function isOwnTest(name: string, { tests }: NamingTests): boolean {
  return findNamedTests(name, tests).some(({ isTouched }) => isTouched);
}

export interface FailedOwnTests {
  readonly failed: ReadonlySet<OwnTest>;
  /** Which of several tests of a name failed can't be said: fewer names than tests. */
  readonly unclear: ReadonlySet<OwnTest>;
}

/** The tests that the names in one check's log stand for. A name that fits several tests counts only if the log has it as many times. */
export function findFailedOwn(names: readonly string[], { tests }: NamingTests): FailedOwnTests {
  const failed = new Set<OwnTest>();
  const alike = new Map<string, { readonly fitting: readonly OwnTest[]; readonly names: Set<string> }>();
  for (const name of new Set(names)) {
    const fitting = findNamedTests(name, tests);
    const [only, ...more] = fitting;
    if (only === undefined) continue;
    if (more.length === 0) failed.add(only);
    else {
      const key = fitting.map((test) => tests.indexOf(test)).join();
      const group = alike.get(key) ?? { fitting, names: new Set() };
      alike.set(key, group);
      group.names.add(only.groups === null ? cutRow(name, only.title) : name);
    }
  }
  const unclear = new Set<OwnTest>();
  for (const { fitting, names: found } of alike.values()) {
    const isEach = found.size >= fitting.length && fitting.every(({ parts }) => parts.length === 1);
    for (const test of fitting) (isEach ? failed : unclear).add(test);
  }
  return { failed, unclear };
}

/** One function has several names where its rows or parts have: without them, but with its class. */
function cutRow(name: string, title: string): string {
  const to = name.indexOf(title) + title.length;
  return name.slice(0, to) + (/^ ?\((?:[\w$]{1,100}\.|[A-Z])[\w$.]{0,300}\)/.exec(name.slice(to))?.[0] ?? '');
}

interface Fit {
  readonly test: OwnTest;
  /** The higher, the surer, the first of them first. */
  readonly rank: readonly number[];
}

/**
 * The tests that a name fits best, those of the change's files that it leaves alone among them: what is the name of
 * another test is not that of one whose title it ends with.
 */
function findNamedTests(name: string, tests: readonly OwnTest[]): readonly OwnTest[] {
  const plain = fold(name);
  const [, file, rest = plain] = FILE_OF_NAME.exec(plain) ?? [];
  const candidates = tests.filter((test) => isTold(test) && (file === undefined || isSameNamedFile(file, test.file)));
  const shown = file === undefined ? plain : rest;
  const fits = candidates.flatMap((test) => measureFit(shown, test) ?? []);
  let best: readonly Fit[] = [];
  for (const fit of fits) {
    const order = compareRanks(fit.rank, best[0]?.rank ?? []);
    if (order > 0) best = [fit];
    else if (order === 0) best = [...best, fit];
  }
  return best.map(({ test }) => test);
}

/** Runners put it first: `test/a.test.js::cart > adds`, `[chromium] › test/a.spec.ts:3:1 › cart › adds`. */
const FILE_OF_NAME = /^(?:\[[^\]]{1,40}\] › )?([^\s:]{1,300}\.\w{1,8})(?:::| > |(?::\d{1,6}){1,2} › )(.{1,700})$/;

/** Machines name it by its whole path. */
export function isSameNamedFile(named: string, file: string): boolean {
  return named === file || named.endsWith(`/${file}`) || file.endsWith(`/${named}`);
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  for (const [at, value] of one.entries()) {
    const difference = value - (other[at] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

function measureFit(name: string, test: OwnTest): Fit | null {
  if (test.groups === null) return measureFunction(name, test);
  const parts = test.parts.map((part) => part.replace(/\s+/g, ' '));
  for (const written of listWritings(name)) {
    const found = parts.length === 1 ? findTitle(written, test) : findTemplate(written, test, parts);
    if (found !== null) return toFit(test, parts, { ...found, isWhole: parts.length === 1 });
    const begun = test.isWrapped === true && parts.length === 1 ? findBegun(written, test, parts) : null;
    if (begun !== null) return toFit(test, parts, { ...begun, isWhole: false });
  }
  return null;
}

function toFit(test: OwnTest, parts: readonly string[], { groups, isWhole }: FoundTitle & { isWhole: boolean }): Fit {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return { test, rank: [isWhole ? 1 : 0, length, groups] };
}

/** A title may be followed by more text, unless that starts with a letter or digit: then it is another test's title. */
function findBegun(name: string, test: OwnTest, parts: readonly string[]): FoundTitle | null {
  const title = fold(parts[0] ?? '');
  const at = name.indexOf(`${title} `);
  const behind = name.slice(at + title.length + 1);
  const isOther = /^(?:[>›»] |[\p{L}\p{N}])/u.test(behind);
  return at < 0 || isOther || !hasWords([title, '']) ? null : findTemplate(name, test, [`${title} `, '']);
}

/** TAP writes `\#` for a number sign; what has the name of another is counted by the log's reader. */
function listWritings(name: string): readonly string[] {
  const plain = name.includes('\\') ? [name.replaceAll('\\#', '#').replaceAll('\\\\', '\\')] : [];
  const counted = / \(\d{1,3}\)$/.exec(name);
  return [name, ...plain, ...(counted === null ? [] : [name.slice(0, counted.index)])];
}

interface FoundTitle {
  /** How many of its groups stand before it. */
  readonly groups: number;
}

function findTitle(name: string, { parts, groups }: OwnTest): FoundTitle | null {
  const title = fold(parts[0] ?? '');
  if (title === '' || !name.endsWith(title)) return null;
  return findGroups(name.slice(0, name.length - title.length), groups ?? []);
}

/** Literal parts in order, the first and the last of them at the ends. What is computed goes over no group. */
function findTemplate(name: string, { groups, parts: own }: OwnTest, parts: readonly string[]): FoundTitle | null {
  const first = parts[0] ?? '';
  for (const from of listBeginnings(name)) {
    const before = findGroups(name.slice(0, from), groups ?? []);
    // Words that are too few say nothing without the group.
    if (before === null || (!hasWords(own) && before.groups === 0)) continue;
    if (name.startsWith(first.trimStart(), from) && fitsTemplate(name.slice(from + first.trimStart().length), parts))
      return before;
  }
  return null;
}

const MOST_BEGINNINGS = 40;

/** Where a title may begin: at the start, and behind each sign or space. */
function listBeginnings(name: string): readonly number[] {
  const found = [0];
  for (let at = 1; at < name.length && found.length < MOST_BEGINNINGS; at += 1) {
    if (name[at - 1] === ' ' && name[at] !== ' ') found.push(at);
  }
  return found;
}

function fitsTemplate(rest: string, parts: readonly string[]): boolean {
  const last = (parts.at(-1) ?? '').trimEnd();
  let at = 0;
  for (const part of parts.slice(1, -1)) {
    const found = rest.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return rest.length - last.length >= at && rest.endsWith(last) && !/ [>›»] /.test(rest);
}

/** Between groups and title. */
const SIGN = /(?: [>›»] |::)$/;

/**
 * What stands before a title: nothing, its file, or its groups; null: it is the end of another title. Of a test
 * that is in no group of its file any may: what is written there and fits better is preferred.
 */
function findGroups(before: string, groups: readonly (string | null)[]): FoundTitle | null {
  if (before === '') return { groups: 0 };
  const isSigned = SIGN.test(before);
  if (!isSigned && !before.endsWith(' ')) return null;
  let [rest, found] = [cutSign(before), 0];
  for (const group of groups.toReversed()) {
    const title = fold(group ?? '');
    if (title === '') return { groups: found };
    if (rest !== title && !(rest.endsWith(title) && /[\s>›»:]/.test(rest[rest.length - title.length - 1] ?? ''))) break;
    rest = cutSign(rest.slice(0, rest.length - title.length));
    found += 1;
  }
  if (found > 0) return { groups: found };
  // Groups that another file makes around it are not known.
  if (groups.length === 0) return { groups: 0 };
  return isSigned && /^\S{1,300}\.\w{1,8}$/.test(rest) ? { groups: 0 } : null;
}

function cutSign(text: string): string {
  return text.replace(SIGN, '').trimEnd();
}

/** Behind the name of a function: the class, parameters, the row of a table, a part of the test. */
const BEHIND =
  /^(?: \([\w.<>$]{1,300}\)(?: .{1,400})?|(?:\(.{0,400}\))?(?:\[.{0,400}\])?|\/.{1,400}| with data set .{1,600})$/s;

function measureFunction(name: string, test: OwnTest): Fit | null {
  for (const title of listFunctionNames(test)) {
    for (let at = name.indexOf(title), left = 20; at >= 0 && left > 0; at = name.indexOf(title, at + 1), left -= 1) {
      const isBeginning = at === 0 || /(?:[\s:>›»./#\\]|#test_\d{4}_)$/.test(name.slice(Math.max(0, at - 11), at));
      if (isBeginning && isEndOfName(name.slice(at + title.length), test)) return { test, rank: [1, title.length, 0] };
    }
  }
  return null;
}

/** What Ruby runs has titles, behind which nothing comes. */
function isEndOfName(rest: string, { file }: OwnTest): boolean {
  return file.endsWith('.rb') ? rest === '' : BEHIND.test(rest);
}

/** Rails makes a function of a title. */
function listFunctionNames({ title, file }: OwnTest): readonly string[] {
  const plain = fold(title);
  if (plain === '') return [];
  return file.endsWith('.rb') ? [plain, `test_${plain.replaceAll(' ', '_')}`] : [plain];
}

function fold(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

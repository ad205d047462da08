// Failed tests that a runner names over several lines: numbered lists, rules over each failure, a case and then its failure.
import type { PlainLine } from './plain-lines.ts';
import { repositoryPath } from './repository-path.ts';

export interface Named {
  readonly name: string;
  /** Index of the line that names it. */
  readonly at: number;
  /** Where it stands, where that is said. */
  readonly path?: string;
}

/** Lines of one step. */
export interface Span {
  readonly lines: readonly PlainLine[];
  readonly from: number;
  readonly to: number;
}

const MOCHA = /^\s{0,8}[1-9]\d{0,4} failing$/;
const NUMBERED = /^\s{1,12}\d{1,4}\) (\S.{0,300})$/;

/** Each number is followed by the titles of suites and test on lines of their own, the last of which ends with a colon. */
export function mochaTests(span: Span): readonly Named[] {
  return indexesOf(span, MOCHA).flatMap((heading) => {
    const found: Named[] = [];
    for (let at = heading + 1; at < span.to; at += 1) {
      const text = textAt(span, at);
      if (MOCHA.test(text) || span.lines[at]?.mark === 'begin') break;
      const title = NUMBERED.exec(text)?.[1];
      if (title) found.push({ name: [title, ...titlesAfter(span, at, title)].join(' ').replace(/:$/, ''), at });
    }
    return found;
  });
}

function titlesAfter(span: Span, at: number, title: string): readonly string[] {
  const titles: string[] = [];
  while (!(titles.at(-1) ?? title).endsWith(':') && titles.length < 8) {
    const next = textAt(span, at + titles.length + 1).trim();
    if (next === '') break;
    titles.push(next);
  }
  return titles;
}

const SUREFIRE = /^(?:\[ERROR\] )?(?:Failed tests|Tests in error|Failures|Errors): ?(.{0,300})$/;
const SUREFIRE_ITEM = /^(?:\[ERROR\] {1,6}|\s{1,6})(\S.{0,300})$/;
const SUREFIRE_END =
  /^(?:\[(?:INFO|ERROR)\] *$|$|\[INFO\]|\[ERROR\] (?:Tests run|Errors: ?$|Failures: ?$)|Tests (?:run|in error)|Failed tests)/;
/** `adds(shop.CartTest)`, whatever stands before the class. */
const OF_CLASS = /^([^:]{1,250}?(?:\[.{1,200}\])?\([\w$]{1,100}(?:\.[\w$]{1,100}){1,20}\))/;
const MAX_LISTED = 600;

/** `CartTest.adds:12->check:8 expected …`, `adds(shop.CartTest): expected …` under a heading. */
export function surefireTests(span: Span): readonly Named[] {
  return indexesOf(span, SUREFIRE).flatMap((heading) => {
    const first = OF_CLASS.exec(SUREFIRE.exec(textAt(span, heading))?.[1]?.trim() ?? '')?.[1];
    const listed = surefireItems(span, heading);
    return first ? [{ name: first, at: heading }, ...listed] : listed;
  });
}

/** Which may name the first test itself. */
export function isSurefireHeading(text: string): boolean {
  return SUREFIRE.test(text);
}

function surefireItems(span: Span, heading: number): readonly Named[] {
  const found: Named[] = [];
  for (let at = heading + 1; at < Math.min(heading + MAX_LISTED, span.to); at += 1) {
    const text = textAt(span, at);
    if (SUREFIRE_END.test(text) || SUREFIRE.test(text)) break;
    const name = surefireName(SUREFIRE_ITEM.exec(text)?.[1] ?? '');
    if (name !== '') found.push({ name, at });
  }
  return found;
}

function surefireName(item: string): string {
  const called = OF_CLASS.exec(item)?.[1];
  if (called) return called;
  return /^[\w$.]{1,200}(?:[.>(][\w$]|:\d)/.test(item)
    ? item.replace(/(?:->|:\d|\s»|\s|:\s).*$/, '').replace(/:$/, '')
    : '';
}

const RULED = /^=+ (?:FAILURES|ERRORS) =+$/;
/** A name between rules, of which a long name leaves little or nothing. */
const RULE =
  /^(?:_{1,100} (?!_ )\S.{0,300}? _{1,100}|_{1,100} [^_\s]\S{0,300}| (?!_ )[A-Za-z]\w{0,100}(?:\.\w{1,200}){0,3}(?:\[.{0,200}\])?(?: _{1,100})?)$/;

/** Where an exception came from: of a file with the name of tests it is the test's own assertion. */
const RULED_PLACE = /^(?<path>(?:[\w./\\-]{0,300}[/\\])?(?:test\w{0,100}|\w{1,100}_tests?)\.py):\d{1,6}: \S/;
const MAX_RULED = 2_000;

/** pytest without its summary: the rules over each failure, named as the summary would: file, classes and test. */
export function ruledTests(span: Span): readonly Named[] {
  const found: Named[] = [];
  let isInside = false;
  for (let at = indexesOf(span, RULED)[0] ?? span.to; at < span.to; at += 1) {
    const text = textAt(span, at);
    if (RULED.test(text)) isInside = true;
    else if (/^={3,} .{1,200} ={3,}$/.test(text)) isInside = false;
    const name = isInside && RULE.test(text) ? text.replace(/^_* (?:ERROR at (?:setup|teardown) of )?| ?_*$/g, '') : '';
    if (/\w{2}/.test(name)) found.push({ name, at });
  }
  return found.map((test, index) => placed(span, test, found[index + 1]?.at ?? span.to));
}

function placed(span: Span, { name, at }: Named, to: number): Named {
  for (let line = at + 1; line < Math.min(to, at + MAX_RULED); line += 1) {
    const path = repositoryPath(RULED_PLACE.exec(textAt(span, line))?.groups?.['path'] ?? '/');
    if (path !== null) return { name: `${path}::${dotted(name)}`, at, path };
  }
  return { name, at };
}

/** Dots of parameters stay. */
function dotted(name: string): string {
  const end = name.indexOf('[');
  const bare = end < 0 ? name : name.slice(0, end);
  return `${bare.replaceAll('.', '::')}${name.slice(bare.length)}`;
}

const ANT_CASE = /^\s{0,12}\[junit\] Testcase: (.{1,300}?)(?:\(([\w$.]{1,300})\))?:? took /;
const ANT_SUITE = /^\s{0,12}\[junit\] (?:Testsuite|Running):? ([\w$.]{1,300})/;
/** The case and its end on one line. */
const ANT_ENDED = /^\s{0,12}\[junit\] Testcase: (.{1,300}?)\(([\w$.]{1,300})\):\s{0,4}(?:FAILED|Caused an ERROR)/;
const ANT_FAILED = /^\s{0,12}\[junit\]\s{1,12}(?:FAILED|Caused an ERROR)/;

/** Ant names the case on one line and its failure on the next. */
export function antTests(span: Span): readonly Named[] {
  const found: Named[] = [];
  let suite = '';
  let test: Named | null = null;
  for (let at = span.from; at < span.to; at += 1) {
    const text = textAt(span, at);
    if (!text.includes('[junit]')) continue;
    suite = ANT_SUITE.exec(text)?.[1] ?? suite;
    const [, name, of] = ANT_ENDED.exec(text) ?? [];
    if (name !== undefined) found.push({ name: `${of}.${name}`, at });
    else if (test && ANT_FAILED.test(text)) found.push(test);
    test = antCase(text, suite, at) ?? test;
  }
  return found;
}

function antCase(text: string, suite: string, at: number): Named | null {
  const [, name, of = suite] = ANT_CASE.exec(text) ?? [];
  return name === undefined ? null : { name: of === '' ? name : `${of}.${name}`, at };
}

/** Of the lines that the pattern of a list fits. */
export function indexesOf({ lines, from, to }: Span, pattern: RegExp): readonly number[] {
  const found: number[] = [];
  for (let at = from; at < to; at += 1) if (pattern.test(lines[at]?.text ?? '')) found.push(at);
  return found;
}

export function textAt({ lines }: Span, at: number): string {
  return lines[at]?.text ?? '';
}

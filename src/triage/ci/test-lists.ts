// Failed tests that a runner names over several lines: numbered lists, rules over each failure, a case and then its failure.
import type { PlainLine } from './plain-lines.ts';

export interface Named {
  readonly name: string;
  /** Index of the line that names it. */
  readonly at: number;
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

/** A name between rules, of which a long name leaves little or nothing. */
const RULE =
  /^(?:_{1,100} (?!_ )\S.{0,300}? _{1,100}|_{1,100} [^_\s]\S{0,300}| (?!_ )[A-Za-z]\w{0,100}(?:\.\w{1,200}){0,3}(?:\[.{0,200}\])?(?: _{1,100})?)$/;

/** pytest without its summary: the rules over each failure. */
export function ruledTests(span: Span): readonly Named[] {
  const found: Named[] = [];
  let isInside = false;
  for (let at = span.from; at < span.to; at += 1) {
    const text = textAt(span, at);
    if (/^=+ (?:FAILURES|ERRORS) =+$/.test(text)) isInside = true;
    else if (/^={3,} .{1,200} ={3,}$/.test(text)) isInside = false;
    if (!isInside || !RULE.test(text)) continue;
    const name = text.replace(/^_* (?:ERROR at (?:setup|teardown) of )?| ?_*$/g, '');
    if (/\w{2}/.test(name)) found.push({ name, at });
  }
  return found;
}

const ANT_CASE = /^\s{0,12}\[junit\] Testcase: (.{1,300}?)(?:\(([\w$.]{1,300})\))?:? took /;
const ANT_SUITE = /^\s{0,12}\[junit\] (?:Testsuite|Running):? ([\w$.]{1,300})/;
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
    if (test && ANT_FAILED.test(text)) found.push(test);
    test = antCase(text, suite, at) ?? test;
  }
  return found;
}

function antCase(text: string, suite: string, at: number): Named | null {
  const [, name, of = suite] = ANT_CASE.exec(text) ?? [];
  return name === undefined ? null : { name: of === '' ? name : `${of}.${name}`, at };
}

function indexesOf({ lines, from, to }: Span, pattern: RegExp): readonly number[] {
  const found: number[] = [];
  for (let at = from; at < to; at += 1) if (pattern.test(lines[at]?.text ?? '')) found.push(at);
  return found;
}

function textAt({ lines }: Span, at: number): string {
  return lines[at]?.text ?? '';
}

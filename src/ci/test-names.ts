// Names of failed tests as test runners say them: on lines that name one, and in lists under a heading.
import type { PlainLine } from './plain-lines.ts';
import {
  antTests,
  isSurefireHeading,
  mochaTests,
  type Named,
  ruledTests,
  type Span,
  surefireTests,
} from './test-lists.ts';
import { LAST_NAMING_LINES, NAMING_LINES, type NamingLine } from './test-naming-lines.ts';
import { headedTests } from './test-numbers.ts';

export interface FailedTest {
  readonly name: string;
  /** Index of the line that names it first. */
  readonly at: number;
  /** Where it stands, where the runner says so; "" else. */
  readonly path: string;
}

const MAX_TESTS = 2_000;
/** No test: what totals and tasks look like. */
const NOT_A_TEST = /^(?:\d+ tests?\b|Task\b|BUILD\b|.{0,300}\btests? completed\b|[\d.]+$)/;

/** Asked one after the other until one names any: what the first say of each test, the next say again in other words. */
const READERS: readonly ((span: Span) => readonly Named[])[] = [
  (span) => [...namedTests(span, NAMING_LINES), ...mochaTests(span), ...antTests(span)],
  surefireTests,
  ruledTests,
  headedTests,
  (span) => namedTests(span, LAST_NAMING_LINES),
];

/** Distinct failed tests between two lines, in order of their first mention. */
export function findFailedTests(lines: readonly PlainLine[], from: number, to: number): readonly FailedTest[] {
  const distinct = new Map<string, FailedTest>();
  for (const read of READERS) {
    const found = read({ lines, from, to }).map(clean).filter(isTest).slice(0, MAX_TESTS);
    for (const test of found) if (!distinct.has(test.name)) distinct.set(test.name, test);
    if (distinct.size > 0) break;
  }
  return [...distinct.values()];
}

function namedTests({ lines, from, to }: Span, forms: readonly NamingLine[]): readonly Named[] {
  const found: Named[] = [];
  for (let at = from; at < to; at += 1) {
    const text = lines[at]?.text ?? '';
    const named = text.length >= 6 ? namedOn(text, forms) : null;
    if (named) found.push({ ...named, at });
  }
  return found;
}

function clean(named: Named): FailedTest {
  return { name: cleanName(named.name), at: named.at, path: named.path ?? '' };
}

function isTest({ name }: FailedTest): boolean {
  return name !== '' && !NOT_A_TEST.test(name);
}

/** Whether a line may name a test by itself where no other line names any: all that stands under a heading is left out. */
export function mayNameLast({ text }: PlainLine): boolean {
  return text.includes('[junit]') || isSurefireHeading(text) || namedOn(text, LAST_NAMING_LINES) !== null;
}

/** The test that a line names as failed; null: none. */
export function nameOn(text: string): string | null {
  return text.length < 6 ? null : (namedOn(text, NAMING_LINES)?.name ?? null);
}

function namedOn(text: string, forms: readonly NamingLine[]): Pick<FailedTest, 'name' | 'path'> | null {
  for (const { word, pattern } of forms) {
    const match = text.includes(word) ? pattern.exec(text) : null;
    if (!match) continue;
    const path = match.groups?.['path'] ?? '';
    // A named group counts as a group as well.
    const name = match.slice(1).find((group) => group !== undefined && group !== path) ?? path;
    return { name: path !== '' && name !== path ? `${path}::${name}` : name, path };
  }
  return null;
}

function cleanName(name: string): string {
  return name
    .replace(/\s+/g, ' ')
    .replace(/ \(?\d+(?:\.\d+)? ?m?s\)?$| <- .*$/, '')
    .replace("', methodName = '", '.')
    .trim()
    .slice(0, 300);
}

// Failed tests in lists under a heading: numbered, by name alone, or with how each ended.
import { indexesOf, type Named, type Span, textAt } from './test-lists.ts';

interface HeadedList {
  readonly heading: RegExp;
  /** Group 1: the name; `path`: the file. */
  readonly item: RegExp;
  /** The first line that is no longer of it. */
  readonly ends: RegExp;
}

const LISTS: readonly HeadedList[] = [
  // PHPUnit
  {
    heading: /^There (?:was|were) \d+ (?:failures?|errors?):$/,
    item: /^\d{1,4}\) (\S.{0,300})$/,
    ends: /^(?:FAILURES!|ERRORS!|Tests: \d|--$)/,
  },
  // RSpec, Jasmine, Hspec
  {
    heading: /^Failures: ?$/,
    item: /^\s{0,4}\d{1,4}\) (?!Failure:|Error:)(\S.{0,300})$/,
    ends: /^(?:Finished in|Failed examples:|Ran \d|Executed \d|Randomized with|\d+ (?:specs?|examples?),)/,
  },
  // CTest
  { heading: /^The following tests FAILED:$/, item: /^\s{1,12}\d{1,6} - (\S{1,300}) \([\w ]{1,30}\)/, ends: /^\S/ },
  // Cargo
  { heading: /^failures:$/, item: /^ {4}(\w[\w:]{0,300})$/, ends: /^\S/ },
  // behave
  {
    heading: /^(?:Failing|Errored) scenarios:$/,
    item: /^ {2}(?<path>\S{1,200}\.feature):\d{1,6} {1,4}(\S.{0,300})$/,
    ends: /^(?:\S|$)/,
  },
];
const MAX_LISTED = 20_000;

/** Of every list in turn; each line is looked at once for each. */
export function headedTests(span: Span): readonly Named[] {
  return LISTS.flatMap((list) => {
    const found: Named[] = [];
    let left = 0;
    for (let at = indexesOf(span, list.heading)[0] ?? span.to; at < span.to; at += 1) {
      const text = textAt(span, at);
      left = linesLeft(text, left, list);
      const item = left > 0 ? itemOn(text, at, list.item) : null;
      if (item) found.push(item);
    }
    return found;
  });
}

/** Of a list, with this line; 0: it is in none. */
function linesLeft(text: string, left: number, { heading, ends }: HeadedList): number {
  if (heading.test(text)) return MAX_LISTED;
  return left === 0 || ends.test(text) ? 0 : left - 1;
}

function itemOn(text: string, at: number, form: RegExp): Named | null {
  const match = form.exec(text);
  const path = match?.groups?.['path'];
  const name = match?.[path === undefined ? 1 : 2];
  if (name === undefined) return null;
  return path === undefined ? { name, at } : { name: `${path}::${name}`, at, path };
}

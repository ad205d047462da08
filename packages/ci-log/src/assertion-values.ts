// The values that an assertion of Node compares, which stand below its message: as `2400 !== 4800`, as a difference, or
// one below the other.

/** What announces them, at the end of a message. */
const ANNOUNCES_VALUES =
  /(?:\bexpected\b.{0,200}\b(?:un)?equal(?: to(?: "expected")?)?|\bnot reference-equal|\bfalsy value|\. Input|\bExpected value to .{1,60}):$/i;

/** Frames, what follows in the error, and the difference that other runners add to it. */
const ENDS =
  /^\s*(?:at .{1,400}:\d|❯ |\+ expected - actual|- Expected\b|(?:generatedMessage|code|actual|expected|operator|diff|duration_ms|stack): |(?:Message|Difference):$|\.{3}$|[✔✖●×] |test at |(?:not )?ok \d|\d{1,5}\) |={3}|-{3}|(?:> )?\d{1,6} \|)/;

const DIFFERENCE = /^\+ actual - expected/;
const SKIPPED = /^(?:\.{3}|@@)/;
const MOST_LINES = 40;
const MOST_VALUES = 240;
/** Of each side of a difference. */
const MOST_SIDE = 110;
/** Of what both sides begin with. */
const BEFORE = 20;

/** The values below a message in one line; "": the message announces none, or there are none. */
export function readComparedValues(message: string, below: readonly string[]): string {
  if (!ANNOUNCES_VALUES.test(message.trimEnd())) return '';
  const end = below.slice(0, MOST_LINES).findIndex((line) => ENDS.test(line));
  const [first = [], second = [], third = []] = listParagraphs(below.slice(0, end < 0 ? MOST_LINES : end));
  const [head = ''] = first;
  if (DIFFERENCE.test(head.trim())) {
    return formatDifference([...first.slice(1), ...second], /^\s*/.exec(head)?.[0].length ?? 0);
  }
  const shown = third.length > 0 && /^\s*should /.test(second[0] ?? '') ? [...first, ...second, ...third] : first;
  return cutValues(shown.map((line) => line.trim().replace(/\s+/g, ' ')).join(' '), MOST_VALUES);
}

/** What minitest prints of a difference before it shows it. */
export const DIFFERENCE_HEAD = /^(?:--- expected|\+\+\+ actual|@@ -\d.{0,60} @@)$/;

/** Minitest's: below words of the test's own if it has some, one value below the other or a difference. "": none of these. */
export function readMinitestValues(below: readonly string[]): string {
  const [first = '', second = ''] = below;
  if (/^Expected: /.test(first) && /^ {2}Actual: /.test(second))
    return [first, second].map((side) => cutSide(side.trim(), 0)).join(' ');
  if (first !== '--- expected') return '';
  const end = below.findIndex((line) => line.trim() === '');
  const changed = below.slice(0, end < 0 ? MOST_LINES : end).filter((line) => !DIFFERENCE_HEAD.test(line));
  const [expected = '', actual = ''] = ['-', '+'].map((sign) =>
    changed
      .filter((line) => line.startsWith(sign))
      .map((line) => line.slice(1).trim())
      .join(' '),
  );
  const shared = countShared(expected, actual);
  return `Expected: ${cutSide(expected, shared)} Actual: ${cutSide(actual, shared)}`;
}

function listParagraphs(lines: readonly string[]): readonly (readonly string[])[] {
  const found: string[][] = [[]];
  for (const line of lines) {
    if (line.trim() !== '') found.at(-1)?.push(line);
    else if (found.at(-1)?.length !== 0) found.push([]);
  }
  return found;
}

/** With Node's own signs, unless it is one value against another. */
function formatDifference(lines: readonly string[], depth: number): string {
  const bare = lines.map((line) => line.slice(depth)).filter((line) => !SKIPPED.test(line));
  const [actual, expected] = ['+', '-'].map((sign) =>
    bare
      .filter((line) => line.startsWith(sign))
      .map((line) => line.slice(1).trim())
      .filter(Boolean)
      .join(' ')
      .replace(/,$/, ''),
  );
  if (!actual || !expected) return cutValues(actual ? `+ ${actual}` : expected ? `- ${expected}` : '', MOST_VALUES);
  const shared = countShared(actual, expected);
  const [is, should] = [cutSide(actual, shared), cutSide(expected, shared)];
  // A caret points at the first character that differs.
  const isWhole = bare.every((line) => /^[+-]/.test(line) || ['', '^'].includes(line.trim()));
  return isWhole && bare.length <= 3 ? `${is} !== ${should}` : `+ ${is} - ${should}`;
}

function countShared(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

/** Values that begin alike are shown from where they differ. */
function cutSide(text: string, shared: number): string {
  if (text.length <= MOST_SIDE) return text;
  const from = shared > MOST_SIDE / 2 ? shared - BEFORE : 0;
  return cutValues(`${from > 0 ? '… ' : ''}${text.slice(from)}`, MOST_SIDE);
}

function cutValues(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 2).trimEnd()} …`;
}

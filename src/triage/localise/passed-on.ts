// Which lines of a file only bring in names that are defined elsewhere, or pass them on.

import { markTexts } from '../../core/source/index.ts';

/** `import`, `export … from`, `use` and their like, with what follows them in brackets on the next lines. */
const BRINGS =
  /^\s*(?:import\b(?!\s*[(.]\s*\S)|from\s+\S+\s+import\b|(?:pub(?:\([\w:\s]{1,40}\))?\s+)?(?:use\s+[\w\\:{*]|mod\s+\w+\s*;|extern\s+crate\b)|export\s+(?:type\s+)?[*{]|__all__\s*[:+=]|#\s*include\b|using\s+(?:static\s+)?[\w.]+\s*;|require(?:_relative)?\s+['"])/;

/** A line of its own: `const a = require('./a')`, `exports.a = require('./a').b`. */
const REQUIRES =
  /^\s*(?:(?:const|let|var)\s+[\w$\s{},:]{1,200}|(?:module\.)?exports[\w$.]{0,80}\s*)=\s*require\([^()]{1,200}\)[\w$.]{0,80};?\s*$/;

/** What is exported as an object may be made there: it is only where no function is. */
const EXPORTED = /^\s*(?:module\.)?exports\s*=\s*\{/;

const IS_MADE = /=>|\bfunction\b|\((?!['"])|\{[^{}]*\{/;

/** Lines that one such statement has at most. */
const LONGEST = 300;

/** For each line, 1 where it only brings in or passes on. */
export function markPassedOn(lines: readonly string[]): Uint8Array {
  const marks = new Uint8Array(lines.length);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (!BRINGS.test(line) && !REQUIRES.test(line) && !EXPORTED.test(line)) continue;
    const end = findStatementEnd(lines, at);
    if (EXPORTED.test(line) && IS_MADE.test(lines.slice(at, end + 1).join('\n'))) continue;
    marks.fill(1, at, end + 1);
    at = end;
  }
  return marks;
}

/** The line that closes the brackets which line `from` opens; `from` itself where none does. */
function findStatementEnd(lines: readonly string[], from: number): number {
  let open = 0;
  for (let at = from; at < Math.min(lines.length, from + LONGEST); at++) {
    for (const sign of lines[at] ?? '') {
      if (sign === '(' || sign === '{' || sign === '[') open++;
      else if (sign === ')' || sign === '}' || sign === ']') open--;
    }
    if (open <= 0) return at;
  }
  return from;
}

/** A version or a setting may stand in such a file too. */
const MOST_OF_IT = 0.8;

/** Whether a file defines nothing that its importers see: but for comments nearly all of it is passed on. */
export function passesOn(path: string, lines: readonly string[], marks: Uint8Array): boolean {
  const texts = markTexts(path, lines);
  let [all, passed] = [0, 0];
  for (const [index, line] of lines.entries()) {
    if (texts[index] === 1 || line.trim() === '') continue;
    all++;
    passed += marks[index] ?? 0;
  }
  return passed > 0 && passed >= all * MOST_OF_IT;
}

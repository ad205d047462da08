// Lines by which programs list files: rows of tables, states of files, progress of builds, tests that passed. None of
// them says that its file is at fault.

import { isPassedTest } from 'causeway-log-lines';

/** Longer lines are no rows. */
const MOST_READ = 400;

const ROW = /^[\s│|]{0,12}(\S{1,200}\.\w{1,8})([\s│|].{1,300})$/;

/** A cell of numbers, a range of lines, a share or a size; `+++---` of a diff. */
const NUMBERS = /^(?:[\d.,:%+-]+|\d[\d.,]{0,20}(?:m?s|[kKMG]?i?B)|[kKMG]?i?B|m?s|bytes|gzip:|Bin|->|n\/a)$/;

/** As `go tool cover -func` ends a line. */
const SHARE_OF_FUNCTION = /\.\w{1,8}:\d{1,7}:\s{1,40}\S{1,120}\s{1,60}\d{1,3}(?:\.\d{1,3})?%\s{0,8}$/;

/** Of git: `modified:   a.py`, `create mode 100644 a.py`, ` M a.py`, `R  a.py -> b.py`. */
const STATE =
  /^\s{0,12}(?:(?:(?:both |deleted by us|deleted by them)?(?:modified|deleted|new file|renamed|copied|added|typechange)?:|(?:create|delete) mode \d{6})\s{1,12}|[MADRCUT?!]{1,2}\s{1,8})\S{3,300}(?: -> \S{3,300})?\s{0,8}$/;

const COUNTED = /^\s{0,8}[[(]\s{0,4}\d{1,6}(?:\s?\/\s?\d{1,6}|%)[\])]\s/;

/** `ok src/a.go 0.3s`, `PASS src/a.test.ts (5 s)`, `✓ src/a.test.ts`. */
const PASSED = /^\s{0,12}(?:ok|PASS(?:ED)?|SKIP(?:PED)?|[✓✔√])\s{1,12}\S{3,300}(?:\s{1,12}[(\d].{0,60})?$/;

/** A whole line of what a build is at: `Compiling src/a.c`, `  CC   src/a.o`. */
const DOING =
  /^\s{0,12}(?:CC|CXX|LD|AR|(?:Compil|Recompil|Build|Link|Check|Generat|Copy|Install|Download|Upload|Format|Lint|Writ|Creat|Updat|Bundl|Transform|Transpil|Scann|Packag|Minify)ing):?\s{1,12}(?:\w{1,20}\s){0,3}[`"']?\S{3,300}[`"']?(?:\s{1,8}(?:\.{3}|…|[(\d].{0,60}))?\s{0,8}$/;

/** pytest's row of a file in which no test failed. */
const ALL_DOTS = /^\S{3,200}\.py [.sxX]{1,200}\s{1,200}\[ {0,2}\d{1,3}%\]$/;

const FAULT =
  /(?<![\w./\\-])(?:errors?|fail(?:s|ed|ing|ures?)?|warnings?|fatal|panic|exception|crash\w{0,6})(?![\w./\\-])/i;

/** Whether the line is one of a list that a program printed, rather than what it or a person says of a file. */
export function isListing(line: string): boolean {
  if (line.length > MOST_READ) return isPassedTest(line);
  if (isNumberRow(line) || [STATE, SHARE_OF_FUNCTION, ALL_DOTS].some((form) => form.test(line))) return true;
  return isPassedTest(line) || ([COUNTED, PASSED, DOING].some((form) => form.test(line)) && !FAULT.test(line));
}

/** `src/a.ts 12 5` may be a line and a column: columns are three, or drawn, or shares. */
function isNumberRow(line: string): boolean {
  const rest = ROW.exec(line)?.[2] ?? '';
  const cells = rest.split(/[\s│|]+/).filter((cell) => cell !== '');
  const isNumbers =
    cells.length > 0 && /^(?:\d|Bin$|n\/a$)/.test(cells[0] ?? '') && cells.every((cell) => NUMBERS.test(cell));
  return isNumbers && (cells.length > 2 || /[│|]/.test(rest) || cells.some((cell) => /\d%$/.test(cell)));
}

// Linters and formatters say the same words of many files: which file a line of theirs is about.
import type { PlainLine } from './plain-lines.ts';
import { repositoryPath } from './repository-path.ts';

const PATH = '((?:[A-Za-z]:)?[\\w@.~+/\\\\-]{1,300}\\.\\w{1,10})';
/** Each names its file in group 1. */
const NAMING: readonly RegExp[] = [
  // Prettier, Black, Ruff, rustfmt
  /^\[warn\] (\S{1,300}\.\w{1,10})$/,
  /^[Ww]ould reformat:? (\S{1,300}\.\w{1,10})$/,
  /^Diff in (\S{1,300}?\.rs)(?::\d+:?| at line \d+:)$/,
  // flake8, Ruff, RuboCop, markdownlint: a rule's number behind the place
  new RegExp(`^\\s{0,6}${PATH}:\\d{1,6}(?::\\d{1,5})?:? (?:error )?(?:\\[?[A-Z]{1,5}\\d{2,5}\\b|[CWEF]: )`),
  // golangci-lint: the linter's name at the end
  new RegExp(`^${PATH}:\\d{1,6}:\\d{1,5}: \\S.{1,600} \\([a-z][\\w-]{1,40}\\)$`),
  // Checkstyle
  new RegExp(`^\\[(?:ant:)?checkstyle\\] \\[ERROR\\] ${PATH}:\\d`),
  new RegExp(`^\\[ERROR\\] ${PATH}:\\[\\d{1,6}(?:,\\d{1,5})?\\] \\(\\w{1,40}\\) `),
];
/** ESLint, stylelint: lines under the name of their file. */
const UNDER_FILE = /^\s{1,6}\d{1,6}:\d{1,5} {1,4}(?:error|warning|✖|⚠) |^\s{0,6}[✖⚠] {1,4}\d{1,6}:\d{1,5} /;
const FILE = new RegExp(`^${PATH}$`);
const MAX_BACK = 300;

/** A path of the repository; "" where the line is none of theirs, or the file lies elsewhere. */
export function lintedFile(lines: readonly PlainLine[], at: number): string {
  const text = lines[at]?.text ?? '';
  const written = UNDER_FILE.test(text) ? fileAbove(lines, at) : namedFile(text);
  return written === '' ? '' : (repositoryPath(written) ?? '');
}

function namedFile(text: string): string {
  for (const pattern of NAMING) {
    const path = pattern.exec(text)?.[1];
    if (path !== undefined) return path;
  }
  return '';
}

function fileAbove(lines: readonly PlainLine[], at: number): string {
  for (let above = at - 1; above >= Math.max(0, at - MAX_BACK); above -= 1) {
    const text = lines[above]?.text ?? '';
    if (!UNDER_FILE.test(text)) return FILE.exec(text.trim())?.[1] ?? '';
  }
  return '';
}

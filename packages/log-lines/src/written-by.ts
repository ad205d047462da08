// Which lines a program wrote.

const LOG_LINE =
  /^\s*(?:at |File "|\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|goroutine \d|Traceback \(|\.{3} \d+ more|Caused by:|\d+: 0x|\[?(?:INFO|DEBUG|TRACE|WARN|WARNING|NOTICE|ERROR)\b|\{"(?:level|time|timestamp|msg)")/;

/** Whether a line was written by a program rather than by a person. */
export function isLogLine(line: string): boolean {
  return LOG_LINE.test(line) || (line.length > 1_000 && countWords(line) < line.length / LONG_WORDS);
}

/** A long line with longer words in the mean than this was not written by a person. */
const LONG_WORDS = 12;

function countWords(line: string): number {
  return line.split(' ').length;
}

/** One test that passed, on one line. */
const PASSED =
  /^\s{0,40}(?:[✓✔√] |ok \d|--- PASS: |\[ {7}OK \]|PASS {1,3}\S+\.[cm]?[jt]sx?(?: |$))|::\S.{0,400} PASSED\b|^PASSED |\.\.\. ok$| > \S.{0,300} PASSED$/;

/** Whether the line is what a runner (node:test, Jest, pytest, Go, GoogleTest, TAP) prints of one test that passed. */
export function isPassedTest(line: string): boolean {
  return PASSED.test(line);
}

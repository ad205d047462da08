// A report as plain lines: no colours, no log prefixes, traces that were folded into one JSON string unfolded.

/** Longer lines are cut before any pattern looks at them: a minified bundle in a log must not cost seconds. */
const MAX_LINE = 2_000;
/** Of each half of a report. A megabyte of line ends kept the event loop busy for a second and a half. */
const MAX_LINES = 20_000;
const ANSI = /\u001b(?:\[[0-9;:?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\^_])/g;
const CI_TIME = /^\uFEFF?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z /;
const SERVICE = /^[A-Za-z][\w.-]{0,60} {1,40}\| /;
/** Test runners mark each line of their own failure: `INTERNALERROR> Traceback …`. */
const MARK = /^[A-Z]{4,30}> ?/;
const QUOTE = /^(?:> ?){1,8}/;

/** The text without terminal colours and other escape sequences. */
export function withoutAnsi(text: string): string {
  return text.includes('\u001b') ? text.replace(ANSI, '') : text;
}

/**
 * Lines of the text without colours and prefixes of CI and container logs; each cut to 2,000 characters. Of a text with more than
 * 40,000 lines the first and the last 20,000.
 */
export function plainLines(text: string): string[] {
  const lines: string[] = [];
  for (const line of bothEnds(withoutAnsi(text).split(/\r\n|\n|\r/))) {
    const bare = line.replace(CI_TIME, '').replace(SERVICE, '').replace(MARK, '').replace(QUOTE, '');
    for (const part of isFolded(bare) ? unfolded(bare) : [bare]) lines.push(part.slice(0, MAX_LINE));
  }
  return lines;
}

function bothEnds(lines: string[]): string[] {
  return lines.length > 2 * MAX_LINES ? [...lines.slice(0, MAX_LINES), ...lines.slice(-MAX_LINES)] : lines;
}

/** A stack trace inside a JSON string: `"stack":"Error: x\n    at f (a.js:1:2)"`. */
function isFolded(line: string): boolean {
  return line.includes('\\n') && /\\n(?:\\t|\s){0,8}(?:at |File |Caused by|goroutine )/.test(line);
}

/** The lines of the string that holds the trace; what stands around it on the line keeps its own line. */
function unfolded(line: string): string[] {
  const [first = '', ...rest] = line.split('\\n');
  const opening = /^(.*(?<!\\)")([^"]*)$/.exec(first.slice(-MAX_LINE));
  const parts = [opening?.[1] ?? '', opening?.[2] ?? first, ...rest.map((part) => part.replace(/(?<!\\)".*$/s, ''))];
  return parts.map((part) => part.replaceAll('\\r', '').replaceAll('\\t', '\t').replaceAll('\\"', '"'));
}

const LOG_LINE =
  /^\s*(?:at |File "|\d{4}-\d\d-\d\d[T ]|\[?\d\d:\d\d:\d\d|goroutine \d|Traceback \(|\.{3} \d+ more|Caused by:|\d+: 0x|\[?(?:INFO|DEBUG|TRACE|WARN|WARNING|NOTICE|ERROR)\b|\{"(?:level|time|timestamp|msg)")/;

/** Whether a line was written by a program rather than by a person. */
export function isLogLine(line: string): boolean {
  return line.length > 1_000 || LOG_LINE.test(line);
}
